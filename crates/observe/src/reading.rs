//! The values of a source at one moment.

use hoap_record::SeriesKind;

/// A series with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// `node_cpu_seconds_total{mode="user"}`.
    pub series: String,
    /// What it counts.
    pub kind: SeriesKind,
    /// How much.
    pub value: f64,
}
