//! What an open loop intended in its measured window, and what came of it.

use std::time::Duration;

use hoap_record::Step;
use hoap_workload::words::counted;

use crate::clock::Clock;
use crate::pace::{Pace, Schedule};
use crate::plan::{End, Phase, StepPlan};

/// A rate counts as reached when no more than this share of it is missing, and a window as its own when no
/// more than this share of its operations waited when it began.
const TOLERANCE: f64 = 0.01;

/// Watches the rate of an open loop.
pub(crate) struct Rates<'a> {
    plan: &'a StepPlan,
    schedule: &'a Schedule,
    clock: &'a Clock,
    /// When the window was to end, where the plan says.
    end: Option<u64>,
    /// When the window began and ended, and how many operations had begun by then.
    began: Edge,
    ended: Edge,
    /// Operations that were due before the window began and had not begun by then.
    backlog: u64,
}

#[derive(Clone, Copy, Default)]
struct Edge {
    time: u64,
    begun: u64,
}

impl<'a> Rates<'a> {
    pub fn new(plan: &'a StepPlan, schedule: &'a Schedule, clock: &'a Clock) -> Self {
        let (began, ended) = (Edge::default(), Edge::default());
        Rates { plan, schedule, clock, end: None, began, ended, backlog: 0 }
    }

    /// To be called before the clients hear of the phase: they act on what it sets.
    pub fn enter(&mut self, phase: Phase, interrupted: bool) {
        match phase {
            Phase::Connecting => {}
            Phase::Warmup => self.start(),
            Phase::Measured => {
                if self.plan.needs_no_warmup() {
                    self.start();
                }
                self.begin();
            }
            Phase::Ended => self.finish(interrupted),
        }
    }

    /// Starts the schedule, and says which operations the window has, where the plan says how long the
    /// phases are.
    fn start(&mut self) {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let warmup = nanos(self.plan.warmup);
        let begin = || self.schedule.due_within(warmup);
        match self.plan.end {
            End::After(time) => {
                let whole = warmup.saturating_add(nanos(time));
                self.schedule.window(begin(), self.schedule.due_within(whole));
                // A long schedule of many random arrivals takes its time to count: it starts now.
                let now = self.clock.now();
                self.schedule.start(now);
                self.end = Some(now.saturating_add(whole));
            }
            End::Operations(n) => {
                let (begin, limit) = (begin(), self.plan.limit.map(nanos));
                let all = begin.saturating_add(n);
                let whole = limit.map(|limit| warmup.saturating_add(limit));
                let due = whole.map_or(u64::MAX, |whole| self.schedule.due_within(whole));
                self.schedule.window(begin, all.min(due));
                let now = self.clock.now();
                self.schedule.start(now);
                // Where time ends it first, it is as if the plan had no number.
                self.end = whole.filter(|_| due < all).map(|whole| now.saturating_add(whole));
            }
            End::Loops { .. } => self.schedule.start(self.clock.now()),
        }
    }

    fn begin(&mut self) {
        let (time, handed_out) = (self.clock.now(), self.schedule.handed_out());
        let due = match self.schedule.measured() {
            (u64::MAX, _) => {
                let due = self.schedule.due_before(time);
                self.schedule.window(due, u64::MAX);
                due
            }
            (begin, _) => begin,
        };
        let begun = handed_out.min(due);
        self.backlog = due - begun;
        self.began = Edge { time, begun };
    }

    fn finish(&mut self, interrupted: bool) {
        let (now, handed_out) = (self.clock.now(), self.schedule.handed_out());
        let (begin, end) = self.schedule.measured();
        if interrupted || end == u64::MAX {
            let due = self.schedule.due_before(now).min(end);
            let begun = handed_out.min(due);
            self.ended = Edge { time: now, begun };
            // Whatever has begun is waited for; who stops a step wants nothing else.
            self.schedule.window(begin, if interrupted { begun } else { due });
        } else {
            // Nothing is due between the planned end and the actual one.
            let time = self.end.filter(|_| handed_out >= end).unwrap_or(now);
            self.ended = Edge { time, begun: handed_out.min(end) };
        }
    }

    /// Says so in the record. `ended` operations of the window have ended, in whatever way.
    pub fn sum_up(&self, ended: u64, step: &mut Step) {
        let Pace::Open { rate, arrivals } = self.plan.pace else { return };
        step.arrivals = Some(arrivals.name().into());
        step.rate_intended = Some(rate);
        let (begin, end) = self.schedule.measured();
        // Stopped before its window.
        if step.seconds <= 0.0 || begin == u64::MAX {
            return;
        }
        let intended = end.saturating_sub(begin);
        let missing = intended.saturating_sub(ended);
        let (begun, seconds) = self.begun(begin, end);
        let achieved = begun as f64 / seconds;
        step.intended_starts = Some(intended);
        step.begun = Some(begun);
        step.not_started = Some(missing);
        step.backlog = Some(self.backlog);
        step.rate_achieved = Some(achieved);
        let mut why = Vec::new();
        // As many as there are clients may wait for the next free one at any moment.
        let usual = (self.plan.tx_clients as f64).max(TOLERANCE * intended as f64);
        if self.backlog as f64 > usual {
            why.push(format!(
                "the window began with a backlog: {} operations were due in the warm-up and had not begun",
                self.backlog
            ));
        }
        // Poisson arrivals are held against what was drawn. The edges of the window may cut off one
        // operation, which is no shortfall.
        let share = (begun + 1) as f64 / seconds / (intended as f64 / seconds).min(rate);
        if missing > 0 || share < 1.0 - TOLERANCE {
            why.push(format!(
                "{achieved:.0} of {} operations a second began: the database with {} does \
                 not reach the rate",
                (rate * 100.0).round() / 100.0,
                counted(self.plan.tx_clients, "client", "clients")
            ));
        }
        if missing > 0 {
            why.push(format!("{missing} of {intended} had not begun when the step ended"));
        }
        step.rate_shortfall = (!why.is_empty()).then(|| why.join("; "));
    }

    /// Operations that began in the window, and its seconds.
    fn begun(&self, begin: u64, end: u64) -> (u64, f64) {
        match self.plan.end {
            // The window goes on until the last one has ended: what counts is how long they took to
            // begin.
            End::Operations(_) if self.end.is_none() && self.ended.begun == end => {
                let (first, _) = self.schedule.due_and_last(begin);
                let (next, last) = self.schedule.due_and_last(end);
                (end - begin, seconds(next.max(last) - first))
            }
            _ => {
                let begun = self.ended.begun.saturating_sub(self.began.begun);
                (begun, seconds(self.ended.time.saturating_sub(self.began.time)))
            }
        }
    }
}

/// Never zero.
fn seconds(nanos: u64) -> f64 {
    nanos.max(1) as f64 / 1e9
}
