//! The URL of a Couchbase target:
//! `couchbase://[USER@]HOST[:PORT][,HOST[:PORT]…]/BUCKET[?option=value&…]`, `couchbases://` with TLS.

use std::time::Duration;

use couchbase::durability_level::DurabilityLevel;
use hoap_workload::{Error, ErrorKind, Result};

use crate::OptionHelp;
use crate::options::{number, set_each, unknown};
use crate::sqlpp::{Credentials, Named, PASSWORD_FILE, TLS_CERT, TLS_KEY, Tls};

/// The settings that a URL may change. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub scope: String,
    pub durability: Durability,
    pub tx_durability: Durability,
    pub tx_timeout: Duration,
    pub scan_consistency: String,
    pub expiry: Option<Duration>,
    pub kv_timeout: Duration,
    pub query_timeout: Duration,
    pub connect_timeout: Duration,
    pub kv_connections: u32,
    pub query_nodes: Vec<String>,
    pub load_window: u32,
    pub index_replicas: u32,
    pub tls: Tls,
    pub password_file: String,
}

/// What a write must have reached before it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    None,
    Majority,
    MajorityAndPersist,
    PersistToMajority,
}

/// Each level by its name in URLs and in the query service's requests.
const LEVELS: [(&str, &str, Durability); 4] = [
    ("none", "none", Durability::None),
    ("majority", "majority", Durability::Majority),
    ("majority_and_persist", "majorityAndPersistActive", Durability::MajorityAndPersist),
    ("persist_to_majority", "persistToMajority", Durability::PersistToMajority),
];

impl Durability {
    fn parse(value: &str) -> std::result::Result<Self, String> {
        let level = LEVELS.iter().find(|(name, ..)| *name == value).map(|(.., level)| *level);
        level.ok_or_else(|| {
            let names = LEVELS.map(|(name, ..)| name).join(", ");
            format!("`{value}` is none of {names}")
        })
    }

    fn line(self) -> &'static (&'static str, &'static str, Durability) {
        LEVELS.iter().find(|(.., level)| *level == self).unwrap_or(&LEVELS[0])
    }

    /// As URLs have it.
    pub fn name(self) -> &'static str {
        self.line().0
    }

    /// As the query service's `durability_level` has it.
    pub fn in_requests(self) -> &'static str {
        self.line().1
    }

    /// As the driver has it, where there is something to ask for.
    pub fn of_driver(self) -> Option<DurabilityLevel> {
        match self {
            Durability::None => None,
            Durability::Majority => Some(DurabilityLevel::MAJORITY),
            Durability::MajorityAndPersist => Some(DurabilityLevel::MAJORITY_AND_PERSIST_ACTIVE),
            Durability::PersistToMajority => Some(DurabilityLevel::PERSIST_TO_MAJORITY),
        }
    }
}

/// The options of a `couchbase:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "scope",
        default: "hoap",
        meaning: "the scope with the collections; a load makes it: letters, digits, _ - and %, at \
                  most 251, beginning with a letter or digit",
    },
    OptionHelp {
        name: "durability",
        default: "none",
        meaning: "what key-value writes and loading wait for: none, majority, \
                  majority_and_persist, persist_to_majority",
    },
    OptionHelp {
        name: "tx_durability",
        default: "majority",
        meaning: "what transactions wait for, the same levels; majority is Couchbase's own default",
    },
    OptionHelp {
        name: "txtimeout_ms",
        default: "15000",
        meaning: "milliseconds after which the server gives a transaction up; 1 to 3600000",
    },
    OptionHelp {
        name: "scan_consistency",
        default: "request_plus",
        meaning: "request_plus: an index scan waits until the index has every write before it; \
                  not_bounded: it takes the index as it is",
    },
    OptionHelp {
        name: "expiry_s",
        default: "0",
        meaning: "seconds after which a record that was inserted or updated by key goes away; 0: \
                  never; 0 to 2592000",
    },
    OptionHelp {
        name: "kv_timeout_ms",
        default: "2500",
        meaning: "milliseconds that a key-value operation may take; 1 to 3600000",
    },
    OptionHelp {
        name: "query_timeout_ms",
        default: "75000",
        meaning: "milliseconds that a SQL++ statement may take; 1 to 3600000",
    },
    OptionHelp {
        name: "connect_timeout_ms",
        default: "10000",
        meaning: "milliseconds to wait for the cluster when the target is opened; 1 to 3600000",
    },
    OptionHelp {
        name: "kv_connections",
        default: "1",
        meaning: "key-value connections to each node, shared by all clients; 1 to 64",
    },
    OptionHelp {
        name: "query_nodes",
        default: "",
        meaning: "HOST:PORT of the query nodes that clients are spread over, with commas; empty: \
                  those that the cluster names",
    },
    OptionHelp {
        name: "load_window",
        default: "64",
        meaning: "documents under way while a part is loaded; 1 to 10000",
    },
    OptionHelp {
        name: "index_replicas",
        default: "0",
        meaning: "replicas of each index that a load makes; 0 to 3",
    },
    OptionHelp {
        name: "tls_ca",
        default: "",
        meaning: "file with the certificates (PEM) that the nodes' must be signed by; empty: the \
                  authorities that the driver brings, and the system's for SQL++",
    },
    TLS_CERT,
    TLS_KEY,
    PASSWORD_FILE,
];

