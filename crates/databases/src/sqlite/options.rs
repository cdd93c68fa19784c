//! The URL of a SQLite target: `sqlite:PATH[?option=value&…]`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hoap_workload::{Error, ErrorKind, Result};

use crate::OptionHelp;
use crate::options::{number, set_each, unknown};

/// The settings that a URL may change. [`OPTIONS`] says what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub synchronous: &'static str,
    pub page_size: u32,
    pub cache_mb: u32,
    pub mmap_mb: u32,
    pub checkpoint_pages: u32,
    pub busy_timeout: Duration,
    pub temp_store: &'static str,
    pub threads: u32,
    pub max_pages: u32,
}

/// The options of a `sqlite:` URL.
pub const OPTIONS: &[OptionHelp] = &[
    OptionHelp {
        name: "synchronous",
        default: "full",
        meaning: "full: every acknowledged commit survives a power loss; normal: the last ones \
                  may be lost, the file stays sound; off: a power loss may destroy the file",
    },
    OptionHelp {
        name: "page_size",
        default: "8192",
        meaning: "bytes a page, a power of two from 512 to 65536; only for a new file",
    },
    OptionHelp {
        name: "cache_mb",
        default: "256",
        meaning: "MiB of page cache at most, of each connection: one for all writers, one a \
                  client for reading, one a query stream; 0 to 1048576",
    },
    OptionHelp {
        name: "mmap_mb",
        default: "0",
        meaning: "MiB of the file that are read through a memory map; 0 to 2047",
    },
    OptionHelp {
        name: "checkpoint_pages",
        default: "4000",
        meaning: "pages in the write-ahead log at which a commit also moves them into the file; \
                  1 to 10000000",
    },
    OptionHelp {
        name: "busy_timeout_ms",
        default: "30000",
        meaning: "milliseconds to wait for the write lock before the transaction is a conflict; \
                  0 to 3600000",
    },
    OptionHelp {
        name: "temp_store",
        default: "memory",
        meaning: "memory or file: where sorting and intermediate results of queries go",
    },
    OptionHelp {
        name: "threads",
        default: "0",
        meaning: "helper threads that one query may use to sort; 0 to 8",
    },
    OptionHelp {
        name: "max_pages",
        default: "0",
        meaning: "pages the file may have before it counts as full; 0: no limit but SQLite's",
    },
];

impl Options {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        match name {
            "synchronous" => self.synchronous = word(value, &["full", "normal", "off"])?,
            "page_size" => {
                self.page_size = number(value, 512, 65536)?;
                if !self.page_size.is_power_of_two() {
                    return Err(format!("`{value}` is not a power of two"));
                }
            }
            "cache_mb" => self.cache_mb = number(value, 0, 1 << 20)?,
            "mmap_mb" => self.mmap_mb = number(value, 0, 2047)?,
            "checkpoint_pages" => self.checkpoint_pages = number(value, 1, 10_000_000)?,
            "busy_timeout_ms" => {
                self.busy_timeout = Duration::from_millis(number(value, 0, 3_600_000)?.into());
            }
            "temp_store" => self.temp_store = word(value, &["memory", "file"])?,
            "threads" => self.threads = number(value, 0, 8)?,
            "max_pages" => self.max_pages = number(value, 0, u32::MAX - 1)?,
            _ => return Err(unknown(OPTIONS)),
        }
        Ok(())
    }
}

impl Default for Options {
    fn default() -> Self {
        let mut options = Options {
            synchronous: "",
            page_size: 0,
            cache_mb: 0,
            mmap_mb: 0,
            checkpoint_pages: 0,
            busy_timeout: Duration::ZERO,
            temp_store: "",
            threads: 0,
            max_pages: 0,
        };
        for option in OPTIONS {
            let set = options.set(option.name, option.default);
            debug_assert_eq!(set, Ok(()), "the default of {} is a good value", option.name);
        }
        options
    }
}

fn word(value: &str, words: &[&'static str]) -> std::result::Result<&'static str, String> {
    let found = words.iter().find(|w| **w == value);
    found.copied().ok_or_else(|| format!("`{value}` is not one of {}", words.join(", ")))
}

/// Splits a URL into the absolute path of its file and the options.
///
/// The path is taken literally (a `?` ends it); `sqlite:///a/b` is `sqlite:/a/b`.
pub(super) fn parse(url: &str) -> Result<(PathBuf, Options)> {
    let invalid = |answer: String| Error::new(ErrorKind::Invalid, format!("open {url}"), answer);
    let rest = url.strip_prefix("sqlite:").unwrap_or(url);
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    if path == ":memory:" || path == "//:memory:" {
        return Err(invalid(
            "a database in memory belongs to one connection, and this needs several".into(),
        )
        .advise("name a file, on a memory file system such as /dev/shm if it is to be in memory"));
    }
    let path = match path.strip_prefix("//") {
        Some(absolute) if absolute.starts_with('/') => absolute,
        Some(_) => {
            return Err(invalid("a file has no host".into())
                .advise("write sqlite:PATH for a relative and sqlite:/PATH for an absolute path"));
        }
        None => path,
    };
    if path.is_empty() {
        return Err(invalid("it names no file".into()).advise("write sqlite:PATH"));
    }
    let mut options = Options::default();
    set_each(url, query, |name, value| options.set(name, value))?;
    // SQLite gives names such as `file:…` a meaning of their own, an absolute path never has one.
    let path = std::path::absolute(Path::new(path)).map_err(|e| invalid(e.to_string()))?;
    Ok((path, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_default_that_parses_and_can_be_given() {
        for option in OPTIONS {
            let mut given = Options::default();
            assert_eq!(given.set(option.name, option.default), Ok(()), "{}", option.name);
            assert_eq!(given, Options::default());
        }
        assert_eq!(Options::default().synchronous, "full");
    }

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
