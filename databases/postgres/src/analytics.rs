//! Analytical queries.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use futures_util::TryStreamExt;
use hoap_database::engine::{self, Analytics};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Answer, Canceller, Explained};
use hoap_record::ErrorKind;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio_postgres::Statement;
use tokio_postgres::types::{FromSql, Type};

use super::connection::{Cancel, Connection};
use super::link::Pools;
use super::parameters::{self, Bound, Numbered};
use super::server::Role;
use super::{PostgresEngine, error, numeric, sql};
use crate::error::OrFail;

/// What the texts of its queries are written in.
pub const DIALECT: &str = "postgres";

#[async_trait]
impl Analytics for PostgresEngine {
    fn dialect(&self) -> &'static str {
        DIALECT
    }

    async fn query_session(&self) -> Done<Box<dyn engine::QuerySession>> {
        let connection = self.server().connect(Role::Queries).await?;
        let running = Arc::new(RunningQuery::default());
        *running.cancel() = Some(connection.cancel.clone());
        Ok(Box::new(QuerySession { pools: self.pools.clone(), connection, running, queries: 0 }))
    }
}

/// The queries of one stream, on a connection of its own, whose session only reads. Each query is
/// one statement and reads one snapshot. It is prepared each time, and so planned for its values.
pub struct QuerySession {
    pools: Arc<Pools>,
    connection: Connection,
    running: Arc<RunningQuery>,
    /// Queries so far.
    queries: u64,
}

/// The query of a stream, for its cancellers.
#[derive(Default)]
struct RunningQuery {
    cancel: Mutex<Option<Cancel>>,
    /// The number of the query that runs, or 0.
    query: AtomicU64,
    /// The last query that was asked to end.
    asked: AtomicU64,
    /// Whether a request is under way.
    sending: AtomicBool,
}

impl RunningQuery {
    fn cancel(&self) -> MutexGuard<'_, Option<Cancel>> {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QuerySession {
    /// Replaces a lost connection.
    async fn ready(&mut self) -> Done<()> {
        if self.connection.is_lost() {
            self.connection = self.pools.server.connect(Role::Queries).await?;
            *self.running.cancel() = Some(self.connection.cancel.clone());
        }
        Ok(())
    }

    fn failed(&mut self, e: tokio_postgres::Error) -> Failure {
        let failure = self.connection.looked_at(error::failure(e));
        match failure.code.as_str() {
            // The error of a text that writes, in a session that only reads.
            "25006" => Failure::invalid(format!("the text is no query: {}", failure.answer)),
            _ => failure,
        }
    }

