//! How long the steps of a plan take, as far as that is known before they run.

use std::iter::Sum;
use std::ops::Add;
use std::time::Duration;

use hoap_drive::{End, StepPlan};
use hoap_record::level::FEWEST;

use crate::plan::Plan;

/// A length of time, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// What is known of it. Connecting, loading and checking are never part of it.
    pub time: Duration,
    /// Whether it is longer than that: a number of operations, the loops of queries and the probes
    /// of a search take as long as they take.
    pub open: bool,
}

impl Span {
    /// A known length.
    pub fn known(time: Duration) -> Span {
        Span { time, open: false }
    }

    /// At least this long.
    pub fn at_least(time: Duration) -> Span {
        Span { time, open: true }
    }

    /// What the warm-up of a step takes.
    pub fn of_warmup(step: &StepPlan) -> Span {
        match step.until_level {
            true => Span::at_least(step.warmup.min(step.tick.saturating_mul(FEWEST as u32))),
            false => Span::known(step.warmup),
        }
    }

    /// What a step takes: its warm-up and its measured window.
    pub fn of(step: &StepPlan) -> Span {
        let measured = match step.end {
            End::After(time) => Span::known(time),
            End::Operations(_) | End::Loops { .. } => Span::at_least(Duration::ZERO),
        };
        Span::of_warmup(step) + measured
    }

    /// What is not yet run of a plan: the steps from this index on, and what follows them. The
    /// loops of the queries alone took `alone`, where they have been run.
    pub fn left(plan: &Plan, from: usize, alone: Option<Duration>) -> Span {
        let of = |step: &StepPlan| match (plan.sets_time(step), alone) {
            (true, Some(time)) => Span::of_warmup(step) + Span::known(time),
            (true, None) => Span::of_warmup(step) + Span::at_least(Duration::ZERO),
            (false, _) => Span::of(step),
        };
        let steps: Span = plan.steps.iter().skip(from).map(of).sum();
        let more = plan.search.is_some() || plan.frontier.is_some();
        steps + Span { time: Duration::ZERO, open: more }
    }

    /// So many of them.
    pub fn times(self, n: u32) -> Span {
        Span { time: self.time.saturating_mul(n), ..self }
    }
}

impl Add for Span {
    type Output = Span;

    fn add(self, other: Span) -> Span {
        Span { time: self.time.saturating_add(other.time), open: self.open || other.open }
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::default(), Add::add)
    }
}

/// Where a step stands in its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepPosition {
    /// How many steps there are; `None` where their number is found while they run.
    pub of: Option<usize>,
    /// What follows the step.
    pub rest: Span,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Defaults, Groups, Loops, plan};

    fn left(loops: bool, words: &str, from: usize, alone: Option<u64>) -> Span {
        let flags: crate::plan::tests::Flags = crate::flags::tests::parse(words);
        let loops_of_two = Loops { warmup: 1, measured: 2, round_up: Duration::from_secs(1) };
        let groups = Groups::TransactionsAndQueries {
            transactions: &[4],
            queries: &[0, 1],
            loops: loops.then_some(loops_of_two),
            headline: 0,
            frontier: None,
        };
        let plan = plan(groups, &flags.pacing, &flags.common, Defaults::default()).unwrap();
        Span::left(&plan, from, alone.map(Duration::from_secs))
    }

    #[test]
    fn the_time_of_a_run_is_that_of_its_steps_as_far_as_they_have_one() {
        let seconds = Duration::from_secs;
        // Queries alone, transactions alone, both: each warms up.
        assert_eq!(left(false, "--duration 60s", 0, None), Span::known(seconds(195)));
        assert_eq!(left(false, "--duration 60s", 2, None), Span::known(seconds(65)));
        assert_eq!(left(false, "--duration 60s", 3, None), Span::default());
        // The queries alone have no warm-up but their loops, which set the time of the second step.
        assert_eq!(left(true, "", 0, None), Span::at_least(seconds(10)));
        assert_eq!(left(true, "", 1, Some(30)), Span::at_least(seconds(40)));
        assert_eq!(left(true, "--duration 7s", 1, Some(30)), Span::at_least(seconds(17)));
        let operations = left(false, "--operations 9", 1, None);
        assert_eq!(operations, Span::at_least(seconds(10)));
        let search = "--max-rate --sla p99=1s --duration 1s --warmup 0s";
        assert_eq!(left(false, search, 0, None), Span::at_least(seconds(3)));
        assert_eq!(Span::known(Duration::MAX).times(3).time, Duration::MAX);
    }
}
