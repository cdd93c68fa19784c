//! The URL of an AsterixDB target.

use std::time::Duration;

use hoap_database::options::{
    Read, if_given, milliseconds, number, set_each, switch, unless_zero, words,
};
use hoap_database::url::{self, Parts};
use hoap_record::Result;
use hoap_sqlpp::quote;
use hoap_sqlpp::store::{INDEXES, Indexes};

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        indexes: Indexes = ("indexes", "searched", Indexes::parse, INDEXES),
        /// Where a load puts files for the nodes; empty: none.
        load_folder: String = ("load_folder", "", folder,
            "a folder that hoap and all nodes see under this path: a load writes files there, \
             which the nodes read (LOAD), and removes them; empty: a load sends UPSERT statements"),
        storage: &'static str = ("storage", "server", words(&["server", "row", "column"]),
            "server, row or column: the storage format of new datasets, where the version has a \
             choice"),
        analyze: bool = ("analyze", "off", switch,
            "on: a load ends with ANALYZE of its datasets, which 0.9.8 does not have, and says its \
             stored size"),
        query_timeout: Option<Duration> = ("query_timeout_ms", "0",
            unless_zero(milliseconds(0..=86_400_000)),
            "milliseconds that a query may take; 0: without limit; to 86400000"),
        answer_timeout: Duration = ("answer_timeout_ms", "3610000", milliseconds(1..=86_400_000),
            "milliseconds that an answer may take before the operation is a timeout (a write: \
             ambiguous); not of queries and of definitions; 1 to 86400000; the service itself is \
             given an hour for a statement"),
        connect_timeout: Duration = ("connect_timeout_ms", "10000", milliseconds(1..=3_600_000),
            "milliseconds to wait for a connection; 1 to 3600000"),
        max_result_mb: u32 = ("max_result_mb", "1024", number(1..=1 << 20),
            "megabytes that the rows of a result may have; 1 to 1048576"),
        sort_memory_mb: u32 = ("sort_memory_mb", "0", number(0..=1 << 20),
            "memory of a sort in a query, megabytes; 0: as the server is set; to 1048576"),
        join_memory_mb: u32 = ("join_memory_mb", "0", number(0..=1 << 20),
            "memory of a join in a query, megabytes; 0: as the server is set; to 1048576"),
        group_memory_mb: u32 = ("group_memory_mb", "0", number(0..=1 << 20),
            "memory of a GROUP BY in a query, megabytes; 0: as the server is set; to 1048576"),
        parallelism: Option<u32> = ("parallelism", "", if_given(number(0..=100_000)),
            "partitions that work on a query; 0: as many as storage has; to 100000; empty: as the \
             server is set"),
    }
}

impl Options {
    /// Name and megabytes for each operator that sorts, joins or groups; 0 as the server is set.
    pub fn memory(&self) -> [(&'static str, u32); 3] {
        [
            ("sort_memory_mb", self.sort_memory_mb),
            ("join_memory_mb", self.join_memory_mb),
            ("group_memory_mb", self.group_memory_mb),
        ]
    }
}

/// A path that can stand in a list of them.
fn folder(value: &str) -> Read<String> {
    let bad = |c: char| matches!(c, ',' | '"' | '\\') || c.is_control();
    match value.is_empty() || (value.starts_with('/') && !value.contains(bad)) {
        true if !value.contains("://") => Ok(value.to_owned()),
        _ => Err(format!("`{value}` is not an absolute path without , \" \\ and ://")),
    }
}

/// What a URL names.
#[derive(Debug)]
pub(super) struct ParsedUrl {
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
/// [`hoap_record::ErrorKind::Invalid`], which repeats no secret.
pub(super) fn parse(url: &str) -> Result<ParsedUrl> {
    let malformed =
        |answer: &str| url::malformed("asterixdb", "asterixdb://HOST:PORT/DATAVERSE", answer);
    let parts = Parts::of(url).map_err(malformed)?;
    if !(parts.user.is_empty() && parts.password.is_empty()) {
        return Err(malformed("AsterixDB has no users: leave out what is before the @"));
    }
    let [(host, port)] = parts.hosts().map_err(malformed)?[..] else {
        return Err(malformed("it names several hosts"));
    };
    let dataverse = parts.path;
    quote(dataverse, &mut String::new()).map_err(|e| malformed(&e.answer))?;
    if dataverse.contains('/') || ["Metadata", "Default"].contains(&dataverse) {
        return Err(malformed("a dataverse has one part, and is not Metadata or Default"));
    }
    let shown = parts.shown();
    let mut options = Options::default();
    set_each(&shown, parts.query, |name, value| options.set(name, value))?;
    let (host, port) = (host.to_owned(), port.unwrap_or(PORT));
    Ok(ParsedUrl { shown, host, port, dataverse: dataverse.to_owned(), options })
}

#[cfg(test)]
mod tests {
    use hoap_record::ErrorKind;

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
        assert_eq!(parsed.options.memory()[1], ("join_memory_mb", 64));
        assert_eq!(parsed.options.parallelism, Some(4));
        let parsed = parse("asterixdb://[::1]:9/a b").unwrap();
        assert_eq!((&*parsed.host, parsed.port, &*parsed.dataverse), ("[::1]", 9, "a b"));
    }

    #[test]
    fn a_wrong_url_says_what_is_wrong() {
        for (url, word) in [
            ("asterixdb:", "no host"),
            ("asterixdb:///d", "no host"),
            ("asterixdb://h", "1 to 256 bytes"),
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
