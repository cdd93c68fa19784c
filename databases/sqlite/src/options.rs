//! The URL of a SQLite target: `sqlite:PATH[?option=value&…]`.

use std::path::PathBuf;
use std::time::Duration;

use hoap_database::options::{Read, milliseconds, number, set_each, words};
use hoap_database::url::file_path;
use hoap_record::Result;

hoap_database::options! {
    /// The settings that a URL may change.
    pub(super) struct Options {
        synchronous: &'static str = ("synchronous", "full", words(&["full", "normal", "off"]),
            "full: every acknowledged commit survives a power loss; normal: the last ones may be \
             lost, the file stays sound; off: a power loss may destroy the file"),
        page_size: u32 = ("page_size", "8192", page_size,
            "bytes a page, a power of two from 512 to 65536; only for a new file"),
        cache_mb: u32 = ("cache_mb", "256", number(0..=1 << 20),
            "MiB of page cache at most, of each connection: one for all writers, one a client for \
             reading, one a query stream; 0 to 1048576"),
        mmap_mb: u32 = ("mmap_mb", "0", number(0..=2047),
            "MiB of the file that are read through a memory map; 0 to 2047"),
        checkpoint_pages: u32 = ("checkpoint_pages", "4000", number(1..=10_000_000),
            "pages in the write-ahead log at which a commit also moves them into the file; 1 to \
             10000000"),
        busy_timeout: Duration = ("busy_timeout_ms", "30000", milliseconds(0..=3_600_000),
            "milliseconds to wait for the write lock before the transaction is a conflict; 0 to \
             3600000"),
        /// Zero: no limit.
        query_timeout: Duration = ("query_timeout_ms", "0", milliseconds(0..=3_600_000),
            "limit of a query, milliseconds to 3600000; 0: none"),
        temp_store: &'static str = ("temp_store", "memory", words(&["memory", "file"]),
            "memory or file: where sorting and intermediate results of queries go; indexes are \
             sorted in files"),
        threads: u32 = ("threads", "0", number(0..=8),
            "helper threads that one query may use to sort; 0 to 8"),
        max_pages: u32 = ("max_pages", "0", number(0..=u32::MAX - 1),
            "pages the file may have before it counts as full; 0: no limit but SQLite's; to \
             4294967294"),
        lose_commit: u32 = ("lose_commit", "0", number(0..=u32::MAX),
            "a fault on purpose: which commit, of those of transactions that write, is acknowledged \
             and rolled back; 0: none; to 4294967295"),
    }
}

fn page_size(value: &str) -> Read<u32> {
    match number(512..=65536)(value)? {
        bytes if bytes.is_power_of_two() => Ok(bytes),
        _ => Err(format!("`{value}` is not a power of two")),
    }
}

/// Splits a URL into the absolute path of its file and the options.
pub(super) fn parse(url: &str) -> Result<(PathBuf, Options)> {
    let (path, query) = file_path("sqlite", url)?;
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    Ok((path, options))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hoap_record::ErrorKind;

    use super::*;

    #[test]
    fn the_path_is_absolute_and_literal() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(parse("sqlite:a b%20.db").unwrap().0, here.join("a b%20.db"));
        assert_eq!(parse("sqlite:file:x.db").unwrap().0, here.join("file:x.db"));
        assert_eq!(parse("sqlite:/tmp/x.db").unwrap().0, Path::new("/tmp/x.db"));
        assert_eq!(parse("sqlite:///tmp/x.db").unwrap().0, Path::new("/tmp/x.db"));
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong() {
        for (url, word) in [
            ("sqlite:", "names no file"),
            ("sqlite::memory:", "memory"),
            ("sqlite://:memory:", "memory"),
            ("sqlite://host/x.db", "no host"),
            ("sqlite:x.db?", "has no value"),
            ("sqlite:x.db?cache_mb", "`cache_mb` has no value"),
            ("sqlite:x.db?cash_mb=1", "the options are synchronous, page_size"),
            ("sqlite:x.db?cache_mb=-1", "`cache_mb`: `-1` is not a whole number"),
            ("sqlite:x.db?cache_mb=1048577", "from 0 to 1048576"),
            ("sqlite:x.db?synchronous=maybe", "full, normal, off"),
            ("sqlite:x.db?page_size=5000", "power of two"),
        ] {
            let e = parse(url).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            assert!(e.to_string().contains(word), "{url}: {e}");
        }
    }
}
