//! Document transactions.

use std::ops::Deref;
use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::capability::{
    Access, Index, Intent, Order, Patch, Row, Session, Transaction, Transactions,
};
use hoap_workload::{Error, ErrorKind, Result};
use rusqlite::{CachedStatement, Connection};
use serde_json::Value;

use super::connection::{Database, Role};
use super::writer::{Turn, Writer};
use super::{Sqlite, error, patch, sql};

#[async_trait]
impl Transactions for Sqlite {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let reader = self.writer.database.connect(Role::Reader)?;
        Ok(Box::new(TransactionSession {
            writer: self.writer.clone(),
            reader,
            buffers: Buffers::default(),
        }))
    }
}

/// One client: a connection of its own for reading, and the queue for writing.
struct TransactionSession {
    writer: Arc<Writer>,
    reader: Connection,
    buffers: Buffers,
}

/// Recycled between statements.
#[derive(Default)]
struct Buffers {
    sql: String,
    json: Vec<u8>,
}

#[async_trait]
impl Session for TransactionSession {
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>> {
        let database = &self.writer.database;
        let tried = || format!("begin a transaction in {}", database.url);
        let held = match access {
            Access::Write => {
                let turn = self.writer.turn(Role::Writer)?;
                turn.begin().map_err(|e| error::sqlite(e, tried()))?;
                HeldConnection::Writer(turn)
            }
            Access::Read => {
                begin_snapshot(&self.reader).map_err(|e| error::sqlite(e, tried()))?;
                HeldConnection::Reader(&mut self.reader)
            }
        };
        Ok(Box::new(OpenTransaction { held, database, buffers: &mut self.buffers }))
    }
}

/// Begins a read transaction now: BEGIN alone would take its snapshot at the first read.
pub(super) fn begin_snapshot(connection: &Connection) -> rusqlite::Result<()> {
    // A failed rollback may have left the previous transaction open.
    if !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    connection.prepare_cached("BEGIN")?.execute([])?;
    let look = || connection.prepare_cached("SELECT 1 FROM sqlite_schema LIMIT 1")?.exists([]);
    let looked = look();
    if looked.is_err() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    looked.map(drop)
}

enum HeldConnection<'a> {
    Reader(&'a mut Connection),
    Writer(Turn<'a>),
}

impl Deref for HeldConnection<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            HeldConnection::Reader(connection) => connection,
            HeldConnection::Writer(turn) => turn,
        }
    }
}

struct OpenTransaction<'a> {
    held: HeldConnection<'a>,
    database: &'a Database,
    buffers: &'a mut Buffers,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        // The turn of a writer rolls back by itself.
        if let HeldConnection::Reader(connection) = &self.held
            && !connection.is_autocommit()
        {
            // Nothing was written; if it fails, the next begin tries again.
            let _ = connection.execute_batch("ROLLBACK");
        }
    }
}

impl OpenTransaction<'_> {
    /// After some errors (a full disk) SQLite has rolled back by itself; the next statement would
    /// be a transaction of its own.
    fn check_open(&self, tried: impl Fn() -> String) -> Result<()> {
        if self.held.is_autocommit() {
            return Err(Error::new(
                ErrorKind::Invalid,
                tried(),
                "the transaction is over since an earlier error",
            ));
        }
        Ok(())
    }

    fn check_writer(&self, tried: impl Fn() -> String) -> Result<()> {
        self.check_open(&tried)?;
        match self.held {
            HeldConnection::Writer(_) => Ok(()),
            HeldConnection::Reader(_) => Err(Error::new(
                ErrorKind::Invalid,
                tried(),
                "the transaction was begun for reading only",
            )),
        }
    }

    fn read(&mut self, collection: &str, key: &str, fields: &[&str]) -> Result<Option<Row>> {
        let tried = || format!("get {collection} {key} in {}", self.database.url);
        let mut statement =
            self.held.prepare_cached(&self.buffers.sql).map_err(|e| error::sqlite(e, tried()))?;
        let mut rows = statement.query([key]).map_err(|e| error::sqlite(e, tried()))?;
        match rows.next().map_err(|e| error::sqlite(e, tried()))? {
            Some(row) => sql::row(row, 0, fields.len(), tried).map(Some),
            None => Ok(None),
        }
    }

    /// Runs one UPDATE; the error of one without effect names the condition that failed.
    fn update(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let tried = || format!("patch {collection} {key} in {}", self.database.url);
        patch::update(collection, patches, &mut self.buffers.sql)?;
        let changed = self
            .held
            .prepare_cached(&self.buffers.sql)
            .and_then(|mut statement| {
                bind(&mut statement, 1, &key)?;
                for (i, patch) in patches.iter().enumerate() {
                    bind(&mut statement, i + 2, &patch::value(&patch.change))?;
                }
                statement.raw_execute()
            })
            .map_err(|e| error::sqlite(e, tried()))?;
        if changed == 1 {
            return Ok(());
        }
        let answer = patch::why_not(&self.held, collection, key, patches)
            .map_err(|e| error::sqlite(e, tried()))?;
        Err(Error::new(ErrorKind::Broken, tried(), answer))
    }
}

