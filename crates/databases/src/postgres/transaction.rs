//! Document transactions.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join;
use hoap_workload::capability::{
    Access, Index, Intent, Order, Patch, Row, Session, Transaction, Transactions,
};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use super::connection::Connection;
use super::link::{HeldConnection, Link};
use super::patch::{self, Parameter};
use super::server::Role;
use super::types::Json;
use super::{Postgres, error, nul, sql};
use crate::patches::{independent, why_not};

#[async_trait]
impl Transactions for Postgres {
    async fn session(&self) -> Result<Box<dyn Session>> {
        let link = Link::new(self.pools.clone(), Role::Client).await?;
        let level = self.server().options.isolation_level();
        let begin = format!("BEGIN ISOLATION LEVEL {level}");
        let url = self.server().url.as_str().into();
        Ok(Box::new(TransactionSession { link, begin, url, buffers: Buffers::default() }))
    }
}

/// The first statement after BEGIN takes the snapshot: here, not at the first read.
const BEGIN_READING: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_catalog.pg_current_snapshot()";

/// The transactions of one client.
struct TransactionSession {
    link: Link,
    /// The statement that begins a transaction that writes.
    begin: String,
    url: Arc<str>,
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
        let mut held = self.link.hold().await?;
        let state = match access {
            // BEGIN is sent together with the first statement.
            Access::Write => State::NotBegun(&self.begin),
            Access::Read => {
                let begun = held.client.batch_execute(BEGIN_READING).await;
                begun.map_err(|e| {
                    held.look_at(&e);
                    held.roll_back_later();
                    error::postgres(&e, format!("begin a transaction in {}", self.url))
                })?;
                State::Open
            }
        };
        Ok(Box::new(OpenTransaction {
            held,
            access,
            state,
            url: &self.url,
            buffers: &mut self.buffers,
        }))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State<'a> {
    /// BEGIN was not sent yet: its text.
    NotBegun(&'a str),
    Open,
    /// An error has aborted the transaction.
    Failed,
    /// The transaction has ended.
    Over,
}

struct OpenTransaction<'a> {
    held: HeldConnection<'a>,
    access: Access,
    state: State<'a>,
    url: &'a str,
    buffers: &'a mut Buffers,
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if matches!(self.state, State::Open | State::Failed) {
            self.held.roll_back_later();
        }
    }
}

type Done<T> = std::result::Result<T, tokio_postgres::Error>;

/// Runs a statement, together with BEGIN where that was not sent yet. Both are sent before either
/// answer is read.
async fn beginning<T>(
    client: &Client,
    begin: Option<&str>,
    statement: impl Future<Output = Done<T>>,
) -> Done<T> {
    match begin {
        None => statement.await,
        Some(begin) => {
            let (begun, done) = join(client.batch_execute(begin), statement).await;
            begun.and(done)
        }
    }
}

impl<'a> OpenTransaction<'a> {
    fn check_open(&self, tried: impl Fn() -> String) -> Result<()> {
        match self.state {
            State::NotBegun(_) | State::Open => Ok(()),
            State::Failed | State::Over => Err(Error::new(
                ErrorKind::Invalid,
                tried(),
                "the transaction is over since an earlier error",
            )),
        }
    }