/// The older way to ask for durability, by observing nodes, which the driver does not have: as YCSB
/// and other drivers spell it.
const OBSERVED: [&str; 4] = ["persistTo", "persist_to", "replicateTo", "replicate_to"];

impl Options {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let milliseconds =
            |value| number(value, 1, 3_600_000).map(|ms| Duration::from_millis(ms.into()));
        match name {
            "scope" => self.scope = plain(value)?,
            "durability" => self.durability = Durability::parse(value)?,
            "tx_durability" => self.tx_durability = Durability::parse(value)?,
            "txtimeout_ms" => self.tx_timeout = milliseconds(value)?,
            "scan_consistency" => match value {
                "request_plus" | "not_bounded" => self.scan_consistency = value.to_owned(),
                _ => return Err(format!("`{value}` is not request_plus or not_bounded")),
            },
            "expiry_s" => {
                let seconds = number(value, 0, 2_592_000)?;
                self.expiry = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
            }
            "kv_timeout_ms" => self.kv_timeout = milliseconds(value)?,
            "query_timeout_ms" => self.query_timeout = milliseconds(value)?,
            "connect_timeout_ms" => self.connect_timeout = milliseconds(value)?,
            "kv_connections" => self.kv_connections = number(value, 1, 64)?,
            "query_nodes" => {
                let nodes = value.split(',').filter(|node| !node.is_empty());
                self.query_nodes =
                    nodes.map(host_and_port).collect::<std::result::Result<_, _>>()?;
            }
            "load_window" => self.load_window = number(value, 1, 10_000)?,
            "index_replicas" => self.index_replicas = number(value, 0, 3)?,
            "tls_ca" => self.tls.ca = value.to_owned(),
            "tls_cert" => self.tls.cert = value.to_owned(),
            "tls_key" => self.tls.key = value.to_owned(),
            "password_file" => self.password_file = value.to_owned(),
            _ if OBSERVED.contains(&name) => {
                return Err("Couchbase's Rust driver cannot wait for numbers of nodes \
                            (persistTo, replicateTo): ask for durability=majority, \
                            majority_and_persist or persist_to_majority"
                    .to_owned());
            }
            _ => return Err(unknown(OPTIONS)),
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            scope: String::new(),
            durability: Durability::None,
            tx_durability: Durability::None,
            tx_timeout: Duration::ZERO,
            scan_consistency: String::new(),
            expiry: None,
            kv_timeout: Duration::ZERO,
            query_timeout: Duration::ZERO,
            connect_timeout: Duration::ZERO,
            kv_connections: 0,
            query_nodes: Vec::new(),
            load_window: 0,
            index_replicas: 0,
            tls: Tls::default(),
            password_file: String::new(),
        };
        for option in OPTIONS {
            let set = options.set(option.name, option.default);
            debug_assert_eq!(set, Ok(()), "the default of {} is a good value", option.name);
        }
        options
    }
}

