//! The lines of `history.ndjson`.

use std::collections::BTreeMap;

use hoap_report::compare::Metric;
use serde::{Deserialize, Serialize};

/// The version of the format. It changes when a field changes its meaning or is removed.
pub const FORMAT: u32 = 1;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum Line {
    /// The first one.
    History {
        /// [`FORMAT`].
        format: u32,
    },
    /// A run. Its values follow.
    Run(RunLine),
    /// What it measured.
    Value(ValueLine),
    /// A change that somebody knows of.
    Acknowledged(AcknowledgedLine),
}

/// A run, or several repetitions of one, which are one point of each series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// What its values name it by: the digest of its folder, of several the digest of theirs.
    pub run: String,
    /// Its folder, or those of its repetitions.
    pub folders: Vec<Folder>,
    /// When it started (RFC 3339).
    pub started: String,
    /// Version of `hoap`.
    pub hoap: String,
    /// [`hoap_record::Run::benchmark`].
    pub benchmark: String,
    /// Names of the databases, without versions: those may change within a series.
    pub databases: Vec<String>,
    /// The same with versions.
    pub versions: Vec<String>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The label `testbed`, or else processor, cores and memory of the driver's machine.
    pub testbed: String,
    /// The data set, name → value.
    pub data: BTreeMap<String, String>,
    /// What else makes another workload of it, name → value.
    pub workload: BTreeMap<String, String>,
    /// Why its values are no points, where they are none: it is void or partial.
    pub excluded: Option<String>,
}

/// A run folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Folder {
    /// As it was named when it was added.
    pub path: String,
    /// Its digest.
    pub digest: String,
}

/// A quantity of a step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueLine {
    /// [`RunLine::run`].
    pub run: String,
    /// The run's labels.
    pub labels: BTreeMap<String, String>,
    /// The step's name: "8 clients".
    pub step: String,
    /// As `--fail-if` of `hoap compare` names it: "p99".
    pub metric: String,
    /// The kind of operation, or the query.
    pub kind: Option<String>,
    /// Seconds, operations per second, transactions per minute, queries per hour.
    pub value: f64,
    /// Standard error of the value's natural logarithm, which for a small error is the relative
    /// one; none where there is no more than the number.
    pub error: Option<f64>,
    /// Degrees of freedom of the error.
    pub freedom: Option<f64>,
}

impl ValueLine {
    /// The quantity; `None` where this program knows no such.
    pub fn quantity(&self) -> Option<Metric> {
        Metric::all().find(|metric| metric.name() == self.metric)
    }
}

/// A change that somebody knows of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcknowledgedLine {
    /// The first run after it.
    pub run: String,
    /// The series: step, metric and kind.
    pub step: String,
    /// [`ValueLine::metric`].
    pub metric: String,
    /// [`ValueLine::kind`].
    pub kind: Option<String>,
    /// Why it may stay.
    pub reason: String,
    /// Who says so.
    pub by: Option<String>,
    /// When (RFC 3339).
    pub at: String,
}
