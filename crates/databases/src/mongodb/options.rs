//! The options of a `mongodb:` URL.

use std::time::Duration;

use mongodb::options::{ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};

use crate::OptionHelp;
use crate::options::number;

/// The settings that are `hoap`'s own. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Options {
    pub transaction_read_concern: ReadConcern,
    /// `None`: as the URL's `w` says.
    pub transaction_write_concern: Option<WriteConcern>,
    pub commit_timeout: Duration,
    pub response_timeout: Duration,
    pub analytics_read_preference: ReadPreference,
    /// `None`: snapshot where the server has it.
    pub analytics_read_concern: Option<ReadConcern>,
    /// Zero: no limit.
    pub query_timeout: Duration,
    pub hashed: bool,
}

/// The options of a `mongodb:` URL: those of `hoap` in small letters with underlines, then those of
/// MongoDB's connection strings that a benchmark sets; the driver's others are taken too.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "transaction_read_concern",
        default: "snapshot",
        meaning: "what transactions read: snapshot, majority or local",
    },
    OptionHelp {
        name: "transaction_write_concern",
        default: "majority",
        meaning: "who must have a commit before it is acknowledged: majority, a number of members \
                  from 1, or url (as w says)",
    },
    OptionHelp {
        name: "commit_timeout_ms",
        default: "10000",
        meaning: "milliseconds in which a commit of unknown result is sent again, after which it is \
                  ambiguous; 1 to 3600000",
    },
    OptionHelp {
        name: "response_timeout_ms",
        default: "30000",
        meaning: "milliseconds to wait for the answer to one operation, but those of loading and \
                  queries; 1 to 3600000",
    },
    OptionHelp {
        name: "analytics_read_preference",
        default: "primary",
        meaning: "where queries read: primary, primaryPreferred, secondary, secondaryPreferred or \
                  nearest",
    },
    OptionHelp {
        name: "analytics_read_concern",
        default: "auto",
        meaning: "what queries read: local, available, majority, snapshot, or auto (snapshot where \
                  the server has it, else local)",
    },
    OptionHelp {
        name: "query_timeout_ms",
        default: "0",
        meaning: "limit of a query (maxTimeMS), milliseconds to 3600000; 0: none",
    },
    OptionHelp {
        name: "sharding",
        default: "none",
        meaning: "hashed: a load shards each collection by its hashed _id (sharded clusters); or none",
    },
    OptionHelp {
        name: "w",
        default: "",
        meaning: "MongoDB's: write concern outside of transactions; empty: the server's own",
    },
    OptionHelp {
        name: "journal",
        default: "",
        meaning: "MongoDB's: true: a write is acknowledged once it is in the journal",
    },
    OptionHelp {
        name: "readConcernLevel",
        default: "",
        meaning: "MongoDB's: read concern outside of transactions and queries",
    },
    OptionHelp {
        name: "readPreference",
        default: "primary",
        meaning: "MongoDB's: where records by key, pages and joins are read",
    },
    OptionHelp {
        name: "retryWrites",
        default: "false",
        meaning: "MongoDB's: true: the driver sends a write whose connection was lost once more",
    },
    OptionHelp {
        name: "retryReads",
        default: "false",
        meaning: "MongoDB's: true: the driver sends a read whose connection was lost once more",
    },
    OptionHelp {
        name: "maxPoolSize",
        default: "10000",
        meaning: "MongoDB's: connections to a server at most; fewer than clients, and they share",
    },
    OptionHelp {
        name: "connectTimeoutMS",
        default: "10000",
        meaning: "MongoDB's: milliseconds to wait for a connection",
    },
    OptionHelp {
        name: "serverSelectionTimeoutMS",
        default: "10000",
        meaning: "MongoDB's: milliseconds to wait for a server that may be asked",
    },
    OptionHelp {
        name: "replicaSet",
        default: "",
        meaning: "MongoDB's: name of the replica set, whose members are then found by themselves",
    },
    OptionHelp {
        name: "authSource",
        default: "",
        meaning: "MongoDB's: database that knows the user; authMechanism says how it is proved",
    },
    OptionHelp {
        name: "tls",
        default: "",
        meaning: "MongoDB's: true: TLS; with tlsCAFile and tlsCertificateKeyFile (PEM files)",
    },
];

