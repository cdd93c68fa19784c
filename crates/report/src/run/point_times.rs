//! Percentiles of the points of a time series that are several cells, from the logs.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use hoap_record::Step;
use hoap_record::histogram::histogram;
use hoap_record::hlog::{self, Interval};

use super::ticks::{Tick, Ticks};

/// Gives points that are several cells of a step's measured window the percentile of all their
/// operations, as the log of the step is read.
pub struct PointTimes<'a> {
    window_end: f64,
    kinds: BTreeMap<String, OfKind<'a>>,
}

/// The points of a kind in the order of time, and the times of the one that the log has come to.
struct OfKind<'a> {
    points: Vec<&'a mut Tick>,
    at: usize,
    times: Histogram<u64>,
}

impl<'a> PointTimes<'a> {
    /// Of a step.
    pub fn new(ticks: &'a mut Ticks, step: &Step) -> PointTimes<'a> {
        let several = ticks.factor > 1;
        let is_ours = |t: &&mut Tick| several && t.step == step.number && t.phase == "measured";
        let mut kinds: BTreeMap<String, OfKind<'a>> = BTreeMap::new();
        for tick in ticks.all.iter_mut().filter(is_ours) {
            let new = || OfKind { points: Vec::new(), at: 0, times: histogram() };
            kinds.entry(tick.kind.clone()).or_insert_with(new).points.push(tick);
        }
        PointTimes { window_end: step.start_seconds + step.seconds, kinds }
    }

    /// Adds an interval. What ended after the window is no part of it.
    ///
    /// # Errors
    /// Says what is wrong with its times.
    pub fn add(&mut self, interval: &Interval<'_>) -> Result<(), String> {
        let late = hlog::is_late(interval.start_seconds, self.window_end);
        let Some(of) = self.kinds.get_mut(interval.tag).filter(|_| !late) else { return Ok(()) };
        let middle = interval.start_seconds + interval.seconds / 2.0;
        while of.points.get(of.at).is_some_and(|point| point.at_seconds < middle) {
            of.end_point();
        }
        interval.add_to(&mut of.times)
    }

    /// Ends the last points.
    pub fn finish(self) {
        self.kinds.into_values().for_each(|mut of| of.end_point());
    }
}

impl OfKind<'_> {
    fn end_point(&mut self) {
        if let Some(point) = self.points.get_mut(self.at).filter(|_| !self.times.is_empty()) {
            let p99 = self.times.value_at_quantile(0.99).min(point.longest_us);
            point.p99_seconds = Some(p99 as f64 / 1e6);
        }
        self.times.reset();
        self.at += 1;
    }
}
