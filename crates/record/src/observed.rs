//! What the servers did beside the load: the rows of `observed.csv`, and their sums over a step.

use serde::{Deserialize, Serialize};

/// What a series counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    /// A total since its server started. Of interest is by how much it grows.
    Counter,
    /// A value that rises and falls.
    Gauge,
}

/// A row of `observed.csv`: the value of a series at one moment, as its source told it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// When, seconds since the run's start: the middle between the request and its answer.
    pub at_seconds: f64,
    /// The name of the source.
    pub source: String,
    /// The name of the series: `node_cpu_seconds_total{mode="user"}`.
    pub series: String,
    /// What it counts.
    pub kind: SeriesKind,
    /// Its value.
    pub value: f64,
}

/// A source of a run ([`Run::observed`](crate::Run::observed)).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedSource {
    /// Its name, unique in the run.
    pub name: String,
    /// What was read: a URL without secrets, or "pid:N (command)".
    pub from: String,
    /// How often it told its values.
    pub readings: u64,
    /// How often it did not.
    pub missed: u64,
    /// What came instead, the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_miss: Option<String>,
}

/// A series over the measured window of a step ([`Step::observed`](crate::Step::observed)).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedSeries {
    /// The name of the source.
    pub source: String,
    /// The name of the series.
    pub series: String,
    /// What it counts.
    pub kind: SeriesKind,
    /// The time between the first and the last reading in the window. It is shorter than the window
    /// where readings are missing.
    pub seconds: f64,
    /// Of a counter its growth per second, of a gauge its mean over the time.
    pub mean: f64,
    /// Of a counter the highest growth per second between two readings, of a gauge the highest
    /// value.
    pub highest: f64,
}

/// The shortest time between two readings, seconds, of which a rate is computed: in a shorter one
/// the moment of a reading is not known well enough, and a counter that moves in steps says
/// nothing.
pub const SHORTEST: f64 = 0.5;

/// By how much a counter grew from one reading to the next. One that fell was reset, by a restart
/// of its server: it grew from 0.
pub fn growth(before: f64, now: f64) -> f64 {
    if now < before { now } else { now - before }
}