/// Number of the first [`OPTIONS`] that are not MongoDB's.
const OWN: usize = 8;

impl Options {
    pub fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let milliseconds =
            |value, least| number(value, least, 3_600_000).map(|n| Duration::from_millis(n.into()));
        match name {
            "transaction_read_concern" => {
                self.transaction_read_concern = match value {
                    "snapshot" => ReadConcern::snapshot(),
                    "majority" => ReadConcern::majority(),
                    "local" => ReadConcern::local(),
                    _ => return Err(format!("`{value}` is not snapshot, majority or local")),
                }
            }
            "transaction_write_concern" => {
                self.transaction_write_concern = match value {
                    "majority" => Some(WriteConcern::majority()),
                    "url" => None,
                    nodes => Some(WriteConcern::nodes(number(nodes, 1, 50).map_err(|_| {
                        format!("`{value}` is not majority, url or a number from 1 to 50")
                    })?)),
                }
            }
            "commit_timeout_ms" => self.commit_timeout = milliseconds(value, 1)?,
            "response_timeout_ms" => self.response_timeout = milliseconds(value, 1)?,
            "analytics_read_preference" => {
                self.analytics_read_preference = match value {
                    "primary" => ReadPreference::Primary,
                    "primaryPreferred" => ReadPreference::primary_preferred(None),
                    "secondary" => ReadPreference::secondary(None),
                    "secondaryPreferred" => ReadPreference::secondary_preferred(None),
                    "nearest" => ReadPreference::nearest(None),
                    _ => {
                        return Err(format!(
                            "`{value}` is not primary, primaryPreferred, secondary, \
                             secondaryPreferred or nearest"
                        ));
                    }
                }
            }
            "analytics_read_concern" => {
                self.analytics_read_concern = match value {
                    "auto" => None,
                    "local" => Some(ReadConcern::local()),
                    "available" => Some(ReadConcern::available()),
                    "majority" => Some(ReadConcern::majority()),
                    "snapshot" => Some(ReadConcern::snapshot()),
                    _ => {
                        return Err(format!(
                            "`{value}` is not auto, local, available, majority or snapshot"
                        ));
                    }
                }
            }
            "query_timeout_ms" => self.query_timeout = milliseconds(value, 0)?,
            "sharding" => {
                self.hashed = match value {
                    "hashed" => true,
                    "none" => false,
                    _ => return Err(format!("`{value}` is not hashed or none")),
                }
            }
            _ => {
                let own: Vec<_> = OPTIONS[..OWN].iter().map(|o| o.name).collect();
                return Err(format!("hoap's own options are {}", own.join(", ")));
            }
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            transaction_read_concern: ReadConcern::snapshot(),
            transaction_write_concern: None,
            commit_timeout: Duration::ZERO,
            response_timeout: Duration::ZERO,
            analytics_read_preference: ReadPreference::Primary,
            analytics_read_concern: None,
            query_timeout: Duration::ZERO,
            hashed: false,
        };
        for option in &OPTIONS[..OWN] {
            let set = options.set(option.name, option.default);
            debug_assert_eq!(set, Ok(()), "the default of {} is a good value", option.name);
        }
        options
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_default_that_parses_and_can_be_given() {
        for option in &OPTIONS[..OWN] {
            assert!(is_own(option.name), "{}", option.name);
            let mut given = Options::default();
            assert_eq!(given.set(option.name, option.default), Ok(()), "{}", option.name);
            assert_eq!(given, Options::default());
        }
        assert!(OPTIONS[OWN..].iter().all(|option| !is_own(option.name)));
        assert_eq!(Options::default().transaction_write_concern, Some(WriteConcern::majority()));
    }
}
