//! The options of a `mongodb:` URL.

use std::time::Duration;

use hoap_database::options::{Read, meant, milliseconds, number, text};
use mongodb::options::{ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};

hoap_database::options! {
    /// The settings of a URL: those of `hoap`, in small letters with underlines, then those of
    /// MongoDB's connection strings that a benchmark sets; the driver's others are taken too.
    pub(super) struct Options {
        transaction_read_concern: ReadConcern = ("transaction_read_concern", "snapshot",
            meant(&[
                ("snapshot", ReadConcern::snapshot()),
                ("majority", ReadConcern::majority()),
                ("local", ReadConcern::local()),
            ]),
            "what transactions read: snapshot, majority or local"),
        /// `None`: as the URL's `w` says.
        transaction_write_concern: Option<WriteConcern> = ("transaction_write_concern", "majority",
            write_concern,
            "who must have a commit before it is acknowledged: majority, a number of members from \
             1 to 50, or url (as w says)"),
        commit_timeout: Duration = ("commit_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds in which a commit of unknown result is sent again, after which it is \
             ambiguous; 1 to 3600000"),
        answer_timeout: Duration = ("answer_timeout_ms", "30000", milliseconds(1..=86_400_000),
            "milliseconds that an answer may take before the operation is a timeout (a commit: \
             ambiguous), except of queries; more than commit_timeout_ms; 1 to 86400000"),
        analytics_read_preference: ReadPreference = ("analytics_read_preference", "primary",
            meant(&[
                ("primary", ReadPreference::Primary),
                ("primaryPreferred", ReadPreference::primary_preferred(None)),
                ("secondary", ReadPreference::secondary(None)),
                ("secondaryPreferred", ReadPreference::secondary_preferred(None)),
                ("nearest", ReadPreference::nearest(None)),
            ]),
            "where queries read: primary, primaryPreferred, secondary, secondaryPreferred or \
             nearest"),
        /// `None`: snapshot where the server has it.
        analytics_read_concern: Option<ReadConcern> = ("analytics_read_concern", "auto",
            meant(&[
                ("auto", None),
                ("local", Some(ReadConcern::local())),
                ("available", Some(ReadConcern::available())),
                ("majority", Some(ReadConcern::majority())),
                ("snapshot", Some(ReadConcern::snapshot())),
            ]),
            "what queries read: local, available, majority, snapshot, or auto (snapshot where the \
             server has it, else local)"),
        /// Zero: no limit.
        query_timeout: Duration = ("query_timeout_ms", "0", milliseconds(0..=3_600_000),
            "limit of a query (maxTimeMS), milliseconds to 3600000; 0: none"),
        hashed: bool = ("sharding", "none", meant(&[("hashed", true), ("none", false)]),
            "hashed: a load shards each collection by its hashed _id (sharded clusters); or none"),
        documentdb_version: String = ("documentdb_version", "", text,
            "DocumentDB's version and PostgreSQL's, for the record: its gateway may not tell them"),
    }
    driver {
        "w" = ("", "MongoDB's: write concern outside of transactions; empty: the server's own"),
        "journal" = ("", "MongoDB's: true: a write is acknowledged once it is in the journal"),
        "readConcernLevel" = ("", "MongoDB's: read concern outside of transactions and queries"),
        "readPreference" = ("primary", "MongoDB's: where records by key, pages and joins are read"),
        "retryWrites" = ("false",
            "MongoDB's: true: the driver sends a write whose connection was lost once more"),
        "retryReads" = ("false",
            "MongoDB's: true: the driver sends a read whose connection was lost once more"),
        "maxPoolSize" = ("10000",
            "MongoDB's: connections to a server at most; fewer than clients, and they share"),
        "connectTimeoutMS" = ("10000", "MongoDB's: milliseconds to wait for a connection"),
        "serverSelectionTimeoutMS" = ("10000",
            "MongoDB's: milliseconds to wait for a server that may be asked"),
        "replicaSet" = ("",
            "MongoDB's: name of the replica set, whose members are then found by themselves"),
        "authSource" = ("",
            "MongoDB's: database that knows the user; authMechanism says how it is proved"),
        "tls" = ("", "MongoDB's: true: TLS; false: none; empty: as mongodb+srv: has it, else none"),
        "tlsCAFile" = ("",
            "MongoDB's: file with the certificates (PEM) that the server's must be signed by; \
             empty: the system's"),
        "tlsCertificateKeyFile" = ("",
            "MongoDB's: file with the certificate that this client shows and its private key (PEM)"),
        "tlsAllowInvalidCertificates" = ("false",
            "MongoDB's: true: the server's certificate is not checked, which is insecure"),
        "tlsInsecure" = ("false", "MongoDB's: true: as tlsAllowInvalidCertificates"),
    }
}

fn write_concern(value: &str) -> Read<Option<WriteConcern>> {
    match value {
        "majority" => Ok(Some(WriteConcern::majority())),
        "url" => Ok(None),
        _ => number(1..=50)(value)
            .map(|members| Some(WriteConcern::nodes(members)))
            .map_err(|_| format!("`{value}` is not majority, url or a number from 1 to 50")),
    }
}

impl Options {
    /// Where queries read.
    pub fn analytics_selection(&self) -> SelectionCriteria {
        SelectionCriteria::ReadPreference(self.analytics_read_preference.clone())
    }
}

/// Whether an option is `hoap`'s. MongoDB's are in camel case.
pub(super) fn is_own(name: &str) -> bool {
    name.contains('_') || name == "sharding"
}
