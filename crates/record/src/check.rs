//! What a check says: one shape for conditions, ledger, answers and audit.

use serde::{Deserialize, Serialize};

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It could not be decided; the text says why.
    Skip,
}

/// A check and what came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// "before the run", "after the run", "after the load".
    pub when: String,
    /// "condition 1", "nothing lost: NewOrder", "answer Q01".
    pub name: String,
    /// What it compares, with its clause.
    pub compares: String,
    /// What came out.
    pub verdict: Verdict,
    /// How many places it looked at.
    pub checked: u64,
    /// On failure: how many places failed, both values and the first keys. On a skip: why.
    pub detail: Option<String>,
}

/// A line of the audit of the mix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditLine {
    /// Such as "NewOrder share".
    pub name: String,
    /// The clause it comes from.
    pub clause: String,
    /// What was seen, with its unit.
    pub seen: String,
    /// What is wanted, such as "0.9–1.1 %".
    pub wanted: String,
    /// Whether it is so.
    pub verdict: Verdict,
}
