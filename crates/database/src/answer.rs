//! What a database answers.

use std::sync::Arc;

use serde_json::Value;

/// Interrupts a running call from another thread. May be called at any time.
pub type Canceller = Arc<dyn Fn() + Send + Sync>;

/// Values of the fields asked for, in that order; [`Value::Null`] where a field is null or absent.
pub type Row = Vec<Value>;

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
