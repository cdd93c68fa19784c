//! The options of a `cassandra:` URL.

use std::time::Duration;

use hoap_database::options::{Read, if_given, meant, milliseconds, number, switch, text};
use scylla::statement::{Consistency, SerialConsistency};

use super::replication::Replication;

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        read_consistency: Consistency = ("read_consistency", "quorum", meant(READS),
            "replicas that answer a read: one, two, three, quorum, all, local_one, local_quorum"),
        write_consistency: Consistency = ("write_consistency", "quorum", meant(WRITES),
            "replicas that acknowledge a write: any, one, two, three, quorum, all, local_one, \
             local_quorum, each_quorum"),
        serial_consistency: SerialConsistency = ("serial_consistency", "serial", meant(SERIAL),
            "serial or local_serial: which replicas agree on a lightweight transaction"),
        lwt: bool = ("lwt", "off", switch,
            "on: an insert refuses a key that is there and an update one that is not, by \
             lightweight transactions; off: an insert replaces, an update makes the record"),
        /// Empty: any.
        datacenter: String = ("datacenter", "", text,
            "the datacenter whose nodes get the requests; empty: those of all"),
        token_aware: bool = ("token_aware", "on", switch,
            "on: a request goes to a replica of its key; off: to any node in turn"),
        connections: u32 = ("connections", "1", number(1..=100),
            "connections of each worker thread to each node (ScyllaDB: to each shard); 1 to 100"),
        load_concurrency: u32 = ("load_concurrency", "128", number(1..=10_000),
            "inserts under way at once in each part of a load; 1 to 10000"),
        /// Of everything that an operation sends, from its begin.
        answer_timeout: Duration = ("answer_timeout_ms", "180000", milliseconds(1..=86_400_000),
            "milliseconds that an answer may take before the operation is a timeout (a commit: \
             ambiguous), all its requests and repetitions together; 1 to 86400000. By default \
             request_timeout_ms comes first, with all repetitions, and so do the 120 seconds that a \
             change of the schema may take"),
        request_timeout: Duration = ("request_timeout_ms", "12000", milliseconds(1..=3_600_000),
            "milliseconds to wait for an answer; 1 to 3600000. The server's own limits, mostly \
             shorter, are its request timeouts"),
        connect_timeout: Duration = ("connect_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds to wait for a connection; 1 to 3600000. All of them together, with the \
             first answer, may take as long for each host, and request_timeout_ms more"),
        /// `None`: as it is, one replica for a keyspace that a load makes.
        replication: Option<Replication> = ("replication", "", if_given(Replication::parse),
            "copies of the data, for the keyspace that a load makes: a number for each \
             datacenter from 1 to 100, DC1:3,DC2:2, or SimpleStrategy:2 for two in all; an existing keyspace must have it; empty: \
             as it is, 1 where a load makes it"),
        durable_writes: Option<bool> = ("durable_writes", "", if_given(switch),
            "on or off: whether the keyspace that a load makes has a commit log; an existing one \
             must have it; empty: as it is, on where a load makes it"),
        /// `rows_per_partition` of a table's caching.
        row_cache: Option<String> = ("row_cache", "", if_given(row_cache),
            "rows of each partition that tables made by a load keep in the row cache: none, all \
             or a number from 1 to 1000000; empty: the server's default. The server's \
             row_cache_size must not be 0"),
        /// The class of a table's compression, empty for none.
        compression: Option<&'static str> = ("compression", "", if_given(meant(COMPRESSION)),
            "compression of tables that a load makes: none, lz4, snappy, deflate or zstd; empty: \
             the server's default"),
        /// `default_time_to_live` of a table.
        ttl: u32 = ("ttl_s", "0", number(0..=630_720_000),
            "seconds after which a record expires that was written to a table which a load makes; \
             0 to 630720000 (20 years), 0: never"),
        tls: bool = ("tls", "off", switch, "on: TLS to every node; wants tls_ca"),
        tls_ca: String = ("tls_ca", "", text,
            "file with the certificates (PEM) that those of the nodes must be signed by; they \
             must name the nodes' IP addresses"),
        tls_cert: String = ("tls_cert", "", text,
            "file with the certificate (PEM) that this client shows; wants tls_key"),
        tls_key: String = ("tls_key", "", text,
            "file with that certificate's private key (PEM)"),
    }
}

