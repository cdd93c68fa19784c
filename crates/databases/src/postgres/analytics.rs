//! Analytical queries.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use futures_util::TryStreamExt;
use hoap_workload::capability::{AnalyticalSession, Analytics, Answer, Explained};
use hoap_workload::client::Canceller;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{CancelToken, Statement};

use super::connection::Connection;
use super::link::Pools;
use super::parameters::{self, Bound, Numbered};
use super::server::Role;
use super::{Postgres, error, nul, numeric, sql};

#[async_trait]
impl Analytics for Postgres {
    fn dialect(&self) -> &'static str {
        "postgres"
    }

    async fn session(&self) -> Result<Box<dyn AnalyticalSession>> {
        let connection = self.server().connect(Role::Queries).await?;
        let running = Arc::new(RunningQuery::default());
        *running.token() = Some(connection.client.cancel_token());
        Ok(Box::new(QuerySession { pools: self.pools.clone(), connection, running, queries: 0 }))
    }
}

/// The queries of one stream, on a connection of its own, whose session only reads. Each query is
/// one statement and reads one snapshot. It is prepared each time, and so planned for its values.
struct QuerySession {
    pools: Arc<Pools>,
    connection: Connection,
    running: Arc<RunningQuery>,
    /// Queries so far.
    queries: u64,
}

/// The query of a stream, for its cancellers.
#[derive(Default)]
struct RunningQuery {
    token: Mutex<Option<CancelToken>>,
    /// The number of the query that runs, or 0.
    query: AtomicU64,
    /// The last query that was asked to end.
    asked: AtomicU64,
    /// Whether a request is under way.
    sending: AtomicBool,
}

impl RunningQuery {
    fn token(&self) -> MutexGuard<'_, Option<CancelToken>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QuerySession {
    fn tried(&self) -> String {
        format!("query {}", self.pools.server.url)
    }

