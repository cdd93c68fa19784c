//! The options of a `cassandra:` URL.

use std::time::Duration;

use scylla::statement::{Consistency, SerialConsistency};

use super::replication::Replication;
use crate::OptionHelp;
use crate::options::{number, unknown};

/// The settings that a URL may change. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Options {
    pub read_consistency: Consistency,
    pub write_consistency: Consistency,
    pub serial_consistency: SerialConsistency,
    pub lwt: bool,
    /// Empty: any.
    pub datacenter: String,
    pub token_aware: bool,
    pub connections: u32,
    pub load_concurrency: u32,
    pub request_timeout: Duration,
    pub connect_timeout: Duration,
    /// `None`: as it is, one replica for a keyspace that a load makes.
    pub replication: Option<Replication>,
    pub durable_writes: Option<bool>,
    /// `rows_per_partition` of a table's caching.
    pub row_cache: Option<String>,
    /// The class of a table's compression, empty for none.
    pub compression: Option<&'static str>,
    pub tls: bool,
    pub tls_ca: String,
    pub tls_cert: String,
    pub tls_key: String,
}

/// The options of a `cassandra:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "read_consistency",
        default: "quorum",
        meaning: "replicas that answer a read: one, two, three, quorum, all, local_one, local_quorum",
    },
    OptionHelp {
        name: "write_consistency",
        default: "quorum",
        meaning: "replicas that acknowledge a write: any, one, two, three, quorum, all, local_one, \
                  local_quorum, each_quorum",
    },
    OptionHelp {
        name: "serial_consistency",
        default: "serial",
        meaning: "serial or local_serial: which replicas agree on a lightweight transaction",
    },
    OptionHelp {
        name: "lwt",
        default: "false",
        meaning: "true: an insert refuses a key that is there and an update one that is not, by \
                  lightweight transactions; false: an insert replaces, an update makes the record",
    },
    OptionHelp {
        name: "datacenter",
        default: "",
        meaning: "the datacenter whose nodes get the requests; empty: those of all",
    },
    OptionHelp {
        name: "token_aware",
        default: "true",
        meaning: "true: a request goes to a replica of its key; false: to any node in turn",
    },
    OptionHelp {
        name: "connections",
        default: "1",
        meaning: "connections of each worker thread to each node (ScyllaDB: to each shard); 1 to 100",
    },
    OptionHelp {
        name: "load_concurrency",
        default: "128",
        meaning: "inserts under way at once in each part of a load; 1 to 10000",
    },
    OptionHelp {
        name: "request_timeout_ms",
        default: "12000",
        meaning: "milliseconds to wait for an answer; 1 to 3600000. The server's own limits, mostly \
                  shorter, are its request timeouts",
    },
    OptionHelp {
        name: "connect_timeout_ms",
        default: "10000",
        meaning: "milliseconds to wait for a connection; 1 to 3600000",
    },
    OptionHelp {
        name: "replication",
        default: "",
        meaning: "copies of the data, for the keyspace that a load makes: a number for each datacenter, \
                  or DC1:3,DC2:2; an existing keyspace must have it; empty: as it is, 1 where a load \
                  makes it",
    },
    OptionHelp {
        name: "durable_writes",
        default: "",
        meaning: "true or false: whether the keyspace that a load makes has a commit log; an existing one \
                  must have it; empty: as it is, true where a load makes it",
    },
    OptionHelp {
        name: "row_cache",
        default: "",
        meaning: "rows of each partition that tables made by a load keep in the row cache: none, all or \
                  a number; empty: the server's default. The server's row_cache_size must not be 0",
    },
    OptionHelp {
        name: "compression",
        default: "",
        meaning: "compression of tables that a load makes: none, lz4, snappy, deflate or zstd; empty: \
                  the server's default",
    },
    OptionHelp { name: "tls", default: "false", meaning: "true: TLS to every node; wants tls_ca" },
    OptionHelp {
        name: "tls_ca",
        default: "",
        meaning: "file with the certificates (PEM) that those of the nodes must be signed by; they must \
                  name the nodes' IP addresses",
    },
    OptionHelp {
        name: "tls_cert",
        default: "",
        meaning: "file with the certificate (PEM) that this client shows; wants tls_key",
    },
    OptionHelp {
        name: "tls_key",
        default: "",
        meaning: "file with that certificate's private key (PEM)",
    },
];

const READS: &[(&str, Consistency)] = &[
    ("one", Consistency::One),
    ("two", Consistency::Two),
    ("three", Consistency::Three),
    ("quorum", Consistency::Quorum),
    ("all", Consistency::All),
    ("local_one", Consistency::LocalOne),
    ("local_quorum", Consistency::LocalQuorum),
];

const WRITES: &[(&str, Consistency)] =
    &[("any", Consistency::Any), ("each_quorum", Consistency::EachQuorum)];

const SERIAL: &[(&str, SerialConsistency)] =
    &[("serial", SerialConsistency::Serial), ("local_serial", SerialConsistency::LocalSerial)];

const COMPRESSION: &[(&str, &str)] = &[
    ("none", ""),
    ("lz4", "LZ4Compressor"),
    ("snappy", "SnappyCompressor"),
    ("deflate", "DeflateCompressor"),
    ("zstd", "ZstdCompressor"),
];

type Set<T> = std::result::Result<T, String>;

