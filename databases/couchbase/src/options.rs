//! The URL of a Couchbase target:
//! `couchbase://[USER@]HOST[:PORT][,HOST[:PORT]…]/BUCKET[?option=value&…]`, `couchbases://` with
//! TLS.

use std::time::Duration;

use couchbase::durability_level::DurabilityLevel;
use hoap_database::options::{
    Read, meant, milliseconds, number, seconds, set_each, text, unless_zero, words,
};
use hoap_database::url::{self, Parts};
use hoap_record::{Error, ErrorKind, Result};
use hoap_sqlpp::{Credentials, Named, PASSWORD_FILE, TLS_CERT, TLS_KEY, Tls};

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
    fn parse(value: &str) -> Read<Self> {
        meant(&LEVELS.map(|(name, _, level)| (name, level)))(value)
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

/// How an update of a record by key is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Updates {
    /// The fields that it names: a sub-document operation.
    Fields,
    /// The whole document, whether or not it is there.
    Upsert,
    /// The whole document, which must be there.
    Replace,
}

/// The indexes that a load of CH2 or CH2++ makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indexes {
    /// Those that the transactions name.
    Searched,
    /// The CH2++ paper's.
    Paper,
}

const INDEXES: &[(&str, Indexes)] = &[("searched", Indexes::Searched), ("paper", Indexes::Paper)];

const UPDATES: &[(&str, Updates)] =
    &[("fields", Updates::Fields), ("upsert", Updates::Upsert), ("replace", Updates::Replace)];

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        scope: String = ("scope", "hoap", plain,
            "the scope with the collections; a load makes it: letters, digits, _ - and %, at most \
             251, beginning with a letter or digit"),
        durability: Durability = ("durability", "none", Durability::parse,
            "what key-value writes and loading wait for: none, majority, majority_and_persist, \
             persist_to_majority"),
        tx_durability: Durability = ("tx_durability", "majority", Durability::parse,
            "what transactions wait for: none, majority (Couchbase's own default), \
             majority_and_persist, persist_to_majority"),
        tx_timeout: Duration = ("txtimeout_ms", "15000", milliseconds(1..=3_600_000),
            "milliseconds after which the server gives a transaction up; 1 to 3600000"),
        scan_consistency: &'static str = ("scan_consistency", "request_plus",
            words(&["request_plus", "not_bounded"]),
            "request_plus: an index scan waits until the index has every write before it; \
             not_bounded: it takes the index as it is"),
        updates: Updates = ("updates", "fields", meant(UPDATES),
            "how an update by key writes: fields (those that changed, as sub-documents), upsert or \
             replace (the whole document: the workload draws all its fields, as the comparison \
             reports did; an upsert makes a record that is not there)"),
        expiry: Option<Duration> = ("expiry_s", "0", unless_zero(seconds(0..=2_592_000)),
            "seconds after which a record that was inserted or updated by key goes away; 0: \
             never; 0 to 2592000"),
        kv_timeout: Duration = ("kv_timeout_ms", "2500", milliseconds(1..=3_600_000),
            "milliseconds that a key-value operation may take; 1 to 3600000"),
        query_timeout: Duration = ("query_timeout_ms", "75000", milliseconds(1..=3_600_000),
            "milliseconds that a SQL++ statement may take; 1 to 3600000"),
        answer_timeout: Duration = ("answer_timeout_ms", "80000", milliseconds(1..=86_400_000),
            "milliseconds that all answers to an operation may take before it is a timeout (a \
             commit or a write: ambiguous); 1 to 86400000; for one statement query_timeout_ms \
             comes first, for one key-value operation kv_timeout_ms"),
        connect_timeout: Duration = ("connect_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds to wait for the cluster when the target is opened; 1 to 3600000"),
        kv_connections: u32 = ("kv_connections", "1", number(1..=64),
            "key-value connections to each node, shared by all clients; 1 to 64"),
        query_nodes: Vec<String> = ("query_nodes", "", query_nodes,
            "HOST:PORT of the query nodes that clients are spread over, with commas; empty: those \
             that the cluster names"),
        load_window: u32 = ("load_window", "64", number(1..=10_000),
            "documents under way while a part is loaded; 1 to 10000"),
        indexes: Indexes = ("indexes", "searched", meant(INDEXES),
            "which indexes a load of CH2 or CH2++ makes, which its transactions then search: \
             searched: one for each of their searches; paper: the six of the CH2++ paper's data \
             definition 1.2"),
        index_replicas: u32 = ("index_replicas", "0", number(0..=100),
            "replicas of each index that a load makes, fewer than the nodes with the index \
             service; 0 to 100"),
        tls_ca: String = ("tls_ca", "", text,
            "file with the certificates (PEM) that the nodes' must be signed by; empty: the \
             authorities that the driver brings, and the system's for SQL++"),
        tls_cert: String = ("tls_cert", "", text, TLS_CERT),
        tls_key: String = ("tls_key", "", text, TLS_KEY),
        password_file: String = ("password_file", "", text, PASSWORD_FILE),
    }
}