    fn invalid(&self, answer: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Invalid, self.tried(), answer)
    }

    /// Replaces a lost connection.
    async fn ready(&mut self) -> Result<()> {
        if self.connection.is_lost() {
            self.connection = self.pools.server.connect(Role::Queries).await?;
            *self.running.token() = Some(self.connection.client.cancel_token());
        }
        Ok(())
    }

    fn failed(&mut self, e: &tokio_postgres::Error) -> Error {
        self.connection.look_at(e);
        let error = error::postgres(e, self.tried());
        match e.code().map(|code| code.code()) {
            // The error of a text that writes, in a session that only reads.
            Some("25006") => self.invalid(format!("the text is no query: {}", error.answer)),
            _ => error,
        }
    }

    /// Refuses values that the text does not name, and names that have no value.
    fn values<'a>(
        &self,
        numbered: &Numbered<'_>,
        given: &'a [(String, Value)],
    ) -> Result<Vec<&'a Value>> {
        for (i, (name, value)) in given.iter().enumerate() {
            if given[..i].iter().any(|(other, _)| other == name) {
                return Err(self.invalid(format!("parameter ${name} is given twice")));
            }
            if !numbered.names.contains(&name.as_str()) {
                return Err(self.invalid(format!("the text has no parameter ${name}")));
            }
            if value.is_array() || value.is_object() {
                let answer = format!("the value of parameter ${name} is no scalar of SQL: {value}");
                return Err(self.invalid(answer));
            }
        }
        let value = |name: &&str| {
            let found = given.iter().find(|(given, _)| given == name);
            let missing = || self.invalid(format!("parameter ${name} has no value"));
            found.map(|(_, value)| value).ok_or_else(missing)
        };
        numbered.names.iter().map(value).collect()
    }

    /// Refuses texts that are no queries, and columns of types that an answer does not have.
    fn columns(&self, statement: &Statement) -> Result<Vec<String>> {
        if statement.columns().is_empty() {
            return Err(self.invalid("the text is no query"));
        }
        let column = |column: &tokio_postgres::Column| match READABLE.contains(column.type_()) {
            true => Ok(column.name().to_owned()),
            false => Err(self.invalid(format!(
                "column {} is {}: cast it to text, int8, float8, numeric or bool",
                column.name(),
                column.type_()
            ))),
        };
        statement.columns().iter().map(column).collect()
    }

    /// The statement of `before` and a query, the names of its columns and its values.
    async fn prepare(
        &mut self,
        before: &str,
        text: &str,
        given: &[(String, Value)],
    ) -> Result<(Statement, Vec<String>, Vec<Bound>)> {
        let numbered = parameters::number(text).map_err(|e| self.invalid(e))?;
        let values = self.values(&numbered, given)?;
        self.ready().await?;
        let statement = self.connection.client.prepare(&numbered.text).await;
        let mut statement = statement.map_err(|e| self.failed(&e))?;
        let columns = self.columns(&statement)?;
        if !before.is_empty() {
            let text = format!("{before} {}", numbered.text);
            let prepared = self.connection.client.prepare_typed(&text, statement.params()).await;
            statement = prepared.map_err(|e| self.failed(&e))?;
        }
        let wanted = statement.params().iter();
        let bound: std::result::Result<Vec<Bound>, String> = numbered
            .names
            .iter()
            .zip(values)
            .zip(wanted)
            .map(|((name, value), wanted)| Bound::new(name, value, wanted))
            .collect();
        let bound = bound.map_err(|e| self.invalid(e))?;
        Ok((statement, columns, bound))
    }

    async fn run(
        &mut self,
        statement: &Statement,
        bound: &[Bound],
    ) -> Result<Vec<tokio_postgres::Row>> {
        let started = Instant::now();
        let rows = loop {
            self.queries += 1;
            let query = QueryGuard::new(&self.running, self.queries);
            let rows = async {
                let rows = self.connection.client.query_raw(statement, bound).await?;
                rows.try_collect::<Vec<tokio_postgres::Row>>().await
            };
            let rows = rows.await;
            let asked = query.end();
            let Err(e) = rows else { break rows };
            if asked || !error::is_cancelled(&e) {
                break Err(e);
            }
            // A request to end the previous query may reach the server while this one runs.
            if self.running.asked.load(Ordering::SeqCst) + 1 == self.queries {
                continue;
            }
            let limit = self.pools.server.options.statement_timeout;
            let error = self.failed(&e);
            return Err(match !limit.is_zero() && started.elapsed() >= limit {
                true => Error { kind: ErrorKind::Timeout, ..error },
                false => error,
            });
        };
        rows.map_err(|e| self.failed(&e))
    }

    fn value(&self, row: &tokio_postgres::Row, column: usize) -> Result<Value> {
        let broken = |answer: String| Error::new(ErrorKind::Broken, self.tried(), answer);
        let name = row.columns()[column].name();
        let cell: Option<Cell> =
            row.try_get(column).map_err(|e| error::postgres(&e, self.tried()))?;
        match cell {
            None => Ok(Value::Null),
            Some(Cell::Value(value)) => Ok(value),
            Some(Cell::NoJson(text)) => Err(broken(format!("column {name} is {text}"))),
        }
    }
}

/// The types of columns that [`Cell`] reads.
const READABLE: &[Type] = &[
    Type::BOOL,
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::FLOAT4,
    Type::FLOAT8,
    Type::NUMERIC,
    Type::TEXT,
    Type::VARCHAR,
    Type::BPCHAR,
    Type::NAME,
];

