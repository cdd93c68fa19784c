//! The results of checks: conditions, ledger, answers, audit.

use hoap_data::named;
use serde::{Deserialize, Serialize};

/// [`Check::name`] of whether the steps began when they were to begin. One that failed is of a
/// driver that is not merged with others.
pub const START: &str = "start";

named! {
    /// The bounds that a run is held to. A check of this name that failed fails the run, whose
    /// numbers stand; every other one says that they are of no correct database.
    Bound, "bound":
    /// How many operations failed.
    Failures = "failures",
    /// How long operations took.
    ResponseTimes = "response times",
}

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It could not be decided; the text gives the reason.
    Skip,
}

/// A check and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// "before the run", "after the run", "after the load".
    pub when: String,
    /// "condition 1", "nothing lost: NewOrder", "answer Q01".
    pub name: String,
    /// What it compares, with its clause.
    pub compares: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The number of places that it checked.
    pub checked: u64,
    /// On failure: the number of places that failed, both values and the first keys. On a skip: the
    /// reason.
    pub detail: Option<String>,
}

impl Check {
    /// Whether it holds the run to a bound.
    pub fn is_of_bound(&self) -> bool {
        self.name.parse::<Bound>().is_ok()
    }
}

/// What the checks of one moment read: it may have warmed caches for what was measured next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChecksRead {
    /// [`Check::when`] of them.
    pub when: String,
    /// Documents.
    pub documents: u64,
    /// Bytes of their keys and of the fields that were asked for, as JSON text.
    pub bytes: u64,
    /// How long the checks took.
    pub seconds: f64,
}

/// A line of the audit of the mix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditLine {
    /// The name, such as "NewOrder share".
    pub name: String,
    /// The clause that requires it.
    pub clause: String,
    /// The measured value, with its unit.
    pub seen: String,
    /// The required value, such as "0.9–1.1 %".
    pub wanted: String,
    /// The verdict.
    pub verdict: Verdict,
}