    fn check_writer(&self, tried: impl Fn() -> String) -> Result<()> {
        self.check_open(&tried)?;
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Error::new(
                ErrorKind::Invalid,
                tried(),
                "the transaction was begun for reading only",
            )),
        }
    }

    /// A transaction that only reads cannot lock.
    fn intent(&self, intent: Intent) -> Intent {
        match self.access {
            Access::Read => Intent::Look,
            Access::Write => intent,
        }
    }

    /// Notes an error that ends the transaction.
    fn failed(&mut self, e: &tokio_postgres::Error, tried: String) -> Error {
        self.held.look_at(e);
        self.state = State::Failed;
        error::postgres(e, tried)
    }

    /// The statement of the text in the buffer.
    async fn statement(&mut self) -> Done<Statement> {
        let connection: &mut Connection = &mut self.held;
        connection.prepared(&self.buffers.sql).await
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
        beginning(client, begin, client.query(&statement, parameters)).await
    }

    async fn execute(&mut self, parameters: &[&(dyn ToSql + Sync)]) -> Done<u64> {
        let statement = self.statement().await?;
        let begin = self.take_begin();
        let client = &self.held.client;
        beginning(client, begin, client.execute(&statement, parameters)).await
    }

    /// Runs one UPDATE; the error of one without effect names the condition that failed.
    async fn update(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let url = self.url;
        let tried = || format!("patch {collection} {key} in {url}");
        patch::update(collection, patches, &mut self.buffers.sql)?;
        let stored = nul::encode(key);
        let values: Vec<_> = patches.iter().map(|p| Parameter::new(&p.change)).collect();
        let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&stored];
        parameters.extend(values.iter().map(|value| value as &(dyn ToSql + Sync)));
        let changed = self.execute(&parameters).await;
        if changed.map_err(|e| self.failed(&e, tried()))? == 1 {
            return Ok(());
        }
        let text = format!("SELECT doc::text FROM \"{}\" WHERE key = $1", sql::name(collection)?);
        let there = self.held.client.query_opt(&text, &[&stored]).await;
        let there = there.and_then(|row| row.map(|row| row.try_get::<_, String>(0)).transpose());
        let there = there.map_err(|e| self.failed(&e, tried()))?;
        let document: Option<Value> = there
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?;
        Err(Error::new(ErrorKind::Broken, tried(), why_not(document.as_ref(), patches)))
    }
}

/// The key of a row of [`sql::scan`].
fn key_of(row: &tokio_postgres::Row) -> Done<Cow<'_, str>> {
    row.try_get(0).map(nul::decode)
}

