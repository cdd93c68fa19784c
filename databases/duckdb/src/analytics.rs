//! Analytical queries.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use duckdb::arrow::array::{Array, AsArray};
use duckdb::types::Value as Bound;
use duckdb::{Connection, Statement, params_from_iter};
use hoap_database::engine::{self, Analytics};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Answer, Canceller, Explained, Row};
use serde_json::Value;

use super::database::DuckDbEngine;
use super::instance::Instance;
use super::kind::{Kind, quoted};
use super::link::Link;
use super::{table, value};
use crate::error::OrFail;

/// What the texts of its queries are written in.
pub const DIALECT: &str = "duckdb";

#[async_trait]
impl Analytics for DuckDbEngine {
    fn dialect(&self) -> &'static str {
        DIALECT
    }

    async fn query_session(&self) -> Done<Box<dyn engine::QuerySession>> {
        let link = self.link()?.cloned();
        let connection = self.instance.file.connect()?;
        let (checked, instance) = (BTreeSet::new(), self.instance.clone());
        Ok(Box::new(QuerySession { connection, link, checked, _instance: instance }))
    }
}

/// The queries of one stream, on a connection of its own. Each query is one statement and reads one
/// snapshot.
pub struct QuerySession {
    connection: Connection,
    link: Option<Arc<Link>>,
    /// Texts that are one SELECT.
    checked: BTreeSet<String>,
    /// Dropped after the link.
    _instance: Arc<Instance>,
}

impl QuerySession {
    /// Refuses a text that is not one SELECT. To prepare several would run all but the last.
    fn check(&mut self, text: &str, given: &[(String, Value)]) -> Done<()> {
        for (name, _) in given {
            if !text.contains(&format!("${name}")) {
                return Err(not_in_text(name));
            }
        }
        if self.checked.contains(text) {
            return Ok(());
        }
        // DuckDB's own parser: it takes SELECT alone.
        let parse = "SELECT CAST(json_serialize_sql(CAST(? AS VARCHAR)) AS VARCHAR)";
        let parsed: String =
            self.connection.query_row(parse, [text], |row| row.get(0)).or_fail()?;
        let parsed: Value = serde_json::from_str(&parsed).map_err(Failure::broken)?;
        let count = parsed["statements"].as_array().map(Vec::len);
        match (parsed["error"] == true, count) {
            (false, Some(1)) => {}
            (true, _) if parsed["error_type"] == "parser" => {
                let why = parsed["error_message"].as_str().unwrap_or_default();
                return Err(Failure::invalid(why));
            }
            (false, Some(2..)) => {
                return Err(Failure::invalid("the text is several statements"));
            }
            _ => return Err(Failure::invalid("the text is no query")),
        }
        self.checked.insert(text.to_owned());
        Ok(())
    }

    /// The statement of a text whose parameters all have values, and these in its order.
    fn prepare(&self, text: &str, given: &[(String, Value)]) -> Done<(Statement<'_>, Vec<Bound>)> {
        let statement = self.connection.prepare(text).or_fail()?;
        let mut values = Vec::new();
        let mut names = Vec::new();
        for number in 1..=statement.parameter_count() {
            let name = statement.parameter_name(number).or_fail()?;
            if name.bytes().all(|b| b.is_ascii_digit()) {
                let answer = format!("parameter {name} is not written $name");
                return Err(Failure::invalid(answer));
            }
            let Some((_, value)) = given.iter().find(|(given, _)| *given == name) else {
                return Err(Failure::invalid(format!("parameter ${name} has no value")));
            };
            let bound = value::bound(value).ok_or_else(|| {
                let what = format!("the value of parameter ${name} is no scalar of SQL: {value}");
                Failure::invalid(what)
            })?;
            values.push(bound);
            names.push(name);
        }
        match given.iter().find(|(name, _)| !names.contains(name)) {
            Some((name, _)) => Err(not_in_text(name)),
            None => Ok((statement, values)),
        }
    }

    fn ask(&self, text: &str, given: &[(String, Value)]) -> Done<Answer> {
        let (mut statement, values) = self.prepare(text, given)?;
        let arrow = statement.query_arrow(params_from_iter(values)).or_fail()?;
        let columns = arrow.get_schema().fields().iter().map(|f| f.name().clone()).collect();
        drop(arrow);
        let mut answer = Answer { columns, rows: Vec::new() };
        value::rows(&statement, |batch, row| {
            let values = batch.columns().iter().map(|column| scalar(&**column, row));
            answer.rows.push(values.collect::<Done<Row>>()?);
            Ok(())
        })?;
        Ok(answer)
    }
}

fn not_in_text(name: &str) -> Failure {
    Failure::invalid(format!("the text has no parameter ${name}"))
}

/// A value of an answer, which has numbers, texts and nulls only.
fn scalar(column: &dyn Array, row: usize) -> Done<Value> {
    Ok(match value::json(column, row, &Kind::Unknown)? {
        nested @ (Value::Array(_) | Value::Object(_)) => nested.to_string().into(),
        Value::Bool(b) => i64::from(b).into(),
        value => value,
    })
}

#[async_trait]
impl engine::QuerySession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Answer> {
        self.check(text, parameters)?;
        self.ask(text, parameters)
    }

    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Explained> {
        self.check(text, parameters)?;
        let explain = |how: &str| {
            let rows = self.ask(&format!("EXPLAIN ({how}) {text}"), parameters)?.rows;
            let plan = rows.first().and_then(|row| row.get(1)).and_then(Value::as_str);
            let plan = plan.ok_or_else(|| Failure::broken("EXPLAIN answered no plan"))?;
            serde_json::from_str(plan).map_err(Failure::broken)
        };
        Ok(Explained { plan: explain("FORMAT JSON")?, profile: explain("ANALYZE, FORMAT JSON")? })
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Done<Vec<(String, i64)>> {
        // Where the link fails they do not move: the reason is worth more than old counts.
        if let Some(link) = &self.link {
            link.check()?;
        }
        let kind = table::expect_kind(&self.connection, collection)?;
        let (field, _) = kind.path("t", field);
        let (key, from) = (table::KEY, quoted(collection));
        let text = format!("SELECT t.{key}, CAST({field} AS BIGINT) FROM {from} AS t");
        let mut statement = self.connection.prepare(&text).or_fail()?;
        drop(statement.query_arrow([]).or_fail()?);
        let mut counters = Vec::new();
        value::rows(&statement, |batch, row| {
            let key = batch.column(0).as_string::<i32>().value(row).to_owned();
            let count = value::json(batch.column(1), row, &Kind::Int)?;
            let count = count.as_i64().ok_or_else(|| Failure::broken(format!("{key} has none")))?;
            counters.push((key, count));
            Ok(())
        })?;
        Ok(counters)
    }

    fn canceller(&self) -> Option<Canceller> {
        let handle = self.connection.interrupt_handle();
        Some(Arc::new(move || handle.interrupt()))
    }
}
