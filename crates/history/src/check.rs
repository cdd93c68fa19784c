//! The changes of a history.

use hoap_report::compare::RELEVANT;

use crate::divisive::{FEWEST, changes};
use crate::line::AcknowledgedLine;
use crate::series::{Series, Timeline};

/// The probability that a history without a change has one at any time while it grows.
pub const FALSE_ALARMS: f64 = 0.05;
/// An acknowledgement is of a change of its series that is so many runs from its place, or nearer:
/// more runs may show a place more exactly.
const NEAR: usize = 2;

/// What was found.
#[derive(Clone, Debug)]
pub struct FoundChanges<'a> {
    /// The changes, in the order of their runs.
    pub changes: Vec<SeriesChange<'a>>,
    /// Series that were looked at.
    pub series: usize,
    /// Series that are too short to show any.
    pub short: usize,
}

/// A change of a series.
#[derive(Clone, Debug)]
pub struct SeriesChange<'a> {
    /// The place of its series in [`Timeline::series`].
    pub series: usize,
    /// The run before it and the first one after it, by their places in [`Timeline::order`].
    pub between: (usize, usize),
    /// The mean after it, up to the next change, through that before.
    pub ratio: f64,
    /// Half the width of the ratio's 95 % interval.
    pub half: f64,
    /// Whether it is for the worse.
    pub is_worse: bool,
    /// Who knows of it.
    pub acknowledged: Option<&'a AcknowledgedLine>,
}

impl SeriesChange<'_> {
    /// Whether it is for the worse, after the run at this place, and nobody knows of it.
    pub fn is_regression(&self, since: Option<usize>) -> bool {
        self.is_worse
            && self.acknowledged.is_none()
            && since.is_none_or(|since| self.between.1 > since)
    }
}

/// Looks for changes in every series.
pub fn check<'a>(timeline: &Timeline<'a>) -> FoundChanges<'a> {
    let is_long = |series: &&Series<'a>| series.points.len() >= 2 * FEWEST;
    let series = timeline.series.iter().filter(is_long).count();
    let bound = FALSE_ALARMS / series.max(1) as f64;
    let mut all = Vec::new();
    for (number, of) in timeline.series.iter().enumerate().filter(|(_, of)| is_long(of)) {
        for change in changes(&of.logarithms(), bound) {
            let ratio = change.difference.exp();
            if (ratio - 1.0).abs() < RELEVANT {
                continue;
            }
            all.push(SeriesChange {
                series: number,
                between: (of.points[change.at - 1].at, of.points[change.at].at),
                ratio,
                half: ratio * change.half.exp_m1(),
                is_worse: (ratio < 1.0) == of.metric.more_is_better(),
                acknowledged: acknowledged(timeline, of, change.at),
            });
        }
    }
    all.sort_by_key(|change| (change.between.1, change.series));
    FoundChanges { changes: all, series, short: timeline.series.len() - series }
}

/// The line that is of a change at this point of a series.
fn acknowledged<'a>(
    timeline: &Timeline<'a>,
    of: &Series<'a>,
    at: usize,
) -> Option<&'a AcknowledgedLine> {
    timeline.history.acknowledged.iter().find(|line| {
        let is_series = (line.step.as_str(), line.metric.as_str(), line.kind.as_deref())
            == (of.step, of.metric.name(), of.kind);
        let place = || of.points.iter().position(|point| point.line.run == line.run);
        is_series && place().is_some_and(|place| place.abs_diff(at) <= NEAR)
    })
}
