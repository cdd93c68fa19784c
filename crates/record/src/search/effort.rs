//! The length of a probe.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bound::Bounds;
use crate::percentile::Percentile;

/// The operations that must lie beyond a percentile: with ten independent operations their number
/// scatters by a third.
const BEYOND: f64 = 10.0;
/// The operations that every probe needs, and that the maximum needs.
const LEAST: u64 = 100;
/// A kind with a smaller share of the operations does not make probes longer.
const RARE: f64 = 0.01;

/// The operations that a percentile needs: ten beyond it, 100 for the maximum.
pub fn operations_for(percentile: Percentile) -> u64 {
    match percentile.rank() {
        Some(rank) => (BEYOND / (1.0 - rank)).round() as u64,
        None => LEAST,
    }
}

/// Why so few operations of a kind do not decide a percentile, if they do not. A rare kind among
/// `all` operations need not decide.
pub fn too_few(percentile: Percentile, kind: &str, operations: u64, all: u64) -> Option<String> {
    let needed = operations_for(percentile);
    let few = operations < needed && operations as f64 >= RARE * all as f64;
    few.then(|| {
        let name = percentile.name();
        format!("{kind}: {operations} of the {needed} operations for {name}")
    })
}

/// The length of probes: as long as every kind of operation needs for the strictest percentile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// The shortest time of a probe, seconds.
    pub shortest_seconds: f64,
    /// The longest time of a probe, seconds.
    pub longest_seconds: f64,
    /// The share of each kind among the operations, as far as known.
    pub shares: Vec<Share>,
}

/// The share of a kind among the operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Kind of operation.
    pub kind: String,
    /// From 0 to 1.
    pub share: f64,
}

impl Effort {
    /// Between these times, for a mix with these counts of each kind.
    pub fn new(shortest: Duration, longest: Duration, seen: &[(&str, u64)]) -> Self {
        let all: u64 = seen.iter().map(|(_, count)| count).sum();
        let share = |(kind, count): &(&str, u64)| Share {
            kind: (*kind).to_string(),
            share: *count as f64 / all as f64,
        };
        Effort {
            shortest_seconds: shortest.as_secs_f64(),
            longest_seconds: longest.max(shortest).as_secs_f64(),
            shares: seen.iter().filter(|(_, count)| *count > 0).map(share).collect(),
        }
    }

    /// How long a probe of this rate lasts.
    pub fn time(&self, bounds: &Bounds, rate: f64) -> Duration {
        let seconds = self.operations(bounds) / rate;
        let seconds = seconds.min(self.longest_seconds).max(self.shortest_seconds);
        Duration::try_from_secs_f64(seconds).unwrap_or(self.longest())
    }

    /// The longest time of a probe.
    pub fn longest(&self) -> Duration {
        Duration::try_from_secs_f64(self.longest_seconds).unwrap_or(Duration::MAX)
    }

    /// The lowest rate at which the longest probe has enough operations, per second.
    pub fn lowest_rate(&self, bounds: &Bounds) -> f64 {
        self.operations(bounds) / self.longest_seconds
    }

    /// The operations of all kinds that a probe is planned for: more than it needs, because shares
    /// and random arrivals scatter.
    fn operations(&self, bounds: &Bounds) -> f64 {
        let needed = operations_needed(bounds) as f64;
        let rarest = self.shares.iter().map(|s| s.share).filter(|s| *s >= RARE);
        (needed + 4.0 * needed.sqrt()) / rarest.fold(1.0, f64::min)
    }
}

/// The operations of a kind that the strictest of the bounds needs.
pub fn operations_needed(bounds: &Bounds) -> u64 {
    bounds.slas.iter().map(|s| operations_for(s.percentile)).max().unwrap_or(LEAST)
}
