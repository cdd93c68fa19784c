//! The log of a database's changes, for one follower.
//!
//! Triggers write the collection and the key of every document that is inserted, updated or deleted
//! into the table `hoap_change`, within the transaction that changes it: a change that is committed
//! is in the log, whoever made it and whatever happens then, and one that is rolled back is not.
//! SQLite has one writer at a time, so the numbers of the log are in the order of the commits.
//!
//! The log has no documents. A follower reads those of the changed keys in the snapshot in which it
//! reads the log, so that it holds what this snapshot holds, and a change that it reads twice does
//! no harm.
//!
//! The table `hoap_follow` has the generation of each collection, a random text that is made with
//! its triggers: a table that was dropped and made anew has another one, and has to be copied anew.
//! It names the follower as well: since the follower prunes the log, there is one.

use std::collections::BTreeMap;
use std::time::Duration;

use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};

use super::connection::{Database, Role};
use super::{documents, options, sql, transaction};
use crate::error;
use crate::error::OrFail;

/// The log, and the generations. A number of the log is that of the row before and one: pruning
/// leaves the last row.
const LOG: &str = "CREATE TABLE IF NOT EXISTS hoap_change (
        id INTEGER PRIMARY KEY, collection TEXT NOT NULL, key TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS hoap_follow (
        collection TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL, follower TEXT NOT NULL
    ) WITHOUT ROWID";

const LAST: &str = "SELECT ifnull(max(id), 0) FROM hoap_change";

/// The triggers of a collection: their names' ends, what they follow, and whose key they log.
const TRIGGERS: [(&str, &str, &str); 4] = [
    ("insert", "INSERT", "NEW"),
    ("update", "UPDATE", "NEW"),
    ("key", "UPDATE OF key", "OLD"),
    ("delete", "DELETE", "OLD"),
];

/// How long pruning waits for the writers; what it does not prune now, it prunes later.
const PRUNE_WAIT: Duration = Duration::from_millis(20);
/// The most rows that one transaction prunes.
const PRUNE_ROWS: i64 = 10_000;

/// A database whose changes are logged, and the follower's connections to it.
pub struct FollowedDatabase {
    database: Database,
    follower: String,
    reader: Connection,
    pruner: Connection,
}

impl FollowedDatabase {
    /// The database of a `sqlite:` URL. Where another follows it and this one takes it over, every
    /// collection gets a new generation: what was logged so far is not for this one.
    ///
    /// # Errors
    /// [`ErrorKind::Missing`] where there is no such file.
    pub fn open(url: &str, follower: &str, take_over: bool) -> Done<FollowedDatabase> {
        let database = database(url)?;
        let reader = database.connect(Role::Reader)?;
        let options = options::Options { busy_timeout: PRUNE_WAIT, ..database.options };
        let path = database.path.clone();
        let pruner = Database { url: url.to_owned(), path, options }.connect(Role::Writer)?;
        let source = FollowedDatabase { database, follower: follower.to_owned(), reader, pruner };
        source.log(if take_over { "OR follower <> ?1" } else { "" })?;
        Ok(source)
    }

    /// A snapshot of all collections, which are logged from it on at the latest.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] where the database has another follower meanwhile.
    pub fn snapshot(&self) -> Done<Snapshot<'_>> {
        let snapshot = Snapshot::take(&self.reader)?;
        if tables(snapshot.0, "").or_fail()?.is_empty() {
            snapshot.follows(&self.follower)?;
            return Ok(snapshot);
        }
        drop(snapshot);
        self.log("")?;
        let snapshot = Snapshot::take(&self.reader)?;
        snapshot.follows(&self.follower)?;
        Ok(snapshot)
    }

    /// The number of the last change now.
    pub fn last(&self) -> Done<i64> {
        self.reader.prepare_cached(LAST).or_fail()?.query_row([], |row| row.get(0)).or_fail()
    }

    /// Logs the collections that are not logged yet, or that a condition is true for.
    fn log(&self, or: &str) -> Done<()> {
        let writer = self.database.connect(Role::Writer)?;
        writer.execute_batch("BEGIN IMMEDIATE").or_fail()?;
        writer.execute_batch(LOG).or_fail()?;
        let or = or.replace("?1", &text(&self.follower));
        for collection in tables(&writer, &or).or_fail()? {
            for (name, when, row) in TRIGGERS {
                let trigger = format!("hoap_change_{collection}_{name}");
                writer
                    .execute_batch(&format!(
                        "DROP TRIGGER IF EXISTS \"{trigger}\";
                     CREATE TRIGGER \"{trigger}\" AFTER {when} ON \"{collection}\" BEGIN
                         INSERT INTO hoap_change (collection, key)
                         VALUES ('{collection}', {row}.key);
                     END"
                    ))
                    .or_fail()?;
            }
            writer
                .execute(
                    "INSERT OR REPLACE INTO hoap_follow VALUES (?1, hex(randomblob(16)), ?2)",
                    (&collection, &self.follower),
                )
                .or_fail()?;
        }
        transaction::commit(&writer).map_err(|(e, open)| super::error::commit(e, open))
    }

    /// Removes the log up to a number, which the follower will not read again. Does nothing where
    /// the writers leave no gap.
    pub fn prune(&self, to: i64) -> Done<()> {
        loop {
            let removed = self.pruner.execute(
                "DELETE FROM hoap_change WHERE id < min(?1, ?2 + (SELECT min(id) FROM hoap_change))",
                (to, PRUNE_ROWS),
            );
            match removed.map_err(error::failure) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(e) if e.kind == ErrorKind::Conflict => return Ok(()),
                Err(e) => return Err(e),
            }
        }
    }
}

