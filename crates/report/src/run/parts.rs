//! The response times of parts of the measured windows, from `step-NN.hlog` in bounded memory.
//! Percentiles of several ticks come from here: those of the ticks do not tell them.

use std::collections::BTreeMap;

use hoap_record::Step;
use hoap_record::buckets::{Sum, quantile};
use hoap_record::hlog::{self, Interval};

use crate::statistics::{Gathered, Part};

/// From this number of parts of a run on, neighbours are added up. It is five times the points of a
/// time series, so that whole parts make up points of about equal length.
const MOST: usize = 2048;
/// The fewest parts of a step.
const FEWEST: usize = 8;
/// About the most times of all parts of a run: 64 MB, while the run is read.
const MOST_TIMES: usize = 1 << 22;

/// The parts of a run.
#[derive(Clone, Debug)]
pub struct Parts {
    /// By step and kind of operation, in the order of time.
    of: BTreeMap<(usize, String), Vec<Part>>,
    each: usize,
}

impl Default for Parts {
    fn default() -> Self {
        Parts { of: BTreeMap::new(), each: 1 }
    }
}

impl Parts {
    /// The most ticks that one of them is the sum of, a power of two.
    pub fn each(&self) -> usize {
        self.each
    }

    /// The percentile of the response times of a kind of operation over all ticks from one moment
    /// to another, which are `seconds` long together; microseconds. `Some(None)` where there were
    /// none, `None` where there are no parts of just these ticks.
    pub fn percentile(
        &self,
        (step, kind): (usize, &str),
        (from, to): (f64, f64),
        seconds: f64,
        share: f64,
    ) -> Option<Option<u64>> {
        let all = self.of.get(&(step, kind.to_owned()))?;
        let middle = |part: &Part| (part.from_seconds + part.to_seconds) / 2.0;
        let first = all.partition_point(|part| middle(part) <= from);
        let end = all.partition_point(|part| middle(part) <= to);
        let within = all.get(first..end).unwrap_or_default();
        // The log keeps milliseconds.
        let intervals: usize = within.iter().map(|part| part.intervals).sum();
        let off = 1e-3 * (intervals + 1) as f64;
        let is_whole = within.first().is_some_and(|part| part.from_seconds > from - 2e-3)
            && within.last().is_some_and(|part| part.to_seconds < to + 2e-3)
            && (within.iter().map(|part| part.seconds).sum::<f64>() - seconds).abs() < off;
        if !is_whole {
            return None;
        }
        let mut sum = Sum::default();
        let times = within.iter().flat_map(|part| &part.times);
        times.for_each(|(time, count)| sum.add(*time, *count));
        Some(quantile(&sum.take(), share))
    }

    /// Adds those of a step.
    pub fn add(&mut self, of_step: Gatherer<'_>) {
        for (kind, gathered) in of_step.kinds {
            let (parts, each) = gathered.parts();
            self.each = self.each.max(each);
            self.of.insert((of_step.step, kind), parts);
        }
    }
}

/// The parts of a step so far.
pub struct Gatherer<'a> {
    step: usize,
    window_end: f64,
    wanted: &'a [&'a str],
    kinds: BTreeMap<String, Gathered>,
    most: usize,
    most_times: usize,
}

impl<'a> Gatherer<'a> {
    /// Of a step of a run whose windows take so many seconds, of the kinds that are wanted.
    pub fn new(step: &Step, seconds: f64, wanted: &'a [&'a str]) -> Gatherer<'a> {
        let share = if seconds > 0.0 { (step.seconds / seconds).clamp(0.0, 1.0) } else { 1.0 };
        let of = |most: usize| (most as f64 * share) as usize;
        Gatherer {
            step: step.number,
            window_end: step.start_seconds + step.seconds,
            wanted,
            kinds: BTreeMap::new(),
            most: of(MOST).max(FEWEST),
            most_times: of(MOST_TIMES) / wanted.len().max(1),
        }
    }

    /// Adds an interval. What ended after the window is no part of it.
    pub fn add(&mut self, interval: &Interval<'_>) {
        let late = hlog::is_late(interval.start_seconds, self.window_end);
        if late || !self.wanted.contains(&interval.tag) {
            return;
        }
        if !self.kinds.contains_key(interval.tag) {
            let new = Gathered::within(self.most, self.most_times);
            self.kinds.insert(interval.tag.to_owned(), new);
        }
        if let Some(kind) = self.kinds.get_mut(interval.tag) {
            kind.add(*interval, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 5,000.5 s in ticks of a second with a gap of 100 s; tick 77 is empty.
    #[test]
    fn a_percentile_is_of_just_the_ticks_that_were_asked_for() {
        let step = Step { number: 1, start_seconds: 10.0, seconds: 5_000.5, ..Step::default() };
        let mut gatherer = Gatherer::new(&step, step.seconds, &["READ"]);
        let time = |tick: u64| 1_000 + tick % 40;
        let ticks = (0..=5_000u64).filter(|tick| !(1_024..1_124).contains(tick));
        for tick in ticks.clone() {
            let times = if tick == 77 { vec![] } else { vec![(time(tick), 1)] };
            let seconds = if tick == 5_000 { 0.5 } else { 1.0 };
            let start_seconds = 10.0 + tick as f64;
            for tag in ["READ", "UPDATE"] {
                gatherer.add(&Interval { tag, start_seconds, seconds, times: &times });
            }
        }
        // After the window, which ended at 5,010.5 s.
        let late = [(9_000_000, 1)];
        let after = Interval { tag: "READ", start_seconds: 5_010.5, seconds: 2.0, times: &late };
        gatherer.add(&after);
        let mut parts = Parts::default();
        parts.add(gatherer);
        assert_eq!(parts.each(), 4, "4,901 ticks");
        let asked = |from: f64, to: f64, seconds: f64| {
            parts.percentile((1, "READ"), (from, to), seconds, 1.0)
        };
        assert_eq!(asked(10.0, 14.0, 4.0), Some(Some(1_003)));
        assert_eq!(asked(14.0, 46.0, 32.0), Some(Some(1_035)));
        assert_eq!(asked(1_030.0, 1_142.0, 12.0), Some(Some(time(1_023))), "over the gap");
        assert_eq!(asked(5_006.0, 5_010.5, 4.5), Some(Some(time(4_999))));
        assert_eq!(asked(5_004.0, 5_010.5, 6.5), None, "not whole parts");
        assert_eq!(asked(10.0, 15.0, 5.0), None);
        assert_eq!(asked(10.0, 14.0, 3.0), None, "other ticks");
        assert_eq!(asked(0.0, 9.0, 9.0), None, "before the window");
        assert_eq!(parts.percentile((1, "UPDATE"), (10.0, 14.0), 4.0, 1.0), None);
    }
}
