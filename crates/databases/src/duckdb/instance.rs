//! One database file, opened once in this process.
//!
//! DuckDB locks a file for the whole process that writes it, and a process must not open it twice:
//! all targets of one file share an [`Instance`]. The file is opened when it is used first, and
//! closed with the last of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use duckdb::{AccessMode, Config, Connection};
use hoap_workload::ErrorKind;

use super::link::{self, Link};
use super::load::Load;
use super::options::Options;
use super::single::Single;
use crate::failure::{Done, Failure};

/// The note, the progress of each part of a load, and the types of each collection's fields.
const OWN: &str = "CREATE TABLE IF NOT EXISTS hoap_note (note VARCHAR NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_load (
        part VARCHAR NOT NULL, collection VARCHAR NOT NULL, position BIGINT NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_kind (
        collection VARCHAR NOT NULL, layout VARCHAR NOT NULL, kind VARCHAR NOT NULL);";

/// A database file and how to open it.
pub(super) struct Instance {
    pub path: PathBuf,
    pub options: Options,
    opened: Mutex<Option<Connection>>,
    load: Mutex<Load>,
    link: Mutex<Weak<Link>>,
    single: Mutex<Weak<Single>>,
}

/// The files in use, by their paths.
static IN_USE: Mutex<BTreeMap<PathBuf, Weak<Instance>>> = Mutex::new(BTreeMap::new());

impl Instance {
    /// The instance of a file.
    ///
    /// # Errors
    /// Where the file is in use with other options.
    pub fn of(path: PathBuf, options: Options) -> Done<Arc<Instance>> {
        let mut all = lock(&IN_USE);
        all.retain(|_, instance| instance.strong_count() > 0);
        // Two names of one file are one; one that is not there yet has only this name.
        let path = path.canonicalize().unwrap_or(path);
        if let Some(instance) = all.get(&path).and_then(Weak::upgrade) {
            return match instance.options == options {
                true => Ok(instance),
                false => Err(Failure::of(
                    ErrorKind::Invalid,
                    "this program uses the file with other options",
                    "give the same options wherever the file is named",
                )),
            };
        }
        let (opened, load) = (Mutex::new(None), Mutex::default());
        let (link, single) = (Mutex::default(), Mutex::default());
        let path_of = path.clone();
        let instance = Arc::new(Instance { path: path_of, options, opened, load, link, single });
        all.insert(path, Arc::downgrade(&instance));
        Ok(instance)
    }

    /// Whether the path exists. A path that cannot be examined counts as existing: opening it tells
    /// why.
    pub fn exists(&self) -> bool {
        self.path.try_exists().unwrap_or(true)
    }

    /// A new connection to a file that exists, whose collections have the layout of the URL.
    pub fn connect(&self) -> Done<Connection> {
        let connection = self.connect_any()?;
        if has_own(&connection)? {
            let text = "SELECT layout FROM hoap_kind WHERE layout <> ? LIMIT 1";
            let mut statement = connection.prepare(text)?;
            let mut rows = statement.query([self.options.layout.name()])?;
            if let Some(row) = rows.next()? {
                let layout: String = row.get(0)?;
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
        match self.exists() {
            true => self.connection(),
            false => Err(Failure::missing("no such file")),
        }
    }

    /// A new connection that may write; makes a missing file, and the tables of this module.
    pub fn connect_to_write(&self) -> Done<Connection> {
        if self.options.read_only {
            let answer = "the URL says read_only=on";
            return Err(Failure::of(ErrorKind::Unavailable, answer, "leave it away to write"));
        }
        let connection = self.connection()?;
        connection.execute_batch(OWN)?;
        connection.execute_batch(link::TABLES)?;
        Ok(connection)
    }

    fn connection(&self) -> Done<Connection> {
        let mut opened = lock(&self.opened);
        let first = match &mut *opened {
            Some(first) => first,
            none => none.insert(self.open().map_err(|failure| {
                failure.trying(format!("open the file {}", self.path.display()))
            })?),
        };
        Ok(first.try_clone()?)
    }

    fn open(&self) -> Done<Connection> {
        if self.path.is_dir() {
            let answer = "it is a directory";
            return Err(Failure::of(ErrorKind::Unavailable, answer, "name a file in it"));
        }
        let Options { memory_limit_mb, threads, temp_directory, read_only, .. } = &self.options;
        let mode = if *read_only { AccessMode::ReadOnly } else { AccessMode::ReadWrite };
        // Nothing is fetched from the network behind the user's back.
        let mut config = Config::default().access_mode(mode)?.enable_autoload_extension(false)?;
        if *memory_limit_mb > 0 {
            config = config.max_memory(&format!("{memory_limit_mb}MiB"))?;
        }
        if *threads > 0 {
            config = config.threads((*threads).into())?;
        }
        if !temp_directory.is_empty() {
            config = config.with("temp_directory", temp_directory)?;
        }
        Ok(Connection::open_with_flags(&self.path, config)?)
    }

    /// The link of a file that follows, from the first call on, until all who have it drop it.
    pub fn link(self: &Arc<Self>) -> Done<Option<Arc<Link>>> {
        if self.options.link.is_empty() {
            return Ok(None);
        }
        let mut known = lock(&self.link);
        if let Some(link) = known.upgrade() {
            return Ok(Some(link));
        }
        let link = Arc::new(Link::begin(self)?);
        *known = Arc::downgrade(&link);
        Ok(Some(link))
    }

    /// Keeps the threads at one until all who have this drop it.
    pub fn single(&self) -> Done<Arc<Single>> {
        let mut known = lock(&self.single);
        if let Some(single) = known.upgrade() {
            return Ok(single);
        }
        let single = Arc::new(Single::begin(self.connection()?)?);
        *known = Arc::downgrade(&single);
        Ok(single)
    }

    /// What is being loaded. One writes at a time.
    pub fn load(&self) -> MutexGuard<'_, Load> {
        lock(&self.load)
    }

    /// The settings in force, name → value, read from a new connection.
    pub fn settings(&self) -> Done<BTreeMap<String, String>> {
        let mut settings =
            BTreeMap::from([("layout".to_owned(), self.options.layout.name().to_owned())]);
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
                let value: Option<String> = connection.query_row(text, [name], |row| row.get(0))?;
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

/// Whether the file has the tables of this module.
pub(super) fn has_own(connection: &Connection) -> duckdb::Result<bool> {
    Ok(type_of(connection, "hoap_kind")?.is_some())
}

/// Whether a name is a table or a view, `BASE TABLE` or `VIEW`, if it is either.
pub(super) fn type_of(connection: &Connection, name: &str) -> duckdb::Result<Option<String>> {
    let text = "SELECT table_type FROM information_schema.tables
                WHERE lower(table_name) = lower(?) AND table_schema = 'main'";
    let mut statement = connection.prepare(text)?;
    let mut rows = statement.query([name])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
