//! Whole collections: notes, creation, indexes, scans.

use std::fs::File;

use async_trait::async_trait;
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use super::connection::{Database, Role};
use super::error;
use super::writer::Turn;
use super::{Sqlite, bulk, sql, transaction};

/// Notes, JSON values by their names: the benchmark's, and the state of the load that was settled
/// last.
const NOTES: &str = "CREATE TABLE IF NOT EXISTS hoap_note (
    name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

const NOTE: &str = "note";
/// The number of documents that were loaded when the statistics were gathered.
const SETTLED: &str = "settled";

#[async_trait]
impl Documents for Sqlite {
    async fn note(&self) -> Result<Option<Value>> {
        if !self.database().exists() {
            return Ok(None);
        }
        let tried = || format!("read the note in {}", self.database().url);
        read_note(&self.database().connect(Role::Reader)?, NOTE, tried)
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let tried = || format!("write the note in {}", self.database().url);
        if expected.is_some() && !self.database().exists() {
            return Ok(false);
        }
        self.write(tried, |connection| {
            connection.execute_batch(NOTES).map_err(|e| error::sqlite(e, tried()))?;
            if read_note(connection, NOTE, tried)?.as_ref() != expected {
                return Ok(false);
            }
            write_note(connection, NOTE, note).map_err(|e| error::sqlite(e, tried()))?;
            Ok(true)
        })
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        if !self.database().exists() {
            return Ok(false);
        }
        let connection = self.database().connect(Role::Reader)?;
        for collection in collections {
            let tried = || format!("look for {collection} in {}", self.database().url);
            let schema = schema_of(&connection, sql::name(collection)?);
            if schema.map_err(|e| error::sqlite(e, tried()))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let tried = || format!("drop the collections in {}", self.database().url);
        if !self.database().exists() {
            return Ok(());
        }
        let mut text = String::new();
        for collection in collections {
            text.push_str(&format!("DROP TABLE IF EXISTS \"{}\";", sql::name(collection)?));
        }
        text.push_str("DROP TABLE IF EXISTS hoap_note; DROP TABLE IF EXISTS hoap_load;");
        self.write(tried, |connection| {
            connection.execute_batch(&text).map_err(|e| error::sqlite(e, tried()))
        })?;
        // The pages of the dropped tables are free but scattered over the file. An otherwise empty
        // database is reset; while another process has it open it may keep its pages.
        let turn = self.writer.turn(Role::Writer)?;
        let look = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%')";
        let empty = turn.query_row(look, [], |row| row.get(0));
        if empty.map_err(|e| error::sqlite(e, tried()))? {
            let _ = turn.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let tried = || format!("create the collections in {}", self.database().url);
        self.write(tried, |connection| {
            let run = |text: &str| {
                connection.execute_batch(text).map_err(|e| error::sqlite(e, tried()))
            };
            run(NOTES)?;
            run(bulk::PROGRESS)?;
            for collection in collections {
                let collection = sql::name(collection)?;
                let table = format!(
                    "CREATE TABLE \"{collection}\" (key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL)"
                );
                let there = schema_of(connection, collection);
                match there.map_err(|e| error::sqlite(e, tried()))? {
                    None => run(&table)?,
                    Some(there) if there == table => {}
                    Some(_) => return Err(foreign(collection, tried())),
                }
            }
            Ok(())
        })
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(bulk::BatchWriter::new(self.writer.clone(), part)?))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        let url = &self.database().url;
        let turn = self.writer.turn(Role::Writer)?;
        for index in indexes {
            let tried = || format!("create index {} in {url}", index.name);
            let wanted = sql::create_index(index)?;
            // Inside the transaction: another process may be making it.
            turn.begin().map_err(|e| error::sqlite(e, tried()))?;
            let there = schema_of(&turn, index.name).map_err(|e| error::sqlite(e, tried()))?;
            match there {
                None => turn.execute_batch(&wanted).map_err(|e| error::sqlite(e, tried()))?,
                Some(there) if there == wanted => {}
                Some(_) => return Err(foreign(index.name, tried())),
            }
            commit(&turn, tried)?;
        }
        gather_statistics(&turn, url)?;
        checkpoint(&turn, self.database())
    }

    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let tried = || format!("scan {collection} in {}", self.database().url);
        let mut text = String::new();
        sql::scan(collection, fields, &mut text)?;
        let connection = self.database().connect(Role::Reader)?;
        // One statement reads one snapshot and steps through it.
        let mut statement = connection.prepare(&text).map_err(|e| error::sqlite(e, tried()))?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|e| error::sqlite(e, tried()))? {
            let key = match row.get_ref(0).map_err(|e| error::sqlite(e, tried()))? {
                ValueRef::Text(key) => std::str::from_utf8(key).ok(),
                _ => None,
            };
            let key =
                key.ok_or_else(|| Error::new(ErrorKind::Broken, tried(), "a key is not text"))?;
            each(key, sql::row(row, 1, fields.len(), tried)?)?;
        }
        Ok(())
    }
}