fn one_of<T: Copy>(value: &str, all: &[&[(&str, T)]]) -> Set<T> {
    let mut all_of = all.iter().copied().flatten();
    all_of.clone().find(|(name, _)| *name == value).map(|(_, meant)| *meant).ok_or_else(|| {
        let first = all_of.next().map_or("", |(name, _)| name).to_owned();
        let names = all_of.fold(first, |names, (name, _)| names + ", " + name);
        format!("`{value}` is none of {names}")
    })
}

fn truth(value: &str) -> Set<bool> {
    value.parse().map_err(|_| format!("`{value}` is not true or false"))
}

/// The name of a consistency level as the options have it.
pub(super) fn name_of(consistency: Consistency) -> &'static str {
    let known = READS.iter().chain(WRITES).find(|(_, level)| *level == consistency);
    known.map_or("another", |(name, _)| name)
}

impl Options {
    pub fn set(&mut self, name: &str, value: &str) -> Set<()> {
        let milliseconds =
            |value| number(value, 1, 3_600_000).map(|n| Duration::from_millis(n.into()));
        // An empty value leaves it to the server.
        let given = (!value.is_empty()).then_some(value);
        match name {
            "read_consistency" => self.read_consistency = one_of(value, &[READS])?,
            "write_consistency" => self.write_consistency = one_of(value, &[READS, WRITES])?,
            "serial_consistency" => self.serial_consistency = one_of(value, &[SERIAL])?,
            "lwt" => self.lwt = truth(value)?,
            "datacenter" => self.datacenter = value.to_owned(),
            "token_aware" => self.token_aware = truth(value)?,
            "connections" => self.connections = number(value, 1, 100)?,
            "load_concurrency" => self.load_concurrency = number(value, 1, 10_000)?,
            "request_timeout_ms" => self.request_timeout = milliseconds(value)?,
            "connect_timeout_ms" => self.connect_timeout = milliseconds(value)?,
            "replication" => self.replication = given.map(Replication::parse).transpose()?,
            "durable_writes" => self.durable_writes = given.map(truth).transpose()?,
            "row_cache" => {
                let rows = |value: &str| match value {
                    "none" | "all" => Ok(value.to_ascii_uppercase()),
                    _ => number(value, 1, 1_000_000).map(|n| n.to_string()).map_err(|_| {
                        format!("`{value}` is not none, all or a whole number from 1 to 1000000")
                    }),
                };
                self.row_cache = given.map(rows).transpose()?;
            }
            "compression" => {
                self.compression = given.map(|value| one_of(value, &[COMPRESSION])).transpose()?;
            }
            "tls" => self.tls = truth(value)?,
            "tls_ca" => self.tls_ca = value.to_owned(),
            "tls_cert" => self.tls_cert = value.to_owned(),
            "tls_key" => self.tls_key = value.to_owned(),
            _ => return Err(unknown(OPTIONS)),
        }
        Ok(())
    }

    /// What is wrong with options that do not go together.
    pub fn check(&self) -> std::result::Result<(), &'static str> {
        let files = [&self.tls_ca, &self.tls_cert, &self.tls_key];
        if !self.tls && files.iter().any(|file| !file.is_empty()) {
            return Err("tls_ca, tls_cert and tls_key want tls=true");
        }
        if self.tls && self.tls_ca.is_empty() {
            return Err("tls=true wants tls_ca, the file with the authorities' certificates");
        }
        if self.tls_cert.is_empty() != self.tls_key.is_empty() {
            return Err("tls_cert and tls_key go together");
        }
        if self.lwt && self.write_consistency == Consistency::Any {
            return Err(
                "lwt=true wants a write_consistency other than any: reads must see what was agreed",
            );
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            read_consistency: Consistency::Quorum,
            write_consistency: Consistency::Quorum,
            serial_consistency: SerialConsistency::Serial,
            lwt: false,
            datacenter: String::new(),
            token_aware: true,
            connections: 0,
            load_concurrency: 0,
            request_timeout: Duration::ZERO,
            connect_timeout: Duration::ZERO,
            replication: None,
            durable_writes: None,
            row_cache: None,
            compression: None,
            tls: false,
            tls_ca: String::new(),
            tls_cert: String::new(),
            tls_key: String::new(),
        };
        for option in OPTIONS {
            let set = options.set(option.name, option.default);
            debug_assert_eq!(set, Ok(()), "the default of {} is a good value", option.name);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_default_that_parses_and_can_be_given() {
        for option in OPTIONS {
            let mut given = Options::default();
            assert_eq!(given.set(option.name, option.default), Ok(()), "{}", option.name);
            assert_eq!(given, Options::default());
        }
        assert_eq!(Options::default().check(), Ok(()));
    }

    #[test]
    fn values_that_are_no_good_are_refused_with_those_that_are() {
        let mut options = Options::default();
        for (name, value, word) in [
            ("read_consistency", "any", "quorum, all"),
            ("write_consistency", "most", "each_quorum"),
            ("serial_consistency", "quorum", "local_serial"),
            ("lwt", "yes", "true or false"),
            ("connections", "0", "from 1 to 100"),
            ("request_timeout_ms", "0", "from 1"),
            ("row_cache", "some", "none, all"),
            ("compression", "gzip", "zstd"),
            ("replication", "0", "from 1"),
            ("replication", "dc1", "DC1:3"),
            ("durable_writes", "no", "true or false"),
            ("cash", "1", "the options are read_consistency"),
        ] {
            let why = options.set(name, value).unwrap_err();
            assert!(why.contains(word), "{name}={value}: {why}");
        }
        assert_eq!(options, Options::default());
    }
}
