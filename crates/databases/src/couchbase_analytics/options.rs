//! The URL of an analytical service of Couchbase.

use std::time::Duration;

use hoap_workload::{Error, ErrorKind, Result};

use crate::OptionHelp;
use crate::options::{number, set_each, unknown};
use crate::sqlpp::store::Indexes;
use crate::sqlpp::{Credentials, Named, PASSWORD_FILE, TLS_CERT, TLS_KEY, Tls, quote};
use crate::url::redact;

/// The settings that a URL may change. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Couchbase Server's service, not Columnar.
    pub server: bool,
    /// Empty: standalone collections.
    pub link: String,
    /// Bucket and scope of the operational collections; empty: the database's name.
    pub source: String,
    pub storage: &'static str,
    pub analyze: &'static str,
    pub indexes: Indexes,
    pub query_timeout: Option<Duration>,
    pub connect_timeout: Duration,
    pub max_result_mb: u32,
    pub tls: Tls,
    pub password_file: String,
}

/// The options of a `couchbase-analytics:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "service",
        default: "columnar",
        meaning: "columnar: Capella Columnar (Capella Analytics), Enterprise Analytics; server: the \
                  Analytics service of Couchbase Server",
    },
    OptionHelp {
        name: "link",
        default: "",
        meaning: "the link to the operational collections, which are then shadowed; empty: \
                  standalone collections, on a server the link Local",
    },
    OptionHelp {
        name: "source",
        default: "",
        meaning: "bucket.scope of the operational collections; empty: as the database is named",
    },
    OptionHelp {
        name: "storage",
        default: "server",
        meaning: "server, row or column: the storage format of collections that are made",
    },
    OptionHelp {
        name: "analyze",
        default: "high",
        meaning: "low, medium or high: the sample of ANALYZE COLLECTION after a load or once shadows \
                  have caught up; off: none, and no cost-based optimization",
    },
    OptionHelp {
        name: "indexes",
        default: "searched",
        meaning: "which indexes a load makes: searched: those that a workload here searches (the \
                  shop's); published: those and the CH2++ paper's for queries; all: those of the \
                  benchmarks' transactions, too",
    },
    OptionHelp {
        name: "query_timeout_ms",
        default: "0",
        meaning: "milliseconds that a query may take; 0: as the service is set; to 86400000",
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
        name: "tls_ca",
        default: "",
        meaning: "file with the certificates (PEM) that the service's must be signed by; empty: the \
                  system's",
    },
    TLS_CERT,
    TLS_KEY,
    PASSWORD_FILE,
];

impl Options {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let text = || value.to_owned();
        match name {
            "service" => self.server = word(value, &["columnar", "server"])? == "server",
            "link" if value.is_empty() => self.link.clear(),
            "link" => self.link = identifier(value)?,
            "source" if value.is_empty() => self.source.clear(),
            "source" if value.split('.').count() != 2 => {
                return Err(format!("`{value}` is not bucket.scope"));
            }
            "source" => self.source = identifier(value)?,
            "storage" => self.storage = word(value, &["server", "row", "column"])?,
            "analyze" => self.analyze = word(value, &["off", "low", "medium", "high"])?,
            "indexes" => self.indexes = Indexes::parse(value)?,
            "query_timeout_ms" => {
                let limit = number(value, 0, 86_400_000)?;
                self.query_timeout = (limit > 0).then(|| Duration::from_millis(limit.into()));
            }
            "connect_timeout_ms" => {
                self.connect_timeout = Duration::from_millis(number(value, 1, 3_600_000)?.into());
            }
            "max_result_mb" => self.max_result_mb = number(value, 1, 1 << 20)?,
            "tls_ca" => self.tls.ca = text(),
            "tls_cert" => self.tls.cert = text(),
            "tls_key" => self.tls.key = text(),
            "password_file" => self.password_file = text(),
            _ => return Err(unknown(OPTIONS)),
        }
        Ok(())
    }
}

