//! Document transactions.

use std::ops::Deref;
use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::engine::{self, Read, Session, Transactions};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{independent, why_not};
use hoap_database::path::WHOLE;
use hoap_database::{Access, Condition, Find, Patch, Patched, Row};
use hoap_record::witness::Level;
use rusqlite::{CachedStatement, Connection};
use serde_json::Value;

use super::connection::Role;
use super::database::SqliteEngine;
use super::writer::{Turn, Writer};
use super::{error, patch, sql};
use crate::error::OrFail;

#[async_trait]
impl Transactions for SqliteEngine {
    /// One writes at a time and others read snapshots: the order of the commits explains all.
    fn isolation(&self) -> Option<Level> {
        Some(Level::Serializable)
    }

    async fn transaction_session(&self) -> Done<Box<dyn engine::Session>> {
        let (writer, buffers) = (self.writer.clone(), Buffers::default());
        Ok(Box::new(TransactionSession {
            reader: writer.database.connect(Role::Reader)?,
            writer,
            buffers,
        }))
    }
}

/// One client: a connection of its own for reading, and the queue for writing.
pub struct TransactionSession {
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
    async fn begin<'a>(
        &'a mut self,
        access: Access,
    ) -> Done<Box<dyn engine::OpenTransaction + 'a>> {
        let held = match access {
            Access::Write => {
                let turn = self.writer.turn(Role::Writer)?;
                turn.begin().or_fail()?;
                HeldConnection::Writer(turn)
            }
            Access::Read => {
                begin_snapshot(&self.reader).or_fail()?;
                HeldConnection::Reader(&mut self.reader)
            }
            Access::Each => HeldConnection::Each(&mut self.reader, &self.writer),
        };
        Ok(Box::new(OpenTransaction { held, buffers: &mut self.buffers }))
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
    /// No transaction: each statement that writes has a turn of its own.
    Each(&'a mut Connection, &'a Writer),
}

/// The connection that one statement writes on.
enum Lent<'a> {
    Held(&'a Connection),
    Turn(Turn<'a>),
}

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            Lent::Held(connection) => connection,
            Lent::Turn(turn) => turn,
        }
    }
}

impl HeldConnection<'_> {
    fn reading(&self) -> &Connection {
        match self {
            HeldConnection::Reader(connection) => connection,
            HeldConnection::Writer(turn) => turn,
            HeldConnection::Each(reader, _) => reader,
        }
    }

    fn writing(&self) -> Done<Lent<'_>> {
        match self {
            HeldConnection::Each(_, writer) => writer.turn(Role::Writer).map(Lent::Turn),
            _ => Ok(Lent::Held(self.reading())),
        }
    }
}

/// An open transaction.
pub struct OpenTransaction<'a> {
    held: HeldConnection<'a>,
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
    fn read(&self, key: &str, fields: &[&str]) -> Done<Option<Row>> {
        let mut statement = self.held.reading().prepare_cached(&self.buffers.sql).or_fail()?;
        let mut rows = statement.query([key]).or_fail()?;
        rows.next().or_fail()?.map(|row| sql::row(row, 0, fields.len())).transpose()
    }

    /// Runs one UPDATE; looks why one without effect had none.
    fn update(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        let values = patch::update(collection, patches, conditions, &mut self.buffers.sql);
        let lent = self.held.writing()?;
        let mut statement = lent.prepare_cached(&self.buffers.sql).or_fail()?;
        bind(&mut statement, 1, &key).or_fail()?;
        for (i, value) in values.iter().enumerate() {
            bind(&mut statement, i + 2, value).or_fail()?;
        }
        if statement.raw_execute().or_fail()? == 1 {
            return Ok(Patched::Done);
        }
        drop(statement);
        sql::get(collection, &[WHOLE], &mut self.buffers.sql);
        let mut statement = lent.prepare_cached(&self.buffers.sql).or_fail()?;
        let mut rows = statement.query([key]).or_fail()?;
        let row = rows.next().or_fail()?.map(|row| sql::row(row, 0, 1)).transpose()?;
        let document = row.and_then(|mut row| row.pop());
        why_not(document.as_ref(), patches, conditions)
    }
}

