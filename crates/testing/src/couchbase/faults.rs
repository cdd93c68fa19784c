//! Faults of the query service.

use serde_json::Value;

/// What a fault does to a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// This answer in place of the statement's.
    Answer(u16, Value),
    /// The connection is cut before the statement is run.
    Cut,
    /// The connection is cut after the statement was run.
    CutAfter,
    /// There is no answer.
    Hang,
}

/// A fault that the next statement with these words in it meets.
#[derive(Clone, Debug)]
pub struct Fault {
    pub words: String,
    pub act: Act,
}
