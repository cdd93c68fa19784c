//! The URL of an AsterixDB target.

use std::time::Duration;

use hoap_workload::{Error, ErrorKind, Result};

use crate::OptionHelp;
use crate::options::{number, set_each, unknown};
use crate::sqlpp::quote;
use crate::sqlpp::store::Indexes;
use crate::url::redact;

/// The settings that a URL may change. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub indexes: Indexes,
    /// Where a load puts files for the nodes; empty: none.
    pub load_folder: String,
    pub storage: &'static str,
    pub analyze: bool,
    pub query_timeout: Option<Duration>,
    pub connect_timeout: Duration,
    pub max_result_mb: u32,
    /// Megabytes for an operator that sorts, joins and groups; 0 as the server is set.
    pub memory: [(&'static str, u32); 3],
    pub parallelism: Option<u32>,
}

/// The options of an `asterixdb:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "indexes",
        default: "searched",
        meaning: "which indexes a load makes: searched: those that a workload here searches (the \
                  shop's); published: those and the CH2++ paper's for queries; all: those of the \
                  benchmarks' transactions, too",
    },
    OptionHelp {
        name: "load_folder",
        default: "",
        meaning: "a folder that hoap and all nodes see under this path: a load writes files there, which \
                  the nodes read (LOAD), and removes them; empty: a load sends UPSERT statements",
    },
    OptionHelp {
        name: "storage",
        default: "server",
        meaning: "server, row or column: the storage format of new datasets, where the version has \
                  a choice",
    },
    OptionHelp {
        name: "analyze",
        default: "off",
        meaning: "on: a load ends with ANALYZE of its datasets, which 0.9.8 does not have",
    },
    OptionHelp {
        name: "query_timeout_ms",
        default: "0",
        meaning: "milliseconds that a query may take; 0: without limit; to 86400000",
    },
    OptionHelp {
        name: "connect_timeout_ms",
        default: "10000",
        meaning: "milliseconds to wait for a connection; 1 to 3600000",
    },
    OptionHelp {
        name: "max_result_mb",
        default: "1024",
        meaning: "megabytes that the rows of a result may have; 1 to 1048576",
    },
    OptionHelp {
        name: "sort_memory_mb",
        default: "0",
        meaning: "memory of a sort in a query, megabytes; 0: as the server is set",
    },
    OptionHelp {
        name: "join_memory_mb",
        default: "0",
        meaning: "memory of a join in a query, megabytes; 0: as the server is set",
    },
    OptionHelp {
        name: "group_memory_mb",
        default: "0",
        meaning: "memory of a GROUP BY in a query, megabytes; 0: as the server is set",
    },
    OptionHelp {
        name: "parallelism",
        default: "",
        meaning: "partitions that work on a query; 0: as many as storage has; empty: as the server \
                  is set",
    },
];

impl Options {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        match name {
            "indexes" => self.indexes = Indexes::parse(value)?,
            "load_folder" => self.load_folder = folder(value)?.to_owned(),
            "storage" => self.storage = word(value, &["server", "row", "column"])?,
            "analyze" => self.analyze = word(value, &["off", "on"])? == "on",
            "query_timeout_ms" => {
                let limit = number(value, 0, 86_400_000)?;
                self.query_timeout = (limit > 0).then(|| Duration::from_millis(limit.into()));
            }
            "connect_timeout_ms" => {
                self.connect_timeout = Duration::from_millis(number(value, 1, 3_600_000)?.into());
            }
            "max_result_mb" => self.max_result_mb = number(value, 1, 1 << 20)?,
            "parallelism" if value.is_empty() => self.parallelism = None,
            "parallelism" => self.parallelism = Some(number(value, 0, 100_000)?),
            _ => match self.memory.iter_mut().find(|(n, _)| *n == name) {
                Some((_, memory)) => *memory = number(value, 0, 1 << 20)?,
                None => return Err(unknown(OPTIONS)),
            },
        }
        Ok(())
    }
}

/// A path that can stand in a list of them.
fn folder(value: &str) -> std::result::Result<&str, String> {
    let bad = |c: char| matches!(c, ',' | '"' | '\\') || c.is_control();
    match value.is_empty() || (value.starts_with('/') && !value.contains(bad)) {
        true if !value.contains("://") => Ok(value),
        _ => Err(format!("`{value}` is not an absolute path without , \" \\ and ://")),
    }
}