impl Sqlite {
    fn database(&self) -> &Database {
        &self.writer.database
    }

    /// Runs `work` in one write transaction on a file that is made if it is missing.
    fn write<T>(
        &self,
        tried: impl Fn() -> String,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let turn = self.writer.turn(Role::Creator)?;
        turn.begin().map_err(|e| error::sqlite(e, tried()))?;
        let done = work(&turn)?;
        commit(&turn, tried)?;
        Ok(done)
    }
}

fn commit(turn: &Turn<'_>, tried: impl Fn() -> String) -> Result<()> {
    transaction::commit(turn).map_err(|(e, open)| error::commit(e, open, tried()))
}

/// The text that made a table or an index, whatever the case of its name.
fn schema_of(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT ifnull(sql, '') FROM sqlite_schema WHERE lower(name) = lower(?1)")?
        .query_row([name], |row| row.get(0))
        .optional()
}

fn foreign(name: &str, tried: String) -> Error {
    Error::new(ErrorKind::Unavailable, tried, format!("{name} is there and is not ours"))
        .advise("drop it, or name another file")
}

fn read_note(
    connection: &Connection,
    name: &str,
    tried: impl Fn() -> String,
) -> Result<Option<Value>> {
    let there = schema_of(connection, "hoap_note").map_err(|e| error::sqlite(e, tried()))?;
    if there.is_none() {
        return Ok(None);
    }
    let text: Option<String> = connection
        .query_row("SELECT value FROM hoap_note WHERE name = ?1", [name], |row| row.get(0))
        .optional()
        .map_err(|e| error::sqlite(e, tried()))?;
    text.map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))
}

fn write_note(connection: &Connection, name: &str, note: &Value) -> rusqlite::Result<()> {
    let text = "INSERT INTO hoap_note (name, value) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    connection.execute(text, (name, note.to_string())).map(drop)
}

/// Gathers the planner's statistics, unless nothing was loaded since the last time.
fn gather_statistics(turn: &Turn<'_>, url: &str) -> Result<()> {
    let tried = || format!("gather statistics in {url}");
    turn.begin().map_err(|e| error::sqlite(e, tried()))?;
    let state = turn
        .execute_batch(&format!("{NOTES}; {}", bulk::PROGRESS))
        .and_then(|()| {
            let counts = "SELECT (SELECT ifnull(sum(position), 0) FROM hoap_load),
                          (SELECT count(*) FROM sqlite_schema WHERE type = 'index')";
            turn.query_row(counts, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
        })
        .map_err(|e| error::sqlite(e, tried()))?;
    let state = serde_json::json!({ "documents": state.0, "indexes": state.1 });
    if read_note(turn, SETTLED, tried)?.as_ref() != Some(&state) {
        turn.execute_batch("ANALYZE")
            .and_then(|()| write_note(turn, SETTLED, &state))
            .map_err(|e| error::sqlite(e, tried()))?;
    }
    commit(turn, tried)
}

/// Moves the whole log into the file and makes both durable, whatever `synchronous` is.
fn checkpoint(turn: &Turn<'_>, database: &Database) -> Result<()> {
    let tried = || format!("write the log of {} into the file", database.url);
    let busy: bool = turn
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .map_err(|e| error::sqlite(e, tried()))?;
    if busy {
        return Err(Error::new(ErrorKind::Unavailable, tried(), "somebody else uses the database")
            .advise("close the other program, or raise busy_timeout_ms"));
    }
    let sync = |file: File| file.sync_all();
    // On Unix the name of a new file is durable when its directory is.
    let directory = database.path.parent().filter(|_| cfg!(unix));
    File::options()
        .write(true)
        .open(&database.path)
        .and_then(sync)
        .and_then(|()| directory.map_or(Ok(()), |directory| File::open(directory).and_then(sync)))
        .map_err(|e| Error::new(ErrorKind::Unavailable, tried(), e).advise(error::DISK))
}
