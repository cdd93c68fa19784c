//! From statistics to the rows of the run folder and the record of a step.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hoap_record::Result;
use hoap_record::folder::{RunFolder, seconds};
use hoap_record::hlog::{self, Hlog};
use hoap_record::{Operation, Sample};

use super::stats::KindStats;
use super::timing::{Timing, micros};

/// A time span of the step.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub start: Instant,
    pub end: Instant,
}

impl Span {
    pub fn length(self) -> Duration {
        self.end.saturating_duration_since(self.start)
    }

    /// The row of a kind in `samples.csv`.
    pub fn row(
        self,
        folder: &RunFolder,
        step: usize,
        phase: &str,
        kind: &str,
        stats: &KindStats,
    ) -> Sample {
        let latency = stats.response.latency();
        Sample {
            step,
            phase: phase.to_owned(),
            at_seconds: folder.seconds_at(self.end),
            seconds: seconds(self.length()),
            kind: kind.to_owned(),
            count: stats.count(),
            failed: stats.failed(),
            retries: stats.retries,
            mean_us: (latency.mean_us * 1e3).round() / 1e3,
            p50_us: latency.p50_us,
            p99_us: latency.p99_us,
            max_us: latency.max_us,
        }
    }

    /// Adds the intervals of a kind to the step's log, also if they are empty.
    pub fn log(
        self,
        folder: &RunFolder,
        hlog: &mut Hlog,
        kind: &str,
        stats: &KindStats,
    ) -> Result<()> {
        let (start, length) = (folder.since_start(self.start), self.length());
        hlog.add(kind, &stats.response.times, start, length)?;
        if let Some(split) = &stats.split {
            for (ending, part) in [(hlog::SERVICE, &split.service), (hlog::WAIT, &split.wait)] {
                hlog.add(&format!("{kind}{ending}"), &part.times, start, length)?;
            }
        }
        Ok(())
    }
}

/// The record of a kind of transaction over a window of `seconds`, with the operations that ended
/// `after` the window.
pub(crate) fn operation(
    kind: &str,
    window: &KindStats,
    after: &KindStats,
    seconds: f64,
) -> Operation {
    let mut all = KindStats::new();
    all.absorb(window);
    all.absorb(after);
    let latency = |timing: Option<&Timing>| timing.map(Timing::latency);
    let split = all.split.as_deref();
    let by_error = || all.failures.iter().map(|f| (f.kind.name().to_owned(), f));
    Operation {
        kind: kind.to_owned(),
        count: window.count(),
        per_second: rate(window.count(), seconds),
        timed: all.response.count(),
        at_least: all.at_least,
        unfinished: all.unfinished,
        oldest_us: micros(all.oldest),
        longest_ended_us: window.response.latency().max_us,
        rolled_back: window.rolled_back,
        empty: window.empty,
        retries: all.retries,
        failures: by_error().map(|(name, f)| (name, f.count)).collect(),
        first_errors: by_error()
            .map(|(name, f)| (name, f.first.clone()))
            .collect::<BTreeMap<_, _>>(),
        latency: all.response.latency(),
        service: latency(split.map(|s| &s.service)),
        wait: latency(split.map(|s| &s.wait)),
    }
}

/// Per second; 0 if `seconds` is 0.
pub(crate) fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
