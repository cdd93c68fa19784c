//! Whole collections: notes, creation, indexes, scans.

use std::fs::File;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hoap_database::Index;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use hoap_record::{Medium, Stored, StoredCollection};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use super::connection::{Database, Role};
use super::database::SqliteEngine;
use super::error;
use super::writer::Turn;
use super::{bulk, own, sql, transaction};
use crate::error::OrFail;

/// Notes, JSON values by their names: the benchmark's, and the state of the load that was settled
/// last.
const NOTES: &str = "CREATE TABLE IF NOT EXISTS hoap_note (
    name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

pub(super) const NOTE: &str = "note";
/// The largest file whose pages are read to know the sizes of its tables.
const READ_ALL: u64 = 8 << 30;

/// The number of documents that were loaded when the statistics were gathered.
const SETTLED: &str = "settled";

#[async_trait]
impl Documents for SqliteEngine {
    fn elsewhere(&self) -> &'static str {
        "another file"
    }

    async fn note(&self) -> Done<Option<Value>> {
        match self.database().exists() {
            true => read_note(&self.database().connect(Role::Reader)?, NOTE),
            false => Ok(None),
        }
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        if expected.is_some() && !self.database().exists() {
            return Ok(false);
        }
        self.write(|connection| {
            connection.execute_batch(NOTES).or_fail()?;
            if read_note(connection, NOTE)?.as_ref() != expected {
                return Ok(false);
            }
            write_note(connection, NOTE, note).or_fail()?;
            Ok(true)
        })
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        if !self.database().exists() {
            return Ok(false);
        }
        let connection = self.database().connect(Role::Reader)?;
        Ok(is_there(&connection, collection).or_fail()?)
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        if !self.database().exists() {
            return Ok(());
        }
        let mut text = String::new();
        for collection in collections {
            text.push_str(&format!("DROP TABLE IF EXISTS \"{collection}\";"));
        }
        text.push_str("DROP TABLE IF EXISTS hoap_note; DROP TABLE IF EXISTS hoap_load;");
        self.write(|connection| connection.execute_batch(&text).or_fail())?;
        // The pages of the dropped tables are free but scattered over the file. An otherwise empty
        // database is reset; while another process has it open it may keep its pages.
        let turn = self.writer.turn(Role::Writer)?;
        let look = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema
                    WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'hoap\\_%' ESCAPE '\\')";
        if turn.query_row(look, [], |row| row.get(0)).or_fail()? {
            let _ = turn.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        if self.database().exists() {
            // What another program made is adopted only if it holds nothing else.
            own::claim(&self.database().unset()?, collections)?;
        }
        self.write(|connection| {
            connection.execute_batch(NOTES).or_fail()?;
            connection.execute_batch(bulk::PROGRESS).or_fail()?;
            for collection in collections {
                let table = sql::create_table(collection);
                match schema_of(connection, collection).or_fail()? {
                    None => connection.execute_batch(&table).or_fail()?,
                    Some(there) if there == table => {}
                    Some(_) => return Err(foreign(collection)),
                }
            }
            Ok(())
        })
    }

    fn several_writers(&self) -> Offered<()> {
        Err("a file has one writer at a time")
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        Ok(Box::new(bulk::BatchWriter::new(self.writer.clone(), part)?))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        let url = &self.database().url;
        let turn = self.writer.turn(Role::Writer)?;
        create_indexes(&turn, indexes, self.database())?;
        let gathered = gather_statistics(&turn);
        gathered.map_err(|e| e.trying(format!("gather statistics in {url}")))?;
        let moved = checkpoint(&turn, self.database());
        moved.map_err(|e| e.trying(format!("write the log of {url} into the file")))
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        let connection = self.database().connect(Role::Reader)?;
        let has = |index: &Index| {
            let there = schema_of(&connection, &index.name)?;
            Ok(Some(there.as_ref() == Some(&sql::create_index(index))))
        };
        Ok(Ok(indexes.iter().map(has).collect::<rusqlite::Result<_>>().or_fail()?))
    }

    /// The file, and by its pages the tables with their indexes.
    async fn stored(&self, collections: &[&str]) -> Done<Offered<Stored>> {
        let connection = self.database().connect(Role::Reader)?;
        let text = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let bytes = connection.query_row(text, [], |row| row.get::<_, i64>(0)).or_fail()?;
        let bytes = u64::try_from(bytes).unwrap_or(0);
        let mut of = Vec::new();
        let text = "SELECT ifnull(sum(d.pgsize), 0) FROM sqlite_schema s
                    JOIN dbstat('main', 1) d ON d.name = s.name WHERE lower(s.tbl_name) = lower(?1)";
        for name in collections.iter().filter(|_| bytes <= READ_ALL) {
            let bytes = connection.query_row(text, [name], |row| row.get::<_, i64>(0)).or_fail()?;
            of.push(StoredCollection {
                name: (*name).to_owned(),
                bytes: u64::try_from(bytes).unwrap_or(0),
            });
        }
        Ok(Ok(Stored { medium: Medium::Disk, bytes, collections: of }))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let connection = self.database().connect(Role::Reader)?;
        // One statement reads one snapshot and steps through it.
        let mut statement = connection.prepare(&sql::scan(collection, fields)).or_fail()?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().or_fail()? {
            let ValueRef::Text(key) = row.get_ref(0).or_fail()? else {
                return Err(Failure::broken("a key is not text"));
            };
            let key = std::str::from_utf8(key).map_err(Failure::broken)?;
            each(key, sql::row(row, 1, fields.len())?)?;
        }
        Ok(())
    }
}