impl Options {
    /// The files that secure the connection.
    pub fn tls(&self) -> Tls {
        Tls { ca: self.tls_ca.clone(), cert: self.tls_cert.clone(), key: self.tls_key.clone() }
    }
}

/// The older way to ask for durability, by observing nodes, which the driver does not have: as YCSB
/// and other drivers spell it.
const OBSERVED: [&str; 4] = ["persistTo", "persist_to", "replicateTo", "replicate_to"];

fn query_nodes(value: &str) -> Read<Vec<String>> {
    value.split(',').filter(|node| !node.is_empty()).map(host_and_port).collect()
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
fn host_and_port(node: &str) -> Read<String> {
    match url::host(node) {
        Ok((_, Some(_))) => Ok(node.to_owned()),
        _ => Err(format!("`{node}` is not HOST:PORT")),
    }
}

/// Where the cluster is and how it is to be used.
#[derive(Clone)]
pub(super) struct ParsedUrl {
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

impl ParsedUrl {
    /// What the driver connects to.
    pub fn connection_string(&self) -> String {
        let scheme = if self.tls { "couchbases" } else { "couchbase" };
        format!("{scheme}://{}", self.hosts.join(","))
    }
}

/// Takes a URL apart. `environment` is asked for what it does not say: `CB_USERNAME`,
/// `CB_PASSWORD`, the names that Couchbase's own tools use.
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<ParsedUrl> {
    let tls = url.starts_with("couchbases:");
    let scheme = if tls { "couchbases" } else { "couchbase" };
    let malformed = |answer: &str| {
        let form = format!("{scheme}://[USER@]HOST[:PORT][,HOST…]/BUCKET");
        url::malformed(scheme, &form, answer)
    };
    let parts = Parts::of(url).map_err(malformed)?;
    let hosts = parts.hosts().map_err(malformed)?.into_iter();
    let hosts = hosts.map(|(name, port)| match port {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    });
    let hosts = hosts.collect();
    let bucket =
        plain(parts.path).map_err(|_| malformed("it names no bucket, or not a good one"))?;
    let shown = parts.shown();
    let mut options = Options::default();
    set_each(&shown, parts.query, |name, value| match OBSERVED.contains(&name) {
        true => Err("Couchbase's Rust driver cannot wait for numbers of nodes (persistTo, \
                     replicateTo): ask for durability=majority, majority_and_persist or \
                     persist_to_majority"
            .to_owned()),
        false => options.set(name, value),
    })?;
    let invalid = |answer: String| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer);
    let files = options.tls();
    files.check(tls, "couchbases").map_err(invalid)?;
    let credentials = Named::of(&parts).complete(&files, &options.password_file, environment);
    let credentials = credentials.map_err(|(why, advice)| invalid(why).advise(advice))?;
    if credentials.is_none() && files.cert.is_empty() {
        return Err(invalid("no user is named".to_owned())
            .advise("write USER@ before the host, set CB_USERNAME, or name a tls_cert"));
    }
    Ok(ParsedUrl { url: shown, tls, hosts, credentials, bucket, options })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        (name == "CB_PASSWORD").then(|| "from outside".to_owned())
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
            ("couchbase://u:secret@/b", "names no host"),
            ("couchbase://u:secret@h:port/b", "a port is not"),
            ("couchbase://u:sec/ret@h/b", "an @ after"),
            ("couchbase://u:secret@h", "names no bucket"),
            ("couchbase://u:secret@h/b`c", "names no bucket"),
            ("couchbase://u:secret%zz@h/b", "does not decode"),
            ("couchbase://u:secret@h/b#x", "names no bucket"),
            ("couchbase://u:secret@h#x/b", "after #"),
            ("couchbase://u:1/secret@h/b?durability=all", "an @ after"),
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