fn word(value: &str, words: &[&'static str]) -> std::result::Result<&'static str, String> {
    let found = words.iter().find(|w| **w == value).copied();
    found.ok_or_else(|| format!("`{value}` is not one of {}", words.join(", ")))
}

impl Default for Options {
    fn default() -> Self {
        let memory = [("sort_memory_mb", 0), ("join_memory_mb", 0), ("group_memory_mb", 0)];
        let mut options = Options {
            indexes: Indexes::Searched,
            load_folder: String::new(),
            storage: "server",
            analyze: false,
            query_timeout: None,
            connect_timeout: Duration::ZERO,
            max_result_mb: 0,
            memory,
            parallelism: None,
        };
        for option in OPTIONS {
            let set = options.set(option.name, option.default);
            debug_assert_eq!(set, Ok(()), "{}", option.name);
        }
        options
    }
}

/// What a URL names.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The URL without secrets.
    pub shown: String,
    pub host: String,
    pub port: u16,
    pub dataverse: String,
    pub options: Options,
}

/// The port of the cluster controller's API, where nobody changed it.
const PORT: u16 = 19002;

/// Reads a URL.
///
/// # Errors
/// [`ErrorKind::Invalid`], which repeats no secret.
pub(super) fn parse(url: &str) -> Result<Parsed> {
    let shown = redact(url);
    let invalid = |answer: &str| {
        Error::new(ErrorKind::Invalid, format!("open {shown}"), answer)
            .advise("write asterixdb://HOST:PORT/DATAVERSE")
    };
    let (place, query) = match url.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (url, None),
    };
    let rest = place.strip_prefix("asterixdb://").ok_or_else(|| invalid("it names no host"))?;
    if rest.contains('@') {
        return Err(invalid("AsterixDB has no users: leave out what is before the @"));
    }
    let (authority, dataverse) =
        rest.split_once('/').ok_or_else(|| invalid("it names no dataverse"))?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => {
            (host, port.parse().map_err(|_| invalid("the port is no number up to 65535"))?)
        }
        _ => (authority, PORT),
    };
    if host.is_empty() || host.contains(|c: char| c.is_whitespace() || "\\#%".contains(c)) {
        return Err(invalid("it names no host"));
    }
    quote(dataverse, &mut String::new()).map_err(|e| invalid(&e.answer))?;
    if dataverse.contains('/') || ["Metadata", "Default"].contains(&dataverse) {
        return Err(invalid("a dataverse has one part, and is not Metadata or Default"));
    }
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    Ok(Parsed { shown, host: host.into(), port, dataverse: dataverse.into(), options })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_host_port_dataverse_and_options() {
        let parsed =
            parse("asterixdb://db.example/bench?indexes=published&join_memory_mb=64&parallelism=4");
        let parsed = parsed.unwrap();
        assert_eq!(
            (&*parsed.host, parsed.port, &*parsed.dataverse),
            ("db.example", 19002, "bench")
        );
        assert_eq!(parsed.options.indexes, Indexes::Published);
        assert_eq!(parsed.options.memory[1], ("join_memory_mb", 64));
        assert_eq!(parsed.options.parallelism, Some(4));
        let parsed = parse("asterixdb://[::1]:9/a b").unwrap();
        assert_eq!((&*parsed.host, parsed.port, &*parsed.dataverse), ("[::1]", 9, "a b"));
    }

    #[test]
    fn a_wrong_url_says_what_is_wrong() {
        for (url, word) in [
            ("asterixdb:", "no host"),
            ("asterixdb:///d", "no host"),
            ("asterixdb://h", "no dataverse"),
            ("asterixdb://h/", "1 to 256 bytes"),
            ("asterixdb://h/a`b", "backtick"),
            ("asterixdb://h/Metadata", "not Metadata"),
            ("asterixdb://h:x/d", "port"),
            ("asterixdb://h:70000/d", "port"),
            ("asterixdb://u:secret@h/d", "no users"),
            ("asterixdb://h/d?indexes=some", "searched, all, published"),
            ("asterixdb://h/d?load_folder=here", "not an absolute path"),
            ("asterixdb://h/d?load_folder=/a,b", "not an absolute path"),
            ("asterixdb://h/d?nothing=1", "no such option"),
            ("asterixdb://h/d?query_timeout_ms=x", "whole number"),
        ] {
            let e = parse(url).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid);
            let line = e.to_string();
            assert!(line.contains(word) && !line.contains("secret"), "{url}: {line}");
        }
    }
}
