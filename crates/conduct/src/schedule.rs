//! How long the steps of a plan take, as far as that is known before they run.

use std::iter::Sum;
use std::ops::Add;
use std::time::Duration;

use hoap_drive::search::ABOUT_PROBES;
use hoap_drive::{End, StepPlan, WarmAt};
use hoap_record::level::FEWEST;

use crate::plan::Plan;

/// A length of time, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// What is known or expected of it. Before the first step connecting, loading and checking are no
    /// part of it.
    pub time: Duration,
    /// Whether it may be much longer than that: a number of operations and the loops of queries take
    /// as long as they take, until a step like it has run.
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
        match step.warm_at {
            WarmAt::Time => Span::known(step.warmup),
            WarmAt::Level => {
                Span::at_least(step.warmup.min(step.tick.saturating_mul(FEWEST as u32)))
            }
            WarmAt::Word => Span::at_least(step.warmup.min(step.tick)),
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

    /// What this step of a plan takes, by the steps that have run.
    pub fn expected(plan: &Plan, step: &StepPlan, ran: &Ran) -> Span {
        let by_rule = match (plan.sets_time(step), ran.alone) {
            (true, Some(time)) => Span::of_warmup(step) + Span::known(time),
            (true, None) => Span::of_warmup(step) + Span::at_least(Duration::ZERO),
            (false, _) => Span::of(step),
        };
        match (by_rule.open, step.end) {
            (false, _) => by_rule,
            (true, end) => match (ran.like(step), end, ran.alone) {
                (Some(time), ..) => Span::known(time),
                // Transactions make the queries slower.
                (None, End::Loops { .. }, Some(time)) => by_rule + Span::known(time),
                _ => by_rule,
            },
        }
    }

    /// What is not yet run of a plan: the steps from this index on, and what follows them.
    pub fn time_left(plan: &Plan, from: usize, ran: &Ran) -> Span {
        let steps = plan.steps.iter().skip(from).map(|step| Span::expected(plan, step, ran)).sum();
        let search = plan.search.as_ref().map(|search| {
            let warmup = Span::of_warmup(&plan.steps[search.like]).time;
            Span::known(search.shortest + warmup).times(ABOUT_PROBES)
        });
        let more = Span { time: Duration::ZERO, open: plan.frontier.is_some() };
        [steps, search.unwrap_or_default(), more].into_iter().sum()
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

/// How long steps took that have run.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// How long the loops of the queries alone took, rounded as the plan has it.
    pub alone: Option<Duration>,
    /// Each step with all of its time.
    steps: Vec<(StepPlan, Duration)>,
}

impl Ran {
    /// A step has run.
    pub fn add(&mut self, step: &StepPlan, took: Duration) {
        self.steps.push((step.clone(), took));
    }

    /// The time that the last step beside its measured window took, if it lasted for a time.
    pub fn outside_window(&self) -> Duration {
        match self.steps.last() {
            Some((StepPlan { end: End::After(time), .. }, took)) => took.saturating_sub(*time),
            _ => Duration::ZERO,
        }
    }

    /// What the last step took that had clients of the same sides and ended as this one does.
    fn like(&self, step: &StepPlan) -> Option<Duration> {
        let sides = |of: &StepPlan| (of.tx_clients > 0, of.query_clients > 0);
        let alike = |of: &StepPlan| sides(of) == sides(step) && of.end == step.end;
        self.steps.iter().rev().find(|(of, _)| alike(of)).map(|(_, took)| *took)
    }
}

/// Where a step stands in its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepPosition {
    /// How many steps there are; `None` where their number is found while they run.
    pub of: Option<usize>,
    /// What it takes itself.
    pub own: Span,
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
            headline: Some(0),
            frontier: None,
        };
        let plan = plan(groups, &flags.pacing, &flags.common, Defaults::default()).unwrap();
        let ran = Ran { alone: alone.map(Duration::from_secs), ..Ran::default() };
        Span::time_left(&plan, from, &ran)
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
        // Beside transactions they take as long as alone, or longer.
        assert_eq!(left(true, "", 1, Some(30)), Span::at_least(seconds(70)));
        assert_eq!(left(true, "--duration 7s", 1, Some(30)), Span::at_least(seconds(47)));
        let operations = left(false, "--operations 9", 1, None);
        assert_eq!(operations, Span::at_least(seconds(10)));
        let search = "--max-rate --sla p99=1s --duration 1s --warmup 0s";
        assert_eq!(left(false, search, 0, None), Span::known(seconds(3 + u64::from(ABOUT_PROBES))));
        assert_eq!(Span::known(Duration::MAX).times(3).time, Duration::MAX);
    }

    #[test]
    fn a_step_takes_what_the_last_one_like_it_took() {
        let seconds = Duration::from_secs;
        let step = |number, clients, queries, end| StepPlan {
            warmup: seconds(5),
            ..StepPlan::new(number, clients, queries, end)
        };
        let loops = End::Loops { warmup: 1, measured: 2 };
        let steps =
            vec![step(1, 1, 0, End::Operations(9)), step(2, 1, 1, loops), step(3, 4, 1, loops)];
        let plan =
            Plan { steps, loops_set_time: None, search: None, frontier: None, warm_at: None };
        let mut ran = Ran::default();
        assert_eq!(Span::time_left(&plan, 2, &ran), Span::at_least(seconds(5)));
        ran.add(&plan.steps[0], seconds(60));
        assert_eq!(Span::time_left(&plan, 2, &ran), Span::at_least(seconds(5)));
        ran.add(&plan.steps[1], seconds(45));
        assert_eq!(Span::time_left(&plan, 2, &ran), Span::known(seconds(45)));
        let more = step(4, 8, 0, End::Operations(9));
        assert_eq!(Span::expected(&plan, &more, &ran), Span::known(seconds(60)));
        // A time that is asked for is known.
        let timed = step(5, 8, 0, End::After(seconds(3)));
        assert_eq!(Span::expected(&plan, &timed, &ran), Span::known(seconds(8)));
        ran.add(&timed, seconds(10));
        assert_eq!(ran.outside_window(), seconds(7));
    }
}