const READS: &[(&str, Consistency)] = &[
    ("one", Consistency::One),
    ("two", Consistency::Two),
    ("three", Consistency::Three),
    ("quorum", Consistency::Quorum),
    ("all", Consistency::All),
    ("local_one", Consistency::LocalOne),
    ("local_quorum", Consistency::LocalQuorum),
];

const WRITES: &[(&str, Consistency)] = &[
    ("any", Consistency::Any),
    ("one", Consistency::One),
    ("two", Consistency::Two),
    ("three", Consistency::Three),
    ("quorum", Consistency::Quorum),
    ("all", Consistency::All),
    ("local_one", Consistency::LocalOne),
    ("local_quorum", Consistency::LocalQuorum),
    ("each_quorum", Consistency::EachQuorum),
];

const SERIAL: &[(&str, SerialConsistency)] =
    &[("serial", SerialConsistency::Serial), ("local_serial", SerialConsistency::LocalSerial)];

const COMPRESSION: &[(&str, &str)] = &[
    ("none", ""),
    ("lz4", "LZ4Compressor"),
    ("snappy", "SnappyCompressor"),
    ("deflate", "DeflateCompressor"),
    ("zstd", "ZstdCompressor"),
];

/// The name of a consistency level as the options have it.
pub(super) fn name_of(consistency: Consistency) -> &'static str {
    let known = WRITES.iter().find(|(_, level)| *level == consistency);
    known.map_or("another", |(name, _)| name)
}

fn row_cache(value: &str) -> Read<String> {
    match value {
        "none" | "all" => Ok(value.to_ascii_uppercase()),
        _ => number(1..=1_000_000)(value)
            .map(|rows| rows.to_string())
            .map_err(|_| format!("`{value}` is not none, all or a whole number from 1 to 1000000")),
    }
}

impl Options {
    /// What is wrong with options that do not go together.
    pub fn check(&self) -> std::result::Result<(), &'static str> {
        let files = [&self.tls_ca, &self.tls_cert, &self.tls_key];
        if !self.tls && files.iter().any(|file| !file.is_empty()) {
            return Err("tls_ca, tls_cert and tls_key want tls=on");
        }
        if self.tls && self.tls_ca.is_empty() {
            return Err("tls=on wants tls_ca, the file with the authorities' certificates");
        }
        if self.tls_cert.is_empty() != self.tls_key.is_empty() {
            return Err("tls_cert and tls_key go together");
        }
        if self.lwt && self.write_consistency == Consistency::Any {
            return Err(
                "lwt=on wants a write_consistency other than any: reads must see what was agreed",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_no_good_are_refused_with_those_that_are() {
        let mut options = Options::default();
        for (name, value, word) in [
            ("read_consistency", "any", "quorum, all"),
            ("write_consistency", "most", "each_quorum"),
            ("serial_consistency", "quorum", "local_serial"),
            ("lwt", "maybe", "on, off"),
            ("connections", "0", "from 1 to 100"),
            ("request_timeout_ms", "0", "from 1"),
            ("row_cache", "some", "none, all"),
            ("compression", "gzip", "zstd"),
            ("replication", "0", "from 1"),
            ("replication", "dc1", "DC1:3"),
            ("durable_writes", "never", "on, off"),
            ("cash", "1", "the options are read_consistency"),
        ] {
            let why = options.set(name, value).unwrap_err();
            assert!(why.contains(word), "{name}={value}: {why}");
        }
        assert_eq!(options, Options::default());
    }
}
