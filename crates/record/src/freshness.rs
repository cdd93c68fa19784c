//! Freshness: the age of the data that queries see.

use serde::{Deserialize, Serialize};

use crate::percentile::Latency;

/// The kind in `samples.csv` and the interval logs of the ages of [`Freshness::unseen`]. They take
/// the place of response times, and each probe is an operation.
pub const FRESHNESS: &str = "freshness";

/// How long the database of the queries took to catch up with the database of the transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CatchUp {
    /// Before the first step: seconds until it had the same data and, if freshness is measured, a
    /// mark that was committed at the beginning.
    pub before_seconds: f64,
    /// After the last step: seconds until it showed the last acknowledged transaction of every
    /// client. `None` if freshness is not measured or it never did.
    pub after_seconds: Option<f64>,
}

/// The age of the data that queries see, over the probes that began in the measured window (spec
/// ch2 §7). Ages are taken at the beginning of the probe; commits that were acknowledged later do
/// not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Freshness {
    /// Time from the beginning of a probe to that of the next one, unless it takes longer.
    pub every_seconds: f64,
    /// Probes that were answered.
    pub probes: u64,
    /// Probes that failed. [`Run::events`](crate::Run::events) has the errors.
    pub failed: u64,
    /// Probes that saw every acknowledged commit.
    pub all_seen: u64,
    /// The headline: age of the oldest acknowledged commit that queries cannot see, 0 if they see
    /// all.
    pub unseen: Latency,
    /// Age of the newest acknowledged commit that queries can see.
    pub newest_seen: Latency,
    /// How long the probes took.
    pub took: Latency,
}
