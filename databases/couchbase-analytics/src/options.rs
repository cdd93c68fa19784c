//! The URL of an analytical service of Couchbase.

use std::time::Duration;

use hoap_database::options::{
    Read, meant, milliseconds, number, set_each, text, unless_zero, words,
};
use hoap_database::url::{self, Parts};
use hoap_record::{Error, ErrorKind, Result};
use hoap_sqlpp::store::{INDEXES, Indexes};
use hoap_sqlpp::{Credentials, Named, PASSWORD_FILE, TLS_CERT, TLS_KEY, Tls, quote};

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        /// Couchbase Server's service, not Columnar.
        server: bool = ("service", "columnar", meant(&[("columnar", false), ("server", true)]),
            "columnar: Capella Columnar (Capella Analytics), Enterprise Analytics; server: the \
             Analytics service of Couchbase Server"),
        /// Empty: standalone collections.
        link: String = ("link", "", identifier,
            "the link to the operational collections, which are then shadowed; empty: standalone \
             collections, on a server the link Local"),
        /// Bucket and scope of the operational collections; empty: the database's name.
        source: String = ("source", "", source,
            "bucket.scope of the operational collections; empty: as the database is named"),
        storage: &'static str = ("storage", "server", words(&["server", "row", "column"]),
            "server, row or column: the storage format of collections that are made"),
        analyze: &'static str = ("analyze", "high", words(&["off", "low", "medium", "high"]),
            "low, medium or high: the sample of ANALYZE COLLECTION after a load or once shadows \
             have caught up; off: none, and no cost-based optimization"),
        indexes: Indexes = ("indexes", "searched", Indexes::parse, INDEXES),
        indexed_before: bool = ("shadow_indexes", "after",
            meant(&[("after", false), ("before", true)]),
            "when shadows get the indexes of indexes=published: after they have caught up, or \
             before they begin to, so that the ingestion keeps the indexes"),
        query_timeout: Option<Duration> = ("query_timeout_ms", "0",
            unless_zero(milliseconds(0..=86_400_000)),
            "milliseconds that a query may take; 0: as the service is set; to 86400000"),
        answer_timeout: Duration = ("answer_timeout_ms", "3610000", milliseconds(1..=86_400_000),
            "milliseconds that an answer may take before the operation is a timeout (a write: \
             ambiguous); not of queries and of definitions; 1 to 86400000; the service itself is \
             given an hour for a statement"),
        connect_timeout: Duration = ("connect_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds to wait for a connection; 1 to 3600000"),
        max_result_mb: u32 = ("max_result_mb", "1024", number(1..=1 << 20),
            "megabytes that the rows of a result may have; 1 to 1048576"),
        tls_ca: String = ("tls_ca", "", text,
            "file with the certificates (PEM) that the service's must be signed by; empty: the \
             system's"),
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

fn source(value: &str) -> Read<String> {
    match value.split('.').count() {
        2 => identifier(value),
        _ if value.is_empty() => Ok(String::new()),
        _ => Err(format!("`{value}` is not bucket.scope")),
    }
}

fn identifier(value: &str) -> Read<String> {
    if !value.is_empty() {
        quote(value, &mut String::new()).map_err(|e| e.into_parts().answer)?;
    }
    Ok(value.to_owned())
}

/// What a URL names.
#[derive(Debug)]
pub(super) struct ParsedUrl {
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
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<ParsedUrl> {
    let malformed = |answer: &str| {
        let form = "couchbase-analytics://USER@HOST:PORT/DATABASE.SCOPE";
        url::malformed("couchbase-analytics", form, answer)
    };
    let parts = Parts::of(url).map_err(malformed)?;
    let tls = parts.scheme == "couchbases-analytics";
    let [(host, port)] = parts.hosts().map_err(malformed)?[..] else {
        return Err(malformed("it names several hosts"));
    };
    let port = port.unwrap_or(if tls { 18095 } else { 8095 });
    let (shown, database) = (parts.shown(), parts.path);
    let error = |answer: String| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer);
    let mut options = Options::default();
    set_each(&shown, parts.query, |name, value| match name {
        "password" => {
            Err("it would be seen by others: set CB_PASSWORD or name a password_file".to_owned())
        }
        _ => options.set(name, value),
    })?;
    let mut names: Vec<String> = database.split('.').map(str::to_owned).collect();
    for name in &names {
        quote(name, &mut String::new()).map_err(|e| malformed(&e.answer))?;
    }
    match (names.len(), options.server) {
        _ if database.contains('/') => return Err(malformed("a database's name has no /")),
        (1, false) => names.push("Default".to_owned()),
        (1 | 2, _) => {}
        _ => return Err(malformed("a database is named by one part or two")),
    }
    if options.server && options.link.is_empty() {
        options.link = "Local".to_owned();
    }
    if !options.link.is_empty() && options.source.is_empty() {
        if names.len() != 2 || database.split('.').count() != 2 {
            return Err(error(
                "option `source`: where the database has one part, say bucket.scope of the operational \
                 collections"
                    .to_owned(),
            ));
        }
        options.source = names.join(".");
    }
    let files = options.tls();
    files.check(tls, "couchbases-analytics").map_err(error)?;
    let credentials = Named::of(&parts).complete(&files, &options.password_file, environment);
    let credentials = credentials.map_err(|(why, advice)| error(why).advise(advice))?;
    let base = format!("{}://{host}:{port}", if tls { "https" } else { "http" });
    Ok(ParsedUrl { shown, base, parts: names, credentials, options })
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
            ("couchbase-analytics://h", "1 to 256 bytes"),
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
