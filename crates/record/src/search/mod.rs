//! The record of a search for the highest rate that holds bounds.

mod effort;

use serde::{Deserialize, Serialize};

pub use effort::*;

use crate::bound::Bounds;
use crate::percentile::Percentile;

/// A search and its probes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The bounds that had to hold.
    pub bounds: Bounds,
    /// The highest rate that held, operations per second: the lower end of the result.
    pub rate: Option<f64>,
    /// The lowest rate above it that did not hold: the upper end of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// Why [`below`](Search::below) does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// The rates between the two that neither held nor broke, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<Undecided>,
    /// The noise of a percentile that has a bound, from probe to probe of a rate: its standard
    /// deviation as a share of the percentile, pooled over the rates near the bound that were
    /// probed several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The required lengths of probes.
    pub effort: Effort,
    /// Why there is no rate that held, or why a higher one may hold too.
    pub unfinished: Option<String>,
    /// Every probe, in the order they ran.
    pub probes: Vec<Probe>,
    /// In the folder of one of several drivers that searched together: how many they were. Rates
    /// and probes are then those of all of them, and the steps this driver's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drivers: Option<u64>,
}

/// A rate that neither held nor broke.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undecided {
    /// Operations per second.
    pub rate: f64,
    /// Why.
    pub why: String,
}

/// One probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Operations per second that were intended.
    pub rate: f64,
    /// How long it was to last, seconds.
    pub seconds: f64,
    /// Operations per second that began.
    pub achieved: f64,
    /// The share of the operations that failed.
    pub failures: f64,
    /// For each bound, the slowest kind of operation.
    pub times: Vec<Time>,
    /// Why the bounds did not hold in this probe; `None` if they did. A rate that breaks in one
    /// probe is probed again before it counts as broken.
    pub broken: Option<String>,
    /// Why this probe does not decide, such as too few operations for a percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
}

/// A percentile of the kind of operation for which it is longest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The percentile that has a bound.
    pub percentile: Percentile,
    /// Kind of operation.
    pub kind: String,
    /// Microseconds.
    pub us: u64,
    /// The number of operations that it is of.
    pub operations: u64,
}

impl Probe {
    /// Whether all bounds held, with enough operations.
    pub fn holds(&self) -> bool {
        self.broken.is_none() && self.undecided.is_none()
    }
}

impl Search {
    /// What decided how it went on: the rates and times of its probes, and what it found. Drivers
    /// that searched together have these alike.
    pub fn decisions(&self) -> (Vec<(f64, f64)>, Option<f64>, Option<f64>) {
        let probes = self.probes.iter().map(|p| (p.rate, p.seconds)).collect();
        (probes, self.rate, self.below)
    }

    /// The probes at [`rate`](Search::rate) that held, as indexes of [`probes`](Search::probes).
    pub fn held(&self) -> impl Iterator<Item = usize> {
        let held = |p: &Probe| Some(p.rate) == self.rate && p.holds();
        self.probes.iter().enumerate().filter(move |(_, p)| held(p)).map(|(n, _)| n)
    }
}
