//! A database file: opened when it is used first, and closed with the last connection to it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use duckdb::{AccessMode, Config, Connection};
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;

use super::options::Options;
use super::own;
use crate::error::OrFail;

/// A database file and how to open it.
pub(super) struct DatabaseFile {
    pub path: PathBuf,
    pub options: Options,
    opened: Mutex<Option<Connection>>,
}

impl DatabaseFile {
    pub fn new(path: PathBuf, options: Options) -> DatabaseFile {
        DatabaseFile { path, options, opened: Mutex::new(None) }
    }

    /// Whether the path exists. A path that cannot be examined counts as existing: opening it tells
    /// why.
    pub fn exists(&self) -> bool {
        self.path.try_exists().unwrap_or(true)
    }

    /// A new connection to a file that exists, whose collections have the layout of the URL.
    pub fn connect(&self) -> Done<Connection> {
        let connection = self.connect_any()?;
        if own::are_there(&connection).or_fail()? {
            let text = "SELECT layout FROM hoap_kind WHERE layout <> ? LIMIT 1";
            let mut statement = connection.prepare(text).or_fail()?;
            let mut rows = statement.query([self.options.layout.name()]).or_fail()?;
            if let Some(row) = rows.next().or_fail()? {
                let layout: String = row.get(0).or_fail()?;
                return Err(Failure::of(
                    ErrorKind::Unavailable,
                    format!("its collections have layout={layout}"),
                    "give the URL that layout, or load anew with --replace",
                ));
            }
        }
        Ok(connection)
    }

    /// A new connection to a file that exists, whatever its layout.
    pub fn connect_any(&self) -> Done<Connection> {
        if self.exists() { self.connection() } else { Err(Failure::missing("no such file")) }
    }

    /// A new connection that may write; makes a missing file, and the tables of this program's own.
    pub fn connect_to_write(&self) -> Done<Connection> {
        if self.options.read_only {
            let answer = "the URL says read_only=on";
            return Err(Failure::of(ErrorKind::Unavailable, answer, "leave it away to write"));
        }
        let connection = self.connection()?;
        own::create(&connection).or_fail()?;
        Ok(connection)
    }

    /// A new connection, whether the file exists or not.
    pub fn connection(&self) -> Done<Connection> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let first = match &mut *opened {
            Some(first) => first,
            none => none.insert(self.open().map_err(|failure| {
                failure.trying(format!("open the file {}", self.path.display()))
            })?),
        };
        first.try_clone().or_fail()
    }

    fn open(&self) -> Done<Connection> {
        if self.path.is_dir() {
            let answer = "it is a directory";
            return Err(Failure::of(ErrorKind::Unavailable, answer, "name a file in it"));
        }
        let Options { memory_limit_mb, threads, temp_directory, read_only, .. } = &self.options;
        let mode = if *read_only { AccessMode::ReadOnly } else { AccessMode::ReadWrite };
        // Nothing is fetched from the network behind the user's back.
        let mut config = Config::default()
            .access_mode(mode)
            .or_fail()?
            .enable_autoload_extension(false)
            .or_fail()?;
        if *memory_limit_mb > 0 {
            config = config.max_memory(&format!("{memory_limit_mb}MiB")).or_fail()?;
        }
        if *threads > 0 {
            config = config.threads((*threads).into()).or_fail()?;
        }
        if !temp_directory.is_empty() {
            config = config.with("temp_directory", temp_directory).or_fail()?;
        }
        Connection::open_with_flags(&self.path, config).or_fail()
    }

    /// The settings in force, name → value, read from a new connection.
    pub fn settings(&self) -> Done<BTreeMap<String, String>> {
        let mut settings =
            BTreeMap::from([("layout".to_owned(), self.options.layout.name().to_owned())]);
        for (name, value) in [
            ("durability", "a commit is in the log on disk when it is acknowledged"),
            ("isolation", "snapshot"),
            ("replicas", "none"),
        ] {
            settings.insert(name.to_owned(), value.to_owned());
        }
        let Options { link, link_every, link_batch, .. } = &self.options;
        if !link.is_empty() {
            settings.insert("link".to_owned(), link.clone());
            settings.insert("link_every_ms".to_owned(), link_every.as_millis().to_string());
            settings.insert("link_batch".to_owned(), link_batch.to_string());
        }
        if self.exists() {
            let connection = self.connect_any()?;
            for name in ["access_mode", "memory_limit", "temp_directory", "threads"] {
                let text = "SELECT CAST(current_setting(?) AS VARCHAR)";
                let value: Option<String> =
                    connection.query_row(text, [name], |row| row.get(0)).or_fail()?;
                settings.insert(name.to_owned(), value.unwrap_or_default());
            }
        }
        Ok(settings)
    }
}

/// The version of the library.
pub(super) fn version() -> String {
    let version = Connection::open_in_memory().and_then(|connection| connection.version());
    version.map_or_else(|e| format!("unknown: {e}"), |v| v.trim_start_matches('v').to_owned())
}
