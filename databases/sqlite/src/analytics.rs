//! Analytical queries.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::engine::{self, Analytics};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Answer, Canceller, Explained, Row};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};
use serde_json::{Value, json};

use super::connection::{self, Role};
use super::database::SqliteEngine;
use super::sql;
use crate::error::OrFail;

/// What the texts of its queries are written in.
pub const DIALECT: &str = "sqlite";

#[async_trait]
impl Analytics for SqliteEngine {
    fn dialect(&self) -> &'static str {
        DIALECT
    }

    async fn query_session(&self) -> Done<Box<dyn engine::QuerySession>> {
        let connection = self.database().connect(Role::Reader)?;
        // A query runs once with its values: it may be planned for them.
        connection::set_stable_plans(&connection, false).or_fail()?;
        Ok(Box::new(QuerySession { connection }))
    }
}

/// The queries of one stream, on a read-only connection of its own. Each query is one statement and
/// reads one snapshot.
pub struct QuerySession {
    connection: Connection,
}

impl QuerySession {
    /// A query's statement, without values.
    fn prepare(&self, text: &str) -> Done<Statement<'_>> {
        let statement = self.connection.prepare(text).or_fail()?;
        if !statement.readonly() || statement.column_count() == 0 {
            return Err(Failure::invalid("the text is no query"));
        }
        Ok(statement)
    }

    /// Binds every parameter of the text, and refuses values that the text does not name.
    fn bind(&self, statement: &mut Statement<'_>, given: &[(String, Value)]) -> Done<()> {
        for (name, _) in given {
            let index = statement.parameter_index(&format!("${name}"));
            if index.or_fail()?.is_none() {
                return Err(Failure::invalid(format!("the text has no parameter ${name}")));
            }
        }
        for number in 1..=statement.parameter_count() {
            let name = statement.parameter_name(number).unwrap_or("?").to_owned();
            let Some(plain) = name.strip_prefix('$') else {
                return Err(Failure::invalid(format!("parameter {name} is not written $name")));
            };
            let Some((_, value)) = given.iter().find(|(given, _)| given == plain) else {
                return Err(Failure::invalid(format!("parameter {name} has no value")));
            };
            let value = sql::scalar(value).ok_or_else(|| {
                Failure::invalid(format!(
                    "the value of parameter {name} is no scalar of SQL: {value}"
                ))
            })?;
            statement.raw_bind_parameter(number, value).or_fail()?;
        }
        Ok(())
    }

    fn value(&self, value: ValueRef<'_>, column: &str) -> Done<Value> {
        Ok(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(n) => n.into(),
            // SQLite has no NaN; an infinity is no JSON.
            ValueRef::Real(x) => serde_json::Number::from_f64(x)
                .ok_or_else(|| Failure::broken(format!("column {column} is {x}")))?
                .into(),
            ValueRef::Text(text) => std::str::from_utf8(text)
                .map_err(|e| Failure::broken(format!("column {column}: {e}")))?
                .into(),
            ValueRef::Blob(jsonb) => {
                let text = self
                    .connection
                    .prepare_cached("SELECT json(?1)")
                    .and_then(|mut json| json.query_row([jsonb], |row| row.get::<_, String>(0)));
                match text {
                    Ok(text) => text.into(),
                    Err(_) => {
                        return Err(Failure::invalid(format!(
                            "column {column} is a blob and no JSONB"
                        )));
                    }
                }
            }
        })
    }
}

#[async_trait]
impl engine::QuerySession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Answer> {
        let mut statement = self.prepare(text)?;
        self.bind(&mut statement, parameters)?;
        let columns: Vec<String> = statement.column_names().map(Into::into).collect();
        let mut answer = Answer { columns, rows: Vec::new() };
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().or_fail()? {
            let values: Done<Row> = answer
                .columns
                .iter()
                .enumerate()
                .map(|(i, column)| self.value(row.get_ref(i).or_fail()?, column))
                .collect();
            answer.rows.push(values?);
        }
        Ok(answer)
    }

    /// The plan's steps, each with the number of its parent. They are not timed.
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Explained> {
        self.prepare(text)?;
        let steps = self.query(&format!("EXPLAIN QUERY PLAN {text}"), parameters).await?.rows;
        let step = |row: &Row| json!({"id": row[0], "parent": row[1], "detail": row[3]});
        Ok(Explained { plan: steps.iter().map(step).collect(), profile: Value::Null })
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Done<Vec<(String, i64)>> {
        let text = sql::counters(collection, field);
        let mut statement = self.connection.prepare_cached(&text).or_fail()?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).or_fail()?;
        Ok(rows.collect::<rusqlite::Result<_>>().or_fail()?)
    }

    fn canceller(&self) -> Option<Canceller> {
        let handle = self.connection.get_interrupt_handle();
        Some(Arc::new(move || handle.interrupt()))
    }
}
