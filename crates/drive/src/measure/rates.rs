//! The intended and the achieved rate of an open loop.

use std::time::Duration;

use hoap_record::Step;
use hoap_record::words::counted;

use crate::pace::{Clock, Schedule};
use crate::plan::{End, Pace, Phase, StepPlan};

/// A rate counts as reached if at most this share of it is missing, and a window has no backlog if
/// at most this share of its operations waited when it began.
const TOLERANCE: f64 = 0.01;

/// Sets the schedule's window and monitors the rate of an open loop.
pub(crate) struct RateMonitor<'a> {
    plan: &'a StepPlan,
    schedule: &'a Schedule,
    clock: &'a Clock,
    /// The planned end of the window, if the plan has one.
    end: Option<u64>,
    /// The beginning and the end of the window.
    began: WindowEdge,
    ended: WindowEdge,
    /// Operations that were due before the window and had not begun when it began.
    backlog: u64,
}

/// The beginning or the end of the window.
#[derive(Clone, Copy, Default)]
struct WindowEdge {
    time: u64,
    /// Operations that had begun by then.
    begun: u64,
}

impl<'a> RateMonitor<'a> {
    pub fn new(plan: &'a StepPlan, schedule: &'a Schedule, clock: &'a Clock) -> Self {
        let (began, ended) = (WindowEdge::default(), WindowEdge::default());
        RateMonitor { plan, schedule, clock, end: None, began, ended, backlog: 0 }
    }

    /// Enters a phase. To be called before the clients see the phase, because they use the window
    /// that this sets.
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

    /// Starts the schedule and, if the plan has the lengths of the phases, sets the operations of
    /// the window.
    fn start(&mut self) {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let warmup = nanos(self.plan.warmup);
        let begin = || self.schedule.due_within(warmup);
        match self.plan.end {
            End::After(time) => {
                let whole = warmup.saturating_add(nanos(time));
                self.schedule.set_window(begin(), self.schedule.due_within(whole));
                // Counting the arrivals of a long Poisson schedule takes a while, so it starts
                // after that.
                let now = self.clock.now();
                self.schedule.start(now);
                self.end = Some(now.saturating_add(whole));
            }
            End::Operations(n) => {
                let (begin, limit) = (begin(), self.plan.limit.map(nanos));
                let all = begin.saturating_add(n);
                let whole = limit.map(|limit| warmup.saturating_add(limit));
                let due = whole.map_or(u64::MAX, |whole| self.schedule.due_within(whole));
                self.schedule.set_window(begin, all.min(due));
                let now = self.clock.now();
                self.schedule.start(now);
                // If time ends the window first, the number of operations has no effect.
                self.end = whole.filter(|_| due < all).map(|whole| now.saturating_add(whole));
            }
            End::Loops { .. } => self.schedule.start(self.clock.now()),
        }
    }

    fn begin(&mut self) {
        let (time, handed_out) = (self.clock.now(), self.schedule.handed_out());
        let due = match self.schedule.window() {
            (u64::MAX, _) => {
                let due = self.schedule.due_before(time);
                self.schedule.set_window(due, u64::MAX);
                due
            }
            (begin, _) => begin,
        };
        let begun = handed_out.min(due);
        self.backlog = due - begun;
        self.began = WindowEdge { time, begun };
    }

    fn finish(&mut self, interrupted: bool) {
        let (now, handed_out) = (self.clock.now(), self.schedule.handed_out());
        let (begin, end) = self.schedule.window();
        if interrupted || end == u64::MAX {
            let due = self.schedule.due_before(now).min(end);
            let begun = handed_out.min(due);
            self.ended = WindowEdge { time: now, begun };
            // Operations that have begun are waited for. After a stop no other one may begin.
            self.schedule.set_window(begin, if interrupted { begun } else { due });
        } else {
            // No operation is due between the planned end and the actual one.
            let time = self.end.filter(|_| handed_out >= end).unwrap_or(now);
            self.ended = WindowEdge { time, begun: handed_out.min(end) };
        }
    }

    /// Writes the rates into the record. `ended` is the number of operations of the window that
    /// have ended, whatever their outcome.
    pub fn write_into(&self, ended: u64, step: &mut Step) {
        let Pace::Open { rate, arrivals } = self.plan.pace else { return };
        step.arrivals = Some(arrivals.name().into());
        step.rate_intended = Some(rate);
        let (begin, end) = self.schedule.window();
        // The step was stopped before its window.
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
        // At any moment as many operations as there are clients may wait for the next free client.
        let usual = (self.plan.tx_clients as f64).max(TOLERANCE * intended as f64);
        if self.backlog as f64 > usual {
            why.push(format!(
                "the window began with a backlog: {} operations were due in the warm-up and had \
                 not begun",
                self.backlog
            ));
        }
        // Poisson arrivals are compared with the number that was drawn. The edges of the window may
        // cut off one operation, which is no shortfall.
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

    /// The number of operations that began in the window, and its length in seconds.
    fn begun(&self, begin: u64, end: u64) -> (u64, f64) {
        match self.plan.end {
            // The window lasts until the last operation has ended. The rate is over the time in
            // which they began.
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

/// Seconds, never zero.
fn seconds(nanos: u64) -> f64 {
    nanos.max(1) as f64 / 1e9
}
