//! How old what the queries see is.

use serde::{Deserialize, Serialize};

use crate::percentile::Latency;

/// The kind under which `samples.csv` and the interval logs have the ages of [`Freshness::unseen`]:
/// there they stand in place of response times, and a probe is an operation.
pub const FRESHNESS: &str = "freshness";

/// How long the database of the queries took to catch up with that of the transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CatchUp {
    /// Before the first step: seconds until it held the same data and, where freshness is measured, a
    /// mark that was committed then.
    pub before_seconds: f64,
    /// After the last step: seconds until it showed the last acknowledged transaction of every client.
    /// `None` where freshness is not measured or it never did.
    pub after_seconds: Option<f64>,
}

/// How old what the queries see is, over the probes that began in the measured window
/// (spec ch2 §7). Every age is that at the beginning of its probe; a commit that was acknowledged
/// later does not count for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Freshness {
    /// Time from the beginning of a probe to that of the next one, unless it takes longer.
    pub every_seconds: f64,
    /// Probes that were answered.
    pub probes: u64,
    /// Probes that failed. [`Run::events`](crate::Run::events) has the errors.
    pub failed: u64,
    /// Of the probes, those that saw every acknowledged commit.
    pub all_seen: u64,
    /// The headline: age of the oldest acknowledged commit that the queries cannot see, 0 where they
    /// see all.
    pub unseen: Latency,
    /// Age of the newest acknowledged commit that the queries can see.
    pub newest_seen: Latency,
    /// How long the probes took.
    pub took: Latency,
}