#[async_trait]
impl Transaction for OpenTransaction<'_> {
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Option<Row>> {
        let url = self.url;
        let tried = || format!("get {collection} {key} in {url}");
        self.check_open(tried)?;
        let intent = self.intent(intent);
        sql::get(collection, fields, intent, &mut self.buffers.sql)?;
        let rows = self.query(&[&nul::encode(key)]).await;
        let rows = rows.map_err(|e| self.failed(&e, tried()))?;
        rows.first().map(|row| sql::row(row, fields.len(), tried)).transpose()
    }

    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<Option<Row>>> {
        let url = self.url;
        let tried = || format!("get {} {collection} in {url}", keys.len());
        self.check_open(tried)?;
        let intent = self.intent(intent);
        sql::get_many(collection, fields, intent, &mut self.buffers.sql)?;
        let stored: Vec<Cow<'_, str>> = keys.iter().map(|key| nul::encode(key)).collect();
        let rows = self.query(&[&stored]).await;
        let rows = rows.map_err(|e| self.failed(&e, tried()))?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            let key = key_of(row).map_err(|e| error::postgres(&e, tried()))?;
            found.push((key, sql::row(row, fields.len(), tried)?));
        }
        // A transaction names a dozen keys: a linear search costs less than a hash table.
        let row_of =
            |key: &String| found.iter().find(|(there, _)| there == key).map(|(_, row)| row.clone());
        Ok(keys.iter().map(row_of).collect())
    }

    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<(String, Row)>> {
        let url = self.url;
        let tried = || format!("find in {} by {} in {url}", index.collection, index.name);
        self.check_open(tried)?;
        let intent = self.intent(intent);
        let text = &mut self.buffers.sql;
        sql::find(index, prefix, order, limit.is_some(), fields, intent, text)?;
        if !self.held.has(&self.buffers.sql) {
            self.check_index(index, tried).await?;
        }
        if let Some(value) = prefix.iter().find(|v| v.is_array() || v.is_object()) {
            let answer = format!("{value} cannot be searched for");
            return Err(Error::new(ErrorKind::Invalid, tried(), answer));
        }
        let texts: Vec<String> = prefix.iter().map(Value::to_string).collect();
        let values: Vec<Json<'_>> = texts.iter().map(|text| Json(text.as_bytes())).collect();
        let limit = limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let mut parameters: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        parameters.extend(limit.iter().map(|limit| limit as &(dyn ToSql + Sync)));
        let rows = self.query(&parameters).await;
        let rows = rows.map_err(|e| self.failed(&e, tried()))?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            let key = key_of(row).map_err(|e| error::postgres(&e, tried()))?.into_owned();
            found.push((key, sql::row(row, fields.len(), tried)?));
        }
        Ok(found)
    }

    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()> {
        let url = self.url;
        let tried = || format!("insert {collection} {key} into {url}");
        self.check_writer(tried)?;
        // An error would abort the transaction; a savepoint would cost a round trip.
        self.buffers.sql.clear();
        self.buffers.sql.push_str(&format!(
            "INSERT INTO \"{}\" (key, doc) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING",
            sql::name(collection)?
        ));
        let mut json = std::mem::take(&mut self.buffers.json);
        json.clear();
        serde_json::to_writer(&mut json, document)
            .map_err(|e| Error::new(ErrorKind::Invalid, tried(), e))?;
        let inserted = self.execute(&[&nul::encode(key), &Json(&json)]).await;
        self.buffers.json = json;
        match inserted.map_err(|e| self.failed(&e, tried()))? {
            0 => Err(Error::new(ErrorKind::Duplicate, tried(), "the key exists")),
            _ => Ok(()),
        }
    }

    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()> {
        let url = self.url;
        self.check_writer(|| format!("patch {collection} {key} in {url}"))?;
        for part in independent(patches) {
            self.update(collection, key, part).await?;
        }
        Ok(())
    }

    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool> {
        let url = self.url;
        let tried = || format!("delete {collection} {key} in {url}");
        self.check_writer(tried)?;
        self.buffers.sql.clear();
        let name = sql::name(collection)?;
        self.buffers.sql.push_str(&format!("DELETE FROM \"{name}\" WHERE key = $1"));
        let deleted = self.execute(&[&nul::encode(key)]).await;
        Ok(deleted.map_err(|e| self.failed(&e, tried()))? > 0)
    }

    async fn commit(mut self: Box<Self>) -> Result<()> {
        let tried = || format!("commit in {}", self.url);
        self.check_open(tried)?;
        if matches!(self.state, State::NotBegun(_)) {
            return Ok(());
        }
        if self.held.is_lost() {
            self.state = State::Over;
            let answer = "the connection was lost before the commit: nothing was applied";
            return Err(Error::new(ErrorKind::Unavailable, tried(), answer));
        }
        let done = self.held.client.batch_execute("COMMIT").await;
        // If it failed the server has rolled back.
        self.state = State::Over;
        done.map_err(|e| {
            self.held.look_at(&e);
            error::commit(&e, format!("commit in {}", self.url))
        })
    }

    async fn rollback(mut self: Box<Self>) -> Result<()> {
        if matches!(self.state, State::NotBegun(_)) {
            return Ok(());
        }
        self.state = State::Over;
        let done = self.held.client.batch_execute("ROLLBACK").await;
        done.map_err(|e| {
            self.held.look_at(&e);
            error::postgres(&e, format!("roll back in {}", self.url))
        })
    }
}

impl OpenTransaction<'_> {
    /// Without its index a search would read every document unnoticed.
    async fn check_index(&mut self, index: &Index, tried: impl Fn() -> String) -> Result<()> {
        let text = "SELECT EXISTS (SELECT 1 FROM pg_index
                    WHERE indexrelid = to_regclass(quote_ident($1::text)) AND indisvalid)";
        let there = self.held.client.query_one(text, &[&index.name]).await;
        let there: Done<bool> = there.and_then(|row| row.try_get(0));
        match there.map_err(|e| self.failed(&e, tried()))? {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Missing,
                tried(),
                format!("no such index: {}", index.name),
            )
            .advise(error::LOAD_FIRST)),
        }
    }
}