impl SqliteEngine {
    /// Runs `work` in one write transaction on a file that is made if it is missing.
    fn write<T>(&self, work: impl FnOnce(&Connection) -> Done<T>) -> Done<T> {
        let turn = self.writer.turn(Role::Creator)?;
        turn.begin().or_fail()?;
        let done = work(&turn)?;
        commit(&turn)?;
        Ok(done)
    }
}

fn commit(turn: &Turn<'_>) -> Done<()> {
    transaction::commit(turn).map_err(|(e, open)| error::commit(e, open))
}

/// The text that made a table or an index, whatever the case of its name.
fn schema_of(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT ifnull(sql, '') FROM sqlite_schema WHERE lower(name) = lower(?1)")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// Whether there is a table or an index.
pub(super) fn is_there(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    Ok(schema_of(connection, name)?.is_some())
}

fn foreign(name: &str) -> Failure {
    let answer = format!("{name} is there and is not ours");
    Failure::of(ErrorKind::Unavailable, answer, "name another file")
}

/// Creates the indexes. Each is sorted in files, whatever `temp_store` is: in memory SQLite sorts it
/// as a whole, which grows with the data; with files it has at most as much in memory as the page
/// cache may take.
fn create_indexes(turn: &Turn<'_>, indexes: &[Index], database: &Database) -> Done<()> {
    let sort_in = |place: &str| turn.execute_batch(&format!("PRAGMA temp_store = {place}"));
    sort_in("file").or_fail()?;
    let made = indexes.iter().try_for_each(|index| {
        let tried = || format!("create index {} in {}", index.name, database.url);
        create_index(turn, index).map_err(|e| e.trying(tried()))
    });
    let restored = sort_in(database.options.temp_store);
    made.and(restored.map_err(error::failure))
}

fn create_index(turn: &Turn<'_>, index: &Index) -> Done<()> {
    let wanted = sql::create_index(index);
    // Inside the transaction: another process may be making it.
    turn.begin().or_fail()?;
    match schema_of(turn, &index.name).or_fail()? {
        None => turn.execute_batch(&wanted).or_fail()?,
        Some(there) if there == wanted => {}
        Some(_) => return Err(foreign(&index.name)),
    }
    commit(turn)
}

/// A note as text.
pub(super) fn note_text(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    if !is_there(connection, "hoap_note")? {
        return Ok(None);
    }
    let text = "SELECT value FROM hoap_note WHERE name = ?1";
    connection.prepare_cached(text)?.query_row([name], |row| row.get(0)).optional()
}

fn read_note(connection: &Connection, name: &str) -> Done<Option<Value>> {
    let text = note_text(connection, name).or_fail()?;
    text.map(|text| serde_json::from_str(&text)).transpose().map_err(Failure::broken)
}

fn write_note(connection: &Connection, name: &str, note: &Value) -> rusqlite::Result<()> {
    let text = "INSERT INTO hoap_note (name, value) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    connection.execute(text, (name, note.to_string())).map(drop)
}

/// Gathers the planner's statistics, unless nothing was loaded since the last time.
fn gather_statistics(turn: &Turn<'_>) -> Done<()> {
    turn.begin().or_fail()?;
    turn.execute_batch(&format!("{NOTES}; {}", bulk::PROGRESS)).or_fail()?;
    let counts = "SELECT (SELECT ifnull(sum(position), 0) FROM hoap_load),
                  (SELECT count(*) FROM sqlite_schema WHERE type = 'index')";
    let (documents, indexes): (i64, i64) =
        turn.query_row(counts, [], |row| Ok((row.get(0)?, row.get(1)?))).or_fail()?;
    let state = serde_json::json!({ "documents": documents, "indexes": indexes });
    if read_note(turn, SETTLED)?.as_ref() != Some(&state) {
        turn.execute_batch("ANALYZE").or_fail()?;
        write_note(turn, SETTLED, &state).or_fail()?;
    }
    commit(turn)
}

/// Moves the whole log into the file and makes both durable, whatever `synchronous` is.
fn checkpoint(turn: &Turn<'_>, database: &Database) -> Done<()> {
    let busy =
        || turn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    let start = Instant::now();
    // SQLite waits for readers and writers, but not for another connection that moves the log.
    while busy().or_fail()? {
        if start.elapsed() >= database.options.busy_timeout {
            let advice = "close the other program, or raise busy_timeout_ms";
            let answer = "somebody else uses the database";
            return Err(Failure::of(ErrorKind::Unavailable, answer, advice));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let sync = |file: File| file.sync_all();
    // On Unix the name of a new file is durable when its directory is.
    let directory = database.path.parent().filter(|_| cfg!(unix));
    File::options()
        .write(true)
        .open(&database.path)
        .and_then(sync)
        .and_then(|()| directory.map_or(Ok(()), |directory| File::open(directory).and_then(sync)))
        .map_err(|e| Failure::of(ErrorKind::Unavailable, e, error::DISK))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::options::Options;
    use crate::writer::Writer;

    fn writer(directory: &tempfile::TempDir, options: Options) -> Writer {
        let path = directory.path().join("t.db");
        Writer::new(Arc::new(Database { url: "sqlite:t.db".into(), path, options }))
    }

    /// Parts of a load end at the same time, each with a connection of its own.
    #[test]
    fn the_log_is_moved_by_several_connections_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let options = || Options { synchronous: "off", ..Options::default() };
        let first = writer(&directory, options());
        first.turn(Role::Creator).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let writer = writer(&directory, options());
                    let turn = writer.turn(Role::Writer).unwrap();
                    for n in 0..100 {
                        turn.execute("INSERT INTO t VALUES (?1)", [n]).unwrap();
                        checkpoint(&turn, &writer.database).unwrap();
                    }
                });
            }
        });
    }

    /// A reader that keeps its snapshot keeps the log from being emptied.
    #[test]
    fn a_log_that_stays_in_use_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let busy_timeout = Duration::from_millis(20);
        let writer = writer(&directory, Options { busy_timeout, ..Options::default() });
        let turn = writer.turn(Role::Creator).unwrap();
        turn.execute_batch("CREATE TABLE t (x)").unwrap();
        let reader = writer.database.connect(Role::Reader).unwrap();
        reader.execute_batch("BEGIN; SELECT * FROM t").unwrap();
        turn.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        let failure = checkpoint(&turn, &writer.database).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::Unavailable);
        reader.execute_batch("COMMIT").unwrap();
        checkpoint(&turn, &writer.database).unwrap();
    }

    /// The writing connection is shared: how a load sorts must not affect later queries.
    #[test]
    fn indexes_made_or_refused_leave_the_connection_as_it_was() {
        for (temp_store, number) in [("memory", 2), ("file", 1)] {
            let directory = tempfile::tempdir().unwrap();
            let writer = writer(&directory, Options { temp_store, ..Options::default() });
            let tables = "CREATE TABLE c (key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL);
                          CREATE TABLE other (x)";
            writer.turn(Role::Creator).unwrap().execute_batch(tables).unwrap();
            for (name, good) in [("by_x", true), ("other", false)] {
                let index = Index::new(name, "c", &["x"]);
                let turn = writer.turn(Role::Writer).unwrap();
                assert_eq!(
                    create_indexes(&turn, &[index], &writer.database).is_ok(),
                    good,
                    "{name}"
                );
                let now: i64 = turn.query_row("PRAGMA temp_store", [], |row| row.get(0)).unwrap();
                assert_eq!(now, number, "{temp_store}, {name}");
            }
        }
    }
}
