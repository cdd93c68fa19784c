//! Analytical queries.

use async_trait::async_trait;
use serde_json::Value;

use crate::documents::Row;
use crate::{Canceller, Result};

/// Analytical queries.
#[async_trait]
pub trait Analytics: Send + Sync {
    /// The dialect of its query texts: the folder below `queries/<benchmark>/`.
    fn dialect(&self) -> &'static str;

    /// Connects one query stream.
    async fn session(&self) -> Result<Box<dyn AnalyticalSession>>;
}

/// One query stream's connection. Each query reads a consistent snapshot beside the writers.
#[async_trait]
pub trait AnalyticalSession: Send {
    /// Runs one query. `text` names its parameters `$name`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) where the text does not parse or
    /// names a parameter that is not in `parameters`.
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Answer>;

    /// How the database runs a query. Executes the query where its plan alone does not tell.
    ///
    /// # Errors
    /// Returns the errors of [`AnalyticalSession::query`].
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Result<Explained>;

    /// The database's warnings about the last [`AnalyticalSession::query`], a line each.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// Key and integer `field` of every document of a small collection, from one state that a query
    /// begun now would see. Freshness is measured with it (spec ch2 §7).
    async fn counters(&mut self, collection: &str, field: &str) -> Result<Vec<(String, i64)>>;

    /// A handle that interrupts a running [`AnalyticalSession::query`], which then fails with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled); `None` where the database has no way.
    fn canceller(&self) -> Option<Canceller>;
}

/// How a database ran a query, in the database's own form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explained {
    /// The plan.
    pub plan: Value,
    /// What the execution took; null where the database does not report it.
    pub profile: Value,
}

/// The rows of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Column names.
    pub columns: Vec<String>,
    /// Values: null, integer, number or string.
    pub rows: Vec<Row>,
}