fn word(value: &str, words: &[&'static str]) -> std::result::Result<&'static str, String> {
    let found = words.iter().find(|w| **w == value).copied();
    found.ok_or_else(|| format!("`{value}` is not one of {}", words.join(", ")))
}

fn identifier(value: &str) -> std::result::Result<String, String> {
    quote(value, &mut String::new()).map_err(|e| e.answer)?;
    Ok(value.to_owned())
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            server: false,
            link: String::new(),
            source: String::new(),
            storage: "",
            analyze: "",
            indexes: Indexes::Searched,
            query_timeout: None,
            connect_timeout: Duration::ZERO,
            max_result_mb: 0,
            tls: Tls::default(),
            password_file: String::new(),
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
    /// `https://host:port`.
    pub base: String,
    /// Database (or bucket) and scope; one part on a server without a scope.
    pub parts: Vec<String>,
    pub credentials: Option<Credentials>,
    pub options: Options,
}

/// Reads a URL; `environment` gives `CB_USERNAME` and `CB_PASSWORD`.
///
/// # Errors
/// [`ErrorKind::Invalid`], which repeats no secret.
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Parsed> {
    let shown = redact(url);
    let error = |answer: String| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer);
    let invalid = |answer: &str| {
        error(answer.to_owned()).advise("write couchbase-analytics://USER@HOST:PORT/DATABASE.SCOPE")
    };
    let (place, query) = match url.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (url, None),
    };
    let (scheme, rest) = place.split_once("://").ok_or_else(|| invalid("it names no host"))?;
    let tls = scheme.starts_with("couchbases");
    let (authority, database) =
        rest.rsplit_once('/').ok_or_else(|| invalid("it names no database"))?;
    let (info, authority) = match authority.rsplit_once('@') {
        Some((info, authority)) => (info, authority),
        None => ("", authority),
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => {
            (host, port.parse().map_err(|_| invalid("the port is no number up to 65535"))?)
        }
        _ => (authority, if tls { 18095u16 } else { 8095 }),
    };
    if host.is_empty() || host.contains(|c: char| c.is_whitespace() || "\\#%/".contains(c)) {
        return Err(invalid("it names no host"));
    }
    let named = Named::read(info).map_err(|why| {
        error(why.to_owned()).advise("write / ? # @ : and % in it as %2F %3F %23 %40 %3A and %25")
    })?;
    let mut options = Options::default();
    set_each(url, query, |name, value| match name {
        "password" => {
            Err("it would be seen by others: set CB_PASSWORD or name a password_file".to_owned())
        }
        _ => options.set(name, value),
    })?;
    let mut parts: Vec<String> = database.split('.').map(str::to_owned).collect();
    for part in &parts {
        quote(part, &mut String::new()).map_err(|e| invalid(&e.answer))?;
    }
    match (parts.len(), options.server) {
        (1, false) => parts.push("Default".to_owned()),
        (1 | 2, _) => {}
        _ => return Err(invalid("a database is named by one part or two")),
    }
    if options.server && options.link.is_empty() {
        options.link = "Local".to_owned();
    }
    if !options.link.is_empty() && options.source.is_empty() {
        if parts.len() != 2 || database.split('.').count() != 2 {
            return Err(error(
                "option `source`: where the database has one part, say \
                bucket.scope of the operational collections"
                    .to_owned(),
            ));
        }
        options.source = parts.join(".");
    }
    options.tls.check(tls, "couchbases-analytics").map_err(error)?;
    let credentials = named.complete(&options.tls, &options.password_file, environment);
    let credentials = credentials.map_err(|(why, advice)| error(why).advise(advice))?;
    let base = format!("{}://{host}:{port}", if tls { "https" } else { "http" });
    Ok(Parsed { shown: redact(url), base, parts, credentials, options })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        (name == "CB_PASSWORD").then(|| "from outside".to_owned())
    }

    #[test]
    fn a_url_names_the_service_and_what_it_shadows() {
        let p = parse("couchbases-analytics://me@h/bench.ch2pp?service=server", &environment);
        let p = p.unwrap();
        assert_eq!(p.base, "https://h:18095");
        assert_eq!((&*p.options.link, &*p.options.source), ("Local", "bench.ch2pp"));
        assert_eq!(p.credentials.unwrap().password, "from outside");
        let p = parse("couchbase-analytics://h:1/bench", &environment).unwrap();
        assert_eq!((p.parts, &*p.options.link), (vec!["bench".into(), "Default".into()], ""));
        assert!(p.credentials.is_none(), "a password without a user is for somebody else");
        let p = parse("couchbase-analytics://u:se@cret@h/d?link=L&source=b.s", &environment);
        let p = p.unwrap();
        assert_eq!(p.credentials.unwrap().password, "se@cret");
        assert!(!p.shown.contains("cret"), "{}", p.shown);
    }

    #[test]
    fn a_wrong_url_says_what_is_wrong() {
        for (url, word) in [
            ("couchbase-analytics:", "no host"),
            ("couchbase-analytics://h", "no database"),
            ("couchbase-analytics:///d", "no host"),
            ("couchbase-analytics://h/a.b.c", "one part or two"),
            ("couchbase-analytics://h/a`b", "backtick"),
            ("couchbase-analytics://h:x/d", "port"),
            ("couchbase-analytics://h/d?link=L", "bucket.scope"),
            ("couchbase-analytics://h/d?service=server", "bucket.scope"),
            ("couchbase-analytics://h/d?source=b", "bucket.scope"),
            ("couchbase-analytics://h/d?password=secret", "CB_PASSWORD"),
            ("couchbase-analytics://me@h/d?password_file=/nowhere/at/all", "password_file"),
            ("couchbase-analytics://h/d?analyze=much", "not one of"),
            ("couchbase-analytics://h/d?x=1", "no such option"),
        ] {
            let e = parse(url, &environment).unwrap_err();
            let line = e.to_string();
            assert!(line.contains(word) && !line.contains("secret"), "{url}: {line}");
        }
        let e = parse("couchbase-analytics://me@h/d", &|_| None).unwrap_err();
        assert!(e.to_string().contains("no password"), "{e}");
    }
}
