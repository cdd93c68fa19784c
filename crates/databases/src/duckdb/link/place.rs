//! The file that follows: what it follows, how far it is, and what it holds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use duckdb::{Connection, OptionalExt};
use hoap_workload::ErrorKind;

use super::super::instance::Instance;
use super::super::options::Layout;
use super::super::{documents, table};
use super::{apply, copy};
use crate::failure::{Done, Failure};
use crate::sqlite::changes::{self, Snapshot};

/// What the file follows with the number of the last change that was applied, and the followed
/// collections with their generations.
pub(in super::super) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS hoap_link (source VARCHAR NOT NULL, position BIGINT NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_follow (
        collection VARCHAR NOT NULL, generation VARCHAR NOT NULL);";

/// The file, and what is known of it.
pub(super) struct Place {
    pub instance: Arc<Instance>,
    pub connection: Connection,
    pub layout: Layout,
    /// Set to give up what is under way.
    stop: Arc<AtomicBool>,
    position: i64,
    /// The collections that are copied, with their generations.
    copied: BTreeMap<String, String>,
    note: Option<String>,
}

impl Place {
    /// The file of an instance, which follows the source from now on.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] where it follows another source, or was loaded.
    pub fn of(instance: &Arc<Instance>, source: &str, stop: Arc<AtomicBool>) -> Done<Place> {
        let connection = instance.connect_to_write()?;
        instance.connect()?;
        let path = changes::path(source)?;
        let position = match followed(&connection)? {
            Some((there, position)) if there == path => position,
            Some((there, _)) => {
                return Err(Failure::of(
                    ErrorKind::Invalid,
                    format!("the file follows {there}, not {path}"),
                    "name the database that it follows, or another file",
                ));
            }
            None if documents::holds_any(&connection)? => {
                return Err(Failure::of(
                    ErrorKind::Invalid,
                    "the file holds what was loaded into it, and follows nothing",
                    "name a new file",
                ));
            }
            None => {
                connection.execute("INSERT INTO hoap_link VALUES (?, 0)", [path])?;
                0
            }
        };
        let copied = connection
            .prepare("SELECT collection, generation FROM hoap_follow")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<duckdb::Result<_>>()?;
        let note = documents::note_text(&connection)?;
        let layout = instance.options.layout;
        let instance = instance.clone();
        Ok(Place { instance, connection, layout, stop, position, copied, note })
    }

    /// Fails where the link ends.
    pub fn goes_on(&self) -> Done<()> {
        match self.stop.load(Ordering::SeqCst) {
            false => Ok(()),
            true => Err(Failure::new(ErrorKind::Cancelled, "the link ended")),
        }
    }

    /// The number of the last change that was applied.
    pub fn position(&self) -> i64 {
        self.position
    }

    /// Brings the file to a snapshot of the source.
    ///
    /// # Errors
    /// The file is as it was, or lacks collections that were to be copied, and its note with them.
    pub fn advance(&mut self, snapshot: &Snapshot<'_>) -> Done<()> {
        let there = snapshot.collections()?;
        // What an older copy of the file lacks may be pruned.
        let pruned = snapshot.first()? > self.position + 1;
        let none = BTreeMap::new();
        self.forget(if pruned { &none } else { &there })?;
        if self.copied.is_empty() {
            // All are copied, perhaps of another database under the same name.
            self.position = 0;
        }
        let last = snapshot.last()?;
        if last < self.position {
            return Err(Failure::of(
                ErrorKind::Broken,
                format!("its log ends at {last}, and {} was applied", self.position),
                "somebody changed the log: follow with a new file",
            ));
        }
        let new: Vec<_> =
            there.iter().filter(|(name, _)| !self.copied.contains_key(*name)).collect();
        for (name, _) in &new {
            copy::copy(self, snapshot, name)?;
        }
        let mut changed = snapshot.changed(self.position)?;
        changed.retain(|name| self.copied.contains_key(name));
        let note = snapshot.note()?;
        if new.is_empty() && changed.is_empty() && note == self.note {
            self.position = last;
            return Ok(());
        }
        let to = apply::To { position: last, note: note.as_deref(), copied: &new };
        apply::apply(self, snapshot, &changed, &to)?;
        let new: Vec<_> = new.into_iter().map(|(name, of)| (name.clone(), of.clone())).collect();
        self.copied.extend(new);
        (self.position, self.note) = (last, note);
        Ok(())
    }

    /// Drops the collections that the source dropped or made anew.
    fn forget(&mut self, there: &BTreeMap<String, String>) -> Done<()> {
        let gone: Vec<_> =
            self.copied.iter().filter(|(name, of)| there.get(*name) != Some(of)).collect();
        let gone: Vec<String> = gone.into_iter().map(|(name, _)| name.clone()).collect();
        if gone.is_empty() {
            return Ok(());
        }
        // Whoever reads the file without the link finds no note of data that is not there.
        self.transaction(|connection| {
            connection.execute_batch("DELETE FROM hoap_note")?;
            for name in &gone {
                table::drop(connection, name)?;
                connection.execute("DELETE FROM hoap_follow WHERE collection = ?", [name])?;
            }
            Ok(())
        })?;
        self.note = None;
        self.copied.retain(|name, _| !gone.contains(name));
        Ok(())
    }

    /// Runs `work` in one transaction.
    pub fn transaction<T>(&self, work: impl FnOnce(&Connection) -> Done<T>) -> Done<T> {
        self.connection.execute_batch("BEGIN TRANSACTION")?;
        let done = work(&self.connection)
            .and_then(|done| Ok(self.connection.execute_batch("COMMIT").map(|()| done)?));
        done.inspect_err(|_| {
            let _ = self.connection.execute_batch("ROLLBACK");
        })
    }
}

/// The source that a file follows and how far, if it follows one.
fn followed(connection: &Connection) -> Done<Option<(String, i64)>> {
    let text = "SELECT source, position FROM hoap_link";
    Ok(connection.query_row(text, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Refuses to load into a file that follows.
pub(in super::super) fn refuse_to_write(connection: &Connection) -> Done<()> {
    match followed(connection)? {
        None => Ok(()),
        Some((source, _)) => Err(Failure::of(
            ErrorKind::Unavailable,
            format!("it follows {source}"),
            "load that database: its documents come by themselves; or name another file",
        )),
    }
}
