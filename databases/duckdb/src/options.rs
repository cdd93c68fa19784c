//! The URL of a DuckDB target: `duckdb:PATH[?option=value&…]`.

use std::path::PathBuf;
use std::time::Duration;

use hoap_database::options::{meant, milliseconds, number, set_each, switch, text};
use hoap_database::url::file_path;
use hoap_record::{Error, ErrorKind, Result};
use hoap_sqlite::changes;

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        layout: Layout = ("layout", "columns", meant(&LAYOUTS),
            "columns: a column for each field, typed, with STRUCT and LIST inside; json: one JSON \
             column; decided by the load"),
        memory_limit_mb: u32 = ("memory_limit_mb", "0", number(0..=1 << 30),
            "MiB that DuckDB may use before it writes intermediate results to disk; 0: DuckDB's \
             own choice, 80 % of the memory; to 1073741824"),
        threads: u32 = ("threads", "0", number(0..=1024),
            "threads that all queries together may use; 0: DuckDB's own choice, one a core; to \
             1024"),
        temp_directory: String = ("temp_directory", "", text,
            "the folder for intermediate results that do not fit into the memory; empty: beside \
             the file"),
        /// Zero: no limit.
        query_timeout: Duration = ("query_timeout_ms", "0", milliseconds(0..=3_600_000),
            "limit of a query, milliseconds to 3600000; 0: none"),
        read_only: bool = ("read_only", "off", switch,
            "on: refuse to write, so that several programs may query the file at the same time"),
        link: String = ("link", "", text,
            "sqlite:PATH: the database that this one follows, in the same process; empty: none"),
        link_every: Duration = ("link_every_ms", "100", milliseconds(1..=3_600_000),
            "milliseconds from one batch of the followed changes to the next; 1 to 3600000"),
        link_batch: u32 = ("link_batch", "0", number(0..=1 << 30),
            "changes that begin a batch before that time has passed; 0: none; to 1073741824"),
    }
}

/// How documents are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A column for each field.
    Columns,
    /// One column of JSON.
    Json,
}

const LAYOUTS: [(&str, Layout); 2] = [("columns", Layout::Columns), ("json", Layout::Json)];

impl Layout {
    /// The name in URLs.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Columns => "columns",
            Layout::Json => "json",
        }
    }
}

/// Splits a URL into the absolute path of its file and the options.
pub(super) fn parse(url: &str) -> Result<(PathBuf, Options)> {
    let (path, query) = file_path("duckdb", url)?;
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    if options.link.is_empty() {
        return Ok((path, options));
    }
    let refuse = |answer: &str| Error::new(ErrorKind::Invalid, format!("open {url}"), answer);
    if !options.link.starts_with("sqlite:") {
        return Err(refuse("`link` names no SQLite database").advise("write link=sqlite:PATH"));
    }
    if options.read_only {
        return Err(
            refuse("`link` writes, and read_only=on refuses to").advise("leave one of them away")
        );
    }
    changes::path(&options.link)?;
    Ok((path, options))
}

#[cfg(test)]
mod tests {
    use hoap_record::ErrorKind;

    use super::*;

    #[test]
    fn a_wrong_url_names_what_is_wrong() {
        for (url, word) in [
            ("duckdb:", "names no file"),
            ("duckdb::memory:", "memory"),
            ("duckdb://host/x.db", "no host"),
            ("duckdb:x.db?layout=rows", "columns, json"),
            ("duckdb:x.db?threads=-1", "from 0 to 1024"),
            ("duckdb:x.db?thread=1", "the options are layout, memory_limit_mb"),
            ("duckdb:x.db?link=postgres://h/d", "no SQLite database"),
            ("duckdb:x.db?link=sqlite:", "names no file"),
            ("duckdb:x.db?link=sqlite:a.db&read_only=on", "refuses to"),
            ("duckdb:x.db?link_every_ms=0", "from 1 to 3600000"),
        ] {
            let e = parse(url).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            assert!(e.to_string().contains(word), "{url}: {e}");
        }
        let (path, options) = parse("duckdb:/tmp/a b.duckdb?layout=json&threads=2").unwrap();
        assert_eq!(path, PathBuf::from("/tmp/a b.duckdb"));
        assert_eq!((options.layout, options.threads), (Layout::Json, 2));
    }
}