/// The database of a `sqlite:` URL, whether or not it is there.
fn database(url: &str) -> Done<Database> {
    let (path, options) = options::parse(url)?;
    Ok(Database { url: url.to_owned(), path, options })
}

/// The path of the file of a `sqlite:` URL.
pub fn path(url: &str) -> hoap_record::Result<String> {
    options::parse(url).map(|(path, _)| path.display().to_string())
}

/// The follower of a database, if its changes are logged.
pub(super) fn follower(connection: &Connection) -> rusqlite::Result<Option<String>> {
    if !documents::is_there(connection, "hoap_follow")? {
        return Ok(None);
    }
    let logged = "SELECT follower FROM hoap_follow
                  JOIN sqlite_schema AS t ON t.type = 'table' AND t.name = collection LIMIT 1";
    connection.prepare_cached(logged)?.query_row([], |row| row.get(0)).optional()
}

/// The collections that lack a trigger or a generation, or for which `or` is true.
fn tables(connection: &Connection, or: &str) -> rusqlite::Result<Vec<String>> {
    let text = format!(
        "SELECT t.name FROM sqlite_schema AS t LEFT JOIN hoap_follow ON collection = t.name
         WHERE t.type = 'table' AND t.name NOT LIKE 'hoap\\_%' ESCAPE '\\'
             AND t.sql = replace({}, '?', t.name)
             AND (generation IS NULL {or} OR {} <> (
                 SELECT count(*) FROM sqlite_schema AS r
                 WHERE r.type = 'trigger' AND r.tbl_name = t.name
                     AND r.name LIKE 'hoap\\_change\\_%' ESCAPE '\\'))",
        text(&sql::create_table("?")),
        TRIGGERS.len(),
    );
    connection.prepare(&text)?.query_map([], |row| row.get(0))?.collect()
}

/// A text in SQL.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// One state of the database, until it is dropped.
pub struct Snapshot<'a>(&'a Connection);

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let _ = self.0.execute_batch("ROLLBACK");
    }
}

impl<'a> Snapshot<'a> {
    fn take(connection: &'a Connection) -> Done<Self> {
        transaction::begin_snapshot(connection).or_fail()?;
        Ok(Snapshot(connection))
    }

    fn follows(&self, follower: &str) -> Done<()> {
        match self::follower(self.0).or_fail()? {
            Some(other) if other != follower => Err(Failure::of(
                ErrorKind::Invalid,
                format!("{other} follows it now"),
                "let one file follow a database; the next run with this one copies it anew",
            )),
            _ => Ok(()),
        }
    }

    /// The collections, each with its generation.
    pub fn collections(&self) -> Done<BTreeMap<String, String>> {
        let text = "SELECT collection, generation FROM hoap_follow
                    JOIN sqlite_schema AS t ON t.type = 'table' AND t.name = collection";
        let mut statement = self.0.prepare_cached(text).or_fail()?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).or_fail()?;
        rows.collect::<rusqlite::Result<_>>().or_fail()
    }

    /// The number of the last change.
    pub fn last(&self) -> Done<i64> {
        self.0.prepare_cached(LAST).or_fail()?.query_row([], |row| row.get(0)).or_fail()
    }

    /// The number of the first change that is still in the log; 0 where there is none. Numbers have
    /// no gaps.
    pub fn first(&self) -> Done<i64> {
        let first = "SELECT ifnull(min(id), 0) FROM hoap_change";
        self.0.prepare_cached(first).or_fail()?.query_row([], |row| row.get(0)).or_fail()
    }

    /// The note of the load, as text.
    pub fn note(&self) -> Done<Option<String>> {
        documents::note_text(self.0, documents::NOTE).or_fail()
    }

    /// The collections with changes after a number.
    pub fn changed(&self, after: i64) -> Done<Vec<String>> {
        let text = "SELECT DISTINCT collection FROM hoap_change WHERE id > ?1";
        let mut statement = self.0.prepare_cached(text).or_fail()?;
        let rows = statement.query_map([after], |row| row.get(0)).or_fail()?;
        rows.collect::<rusqlite::Result<_>>().or_fail()
    }

    /// The keys of a collection's documents that changed after a number, each once.
    pub fn keys(
        &self,
        collection: &str,
        after: i64,
        mut each: impl FnMut(&str) -> Done<()>,
    ) -> Done<()> {
        let text = "SELECT DISTINCT key FROM hoap_change WHERE id > ?1 AND collection = ?2";
        let mut statement = self.0.prepare_cached(text).or_fail()?;
        let mut rows = statement.query((after, collection)).or_fail()?;
        while let Some(row) = rows.next().or_fail()? {
            each(column(row, 0)?)?;
        }
        Ok(())
    }

    /// The keys and JSON texts of a collection's documents: of those that changed after a number,
    /// or of all.
    pub fn documents(
        &self,
        collection: &str,
        after: Option<i64>,
        mut each: impl FnMut(&str, &str) -> Done<()>,
    ) -> Done<()> {
        let changed = match after {
            None => String::new(),
            Some(after) => format!(
                "WHERE key IN (SELECT key FROM hoap_change WHERE id > {after} AND collection = {})",
                text(collection)
            ),
        };
        let text = format!("SELECT key, json(doc) FROM \"{collection}\" {changed}");
        let mut statement = self.0.prepare(&text).or_fail()?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().or_fail()? {
            each(column(row, 0)?, column(row, 1)?)?;
        }
        Ok(())
    }
}

fn column<'r>(row: &'r rusqlite::Row<'_>, at: usize) -> Done<&'r str> {
    match row.get_ref(at).or_fail()? {
        ValueRef::Text(text) => std::str::from_utf8(text).map_err(Failure::broken),
        _ => Err(Failure::broken("a key or a document is not text")),
    }
}
