//! Analytical queries.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::capability::{AnalyticalSession, Analytics, Answer, Explained, Row};
use hoap_workload::client::Canceller;
use hoap_workload::{Error, ErrorKind, Result};
use mongodb::bson::raw::{RawBsonRef, RawDocument};
use mongodb::bson::{Document, RawDocumentBuf, doc};
use serde_json::Value;
use tokio::sync::watch;

use super::error::{self, Doing};
use super::layout::name;
use super::server::Server;
use super::{MongoDb, text, value};
use crate::names;

#[async_trait]
impl Analytics for MongoDb {
    fn dialect(&self) -> &'static str {
        "mongodb"
    }

    async fn session(&self) -> Result<Box<dyn AnalyticalSession>> {
        let (running, _) = watch::channel(RunningQuery::default());
        Ok(Box::new(QuerySession {
            server: self.server.clone(),
            running: Arc::new(running),
            queries: 0,
        }))
    }
}

/// The queries of one stream.
struct QuerySession {
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
    fn tried(&self) -> String {
        format!("query {}", self.server.shown)
    }

    fn failed(&self, e: &mongodb::error::Error) -> Error {
        error::mongo(e, Doing::Reading, self.tried())
    }

    async fn rows(&self, query: text::Query) -> Result<Vec<Row>> {
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
        let answer = pipeline.with_type::<RawDocumentBuf>().await;
        let mut answer = answer.map_err(|e| self.failed(&e))?;
        let mut rows = Vec::new();
        while answer.advance().await.map_err(|e| self.failed(&e))? {
            rows.push(self.row(answer.current(), &query.columns)?);
        }
        Ok(rows)
    }

    /// The server's own description of how it runs a query.
    async fn plan(&self, query: text::Query) -> Result<Document> {
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
        let answer = asked.selection_criteria(options.analytics_selection()).await;
        answer.map_err(|e| {
            let error = self.failed(&e);
            Error { tried: format!("explain a query of {}", self.server.shown), ..error }
        })
    }

    /// The number of a query that begins.
    fn begin(&mut self) -> u64 {
        self.queries += 1;
        self.queries
    }

    /// Waits for the result of query `number`, or until it is asked to end.
    async fn until_asked<T>(
        &self,
        number: u64,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.running.send_modify(|running| running.query = number);
        let _running = QueryGuard(&self.running);
        let mut asked = self.running.subscribe();
        // Dropping the operation closes its connection, and the server ends it.
        tokio::select! {
            done = work => done,
            _ = asked.wait_for(|running| running.asked == number) => {
                Err(Error::new(ErrorKind::Cancelled, self.tried(), "it was asked to end"))
            }
        }
    }

    fn read(&self, text: &str, parameters: &[(String, Value)]) -> Result<text::Query> {
        text::read(text, parameters)
            .map_err(|answer| Error::new(ErrorKind::Invalid, self.tried(), answer))
    }

    /// The values of the columns. An array or an object becomes its JSON text.
    fn row(&self, document: &RawDocument, columns: &[String]) -> Result<Row> {
        let broken = |e: String| Error::new(ErrorKind::Broken, self.tried(), e);
        let column = |column: &String| {
            let found = document.get(column).map_err(|e| broken(e.to_string()))?;
            let found = value::json(found.unwrap_or(RawBsonRef::Null)).map_err(broken)?;
            Ok(match found {
                // As SQLite's: an answer has no truth values.
                Value::Bool(b) => i64::from(b).into(),
                nested @ (Value::Array(_) | Value::Object(_)) => nested.to_string().into(),
                scalar => scalar,
            })
        };
        columns.iter().map(column).collect()
    }
}

#[async_trait]
impl AnalyticalSession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer> {
        let query = self.read(text, parameters)?;
        let columns = query.columns.clone();
        let number = self.begin();
        let rows = self.until_asked(number, self.rows(query)).await?;
        Ok(Answer { columns, rows })
    }

    /// Each stage of the plan has its time; the total is beside the plan or in its stages,
    /// depending on the server's version.
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained> {
        let query = self.read(text, parameters)?;
        let number = self.begin();
        let mut plan = self.until_asked(number, self.plan(query)).await?;
        // Part of the answer, not of the plan.
        for other in ["ok", "$clusterTime", "operationTime"] {
            plan.remove(other);
        }
        let profile = plan.remove("executionStats").map_or(Value::Null, |b| value::shown(&b));
        Ok(Explained { plan: value::shown(&plan.into()), profile })
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>> {
        let tried = || format!("read the counters of {collection} in {}", self.server.shown);
        let field = names::field(field)?;
        let collection = self.server.collection(name(collection)?);
        let find = collection
            .find(doc! {})
            .projection(doc! {field: 1})
            .read_concern(self.server.analytics_concern())
            .selection_criteria(self.server.options.analytics_selection());
        let reading = async {
            let mut counters = Vec::new();
            let mut cursor = find.await?;
            while cursor.advance().await? {
                let document = cursor.current();
                let number = match document.get(field) {
                    Ok(Some(RawBsonRef::Int32(n))) => Some(i64::from(n)),
                    Ok(Some(RawBsonRef::Int64(n))) => Some(n),
                    _ => None,
                };
                counters.push((value::key(document, tried).map(str::to_owned), number));
            }
            Ok(counters)
        };
        let found = self.server.within(Doing::Reading, &tried, reading).await?;
        let counter = |(key, number): (Result<String>, Option<i64>)| {
            let key = key?;
            let answer = || format!("{field} of {key} is no whole number");
            let number = number.ok_or_else(|| Error::new(ErrorKind::Broken, tried(), answer()))?;
            Ok((key, number))
        };
        found.into_iter().map(counter).collect()
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
