//! The settings of the papers and reports by name: option `preset=NAME` of a URL.
//!
//! A preset stands for options of one database as a source had them. An option that the URL itself
//! has wins. What a source set on its servers by hand is among the settings of `published/`.

use std::borrow::Cow;

use hoap_database::url::{FILES, PLACES, Parts};
use hoap_record::{Error, ErrorKind, Result};

/// The option that names one.
const OPTION: &str = "preset";

/// The settings of one source for one database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The source, as `hoap report --published` names it.
    pub name: &'static str,
    /// The schemes of the database's URLs.
    pub schemes: &'static [&'static str],
    /// What it stands for, as a URL would have it.
    pub options: &'static str,
    /// Where the source says so, and what it leaves open.
    pub source: &'static str,
}

const COUCHBASE: &[&str] = &["couchbase", "couchbases"];
const COLUMNAR: &[&str] = &["couchbase-analytics", "couchbases-analytics"];
const MONGODB: &[&str] = &["mongodb", "mongodb+srv"];
const DYNAMODB: &[&str] = &["dynamodb"];

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "ch2pp-2025",
        schemes: COUCHBASE,
        options: "indexes=paper",
        source: "Data Definition 1.2",
    },
    Preset {
        name: "ch2pp-2025",
        schemes: COLUMNAR,
        options: "indexes=published&analyze=high&storage=column",
        source: "Data Definitions 1.4 and 1.5; section 5.3: column format, the default",
    },
    Preset {
        name: "ch2pp-public",
        schemes: COUCHBASE,
        options: "tx_durability=persist_to_majority&scan_consistency=not_bounded&txtimeout_ms=3000&indexes=paper",
        source: "the defaults of the authors' program (docs/public-ch2.md), whose Delivery has ten times the limit",
    },
    Preset {
        name: "ch2-2021",
        schemes: COUCHBASE,
        options: "indexes=paper",
        source: "Data Definition 1.2, unreadable in the paper: the six of the CH2++ paper, on c_last",
    },
    Preset {
        name: "ch2-2021",
        schemes: COLUMNAR,
        options: "service=server&indexes=searched&analyze=off",
        source: "section 5.1: the Analytics service, no index; no statistics are named",
    },
    Preset {
        name: "nosql-2021",
        schemes: COUCHBASE,
        options: "durability=none",
        source: "section 3.2; the replicas of indexes, section 2.2, are as many as the nodes less one",
    },
    Preset {
        name: "nosql-2021",
        schemes: MONGODB,
        options: "w=1&journal=false&sharding=hashed",
        source: "section 3.2 (durability off), section 2.3 (hash-based sharding)",
    },
    Preset {
        name: "nosql-2021",
        schemes: &["cassandra"],
        options: "replication=SimpleStrategy:2&durable_writes=off&row_cache=all&read_consistency=one&write_consistency=one",
        source: "table 2.4 and section 2.4; the report states no level of consistency: one",
    },
    Preset {
        name: "dbaas-2020",
        schemes: COUCHBASE,
        options: "durability=none",
        source: "section 3.2",
    },
    Preset {
        name: "dbaas-2020",
        schemes: MONGODB,
        options: "w=1&journal=false&sharding=hashed",
        source: "section 3.2 (durability off), section 2.2 (hash-based sharding)",
    },
    Preset {
        name: "dbaas-2020",
        schemes: DYNAMODB,
        options: "capacity=provisioned&consistency=eventual&retries=0",
        source: "section 2.4, table 4.2.1 (ConsistentRead false); throttled requests are counted, not \
                 sent again",
    },
    Preset {
        name: "dbaas-capella",
        schemes: COUCHBASE,
        options: "durability=none",
        source: "the excerpt does not say: as in the report of 2020",
    },
    Preset {
        name: "dbaas-capella",
        schemes: MONGODB,
        options: "w=1&journal=false&sharding=hashed",
        source: "section 4.1.1 (sharded by _id); else the excerpt does not say: as in the report of 2020",
    },
    Preset {
        name: "dbaas-capella",
        schemes: DYNAMODB,
        options: "capacity=provisioned&consistency=eventual&retries=0",
        source: "table 4.1.2 (ConsistentRead false), section 4.1.1; throttled requests are counted, not \
                 sent again",
    },
];

