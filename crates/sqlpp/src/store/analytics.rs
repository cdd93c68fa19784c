//! Analytical queries.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hoap_database::engine::{self, Analytics};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Answer, Canceller, Explained, Row};
use hoap_record::ErrorKind;
use serde_json::Value;
use tokio::runtime::Handle;

use super::endpoint::{Endpoint, StoreEngine};
use super::{parameters, shadow, underway};
use crate::{Envelope, Request};

/// What the texts of queries are written in.
pub const DIALECT: &str = "sqlpp";

#[async_trait]
impl Analytics for StoreEngine {
    fn dialect(&self) -> &'static str {
        DIALECT
    }

    async fn query_session(&self) -> Done<Box<dyn engine::QuerySession>> {
        Ok(Box::new(QuerySession {
            endpoint: self.endpoint.clone(),
            running: Arc::default(),
            runtime: Handle::try_current().ok(),
            followed: String::new(),
            warnings: Vec::new(),
        }))
    }
}

/// The queries of one stream. A query is one request, and cancelled by its context identifier.
pub struct QuerySession {
    endpoint: Arc<Endpoint>,
    running: Arc<RunningQuery>,
    runtime: Option<Handle>,
    /// The collection of counters that is known to be there.
    followed: String,
    /// Those of the last query.
    warnings: Vec<String>,
}

/// Warnings that a service lists of a query.
const WARNINGS: u32 = 10;

/// The query of a stream, for its cancellers.
#[derive(Default)]
struct RunningQuery {
    /// The identifier of the query that runs; empty where none does.
    context: Mutex<String>,
    /// Whether it was asked to end.
    asked: AtomicBool,
    /// Whether a request to end it is under way.
    sending: AtomicBool,
}

impl RunningQuery {
    fn set(&self, context: String) {
        self.asked.store(false, Ordering::SeqCst);
        *self.context.lock().unwrap_or_else(PoisonError::into_inner) = context;
    }

    fn context(&self) -> String {
        self.context.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Marks a query as running until it is dropped.
struct QueryGuard<'a>(&'a RunningQuery);

impl Drop for QueryGuard<'_> {
    fn drop(&mut self) {
        self.0.context.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl QuerySession {
    /// A request for a text with its parameters.
    fn request(&self, text: &str, given: &[(String, Value)]) -> Done<Request> {
        parameters::check(text, given).map_err(Failure::invalid)?;
        let definition = &self.endpoint.definition;
        let (name, value) = definition.context();
        let mut request = Request::new(format!("{}{text}", definition.prelude(text)))
            .set(name, value)
            .set("readonly", true)
            .set("multi-statement", false)
            .set("max-warnings", WARNINGS)
            // Names the columns in their order.
            .set("client-type", "jdbc")
            .set("signature", true);
        for (name, value) in given {
            request = request.parameter(name, value.clone());
        }
        if let Some(limit) = self.endpoint.query_timeout {
            request = request.timeout(limit);
        }
        Ok(request)
    }

    async fn run(
        &mut self,
        request: Request,
        each: &mut (dyn FnMut(&[u8]) -> Result<(), String> + Send),
    ) -> Done<Envelope> {
        self.warnings.clear();
        let context = underway::context();
        self.running.set(context.clone());
        let query = QueryGuard(&self.running);
        let ended = underway::run(&self.endpoint, request, &context, each).await;
        let asked = self.running.asked.load(Ordering::SeqCst);
        drop(query);
        if let Ok(envelope) = &ended {
            self.warnings = envelope.warnings();
        }
        ended.map_err(|e| {
            let writes = e.fault().is_some_and(|f| f.family == "ASX" && f.code == 44);
            let failure = Failure::from(e);
            match failure.kind {
                _ if writes => {
                    Failure::invalid(format!("the text is no query: {}", failure.answer))
                }
                ErrorKind::Unavailable | ErrorKind::Timeout if asked => {
                    Failure { kind: ErrorKind::Cancelled, ..failure }
                }
                _ => failure,
            }
        })
    }
}

/// A value of an answer: no truth values, and lists and objects as their text.
fn value(value: Value) -> Value {
    match value {
        Value::Bool(b) => i64::from(b).into(),
        Value::Array(_) | Value::Object(_) => value.to_string().into(),
        scalar => scalar,
    }
}

// The request of a dropped call is cancelled, and its connection closed.
#[async_trait]
impl engine::QuerySession for QuerySession {
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Answer> {
        let request = self.request(text, parameters)?;
        let mut objects = Vec::new();
        let mut each = |row: &[u8]| match serde_json::from_slice(row) {
            Ok(Value::Object(object)) => {
                objects.push(object);
                Ok(())
            }
            Ok(other) => Err(format!("a row is {other}, not an object with a member a column")),
            Err(e) => Err(format!("a row is no JSON: {e}")),
        };
        let envelope = self.run(request, &mut each).await?;
        let names = envelope.columns().or_else(|| {
            let first: &serde_json::Map<String, Value> = objects.first()?;
            Some(first.keys().cloned().collect())
        });
        let columns = match names {
            Some(columns) => columns,
            None if envelope.get("signature").is_null() => {
                return Err(Failure::invalid("the text is no query"));
            }
            None => Vec::new(),
        };
        let row = |mut object: serde_json::Map<String, Value>| -> Row {
            // What is missing is no member of the object.
            let take = |name: &String| object.get_mut(name).map_or(Value::Null, Value::take);
            columns.iter().map(take).map(value).collect()
        };
        let rows = objects.into_iter().map(row).collect();
        Ok(Answer { columns, rows })
    }

    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Explained> {
        let request = self.request(text, parameters)?;
        let request = request.set("optimized-logical-plan", true).set("plan-format", "json");
        let request = request.set("profile", "timings");
        let envelope = self.run(request, &mut |_| Ok(())).await?;
        let plan = &envelope.get("plans")["optimizedLogicalPlan"];
        let profile = envelope.get("profile").clone();
        Ok(Explained { plan: plan.clone(), profile })
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    async fn counters(&mut self, collection: &str, field: &str) -> Done<Vec<(String, i64)>> {
        if self.followed != collection {
            shadow::follow(&self.endpoint, collection).await?;
            collection.clone_into(&mut self.followed);
        }
        let definition = &self.endpoint.definition;
        let (name, key) = (definition.name(collection), definition.key("c"));
        let text = format!("SELECT VALUE [{key}, c.`{field}`] FROM {name} AS c");
        let rows = self.endpoint.rows(Request::new(text)).await?;
        let counter = |row: &Value| {
            let whole = row[1].as_i64().or_else(|| {
                let real = row[1].as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15)?;
                Some(real as i64)
            });
            Some((row[0].as_str()?.to_owned(), whole?))
        };
        let broken = |row: &Value| Failure::broken(format!("a row is {row}"));
        rows.iter().map(|row| counter(row).ok_or_else(|| broken(row))).collect()
    }

    fn canceller(&self) -> Option<Canceller> {
        let runtime = Handle::try_current().ok().or_else(|| self.runtime.clone())?;
        let (endpoint, running) = (self.endpoint.clone(), self.running.clone());
        Some(Arc::new(move || {
            let context = running.context();
            if context.is_empty() || running.sending.swap(true, Ordering::SeqCst) {
                return;
            }
            running.asked.store(true, Ordering::SeqCst);
            let (endpoint, running) = (endpoint.clone(), running.clone());
            runtime.spawn(async move {
                underway::end(&endpoint, &context).await;
                running.sending.store(false, Ordering::SeqCst);
            });
        }))
    }
}
