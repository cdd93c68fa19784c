//! A line of a comparison: one quantity on both sides.

use std::cmp::Ordering;

use super::change::Notation;
use super::metric::Metric;
use crate::statistics::{Estimate, FALSE_VERDICTS, Finding, Ratio};

/// Where a line belongs.
#[derive(Clone, Debug, PartialEq)]
pub enum Scope {
    /// The geometric mean over this many steps.
    Overall(usize),
    /// A step, by its name.
    Step(String),
}

/// A quantity on both sides.
#[derive(Clone, Debug)]
pub struct ComparedLine {
    /// Which candidate, from 0.
    pub candidate: usize,
    /// Where it belongs.
    pub place: Scope,
    /// The quantity.
    pub metric: Metric,
    /// The kind of operation, or the query.
    pub kind: Option<String>,
    /// Whether it is a headline.
    pub headline: bool,
    /// What the sides show, or why there is nothing.
    pub baseline: std::result::Result<Shown, String>,
    /// The same of the candidate.
    pub candidate_value: std::result::Result<Shown, String>,
    /// Candidate ÷ baseline.
    pub ratio: Option<Ratio>,
    /// How the candidate stands to the baseline where nothing completed on one of the sides, or on
    /// both.
    pub stopped: Option<Ordering>,
    /// What it means.
    pub finding: Finding,
}

/// A value and what is known about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// The value in its unit; seconds, shares.
    pub value: f64,
    /// What ratios are made of. Of failures and freshness its value is not the one shown: see
    /// `docs/compare.md`.
    pub estimate: Estimate,
}

impl Shown {
    /// Where nothing completed.
    pub const NOTHING: Shown = Shown { value: 0.0, estimate: Estimate::NONE };

    /// Whether nothing completed.
    pub fn is_nothing(&self) -> bool {
        self.estimate == Estimate::NONE
    }
}

impl ComparedLine {
    /// "tpM", "NewOrder p99", "Q07".
    pub fn title(&self) -> String {
        self.metric.title(self.kind.as_deref())
    }

    /// How these lines, which stand in one table, are written.
    pub fn notation<'a>(lines: impl IntoIterator<Item = &'a ComparedLine>) -> Notation {
        let ratios = |line: &ComparedLine| {
            let ends = line.interval().map(|((low, high), _)| [low, high]);
            let ratio = line.ratio.map(|ratio| ratio.value);
            ratio.into_iter().chain(ends.into_iter().flatten()).collect::<Vec<_>>()
        };
        Notation::of(lines.into_iter().flat_map(ratios))
    }

    /// The ratio's interval, and whether it is one *within the run*: of one run of each side, so
    /// that it does not hold what differs from run to run.
    pub fn interval(&self) -> Option<((f64, f64), bool)> {
        let ratio = self.ratio?;
        Some((ratio.interval(1.0 - FALSE_VERDICTS)?, !ratio.spread?.between_runs))
    }

    /// Whether there is anything to say a verdict about.
    pub fn is_compared(&self) -> bool {
        self.ratio.is_some() || self.stopped.is_some()
    }

    /// Where nothing completed, if it did not.
    pub fn nothing(&self) -> Option<&'static str> {
        Some(match self.stopped? {
            Ordering::Less => "nothing completed in the candidate",
            Ordering::Greater => "nothing completed in the baseline, so there is no ratio",
            Ordering::Equal => "nothing completed on either side, so there is nothing to compare",
        })
    }
}