/// The presets of a database, by a scheme of its URLs.
pub fn presets(scheme: &str) -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(move |preset| preset.schemes.contains(&scheme))
}

/// The preset of a URL's options, `name=value&…`.
///
/// # Errors
/// Names the presets that the database has, where it is none of them.
pub fn of_options(scheme: &str, options: &str) -> Result<Option<&'static Preset>> {
    let mut named =
        options.split('&').filter_map(|pair| pair.strip_prefix(OPTION)?.strip_prefix('='));
    let Some(name) = named.next() else { return Ok(None) };
    let known: Vec<&str> = presets(scheme).map(|preset| preset.name).collect();
    let found =
        presets(scheme).find(|preset| preset.name == name).filter(|_| named.next().is_none());
    found.map(Some).ok_or_else(|| {
        let tried = format!("read the option `{OPTION}` of {scheme}:…");
        let answer = match known.is_empty() {
            true => "no source has settings of this database".to_owned(),
            false => format!("it is one of {}", known.join(", ")),
        };
        Error::new(ErrorKind::Invalid, tried, answer)
            .advise("`hoap targets` lists the presets and what they stand for")
    })
}

/// The URL with the options that its preset stands for, in the place of the preset.
///
/// # Errors
/// Those of [`of_options`].
pub(crate) fn expanded(url: &str) -> Result<Cow<'_, str>> {
    let scheme = url.split(':').next().unwrap_or_default();
    let known = FILES.contains(&scheme) || PLACES.contains(&scheme);
    // Where it is not clear what is a password, the database's own reader refuses the URL.
    let clear = FILES.contains(&scheme) || Parts::of(url).is_ok();
    let Some((place, query)) = url.split_once('?').filter(|_| known && clear) else {
        return Ok(Cow::Borrowed(url));
    };
    let Some(preset) = of_options(scheme, query)? else { return Ok(Cow::Borrowed(url)) };
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let own: Vec<&str> = query.split('&').filter(|pair| name(pair) != OPTION).collect();
    let theirs = preset.options.split('&').filter(|pair| own.iter().all(|o| name(o) != name(pair)));
    let all: Vec<&str> = own.iter().copied().chain(theirs).collect();
    Ok(Cow::Owned(format!("{place}?{}", all.join("&"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMES;

    #[test]
    fn a_preset_stands_for_options_of_its_database() {
        let mut seen = Vec::new();
        for Preset { name, schemes, options, source } in PRESETS {
            assert!(!source.is_empty() && !source.contains("  "), "{name}");
            let line = SCHEMES.iter().find(|line| line.names == *schemes).expect("a database");
            assert!(!seen.contains(&(name, schemes)), "{name} {schemes:?} is there twice");
            seen.push((name, schemes));
            for pair in options.split('&').filter(|_| line.built_in()) {
                let (option, value) = pair.split_once('=').expect("name=value");
                assert!(!value.is_empty(), "{name}: {pair}");
                assert!(line.options.iter().any(|o| o.name == option), "{name}: {option}");
            }
        }
    }

    #[test]
    fn the_options_of_the_url_win_and_what_is_no_preset_is_refused() {
        for (url, becomes) in [
            ("couchbase://h/b", "couchbase://h/b"),
            ("couchbase://h/b?preset=nosql-2021", "couchbase://h/b?durability=none"),
            (
                "mongodb://u@h/b?tls=true&preset=dbaas-2020&w=majority",
                "mongodb://u@h/b?tls=true&w=majority&journal=false&sharding=hashed",
            ),
            // The reader of the database refuses what is not clear.
            ("redis://u:p?preset=x@h", "redis://u:p?preset=x@h"),
            ("nothing:?preset=x", "nothing:?preset=x"),
        ] {
            assert_eq!(expanded(url).unwrap(), becomes);
        }
        for (url, says) in [
            ("cassandra://h/k?preset=dbaas-2020", "it is one of nosql-2021"),
            ("sqlite:x?preset=nosql-2021", "no source has settings of this database"),
            ("dynamodb://r?preset=dbaas-2020&preset=dbaas-2020", "dbaas-2020, dbaas-capella"),
        ] {
            let told = expanded(url).unwrap_err().to_string();
            assert!(told.contains(says) && told.contains("hoap targets"), "{told}");
        }
    }
}