/// A name of a scope or bucket: what Couchbase allows, and no prefix that it keeps to itself.
fn plain(value: &str) -> std::result::Result<String, String> {
    let good = |b: u8| b.is_ascii_alphanumeric() || b"_-%".contains(&b);
    let first = value.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
    if !first || value.len() > 251 || !value.bytes().all(good) {
        return Err(format!(
            "`{value}` is not 1 to 251 letters, digits, _ - and %, beginning with a letter or digit"
        ));
    }
    Ok(value.to_owned())
}

/// `HOST:PORT`, where HOST may be `[…]`.
fn host_and_port(node: &str) -> std::result::Result<String, String> {
    let good = node.rsplit_once(':').is_some_and(|(host, port)| {
        host_is_good(host) && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if good { Ok(node.to_owned()) } else { Err(format!("`{node}` is not HOST:PORT")) }
}

fn host_is_good(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let name = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    match inner {
        Some(address) => {
            !address.is_empty()
                && address.bytes().all(|b| b.is_ascii_hexdigit() || b":.%".contains(&b))
        }
        None => !host.is_empty() && host.bytes().all(name),
    }
}

/// Where the cluster is and how it is to be used.
#[derive(Clone)]
pub(super) struct Place {
    /// The URL without user and password: for errors and the run folder.
    pub url: String,
    /// Whether it is `couchbases:`.
    pub tls: bool,
    /// `HOST` or `HOST:PORT`, as the driver takes them.
    pub hosts: Vec<String>,
    /// `None` where a certificate stands for them.
    pub credentials: Option<Credentials>,
    pub bucket: String,
    pub options: Options,
}

impl Place {
    /// What the driver connects to.
    pub fn connection_string(&self) -> String {
        let scheme = if self.tls { "couchbases" } else { "couchbase" };
        format!("{scheme}://{}", self.hosts.join(","))
    }
}

/// Takes a URL apart. `environment` is asked for what it does not say: `CB_USERNAME`, `CB_PASSWORD`, the
/// names that Couchbase's own tools use.
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Place> {
    // As long as it is not clear which part is the password no part is shown.
    let tls = url.starts_with("couchbases:");
    let scheme = if tls { "couchbases" } else { "couchbase" };
    let malformed = |answer: &str| {
        Error::new(ErrorKind::Invalid, format!("open {scheme}:…"), answer).advise(format!(
            "write {scheme}://[USER@]HOST[:PORT][,HOST…]/BUCKET[?option=value&…], with / ? # @ : and \
             % in user and password as %2F %3F %23 %40 %3A and %25"
        ))
    };
    let (base, query) = match url.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (url, None),
    };
    if url.contains('#') {
        return Err(malformed("a part after # means nothing here"));
    }
    let rest = base.strip_prefix(scheme).and_then(|rest| rest.strip_prefix("://"));
    let rest = rest.ok_or_else(|| malformed("it names no host"))?;
    let (authority, bucket) = rest.split_once('/').unwrap_or((rest, ""));
    let (info, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let named = Named::read(info).map_err(malformed)?;
    let hosts: Vec<String> = hosts.split(',').map(str::to_owned).collect();
    for host in &hosts {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !host.ends_with(']') => (name, Some(port)),
            _ => (host.as_str(), None),
        };
        if !host_is_good(name) || port.is_some_and(|port| !port.parse().is_ok_and(|p: u16| p > 0)) {
            return Err(malformed("a host is not HOST or HOST:PORT"));
        }
    }
    let bucket = plain(bucket).map_err(|_| malformed("it names no bucket, or not a good one"))?;
    let shown = match query {
        Some(query) => format!("{scheme}://{}/{bucket}?{query}", hosts.join(",")),
        None => format!("{scheme}://{}/{bucket}", hosts.join(",")),
    };
    let mut options = Options::default();
    set_each(&shown, query, |name, value| options.set(name, value))?;
    let shown = crate::url::redact(&shown);
    let invalid = |answer: String| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer);
    options.tls.check(tls, "couchbases").map_err(invalid)?;
    let credentials = named.complete(&options.tls, &options.password_file, environment);
    let credentials = credentials.map_err(|(why, advice)| invalid(why).advise(advice))?;
    if credentials.is_none() && options.tls.cert.is_empty() {
        return Err(invalid("no user is named".to_owned())
            .advise("write USER@ before the host, set CB_USERNAME, or name a tls_cert"));
    }
    Ok(Place { url: shown, tls, hosts, credentials, bucket, options })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        (name == "CB_PASSWORD").then(|| "from outside".to_owned())
    }

    #[test]
    fn every_option_has_a_default_that_parses_and_can_be_given() {
        for option in OPTIONS {
            let mut given = Options::default();
            assert_eq!(given.set(option.name, option.default), Ok(()), "{}", option.name);
            assert_eq!(given, Options::default());
        }
    }

    #[test]
    fn a_url_is_taken_apart_and_shows_no_user_and_no_password() {
        let url = "couchbases://us%2Fer:pa%40ss@h1:11207,[::1]/bench?scope=ch2&txtimeout_ms=3000";
        let place = parse(url, &environment).unwrap();
        assert_eq!(place.url, "couchbases://h1:11207,[::1]/bench?scope=ch2&txtimeout_ms=3000");
        let found = place.credentials.as_ref().unwrap();
        assert_eq!((found.user.as_str(), found.password.as_str()), ("us/er", "pa@ss"));
        assert_eq!(place.connection_string(), "couchbases://h1:11207,[::1]");
        assert_eq!(place.bucket, "bench");
        assert_eq!(place.options.tx_timeout, Duration::from_secs(3));
        let place = parse("couchbase://me@h/b", &environment).unwrap();
        assert_eq!(place.credentials.unwrap().password, "from outside");
        let given = |name: &str| Some(format!("{name}!"));
        let place = parse("couchbase://h/b", &given).unwrap();
        assert_eq!(place.credentials.unwrap().user, "CB_USERNAME!");
        let mutual = "couchbases://h/b?tls_cert=c.pem&tls_key=k.pem";
        assert!(parse(mutual, &given).unwrap().credentials.is_none());
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong_and_no_secret() {
        for (url, word) in [
            ("couchbase:", "names no host"),
            ("couchbase://u:secret@/b", "HOST or HOST:PORT"),
            ("couchbase://u:secret@h:port/b", "HOST or HOST:PORT"),
            ("couchbase://u:sec/ret@h/b", "HOST or HOST:PORT"),
            ("couchbase://u:secret@h", "names no bucket"),
            ("couchbase://u:secret@h/b`c", "names no bucket"),
            ("couchbase://u:secret%zz@h/b", "does not decode"),
            ("couchbase://u:secret@h/b#x", "after #"),
            ("couchbase://u:secret@h/b?scope=_default", "beginning with a letter"),
            ("couchbase://u:secret@h/b?scope=a`b", "beginning with a letter"),
            ("couchbase://u:secret@h/b?durability=all", "majority_and_persist"),
            ("couchbase://u:secret@h/b?scan_consistency=x", "not_bounded"),
            ("couchbase://u:secret@h/b?query_nodes=h", "not HOST:PORT"),
            ("couchbase://u:secret@h/b?expiry_s=-1", "from 0 to 2592000"),
            ("couchbase://u:secret@h/b?tls_ca=x", "couchbases://"),
            ("couchbases://u:secret@h/b?tls_cert=x", "go together"),
            ("couchbases://u:secret@h/b?tls_cert=x&tls_key=y", "stands for user and password"),
            ("couchbase://u:secret@h/b?replicate_to=1", "ask for durability="),
            ("couchbase://u:secret@h/b?persistTo=2", "ask for durability="),
            ("couchbase://u:secret@h/b?replicas=1", "the options are scope"),
            ("couchbase://h/b", "no user"),
            ("couchbase://u@h/b?password_file=/nowhere", "password_file"),
        ] {
            let e = parse(url, &|_| None).map(|_| ()).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            let text = e.to_string();
            assert!(text.contains(word), "{url}: {e}");
            assert!(!text.contains("sec") && !text.contains('\n'), "{url}: {e}");
        }
        let e = parse("couchbase://u@h/b", &|_| None).map(|_| ()).unwrap_err();
        assert!(e.to_string().contains("CB_PASSWORD"), "{e}");
    }
}
