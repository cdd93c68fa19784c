//! Ingestion: how the analytical database took in what was loaded into the operational one.

use serde::{Deserialize, Serialize};

/// How the analytical database took in what `hoap load --analytical` loaded into the operational
/// one. A query counted the documents of all collections in the analytical database, from the
/// beginning of the load until none was missing. All times are seconds since that beginning. A
/// count is dated at its beginning, because it reads the state of that moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ingestion {
    /// The analytical database: its URL without secrets.
    pub analytical: String,
    /// Documents of the data set: all that the operational database holds.
    pub documents: u64,
    /// Their bytes of JSON text.
    pub bytes: u64,
    /// Documents that the analytical database held at the beginning. More than 0 where the load was
    /// resumed, or other parts of it were loaded before.
    pub documents_at_begin: u64,
    /// When the operational database was whole: its last document was acknowledged.
    pub written_seconds: f64,
    /// When its indexes were built and its statistics gathered.
    pub settled_seconds: f64,
    /// Documents that the first count since `written_seconds` saw.
    pub documents_at_written: u64,
    /// When the analytical database held all documents: the first count that saw them.
    pub whole_seconds: f64,
    /// Seconds from `written_seconds` to `whole_seconds`; 0 where it was whole before.
    pub after_seconds: f64,
    /// The limit of resolution: seconds between the last count that missed documents and the first
    /// that missed none. The true end lies between the two.
    pub resolution_seconds: f64,
    /// Documents per second over the whole time: those that came in since the beginning ÷
    /// `whole_seconds`. `None` where `resolution_seconds` is more than a twentieth of that time.
    pub per_second: Option<f64>,
    /// Documents per second that came in after the operational database was whole: from the first
    /// count since then to that of the end. `None` where `resolution_seconds` is more than a
    /// twentieth of the time between the two.
    pub per_second_after: Option<f64>,
    /// Documents over time, at most [`CURVE`] counts.
    pub curve: Vec<Ingested>,
}

/// A count of the documents in the analytical database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ingested {
    /// When it began.
    pub seconds: f64,
    /// Documents that it saw.
    pub documents: u64,
}

/// The most counts that a curve has.
pub const CURVE: usize = 200;

impl Ingestion {
    /// Documents that came in while it was measured.
    pub fn came_in(&self) -> u64 {
        self.documents.saturating_sub(self.documents_at_begin)
    }
}
