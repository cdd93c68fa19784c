//! What the freshness probe measures.

use std::time::Duration;

use hoap_record::{FRESHNESS, Freshness};

use crate::Look;

use super::operation::ResponseTime;
use super::stats::{Failure, KindStats};
use super::tick_stats::TickStats;
use super::timing::Timing;
use crate::plan::Phase;

/// A reading of the probe that ended before the step did.
pub(crate) struct FreshnessReading {
    /// The phase in which it began.
    pub phase: Phase,
    pub took: Duration,
    pub result: Result<Look, Failure>,
}

/// The readings of the measured window.
pub(crate) struct FreshnessTotal {
    every: Duration,
    window: KindStats,
    all_seen: u64,
    newest_seen: Timing,
    took: Timing,
}

impl FreshnessTotal {
    /// The one kind of operation of the probe.
    pub const KINDS: &[&str] = &[FRESHNESS];

    /// Totals of a probe that reads once per `every`.
    pub fn new(every: Duration) -> Self {
        let (newest_seen, took) = (Timing::new(), Timing::new());
        FreshnessTotal { every, window: KindStats::new(), all_seen: 0, newest_seen, took }
    }

    /// Adds a reading to its phase in `since_tick` and, if that is the measured window, to the
    /// totals.
    pub fn add(&mut self, reading: &FreshnessReading, since_tick: &mut TickStats) {
        let stats = match reading.phase {
            Phase::Warmup => &mut since_tick.warmup.0[0],
            Phase::Measured => &mut since_tick.window.0[0],
            Phase::Connecting | Phase::Ended => return,
        };
        let measured = reading.phase == Phase::Measured;
        match &reading.result {
            Ok(look) => {
                let unseen = ResponseTime::closed(nanos(look.unseen));
                stats.add_success(unseen);
                if measured {
                    self.window.add_success(unseen);
                    self.all_seen += u64::from(look.unseen.is_zero());
                    look.newest_seen.iter().for_each(|age| self.newest_seen.add(nanos(*age)));
                    self.took.add(nanos(reading.took));
                }
            }
            Err(failure) => {
                stats.add_failure(failure);
                if measured {
                    self.window.add_failure(failure);
                }
            }
        }
    }

    /// The record of the totals.
    pub fn record(&self) -> Freshness {
        Freshness {
            every_seconds: self.every.as_secs_f64(),
            probes: self.window.count(),
            failed: self.window.failed(),
            all_seen: self.all_seen,
            unseen: self.window.response.latency(),
            newest_seen: self.newest_seen.latency(),
            took: self.took.latency(),
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