fn bind(
    statement: &mut CachedStatement<'_>,
    number: usize,
    value: &dyn rusqlite::ToSql,
) -> rusqlite::Result<()> {
    statement.raw_bind_parameter(number, value)
}

#[async_trait]
impl Transaction for OpenTransaction<'_> {
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        _intent: Intent,
    ) -> Result<Option<Row>> {
        self.check_open(|| format!("get {collection} {key} in {}", self.database.url))?;
        sql::get(collection, fields, &mut self.buffers.sql)?;
        self.read(collection, key, fields)
    }

    // One prepared statement, run for each key: in the same process this costs no more than a list
    // of keys, whose text would depend on its length.
    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        _intent: Intent,
    ) -> Result<Vec<Option<Row>>> {
        self.check_open(|| format!("get {} {collection} in {}", keys.len(), self.database.url))?;
        sql::get(collection, fields, &mut self.buffers.sql)?;
        keys.iter().map(|key| self.read(collection, key, fields)).collect()
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        _intent: Intent,
    ) -> Result<Vec<(String, Row)>> {
        let tried =
            || format!("find in {} by {} in {}", index.collection, index.name, self.database.url);
        self.check_open(tried)?;
        let text = &mut self.buffers.sql;
        sql::find(index, prefix, order, limit.is_some(), fields, text)?;
        let mut statement =
            self.held.prepare_cached(text).map_err(|e| error::sqlite(e, tried()))?;
        for (i, value) in prefix.iter().enumerate() {
            let value = sql::scalar(value).ok_or_else(|| {
                Error::new(ErrorKind::Invalid, tried(), format!("{value} cannot be searched for"))
            })?;
            bind(&mut statement, i + 1, &value).map_err(|e| error::sqlite(e, tried()))?;
        }
        if let Some(limit) = limit {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let number = prefix.len() + 1;
            bind(&mut statement, number, &limit).map_err(|e| error::sqlite(e, tried()))?;
        }
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(|e| error::sqlite(e, tried()))? {
            let key = row.get(0).map_err(|e| error::sqlite(e, tried()))?;
            found.push((key, sql::row(row, 1, fields.len(), tried)?));
        }
        Ok(found)
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        let tried = || format!("insert {collection} {key} into {}", self.database.url);
        self.check_writer(tried)?;
        let Buffers { sql: text, json } = &mut *self.buffers;
        sql::insert(collection, text)?;
        json.clear();
        serde_json::to_writer(&mut *json, document)
            .map_err(|e| Error::new(ErrorKind::Invalid, tried(), e))?;
        self.held
            .prepare_cached(text)
            .and_then(|mut statement| statement.execute((key, sql::json_text(json))))
            .map_err(|e| error::sqlite(e, tried()))?;
        Ok(())
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        self.check_writer(|| format!("patch {collection} {key} in {}", self.database.url))?;
        for part in patch::independent(patches) {
            self.update(collection, key, part)?;
        }
        Ok(())
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        let tried = || format!("delete {collection} {key} in {}", self.database.url);
        self.check_writer(tried)?;
        let text = format!("DELETE FROM \"{}\" WHERE key = ?1", sql::name(collection)?);
        let deleted = self
            .held
            .prepare_cached(&text)
            .and_then(|mut statement| statement.execute([key]))
            .map_err(|e| error::sqlite(e, tried()))?;
        Ok(deleted > 0)
    }

    async fn commit(self: Box<Self>) -> Result<()> {
        let tried = || format!("commit in {}", self.database.url);
        self.check_open(tried)?;
        commit(&self.held).map_err(|(e, open)| error::commit(e, open, tried()))
    }

    async fn rollback(self: Box<Self>) -> Result<()> {
        // SQLite may have rolled back by itself after an error.
        if self.held.is_autocommit() {
            return Ok(());
        }
        self.held
            .prepare_cached("ROLLBACK")
            .and_then(|mut statement| statement.execute([]))
            .map_err(|e| error::sqlite(e, format!("roll back in {}", self.database.url)))?;
        Ok(())
    }
}

/// Commits; with an error returns whether the transaction is still open.
pub(super) fn commit(connection: &Connection) -> std::result::Result<(), (rusqlite::Error, bool)> {
    connection
        .prepare_cached("COMMIT")
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(|e| (e, !connection.is_autocommit()))
}
