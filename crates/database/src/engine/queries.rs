//! Analytical queries.

use async_trait::async_trait;
use serde_json::Value;

use crate::answer::{Answer, Canceller, Explained};
use crate::failure::Done;

/// Analytical queries; see [`crate::Analytics`].
#[async_trait]
pub trait Analytics: Send + Sync {
    /// The dialect of its query texts: the folder below `queries/<benchmark>/`.
    fn dialect(&self) -> &'static str;

    /// Connects one query stream.
    async fn query_session(&self) -> Done<Box<dyn QuerySession>>;
}

/// One query stream's connection. Each query reads a consistent snapshot beside the writers.
#[async_trait]
pub trait QuerySession: Send {
    /// Runs a query. Each parameter has a name of its own and a scalar.
    async fn query(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Answer>;
    /// How a query runs.
    async fn explain(&mut self, text: &str, parameters: &[(String, Value)]) -> Done<Explained>;
    /// Warnings about the last query.
    fn warnings(&self) -> &[String] {
        &[]
    }
    /// Key and integer field of every document of a small collection.
    async fn counters(&mut self, collection: &str, field: &str) -> Done<Vec<(String, i64)>>;
    /// A handle that interrupts a running query; `None` if the database has no way.
    fn canceller(&self) -> Option<Canceller>;
    /// See [`Bulk::abandon`](super::Bulk::abandon).
    fn abandon(&mut self) -> bool {
        true
    }
}
