//! The rows of the CSV files.

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::{
    freshness::FRESHNESS,
    step::{Cells, Operation, Query},
};

/// The phase in `samples.csv` of operations that count for the measured window and ended after it:
/// those in flight at its end, and in an open loop also those that were due in the window and began
/// later. A kind of operation has at most one such row.
pub const GRACE: &str = "grace";

/// A row of `samples.csv`. Every cell has a row for every kind of its step, with zeros if no
/// operation ended. A cell is a tick, or several where a step has many ([`Cells`]).
///
/// The counts of a step's "measured" rows add up to those of [`Operation`] and [`Query`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the step.
    pub step: usize,
    /// "warmup", "measured" or [`GRACE`]; for queries the phase in which they started.
    pub phase: String,
    /// End of the cell, seconds since the run's start.
    pub at_seconds: f64,
    /// Length of the cell: the last one of a phase may be shorter. A rate is `count / seconds`.
    pub seconds: f64,
    /// Kind of operation: "NewOrder", "Q01", …, or [`FRESHNESS`].
    pub kind: String,
    /// Successes in the cell.
    pub count: u64,
    /// Failures in the cell.
    pub failed: u64,
    /// Retries in the cell.
    pub retries: u64,
    /// Mean response time of the operations that ended in the cell and have one, see
    /// [`Operation::timed`].
    pub mean_us: f64,
    /// Their median.
    pub p50_us: u64,
    /// Their 99th percentile.
    pub p99_us: u64,
    /// The longest of them.
    pub max_us: u64,
}

impl Sample {
    /// Adds the row of the same kind in a later cell. A percentile of both is that of neither: the
    /// higher one is kept.
    pub fn join(&mut self, later: &Sample) {
        let (before, after) = (self.count as f64, later.count as f64);
        if after > 0.0 {
            self.mean_us = (self.mean_us * before + later.mean_us * after) / (before + after);
        }
        self.at_seconds = later.at_seconds;
        self.seconds = ((self.seconds + later.seconds) * 1e6).round() / 1e6;
        self.count = self.count.saturating_add(later.count);
        self.failed = self.failed.saturating_add(later.failed);
        self.retries = self.retries.saturating_add(later.retries);
        self.p50_us = self.p50_us.max(later.p50_us);
        self.p99_us = self.p99_us.max(later.p99_us);
        self.max_us = self.max_us.max(later.max_us);
    }
}

/// A row of `queries.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Number of the step.
    pub step: usize,
    /// "warmup", "measured", "unfinished" (in flight at the end of the window, see
    /// [`Query::unfinished`]), or one of two that do not count: "extra" (it kept up the load after
    /// its client's last measured loop) and "cancelled" (the end of the step cancelled an extra
    /// one).
    pub phase: String,
    /// Number of the query client, from 0.
    pub stream: usize,
    /// Loop of that client in this step, from 0, warm-up loops included.
    pub r#loop: usize,
    /// "Q01" … "Q22".
    pub query: String,
    /// Start, seconds since the run's start.
    pub start_seconds: f64,
    /// How long it took, to the nanosecond: power and QpH can be computed again from these.
    pub seconds: f64,
    /// Rows in the answer.
    pub rows: u64,
    /// The error message, empty on success.
    pub error: String,
}
