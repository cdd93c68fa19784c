//! Document transactions.

use std::future::Future;

use async_trait::async_trait;
use futures_util::future::join;
use hoap_database::engine::{self, Read, Session, Transactions, in_order};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{independent, why_not};
use hoap_database::{Access, Condition, Find, Index, Patch, Patched, Row};
use hoap_record::ErrorKind;
use hoap_record::witness::Level;
use serde_json::Value;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Statement};

use super::connection::Connection;
use super::link::{HeldConnection, Link};
use super::patch;
use super::server::Role;
use super::types::Json;
use super::{PostgresEngine, error, sql};
use crate::error::OrFail;

#[async_trait]
impl Transactions for PostgresEngine {
    fn isolation(&self) -> Option<Level> {
        Some(self.server().options.promised())
    }

    async fn transaction_session(&self) -> Done<Box<dyn engine::Session>> {
        let link = Link::new(self.pools.clone(), Role::Client).await?;
        let level = self.server().options.isolation_level();
        let begin = format!("BEGIN ISOLATION LEVEL {level}");
        // Below serializable, one that only reads would see what no order of the others explains
        // (Fekete, O'Neil and O'Neil, SIGMOD Record 2004).
        let reading = match self.server().options.serializable() {
            true => "SERIALIZABLE",
            false => "REPEATABLE READ",
        };
        let begin_reading = format!("BEGIN ISOLATION LEVEL {reading} READ ONLY");
        Ok(Box::new(TransactionSession { link, begin, begin_reading, buffers: Buffers::default() }))
    }
}

/// The transactions of one client.
pub struct TransactionSession {
    link: Link,
    /// The statement that begins a transaction that writes.
    begin: String,
    /// The statement that begins one that only reads.
    begin_reading: String,
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
        let held = self.link.hold().await?;
        // BEGIN is sent together with the first statement, which takes the snapshot.
        let state = match access {
            Access::Write => State::NotBegun(&self.begin),
            Access::Read => State::NotBegun(&self.begin_reading),
            Access::Each => State::Each,
        };
        Ok(Box::new(OpenTransaction { held, state, buffers: &mut self.buffers }))
    }

    fn abandon(&mut self) -> bool {
        self.link.abandon()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State<'a> {
    /// BEGIN was not sent yet: its text.
    NotBegun(&'a str),
    Open,
    /// There is none: each statement commits itself.
    Each,
    /// An error has aborted the transaction.
    Failed,
    /// The transaction has ended.
    Over,
}

/// An open transaction.
pub struct OpenTransaction<'a> {
    held: HeldConnection<'a>,
    state: State<'a>,
    buffers: &'a mut Buffers,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if matches!(self.state, State::Open | State::Failed) {
            self.held.roll_back_later();
        }
        self.held.rest();
    }
}

/// Runs a statement, together with BEGIN where that was not sent yet. Both are sent before either
/// answer is read.
async fn beginning<T>(
    client: &Client,
    begin: Option<&str>,
    statement: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    match begin {
        None => statement.await,
        Some(begin) => {
            let (begun, done) = join(client.batch_execute(begin), statement).await;
            begun.and(done)
        }
    }
}

impl<'a> OpenTransaction<'a> {
    /// An error of the server or of the connection ends the transaction.
    fn answered<T>(&mut self, done: Result<T, Error>) -> Done<T> {
        done.map_err(|e| {
            if self.state != State::Each {
                self.state = State::Failed;
            }
            self.held.looked_at(error::failure(e))
        })
    }

    /// The statement of the text in the buffer.
    async fn statement(&mut self) -> Done<Statement> {
        let connection: &mut Connection = &mut self.held;
        let prepared = connection.prepared(&self.buffers.sql).await;
        self.answered(prepared)
    }

    /// From here on a drop must roll back.
    fn take_begin(&mut self) -> Option<&'a str> {
        match self.state {
            State::NotBegun(begin) => {
                self.state = State::Open;
                Some(begin)
            }
            _ => None,
        }
    }

    async fn query(
        &mut self,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Done<Vec<tokio_postgres::Row>> {
        let statement = self.statement().await?;
        let begin = self.take_begin();
        let client = &self.held.client;
        let rows = beginning(client, begin, client.query(&statement, parameters)).await;
        self.answered(rows)
    }

    async fn execute(&mut self, parameters: &[&(dyn ToSql + Sync)]) -> Done<u64> {
        let statement = self.statement().await?;
        let begin = self.take_begin();
        let client = &self.held.client;
        let changed = beginning(client, begin, client.execute(&statement, parameters)).await;
        self.answered(changed)
    }

    /// Runs one UPDATE; looks why one without effect had none.
    async fn update(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        let values = patch::update(collection, patches, conditions, &mut self.buffers.sql);
        let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&key];
        parameters.extend(values.iter().map(|value| value as &(dyn ToSql + Sync)));
        if self.execute(&parameters).await? == 1 {
            return Ok(Patched::Done);
        }
        let text = format!("SELECT doc::text FROM \"{collection}\" WHERE key = $1");
        let there = self.held.client.query_opt(&text, &[&key]).await;
        let there = there.and_then(|row| row.map(|row| row.try_get::<_, String>(0)).transpose());
        let there = self.answered(there)?.map(|text| serde_json::from_str::<Value>(&text));
        let document = there.transpose().map_err(Failure::broken)?;
        why_not(document.as_ref(), patches, conditions)
    }

    /// Runs an INSERT of one document; returns how many rows it changed.
    async fn write(
        &mut self,
        collection: &str,
        values: &str,
        key: &str,
        document: &Value,
    ) -> Done<u64> {
        self.buffers.sql.clear();
        self.buffers.sql.push_str(&format!("INSERT INTO \"{collection}\" (key, doc) {values}"));
        let mut json = std::mem::take(&mut self.buffers.json);
        json.clear();
        serde_json::to_writer(&mut json, document).map_err(Failure::invalid)?;
        let written = self.execute(&[&key, &Json(&json)]).await;
        self.buffers.json = json;
        written
    }

    /// Without its index a search would read every document unnoticed.
    async fn check_index(&mut self, index: &Index) -> Done<()> {
        let text = "SELECT EXISTS (SELECT 1 FROM pg_index
                    WHERE indexrelid = to_regclass(quote_ident($1::text)) AND indisvalid)";
        let there = self.held.client.query_one(text, &[&index.name]).await;
        match self.answered(there.and_then(|row| row.try_get(0)))? {
            true => Ok(()),
            false => Err(Failure::missing(format!("no such index: {}", index.name))),
        }
    }
}