    /// Refuses values that the text does not name, and names that have no value.
    fn values<'a>(
        &self,
        numbered: &Numbered<'_>,
        given: &'a [(String, Value)],
    ) -> Done<Vec<&'a Value>> {
        let unknown = |(name, _): &&(String, Value)| !numbered.names.contains(&name.as_str());
        if let Some((name, _)) = given.iter().find(unknown) {
            return Err(Failure::invalid(format!("the text has no parameter ${name}")));
        }
        let value = |name: &&str| {
            let found = given.iter().find(|(given, _)| given == name);
            let missing = || Failure::invalid(format!("parameter ${name} has no value"));
            found.map(|(_, value)| value).ok_or_else(missing)
        };
        numbered.names.iter().map(value).collect()
    }

    /// Refuses texts that are no queries, and columns of types that an answer does not have.
    fn columns(&self, statement: &Statement) -> Done<Vec<String>> {
        if statement.columns().is_empty() {
            return Err(Failure::invalid("the text is no query"));
        }
        let column = |column: &tokio_postgres::Column| match READABLE.contains(column.type_()) {
            true => Ok(column.name().to_owned()),
            false => Err(Failure::invalid(format!(
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
    ) -> Done<(Statement, Vec<String>, Vec<Bound>)> {
        let numbered = parameters::number(text).map_err(Failure::invalid)?;
        let values = self.values(&numbered, given)?;
        self.ready().await?;
        let statement = self.connection.client.prepare(&numbered.text).await;
        let mut statement = statement.map_err(|e| self.failed(e))?;
        let columns = self.columns(&statement)?;
        if !before.is_empty() {
            let text = format!("{before} {}", numbered.text);
            let prepared = self.connection.client.prepare_typed(&text, statement.params()).await;
            statement = prepared.map_err(|e| self.failed(e))?;
        }
        let wanted = statement.params().iter();
        let bound: Result<Vec<Bound>, String> = numbered
            .names
            .iter()
            .zip(values)
            .zip(wanted)
            .map(|((name, value), wanted)| Bound::new(name, value, wanted))
            .collect();
        let bound = bound.map_err(Failure::invalid)?;
        Ok((statement, columns, bound))
    }

    async fn run(
        &mut self,
        statement: &Statement,
        bound: &[Bound],
    ) -> Done<Vec<tokio_postgres::Row>> {
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
            let asked = self.running.asked.load(Ordering::SeqCst);
            if asked > 0 && asked + 1 == self.queries {
                continue;
            }
            let limit = self.pools.server.options.statement_timeout;
            let failure = self.failed(e);
            return Err(match !limit.is_zero() && started.elapsed() >= limit {
                true => Failure { kind: ErrorKind::Timeout, ..failure },
                false => failure,
            });
        };
        rows.map_err(|e| self.failed(e))
    }
}

fn value(row: &tokio_postgres::Row, column: usize) -> Done<Value> {
    let name = row.columns()[column].name();
    match row.try_get(column).or_fail()? {
        None => Ok(Value::Null),
        Some(Cell::Value(value)) => Ok(value),
        Some(Cell::NoJson(text)) => Err(Failure::broken(format!("column {name} is {text}"))),
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
    ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
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
            _ => Cell::Value(<&str>::from_sql(kind, raw)?.into()),
        })
    }

    fn accepts(kind: &Type) -> bool {
        READABLE.contains(kind)
    }
}

/// A value of the type `json`.
struct Json(Value);

impl<'a> FromSql<'a> for Json {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
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
impl engine::QuerySession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Answer> {
        let (statement, columns, bound) = self.prepare("", text, parameters).await?;
        let rows = self.run(&statement, &bound).await?;
        let row =
            |row: &tokio_postgres::Row| (0..row.len()).map(|column| value(row, column)).collect();
        let rows = rows.iter().map(row).collect::<Done<_>>()?;
        Ok(Answer { columns, rows })
    }

    /// The plan has the time of each step; the totals are beside it.
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Explained> {
        let explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)";
        let (statement, _, bound) = self.prepare(explain, text, parameters).await?;
        let rows = self.run(&statement, &bound).await?;
        let broken = || Failure::broken("EXPLAIN gave no plan");
        let row = rows.first().ok_or_else(broken)?;
        let Json(mut all) = row.try_get(0).or_fail()?;
        let whole = all.get_mut(0).and_then(Value::as_object_mut).ok_or_else(broken)?;
        let plan = whole.shift_remove("Plan").ok_or_else(broken)?;
        Ok(Explained { plan, profile: Value::Object(std::mem::take(whole)) })
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Done<Vec<(String, i64)>> {
        let text = sql::counters(collection, field);
        self.ready().await?;
        let rows = async {
            let statement = self.connection.prepared(&text).await.or_fail()?;
            self.connection.client.query(&statement, &[]).await.or_fail()
        };
        let rows = rows.await;
        let rows = self.connection.answered(rows)?;
        let counter =
            |row: &tokio_postgres::Row| Ok((row.try_get(0).or_fail()?, row.try_get(1).or_fail()?));
        rows.iter().map(counter).collect()
    }

    fn canceller(&self) -> Option<Canceller> {
        let runtime = Handle::try_current().ok();
        let runtime = runtime.or_else(|| self.pools.server.runtime().cloned())?;
        let running = self.running.clone();
        Some(Arc::new(move || {
            let query = running.query.load(Ordering::SeqCst);
            if query == 0 || running.sending.swap(true, Ordering::SeqCst) {
                return;
            }
            running.asked.store(query, Ordering::SeqCst);
            let (cancel, running) = (running.cancel().clone(), running.clone());
            runtime.spawn(async move {
                if let Some(cancel) = cancel {
                    cancel.send().await;
                }
                running.sending.store(false, Ordering::SeqCst);
            });
        }))
    }

    fn abandon(&mut self) -> bool {
        self.connection.abandon();
        true
    }
}
