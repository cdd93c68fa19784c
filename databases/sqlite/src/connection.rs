//! Connections to one database file, with the same settings.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::options::Options;
use super::own;
use crate::error::OrFail;

/// The prepared statements that a connection keeps: more than the transactions of any benchmark
/// need.
const STATEMENTS: usize = 256;

/// A database file and how to open it.
#[derive(Debug)]
pub(super) struct Database {
    /// As the user wrote it.
    pub url: String,
    pub path: PathBuf,
    pub options: Options,
}

/// What a connection may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Read only, whatever the statement says.
    Reader,
    /// Read and write a file that exists.
    Writer,
    /// The same, and make the file where there is none.
    Creator,
}

impl Database {
    /// Whether the path exists. A path that cannot be examined counts as existing: opening it tells
    /// why.
    pub fn exists(&self) -> bool {
        self.path.try_exists().unwrap_or(true)
    }

    /// Opens a connection and sets it.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with the reason and what to do.
    pub fn connect(&self, role: Role) -> Done<Connection> {
        self.open(role).map_err(|failure| failure.trying(format!("open {}", self.url)))
    }

    fn open(&self, role: Role) -> Done<Connection> {
        match std::fs::metadata(&self.path) {
            Ok(there) if there.is_dir() => {
                let answer = "it is a directory";
                return Err(Failure::of(ErrorKind::Unavailable, answer, "name a file in it"));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound && role != Role::Creator => {
                return Err(Failure::missing("no such file"));
            }
            _ => {}
        }
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if role == Role::Creator {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let opened = Connection::open_with_flags(&self.path, flags);
        let set = opened.or_fail().and_then(|connection| self.set(connection, role));
        let connection = match set {
            Err(_) if role == Role::Reader && self.is_at_rest() => self.unchanging()?,
            Err(failure) => return Err(not_opened(&self.path, failure)),
            Ok(connection) => connection,
        };
        match connection.is_readonly("main") {
            Ok(true) if role != Role::Reader => Err(Failure::of(
                ErrorKind::Unavailable,
                "the file is read-only",
                "give this user write permission on the file and its directory",
            )),
            _ => Ok(connection),
        }
    }

    /// A connection to a file that may be another program's, with nothing set.
    pub fn unset(&self) -> Done<Connection> {
        if self.path.is_dir() {
            // Opening it tells that.
            return self.connect(Role::Writer);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&self.path, flags).and_then(|mut connection| {
            connection.busy_handler(Some(wait_for_others(self.options.busy_timeout)))?;
            Ok(connection)
        });
        opened.or_fail().map_err(|failure| failure.trying(format!("open {}", self.url)))
    }

    /// Opens another program's file, read only: its log stays as it is, too.
    pub fn foreign(&self) -> Done<Connection> {
        if self.path.is_dir() {
            // Opening it tells that.
            return self.connect(Role::Reader);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&self.path, flags).and_then(|mut connection| {
            connection.busy_handler(Some(wait_for_others(self.options.busy_timeout)))?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        });
        match opened.or_fail() {
            Err(_) if self.path.is_file() && self.is_at_rest() => self.unchanging(),
            opened => opened.map_err(|failure| not_opened(&self.path, failure)),
        }
        .map_err(|failure| failure.trying(format!("open {}", self.url)))
    }

    /// Whether the file lies where this user cannot write, as on read-only media, and has no log
    /// with changes of its own, which only who can write takes in.
    fn is_at_rest(&self) -> bool {
        let Some(folder) = self.path.parent() else { return false };
        let is_closed = tempfile::tempfile_in(folder).is_err_and(|e| {
            matches!(e.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
        });
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        is_closed && std::fs::metadata(log).map_or(true, |there| there.len() == 0)
    }

    /// Opens a file that nobody changes: without locks, a log or other files beside it.
    fn unchanging(&self) -> Done<Connection> {
        let mut name = String::from("file:");
        for byte in self.path.as_os_str().as_encoded_bytes() {
            match byte {
                b'/' | b'.' | b'-' | b'_' => name.push(char::from(*byte)),
                byte if byte.is_ascii_alphanumeric() => name.push(char::from(*byte)),
                byte => name.push_str(&format!("%{byte:02X}")),
            }
        }
        name.push_str("?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(name, flags).or_fail();
        opened
            .and_then(|connection| self.set(connection, Role::Reader))
            .map_err(|failure| not_opened(&self.path, failure))
    }

    fn set(&self, mut connection: Connection, role: Role) -> Done<Connection> {
        connection.busy_handler(Some(wait_for_others(self.options.busy_timeout))).or_fail()?;
        if role == Role::Creator {
            let page_size = format!("PRAGMA page_size = {}", self.options.page_size);
            connection.execute_batch(&page_size).or_fail()?;
            own::claim(&connection, &[])?;
        }
        self.set_up(&connection, role).or_fail()?;
        Ok(connection)
    }

    fn set_up(&self, connection: &Connection, role: Role) -> rusqlite::Result<()> {
        let options = &self.options;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        set_stable_plans(connection, true)?;
        if role != Role::Reader {
            // The switch to the log takes an exclusive lock for which SQLite does not wait.
            let start = Instant::now();
            loop {
                match connection.execute_batch("PRAGMA journal_mode = WAL") {
                    Err(e)
                        if e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                            && start.elapsed() < options.busy_timeout =>
                    {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    done => break done?,
                }
            }
        }
        let mut pragmas = format!(
            "PRAGMA synchronous = {};
             PRAGMA cache_size = -{};
             PRAGMA mmap_size = {};
             PRAGMA wal_autocheckpoint = {};
             PRAGMA temp_store = {};
             PRAGMA threads = {};
             PRAGMA query_only = {};",
            options.synchronous,
            u64::from(options.cache_mb) * 1024,
            u64::from(options.mmap_mb) << 20,
            options.checkpoint_pages,
            options.temp_store,
            options.threads,
            role == Role::Reader,
        );
        if options.max_pages > 0 {
            pragmas.push_str(&format!("PRAGMA max_page_count = {};", options.max_pages));
        }
        connection.execute_batch(&pragmas)?;
        // SQLite has not read the file yet: one that is no database fails here.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
    }
}

/// Before a transaction has begun there is nothing to run again: no further wait.
fn not_opened(file: &Path, failure: Failure) -> Failure {
    match failure {
        Failure { kind: ErrorKind::Conflict, answer, advice, .. } => {
            Failure { advice, ..Failure::new(ErrorKind::Unavailable, answer) }
        }
        failure => match no_descriptor(file) {
            // SQLite says that it cannot open the file, not why.
            Some(e) => Failure::new(ErrorKind::Unavailable, e),
            None => failure,
        },
    }
}

/// The system's error where this process, or the machine, has as many files open as it may have.
fn no_descriptor(file: &Path) -> Option<io::Error> {
    let words = "Too many open files";
    std::fs::File::open(file).err().filter(|e| e.to_string().contains(words))
}

/// Whether a prepared statement keeps its plan whatever values are bound to it.
///
/// Otherwise SQLite prepares a statement that searches a range or an expression again for each set
/// of values, to choose a plan by its statistics; for a search that runs a million times this costs
/// more than the search.
pub(super) fn set_stable_plans(connection: &Connection, stable: bool) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, stable).map(drop)
}

/// Waits for another process's lock in short sleeps.
///
/// SQLite's own handler sleeps up to 100 ms at a time, while a busy loader takes the lock again and
/// again.
fn wait_for_others(limit: Duration) -> impl FnMut(i32) -> bool + Send + 'static {
    let mut since = Instant::now();
    move |calls| {
        if calls == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= limit {
            return false;
        }
        std::thread::sleep(Duration::from_micros(if calls < 20 { 200 } else { 1000 }));
        true
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn no_search_is_planned_anew_for_other_values() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let database = Database { url: "sqlite:t.db".into(), path, options: Options::default() };
        let connection = database.connect(Role::Creator).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE c (key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL);
                 CREATE INDEX i ON c (doc ->> '$.x', doc ->> '$.y');
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                 INSERT INTO c SELECT 'k' || i, jsonb_object('x', i % 9, 'y', i) FROM n;
                 ANALYZE",
            )
            .unwrap();
        drop(connection);
        let planned = |connection: &Connection, text| {
            let mut statement = connection.prepare(text).unwrap();
            for value in ["k1", "k2", "k3"] {
                statement.query([value]).unwrap().next().unwrap();
            }
            statement.get_status(StatementStatus::RePrepare)
        };
        for text in [
            "SELECT key FROM c WHERE key >= ?1 ORDER BY key LIMIT 1",
            "SELECT key FROM c INDEXED BY i WHERE doc ->> '$.x' = ?1 ORDER BY doc ->> '$.y'",
        ] {
            for role in [Role::Reader, Role::Writer] {
                let connection = database.connect(role).unwrap();
                assert_eq!(planned(&connection, text), 0, "{text}");
                set_stable_plans(&connection, false).unwrap();
                assert_eq!(planned(&connection, text), 3, "{text}");
            }
        }
    }
}
