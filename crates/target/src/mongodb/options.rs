//! The URL of a MongoDB target: a connection string of MongoDB, with options of `hoap` in it.

use std::time::Duration;

use hoap_workload::{Error, ErrorKind, Result};
use mongodb::options::{ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};

use crate::OptionHelp;
use crate::options::{number, set_each};
use crate::url::HIDDEN;

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
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
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

/// Where the server is and how it is to be used.
#[derive(Debug, PartialEq)]
pub(super) struct Place {
    /// The URL without user and secrets: for errors and the run folder.
    pub shown: String,
    /// The connection string for the driver, with the password in it.
    pub connection: String,
    /// The password, which no message may repeat.
    pub password: Option<String>,
    pub database: String,
    pub options: Options,
}

/// Whether an option is `hoap`'s. MongoDB's are in camel case.
fn is_own(name: &str) -> bool {
    name.contains('_') || name == "sharding"
}

/// Takes a URL apart. `password` is for one with a user and without a password.
pub(super) fn parse(url: &str, password: Option<&str>) -> Result<Place> {
    // As long as it is not clear which part is the password no part is shown.
    let scheme = if url.starts_with("mongodb+srv:") { "mongodb+srv" } else { "mongodb" };
    let malformed = |answer: &str| {
        Error::new(ErrorKind::Invalid, format!("open {scheme}:…"), answer).advise(format!(
            "write {scheme}://[USER@]HOST[:PORT][,…]/DATABASE[?option=value&…], with : / ? # [ ] @ \
             and % in the user's name and password percent-encoded"
        ))
    };
    let rest = url
        .strip_prefix(scheme)
        .and_then(|rest| rest.strip_prefix("://"))
        .ok_or_else(|| malformed("it names no host"))?;
    if rest.contains('#') {
        return Err(malformed("a part after # means nothing here"));
    }
    let (base, query) = match rest.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (rest, None),
    };
    let (authority, database) =
        base.split_once('/').ok_or_else(|| malformed("it names no database"))?;
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if database.is_empty() || database.len() > 63 || !database.bytes().all(good) {
        return Err(malformed("a database's name is 1 to 63 letters, digits, _ and -"));
    }
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (Some(user), hosts),
        None => (None, authority),
    };
    if hosts.is_empty() {
        return Err(malformed("it names no host"));
    }
    let given = user.and_then(|user| user.split_once(':')).map(|(_, password)| password);
    let user = user.map(|user| user.split(':').next().unwrap_or_default());

    let shown_query = query.map(|query| {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            // It holds session tokens of clouds.
            Some((name, _)) if name.eq_ignore_ascii_case("authMechanismProperties") => {
                format!("{name}={HIDDEN}")
            }
            _ => pair.to_owned(),
        });
        pairs.collect::<Vec<_>>().join("&")
    });
    let shown = match &shown_query {
        Some(query) => crate::url::redact(&format!("{scheme}://{hosts}/{database}?{query}")),
        None => format!("{scheme}://{hosts}/{database}"),
    };
    let mut options = Options::default();
    let mut theirs = Vec::new();
    set_each(&shown, query, |name, value| match is_own(name) {
        true => options.set(name, value),
        false => {
            theirs.push(format!("{name}={value}"));
            Ok(())
        }
    })?;
    let encoded = given.map(str::to_owned).or_else(|| user.and(password).map(percent_encode));
    let login = match (user, &encoded) {
        (None, _) => String::new(),
        (Some(user), None) => format!("{user}@"),
        (Some(user), Some(password)) => format!("{user}:{password}@"),
    };
    let connection = format!("{scheme}://{login}{hosts}/{database}?{}", theirs.join("&"));
    let connection = connection.trim_end_matches('?').to_owned();
    Ok(Place { shown, connection, password: encoded, database: database.to_owned(), options })
}

/// A text as a part of a URL.
fn percent_encode(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    let encode = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    text.bytes().map(encode).collect()
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

    #[test]
    fn a_url_is_mongodbs_with_ours_taken_out() {
        let url = "mongodb://us%2Fer:pa%40ss@h1:1,h2/db?w=majority&sharding=hashed&replicaSet=rs\
                   &query_timeout_ms=5&authMechanismProperties=AWS_SESSION_TOKEN:top";
        let place = parse(url, Some("other")).unwrap();
        assert_eq!(
            place.connection,
            "mongodb://us%2Fer:pa%40ss@h1:1,h2/db?w=majority&replicaSet=rs\
             &authMechanismProperties=AWS_SESSION_TOKEN:top"
        );
        assert_eq!(
            place.shown,
            "mongodb://h1:1,h2/db?w=majority&sharding=hashed&replicaSet=rs&query_timeout_ms=5\
             &authMechanismProperties=***"
        );
        assert_eq!((place.database.as_str(), place.options.hashed), ("db", true));
        assert_eq!(place.options.query_timeout, Duration::from_millis(5));
        let place = parse("mongodb+srv://me@cluster.example/db", Some("p w/é")).unwrap();
        assert_eq!(place.connection, "mongodb+srv://me:p%20w%2F%C3%A9@cluster.example/db");
        assert_eq!(place.shown, "mongodb+srv://cluster.example/db");
        let place = parse("mongodb://[::1]:27017/db", Some("unused")).unwrap();
        assert_eq!(place.connection, "mongodb://[::1]:27017/db");
        assert_eq!(place.password, None);
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong_and_no_secret() {
        for (url, word) in [
            ("mongodb:", "names no host"),
            ("mongodb:h/db", "names no host"),
            ("mongodb:///db", "names no host"),
            ("mongodb://u:secret@h", "names no database"),
            ("mongodb://u:secret@h/", "1 to 63 letters"),
            ("mongodb://u:sec/ret@h/db", "1 to 63 letters"),
            ("mongodb://u:sec?ret@h/db", "names no database"),
            ("mongodb://u:sec#ret@h/db", "after #"),
            ("mongodb://u:secret@h/d b", "1 to 63 letters"),
            ("mongodb://u:secret@h/db?", "has no value"),
            ("mongodb://u:secret@h/db?cash_back=1", "transaction_read_concern"),
            ("mongodb://u:secret@h/db?sharding=range", "hashed or none"),
            ("mongodb://u:secret@h/db?transaction_write_concern=0", "from 1 to 50"),
            ("mongodb://u:secret@h/db?transaction_read_concern=x", "snapshot, majority"),
            ("mongodb://u:secret@h/db?analytics_read_concern=x", "auto, local"),
            ("mongodb://u:secret@h/db?analytics_read_preference=x", "nearest"),
            ("mongodb://u:secret@h/db?commit_timeout_ms=0", "from 1 to 3600000"),
        ] {
            let e = parse(url, None).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            let text = e.to_string();
            assert!(text.contains(word), "{url}: {e}");
            let told = ["secret", "sec/", "sec?", "sec#", "ret@"].iter().any(|s| text.contains(s));
            assert!(!told, "{url}: {e}");
        }
    }
}
