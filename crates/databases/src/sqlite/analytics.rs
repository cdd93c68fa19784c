//! Analytical queries.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::capability::{AnalyticalSession, Analytics, Answer, Explained, Row};
use hoap_workload::client::Canceller;
use hoap_workload::{Error, ErrorKind, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};
use serde_json::{Value, json};

use super::connection::{self, Database, Role};
use super::{Sqlite, error, sql};

#[async_trait]
impl Analytics for Sqlite {
    fn dialect(&self) -> &'static str {
        "sqlite"
    }

    async fn session(&self) -> Result<Box<dyn AnalyticalSession>> {
        let database = self.writer.database.clone();
        let connection = database.connect(Role::Reader)?;
        // A query runs once with its values: it may be planned for them.
        connection::set_stable_plans(&connection, false)
            .map_err(|e| error::sqlite(e, format!("set {}", database.url)))?;
        Ok(Box::new(QuerySession { database, connection }))
    }
}

/// The queries of one stream, on a read-only connection of its own. Each query is one statement and
/// reads one snapshot.
struct QuerySession {
    database: Arc<Database>,
    connection: Connection,
}

impl QuerySession {
    fn tried(&self) -> String {
        format!("query {}", self.database.url)
    }

    fn invalid(&self, answer: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Invalid, self.tried(), answer)
    }

    fn failed(&self, e: rusqlite::Error) -> Error {
        error::sqlite(e, self.tried())
    }

    /// A query's statement, without values.
    fn prepare(&self, text: &str) -> Result<Statement<'_>> {
        let statement = self.connection.prepare(text).map_err(|e| self.failed(e))?;
        if !statement.readonly() || statement.column_count() == 0 {
            return Err(self.invalid("the text is no query"));
        }
        Ok(statement)
    }

    /// Binds every parameter of the text, and refuses values that the text does not name.
    fn bind(&self, statement: &mut Statement<'_>, given: &[(String, Value)]) -> Result<()> {
        for (i, (name, _)) in given.iter().enumerate() {
            if given[..i].iter().any(|(other, _)| other == name) {
                return Err(self.invalid(format!("parameter ${name} is given twice")));
            }
            let index = statement.parameter_index(&format!("${name}"));
            if index.map_err(|e| self.failed(e))?.is_none() {
                return Err(self.invalid(format!("the text has no parameter ${name}")));
            }
        }
        for number in 1..=statement.parameter_count() {
            let name = statement.parameter_name(number).unwrap_or("?").to_owned();
            let Some(plain) = name.strip_prefix('$') else {
                return Err(self.invalid(format!("parameter {name} is not written $name")));
            };
            let Some((_, value)) = given.iter().find(|(given, _)| given == plain) else {
                return Err(self.invalid(format!("parameter {name} has no value")));
            };
            let value = sql::scalar(value).ok_or_else(|| {
                self.invalid(format!("the value of parameter {name} is no scalar of SQL: {value}"))
            })?;
            statement.raw_bind_parameter(number, value).map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    fn value(&self, value: ValueRef<'_>, column: &str) -> Result<Value> {
        let broken = |answer: String| Error::new(ErrorKind::Broken, self.tried(), answer);
        Ok(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(n) => n.into(),
            // SQLite has no NaN; an infinity is no JSON.
            ValueRef::Real(x) => serde_json::Number::from_f64(x)
                .ok_or_else(|| broken(format!("column {column} is {x}")))?
                .into(),
            ValueRef::Text(text) => std::str::from_utf8(text)
                .map_err(|e| broken(format!("column {column}: {e}")))?
                .into(),
            ValueRef::Blob(jsonb) => {
                let text = self
                    .connection
                    .prepare_cached("SELECT json(?1)")
                    .and_then(|mut json| json.query_row([jsonb], |row| row.get::<_, String>(0)));
                match text {
                    Ok(text) => text.into(),
                    Err(_) => {
                        return Err(self.invalid(format!("column {column} is a blob and no JSONB")));
                    }
                }
            }
        })
    }
}

#[async_trait]
impl AnalyticalSession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer> {
        let mut statement = self.prepare(text)?;
        self.bind(&mut statement, parameters)?;
        let columns: Vec<String> = statement.column_names().map(Into::into).collect();
        let mut answer = Answer { columns, rows: Vec::new() };
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|e| self.failed(e))? {
            let values: Result<Row> = answer
                .columns
                .iter()
                .enumerate()
                .map(|(i, column)| self.value(row.get_ref(i).map_err(|e| self.failed(e))?, column))
                .collect();
            answer.rows.push(values?);
        }
        Ok(answer)
    }

    /// The plan's steps, each with the number of its parent. They are not timed.
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained> {
        self.prepare(text)?;
        let steps = self.query(&format!("EXPLAIN QUERY PLAN {text}"), parameters).await?.rows;
        let step = |row: &Row| json!({"id": row[0], "parent": row[1], "detail": row[3]});
        Ok(Explained { plan: steps.iter().map(step).collect(), profile: Value::Null })
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>> {
        let text = sql::counters(collection, field)?;
        let failed = |e| {
            error::sqlite(e, format!("read the counters of {collection} in {}", self.database.url))
        };
        let mut statement = self.connection.prepare_cached(&text).map_err(failed)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.and_then(Iterator::collect).map_err(failed)
    }

    fn canceller(&self) -> Option<Canceller> {
        let handle = self.connection.get_interrupt_handle();
        Some(Arc::new(move || handle.interrupt()))
    }
}