/// A value of a column.
enum Cell {
    Value(Value),
    /// A number that JSON cannot represent.
    NoJson(String),
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(
        kind: &Type,
        raw: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        let real = |x: f64| match serde_json::Number::from_f64(x) {
            Some(number) => Cell::Value(number.into()),
            None => Cell::NoJson(x.to_string()),
        };
        Ok(match *kind {
            // As SQLite's: an answer has no truth values.
            Type::BOOL => Cell::Value(i64::from(bool::from_sql(kind, raw)?).into()),
            Type::INT2 => Cell::Value(i16::from_sql(kind, raw)?.into()),
            Type::INT4 => Cell::Value(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Cell::Value(i64::from_sql(kind, raw)?.into()),
            Type::FLOAT4 => real(f32::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => real(f64::from_sql(kind, raw)?),
            Type::NUMERIC => match numeric::decode(raw) {
                Some(text) => Cell::Value(serde_json::from_str(&text)?),
                None => Cell::NoJson("no finite number".to_owned()),
            },
            _ => Cell::Value(nul::decode(<&str>::from_sql(kind, raw)?).into()),
        })
    }

    fn accepts(kind: &Type) -> bool {
        READABLE.contains(kind)
    }
}

/// A value of the type `json`.
struct Json(Value);

impl<'a> FromSql<'a> for Json {
    fn from_sql(
        _: &Type,
        raw: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Json(serde_json::from_slice(raw)?))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::JSON
    }
}

/// Marks a query as running until it is dropped.
struct QueryGuard<'a> {
    running: &'a RunningQuery,
    number: u64,
}

impl<'a> QueryGuard<'a> {
    fn new(running: &'a RunningQuery, number: u64) -> Self {
        running.query.store(number, Ordering::SeqCst);
        QueryGuard { running, number }
    }

    /// Whether it was asked to end.
    fn end(self) -> bool {
        self.running.asked.load(Ordering::SeqCst) == self.number
    }
}

impl Drop for QueryGuard<'_> {
    fn drop(&mut self) {
        self.running.query.store(0, Ordering::SeqCst);
    }
}

#[async_trait]
impl AnalyticalSession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer> {
        let (statement, columns, bound) = self.prepare("", text, parameters).await?;
        let rows = self.run(&statement, &bound).await?;
        let row = |row: &tokio_postgres::Row| {
            (0..row.len()).map(|column| self.value(row, column)).collect()
        };
        let rows = rows.iter().map(row).collect::<Result<_>>()?;
        Ok(Answer { columns, rows })
    }

    /// The plan has the time of each step; the totals are beside it.
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained> {
        let explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)";
        let (statement, _, bound) = self.prepare(explain, text, parameters).await?;
        let rows = self.run(&statement, &bound).await?;
        let broken = || Error::new(ErrorKind::Broken, self.tried(), "EXPLAIN gave no plan");
        let row = rows.first().ok_or_else(broken)?;
        let Json(mut all) = row.try_get(0).map_err(|e| error::postgres(&e, self.tried()))?;
        let whole = all.get_mut(0).and_then(Value::as_object_mut).ok_or_else(broken)?;
        let plan = whole.shift_remove("Plan").ok_or_else(broken)?;
        Ok(Explained { plan, profile: Value::Object(std::mem::take(whole)) })
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>> {
        let text = sql::counters(collection, field)?;
        let url = self.pools.server.url.clone();
        let tried = || format!("read the counters of {collection} in {url}");
        self.ready().await?;
        let rows = async {
            let statement = self.connection.prepared(&text).await?;
            self.connection.client.query(&statement, &[]).await
        };
        let rows = rows.await.map_err(|e| {
            self.connection.look_at(&e);
            error::postgres(&e, tried())
        })?;
        let counter = |row: &tokio_postgres::Row| {
            let counter = row.try_get(0).and_then(|key: &str| Ok((key, row.try_get(1)?)));
            let (key, counter) = counter.map_err(|e| error::postgres(&e, tried()))?;
            Ok((nul::decode(key).into_owned(), counter))
        };
        rows.iter().map(counter).collect()
    }

    fn canceller(&self) -> Option<Canceller> {
        let runtime = Handle::try_current().ok();
        let runtime = runtime.or_else(|| self.pools.server.runtime().cloned())?;
        let (pools, running) = (self.pools.clone(), self.running.clone());
        Some(Arc::new(move || {
            let query = running.query.load(Ordering::SeqCst);
            if query == 0 || running.sending.swap(true, Ordering::SeqCst) {
                return;
            }
            running.asked.store(query, Ordering::SeqCst);
            let token = running.token().clone();
            let (pools, running) = (pools.clone(), running.clone());
            runtime.spawn(async move {
                if let Some(token) = token {
                    pools.server.cancel(&token).await;
                }
                running.sending.store(false, Ordering::SeqCst);
            });
        }))
    }
}
