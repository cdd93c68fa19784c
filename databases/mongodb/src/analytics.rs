//! Analytical queries.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::engine::{self, Analytics};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Answer, Canceller, Explained, Row};
use hoap_record::ErrorKind;
use mongodb::bson::raw::{RawBsonRef, RawDocument};
use mongodb::bson::{Document, RawDocumentBuf, doc};
use serde_json::Value;
use tokio::sync::watch;

use super::server::Server;
use super::{MongoDbEngine, text, value};
use crate::error::OrFail;

/// What the texts of its queries are written in.
pub const DIALECT: &str = "mongodb";

#[async_trait]
impl Analytics for MongoDbEngine {
    fn dialect(&self) -> &'static str {
        DIALECT
    }

    async fn query_session(&self) -> Done<Box<dyn engine::QuerySession>> {
        let (running, _) = watch::channel(RunningQuery::default());
        Ok(Box::new(QuerySession {
            server: self.server.clone(),
            running: Arc::new(running),
            queries: 0,
        }))
    }
}

/// The queries of one stream.
pub struct QuerySession {
    server: Arc<Server>,
    running: Arc<watch::Sender<RunningQuery>>,
    /// The number of queries so far.
    queries: u64,
}

/// The query of a stream, for its cancellers.
#[derive(Default)]
struct RunningQuery {
    /// The number of the query that runs, or 0.
    query: u64,
    /// The last query that was asked to end.
    asked: u64,
}

/// Marks a query as running until it is dropped.
struct QueryGuard<'a>(&'a watch::Sender<RunningQuery>);

impl Drop for QueryGuard<'_> {
    fn drop(&mut self) {
        self.0.send_if_modified(|running| {
            running.query = 0;
            false
        });
    }
}

impl QuerySession {
    async fn rows(&self, query: text::Query) -> Done<Vec<Row>> {
        let options = &self.server.options;
        let collection = self.server.collection(&query.collection);
        let mut pipeline = collection
            .aggregate(query.pipeline)
            .allow_disk_use(true)
            .read_concern(self.server.analytics_concern())
            .selection_criteria(options.analytics_selection());
        if !options.query_timeout.is_zero() {
            pipeline = pipeline.max_time(options.query_timeout);
        }
        let mut answer = pipeline.with_type::<RawDocumentBuf>().await.or_fail()?;
        let mut rows = Vec::new();
        while answer.advance().await.or_fail()? {
            rows.push(row(answer.current(), &query.columns)?);
        }
        Ok(rows)
    }

    /// The server's own description of how it runs a query.
    async fn plan(&self, query: text::Query) -> Done<Document> {
        let options = &self.server.options;
        let mut command = doc! {
            "explain": {
                "aggregate": query.collection,
                "pipeline": query.pipeline,
                "allowDiskUse": true,
                "cursor": {},
            },
            "verbosity": "executionStats",
        };
        if !options.query_timeout.is_zero() {
            let limit = i64::try_from(options.query_timeout.as_millis()).unwrap_or(i64::MAX);
            command.insert("maxTimeMS", limit);
        }
        let asked = self.server.database.run_command(command);
        let asked = asked.selection_criteria(options.analytics_selection());
        asked.await.or_fail()
    }

    /// The number of a query that begins.
    fn begin(&mut self) -> u64 {
        self.queries += 1;
        self.queries
    }

    /// Waits for the result of query `number`, or until it is asked to end.
    async fn until_asked<T>(&self, number: u64, work: impl Future<Output = Done<T>>) -> Done<T> {
        self.running.send_modify(|running| running.query = number);
        let _running = QueryGuard(&self.running);
        let mut asked = self.running.subscribe();
        // Dropping the operation closes its connection, and the server ends it.
        tokio::select! {
            done = work => done,
            _ = asked.wait_for(|running| running.asked == number) => {
                Err(Failure::new(ErrorKind::Cancelled, "it was asked to end"))
            }
        }
    }
}

/// The values of the columns. An array or an object becomes its JSON text.
fn row(document: &RawDocument, columns: &[String]) -> Done<Row> {
    let column = |column: &String| {
        let found = document.get(column).map_err(Failure::broken)?;
        let found = value::json(found.unwrap_or(RawBsonRef::Null)).map_err(Failure::broken)?;
        Ok(match found {
            // As SQLite's: an answer has no truth values.
            Value::Bool(b) => i64::from(b).into(),
            nested @ (Value::Array(_) | Value::Object(_)) => nested.to_string().into(),
            scalar => scalar,
        })
    };
    columns.iter().map(column).collect()
}

#[async_trait]
impl engine::QuerySession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Answer> {
        let query = text::read(text, parameters).map_err(Failure::invalid)?;
        let columns = query.columns.clone();
        let number = self.begin();
        let rows = self.until_asked(number, self.rows(query)).await?;
        Ok(Answer { columns, rows })
    }

    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Explained> {
        let query = text::read(text, parameters).map_err(Failure::invalid)?;
        let number = self.begin();
        let mut plan = self.until_asked(number, self.plan(query)).await?;
        // Part of the answer, not of the plan.
        for other in ["ok", "$clusterTime", "operationTime"] {
            plan.remove(other);
        }
        let profile = plan.remove("executionStats").map_or(Value::Null, |b| value::shown(&b));
        Ok(Explained { plan: value::shown(&plan.into()), profile })
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Done<Vec<(String, i64)>> {
        let collection = self.server.collection(collection);
        let find = self
            .server
            .each_once(collection.find(doc! {}))
            .projection(value::projection(&[field]))
            .read_concern(self.server.analytics_concern())
            .selection_criteria(self.server.options.analytics_selection());
        let mut counters = Vec::new();
        let mut cursor = find.await.or_fail()?;
        while cursor.advance().await.or_fail()? {
            let document = cursor.current();
            let key = value::key(document)?;
            let number = value::row(document, &[field])?[0].as_i64();
            let broken = || Failure::broken(format!("{field} of {key} is no whole number"));
            counters.push((key.to_owned(), number.ok_or_else(broken)?));
        }
        Ok(counters)
    }

    fn canceller(&self) -> Option<Canceller> {
        let running = self.running.clone();
        Some(Arc::new(move || {
            running.send_if_modified(|running| {
                running.asked = running.query;
                running.query != 0
            });
        }))
    }
}
