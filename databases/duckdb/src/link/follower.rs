//! The file that follows: what it follows, how far it is, and what it holds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use duckdb::Connection;
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use hoap_sqlite::changes;

use super::super::file::DatabaseFile;
use super::super::options::Layout;
use super::super::own;
use crate::error::OrFail;

/// The file, and what is known of it.
pub(super) struct Follower {
    pub file: Arc<DatabaseFile>,
    pub connection: Connection,
    pub layout: Layout,
    /// Set to give up what is under way.
    stop: Arc<AtomicBool>,
    /// The number of the last change that was applied.
    pub position: i64,
    /// The collections that are copied, with their generations.
    pub copied: BTreeMap<String, String>,
    pub note: Option<String>,
}

impl Follower {
    /// A file that follows the source from now on.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] where it follows another source, or was loaded.
    pub fn of(file: &Arc<DatabaseFile>, source: &str, stop: Arc<AtomicBool>) -> Done<Follower> {
        let connection = file.connect_to_write()?;
        file.connect()?;
        let path = changes::path(source)?;
        let position = match own::followed(&connection)? {
            Some((there, position)) if there == path => position,
            Some((there, _)) => {
                return Err(Failure::of(
                    ErrorKind::Invalid,
                    format!("the file follows {there}, not {path}"),
                    "name the database that it follows, or another file",
                ));
            }
            None if own::holds_any(&connection)? => {
                return Err(Failure::of(
                    ErrorKind::Invalid,
                    "the file holds what was loaded into it, and follows nothing",
                    "name a new file",
                ));
            }
            None => {
                connection.execute("INSERT INTO hoap_link VALUES (?, 0)", [path]).or_fail()?;
                0
            }
        };
        let copied = connection
            .prepare("SELECT collection, generation FROM hoap_follow")
            .or_fail()?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .or_fail()?
            .collect::<duckdb::Result<_>>()
            .or_fail()?;
        let note = own::note_text(&connection)?;
        let (layout, file) = (file.options.layout, file.clone());
        Ok(Follower { file, connection, layout, stop, position, copied, note })
    }

    /// Fails where the link ends.
    pub fn goes_on(&self) -> Done<()> {
        match self.stop.load(Ordering::SeqCst) {
            false => Ok(()),
            true => Err(Failure::new(ErrorKind::Cancelled, "the link ended")),
        }
    }

    /// Runs `work` in one transaction.
    pub fn transaction<T>(&self, work: impl FnOnce(&Connection) -> Done<T>) -> Done<T> {
        self.connection.execute_batch("BEGIN TRANSACTION").or_fail()?;
        let done = work(&self.connection)
            .and_then(|done| self.connection.execute_batch("COMMIT").map(|()| done).or_fail());
        done.inspect_err(|_| {
            let _ = self.connection.execute_batch("ROLLBACK");
        })
    }
}
