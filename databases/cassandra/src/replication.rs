//! The number of copies of the data: as an option names it, and as a keyspace has it.

use std::collections::BTreeMap;

/// The class that knows no datacenters.
const SIMPLE: &str = "SimpleStrategy";

/// The copies that the data is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Replication {
    /// In all: SimpleStrategy, which knows no datacenters.
    Simple(u32),
    /// In each datacenter.
    Each(u32),
    /// By datacenter.
    Named(BTreeMap<String, u32>),
}

impl Replication {
    pub fn parse(text: &str) -> std::result::Result<Replication, String> {
        let bad = || {
            format!(
                "`{text}` is not a number of copies from 1 to 100, such by datacenter, DC1:3,DC2:2, \
                 or in all, {SIMPLE}:2"
            )
        };
        let count =
            |text: &str| text.parse().ok().filter(|n| (1..=100).contains(n)).ok_or_else(bad);
        if text.bytes().all(|b| b.is_ascii_digit()) {
            return count(text).map(Replication::Each);
        }
        if let Some(copies) = text.strip_prefix(SIMPLE).and_then(|rest| rest.strip_prefix(':')) {
            return count(copies).map(Replication::Simple);
        }
        let mut by_name = BTreeMap::new();
        for part in text.split(',') {
            let (name, copies) = part.split_once(':').ok_or_else(bad)?;
            let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
            if name.is_empty() || !name.bytes().all(good) || name == "class" {
                return Err(bad());
            }
            by_name.insert(name.to_owned(), count(copies)?);
        }
        Ok(Replication::Named(by_name))
    }

    /// The value in CREATE KEYSPACE.
    pub fn cql(&self) -> String {
        let class = match self {
            Replication::Simple(_) => SIMPLE,
            Replication::Each(_) | Replication::Named(_) => "NetworkTopologyStrategy",
        };
        let mut text = format!("{{'class': '{class}'");
        match self {
            Replication::Simple(copies) | Replication::Each(copies) => {
                text.push_str(&format!(", 'replication_factor': {copies}"))
            }
            Replication::Named(by_name) => {
                for (name, copies) in by_name {
                    text.push_str(&format!(", '{name}': {copies}"));
                }
            }
        }
        text.push('}');
        text
    }

    /// Whether a keyspace has these copies.
    pub fn is_of(&self, keyspace: &Keyspace) -> bool {
        let mut there = keyspace.replication.iter().filter(|(name, _)| *name != "class");
        match self {
            Replication::Simple(copies) => {
                keyspace.class().is_some_and(|class| class == SIMPLE)
                    && there.all(|(_, value)| *value == copies.to_string())
            }
            Replication::Each(copies) => there.all(|(_, value)| *value == copies.to_string()),
            Replication::Named(by_name) => there
                .map(|(name, value)| (name.clone(), value.clone()))
                .eq(by_name.iter().map(|(name, copies)| (name.clone(), copies.to_string()))),
        }
    }
}

/// A keyspace that exists.
pub(super) struct Keyspace {
    /// Its replication, `class` among it.
    pub replication: BTreeMap<String, String>,
    pub durable_writes: bool,
}

impl Keyspace {
    /// The class of its replication, without its package.
    pub fn class(&self) -> Option<&str> {
        self.replication.get("class").map(|class| class.rsplit('.').next().unwrap_or(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replication_is_a_number_or_one_for_each_datacenter() {
        let keyspace = |pairs: &[(&str, &str)]| Keyspace {
            replication: pairs.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect(),
            durable_writes: true,
        };
        let three = Replication::parse("3").unwrap();
        assert_eq!(three.cql(), "{'class': 'NetworkTopologyStrategy', 'replication_factor': 3}");
        let simple = keyspace(&[("class", "SimpleStrategy"), ("replication_factor", "3")]);
        let two = keyspace(&[("class", "NetworkTopologyStrategy"), ("dc1", "3"), ("dc2", "2")]);
        assert!(three.is_of(&simple) && !three.is_of(&two));
        let of_all = Replication::parse("SimpleStrategy:3").unwrap();
        assert_eq!(of_all.cql(), "{'class': 'SimpleStrategy', 'replication_factor': 3}");
        let with_package =
            keyspace(&[("class", "org.apache.SimpleStrategy"), ("replication_factor", "3")]);
        let each = keyspace(&[("class", "NetworkTopologyStrategy"), ("replication_factor", "3")]);
        assert!(of_all.is_of(&simple) && of_all.is_of(&with_package));
        assert!(!of_all.is_of(&each) && !of_all.is_of(&two) && three.is_of(&each));
        let named = Replication::parse("dc2:2,dc1:3").unwrap();
        assert_eq!(named.cql(), "{'class': 'NetworkTopologyStrategy', 'dc1': 3, 'dc2': 2}");
        assert!(named.is_of(&two) && !named.is_of(&simple));
        for bad in [
            "0",
            "101",
            "-1",
            "dc1",
            "dc1:",
            "dc1:x",
            "dc':1",
            "class:3",
            ",",
            "dc1:3,",
            "SimpleStrategy:0",
            "SimpleStrategy:",
        ] {
            assert!(Replication::parse(bad).is_err(), "{bad}");
        }
    }
}