/// Runs the statement in the buffer for each of these documents.
fn write(
    connection: &Connection,
    Buffers { sql: text, json }: &mut Buffers,
    documents: &[(&str, &Value)],
) -> Done<()> {
    let mut statement = connection.prepare_cached(text).or_fail()?;
    for (key, document) in documents {
        json.clear();
        serde_json::to_writer(&mut *json, document).map_err(Failure::invalid)?;
        statement.execute((key, sql::json_text(json))).or_fail()?;
    }
    Ok(())
}

fn bind(
    statement: &mut CachedStatement<'_>,
    number: usize,
    value: &dyn rusqlite::ToSql,
) -> rusqlite::Result<()> {
    statement.raw_bind_parameter(number, value)
}

#[async_trait]
impl engine::OpenTransaction for OpenTransaction<'_> {
    /// After some errors (a full disk) SQLite has rolled back by itself; the next statement would
    /// be a transaction of its own.
    fn is_over(&self) -> bool {
        match self.held {
            HeldConnection::Each(..) => false,
            _ => self.held.reading().is_autocommit(),
        }
    }

    // One prepared statement, run for each key: in the same process this costs no more than a list
    // of keys, whose text would depend on its length.
    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let Read { collection, keys, fields, .. } = read;
        sql::get(collection, fields, &mut self.buffers.sql);
        keys.iter().map(|key| self.read(key, fields)).collect()
    }

    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        let values = sql::find(&find, &mut self.buffers.sql);
        let mut statement = self.held.reading().prepare_cached(&self.buffers.sql).or_fail()?;
        for (i, value) in values.iter().enumerate() {
            let unsearchable = || Failure::invalid(format!("{value} cannot be searched for"));
            bind(&mut statement, i + 1, &sql::scalar(value).ok_or_else(unsearchable)?).or_fail()?;
        }
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next().or_fail()? {
            found.push((row.get(0).or_fail()?, sql::row(row, 1, find.fields.len())?));
        }
        Ok(found)
    }

    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        sql::insert(collection, &mut self.buffers.sql);
        let lent = self.held.writing()?;
        match &lent {
            Lent::Turn(turn) if documents.len() > 1 => {
                turn.begin().or_fail()?;
                write(turn, self.buffers, documents)?;
                commit(turn).map_err(|(e, open)| error::commit(e, open))
            }
            _ => write(&lent, self.buffers, documents),
        }
    }

    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        sql::put(collection, &mut self.buffers.sql);
        write(&*self.held.writing()?, self.buffers, &[(key, document)])
    }

    async fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        mut conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        for part in independent(patches) {
            match self.update(collection, key, part, std::mem::take(&mut conditions))? {
                Patched::Done => {}
                not => return Ok(not),
            }
        }
        Ok(Patched::Done)
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        let text = format!("DELETE FROM \"{collection}\" WHERE key = ?1");
        let lent = self.held.writing()?;
        Ok(lent.prepare_cached(&text).or_fail()?.execute([key]).or_fail()? > 0)
    }

    async fn commit(&mut self) -> Done<()> {
        if matches!(self.held, HeldConnection::Each(..)) {
            return Ok(());
        }
        if matches!(&self.held, HeldConnection::Writer(turn) if turn.loses_commit()) {
            return self.rollback().await;
        }
        commit(self.held.reading()).map_err(|(e, open)| error::commit(e, open))
    }

    async fn rollback(&mut self) -> Done<()> {
        // SQLite may have rolled back by itself after an error.
        let connection = self.held.reading();
        if !connection.is_autocommit() {
            connection.prepare_cached("ROLLBACK").or_fail()?.execute([]).or_fail()?;
        }
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