/// The keys and fields of rows of [`sql::scan`].
fn found(rows: &[tokio_postgres::Row], fields: usize) -> Done<Vec<(String, Row)>> {
    let found = |row: &tokio_postgres::Row| Ok((row.try_get(0).or_fail()?, sql::row(row, fields)?));
    rows.iter().map(found).collect()
}

#[async_trait]
impl engine::OpenTransaction for OpenTransaction<'_> {
    fn is_over(&self) -> bool {
        matches!(self.state, State::Failed | State::Over)
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let Read { collection, keys, fields, intent } = read;
        if let [key] = keys {
            sql::get(collection, fields, intent, &mut self.buffers.sql);
            let rows = self.query(&[key]).await?;
            let row = rows.first().map(|row| sql::row(row, fields.len())).transpose()?;
            return Ok(vec![row]);
        }
        sql::get_many(collection, fields, intent, &mut self.buffers.sql);
        let rows = self.query(&[&keys]).await?;
        in_order(keys, &found(&rows, fields.len())?)
    }

    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        let values = sql::find(&find, &mut self.buffers.sql);
        if !find.index.is_keys() && !self.held.has(&self.buffers.sql) {
            self.check_index(find.index).await?;
        }
        let parameters: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        found(&self.query(&parameters).await?, find.fields.len())
    }

    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        // An error would abort a transaction; a savepoint would cost a round trip. Of one statement
        // by itself it is what leaves nothing of the others.
        let conflict = match self.state {
            State::Each => "",
            _ => " ON CONFLICT (key) DO NOTHING",
        };
        if let [(key, document)] = documents {
            let values = format!("VALUES ($1, $2){conflict}");
            return match self.write(collection, &values, key, document).await? {
                0 => Err(Failure::duplicate(key)),
                _ => Ok(()),
            };
        }
        self.buffers.sql.clear();
        self.buffers.sql.push_str(&format!(
            "INSERT INTO \"{collection}\" (key, doc) SELECT * FROM unnest($1::text[], $2::jsonb[])\
             {conflict}"
        ));
        let (keys, texts): (Vec<&str>, Vec<String>) =
            documents.iter().map(|(key, document)| (*key, document.to_string())).unzip();
        let texts: Vec<Json<'_>> = texts.iter().map(|text| Json(text.as_bytes())).collect();
        match self.execute(&[&keys, &texts]).await? {
            all if all == documents.len() as u64 => Ok(()),
            _ => Err(Failure::new(ErrorKind::Duplicate, "one of the keys is there already")),
        }
    }

    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        let values = "VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET doc = excluded.doc";
        self.write(collection, values, key, document).await.map(drop)
    }

    async fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        mut conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        for part in independent(patches) {
            match self.update(collection, key, part, std::mem::take(&mut conditions)).await? {
                Patched::Done => {}
                not => return Ok(not),
            }
        }
        Ok(Patched::Done)
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        self.buffers.sql.clear();
        self.buffers.sql.push_str(&format!("DELETE FROM \"{collection}\" WHERE key = $1"));
        Ok(self.execute(&[&key]).await? > 0)
    }

    async fn commit(&mut self) -> Done<()> {
        if matches!(self.state, State::NotBegun(_) | State::Each) {
            return Ok(());
        }
        if self.held.is_lost() {
            self.state = State::Over;
            let answer = "the connection was lost before the commit: nothing was applied";
            return Err(Failure::new(ErrorKind::Unavailable, answer));
        }
        let done = self.held.client.batch_execute("COMMIT").await;
        // If it failed the server has rolled back.
        self.state = State::Over;
        self.held.answered(done.or_fail())
    }

    async fn rollback(&mut self) -> Done<()> {
        if matches!(self.state, State::NotBegun(_) | State::Each) {
            return Ok(());
        }
        let done = self.held.client.batch_execute("ROLLBACK").await;
        self.state = State::Over;
        self.held.answered(done.map_err(error::failure))
    }

    /// The server rolls back when it sees the end of the connection.
    fn abandon(&mut self) -> bool {
        self.held.abandon();
        self.state = State::Over;
        true
    }
}
