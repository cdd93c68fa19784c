//! Statistics of the operations of a tick, by what they count for.

use crate::Outcome;

use super::gaps::Stretches;
use super::operation::{CountsFor, EndedOperation};
use super::stats::{KindStats, StatsByKind};
use crate::plan::Phase;

/// Statistics of the operations since the last tick.
pub(crate) struct TickStats {
    pub warmup: StatsByKind,
    pub window: StatsByKind,
    /// Operations that ended after the window. Most workers never have any.
    pub after: Option<Box<StatsByKind>>,
    /// When successes of the window ended.
    pub successes: Stretches,
    /// Operations that count for nothing and were cancelled.
    pub cancelled: u64,
}

impl TickStats {
    pub fn new(kinds: usize) -> Self {
        TickStats {
            warmup: StatsByKind::new(kinds),
            window: StatsByKind::new(kinds),
            after: None,
            successes: Stretches::default(),
            cancelled: 0,
        }
    }

    /// Adds an operation to what it counts for.
    #[inline]
    pub fn add(&mut self, ended: &EndedOperation) {
        if ended.counts_for == CountsFor::Phase(Phase::Measured) {
            if ended.completion.outcome.succeeded() {
                self.successes.add(ended.at);
            }
            self.window.0[ended.kind].add(ended.time, &ended.completion);
        } else {
            self.add_outside(ended);
        }
    }

    /// Adds an operation that did not begin and end in the window.
    fn add_outside(&mut self, ended: &EndedOperation) {
        let EndedOperation { kind, counts_for, time, at, ref completion } = *ended;
        let cancelled = u64::from(matches!(completion.outcome, Outcome::Cancelled));
        match counts_for {
            CountsFor::Phase(Phase::Measured) => unreachable!("add() handles it"),
            CountsFor::Backlog if completion.outcome.succeeded() => {
                self.successes.add(at);
                let stats = &mut self.window.0[kind];
                stats.backlog += 1;
                stats.rolled_back += u64::from(matches!(completion.outcome, Outcome::RolledBack));
                stats.retries += u64::from(completion.retries);
            }
            CountsFor::Phase(Phase::Warmup) | CountsFor::Backlog => {
                self.warmup.0[kind].add(time, completion);
            }
            CountsFor::AfterWindow { age } => self.after(kind).add_after(time, completion, age),
            CountsFor::InFlight { age } => {
                self.after(kind).add_in_flight(age);
                self.cancelled += cancelled;
            }
            CountsFor::Phase(Phase::Connecting | Phase::Ended) | CountsFor::Nothing => {
                self.cancelled += cancelled;
            }
        }
    }

    fn after(&mut self, kind: usize) -> &mut KindStats {
        let kinds = self.window.0.len();
        &mut self.after.get_or_insert_with(|| Box::new(StatsByKind::new(kinds))).0[kind]
    }

    pub fn absorb(&mut self, other: &TickStats) {
        self.warmup.absorb(&other.warmup);
        self.window.absorb(&other.window);
        if let Some(theirs) = &other.after {
            let kinds = theirs.0.len();
            self.after.get_or_insert_with(|| Box::new(StatsByKind::new(kinds))).absorb(theirs);
        }
        self.successes.absorb(&other.successes);
        self.cancelled += other.cancelled;
    }

    /// The operations that count for a phase.
    pub fn of(&self, phase: Phase) -> &StatsByKind {
        match phase {
            Phase::Measured => &self.window,
            _ => &self.warmup,
        }
    }

    /// The same, to add to.
    pub fn of_mut(&mut self, phase: Phase) -> &mut StatsByKind {
        match phase {
            Phase::Measured => &mut self.window,
            _ => &mut self.warmup,
        }
    }

    /// Removes the operations that count for these phases and those that count for neither phase.
    pub fn clear(&mut self, phases: &[Phase]) {
        if phases.contains(&Phase::Warmup) {
            self.warmup.clear();
        }
        if phases.contains(&Phase::Measured) {
            self.window.clear();
            self.successes.clear();
        }
        self.after = None;
        self.cancelled = 0;
    }

    /// Removes all operations.
    pub fn clear_all(&mut self) {
        self.clear(&[Phase::Warmup, Phase::Measured]);
    }
}

#[cfg(test)]
mod tests {
    use crate::Completion;
    use hoap_record::{Error, ErrorKind};

    use super::*;
    use crate::measure::operation::ResponseTime;

    fn ended(counts_for: CountsFor, outcome: Outcome, service: u64) -> EndedOperation {
        let completion = Completion { outcome, retries: 0, rows: 0 };
        let time = ResponseTime::closed(service);
        EndedOperation { kind: 0, counts_for, time, at: 7, completion }
    }

    fn failed() -> Outcome {
        Outcome::Failed(Error::new(ErrorKind::Timeout, "try", "no"))
    }

    #[test]
    fn an_operation_counts_for_its_phase_and_outside_of_both_phases_only_as_cancelled() {
        let mut stats = TickStats::new(1);
        let mut add = |counts_for, outcome| stats.add(&ended(counts_for, outcome, 1));
        add(CountsFor::Phase(Phase::Warmup), Outcome::Done);
        add(CountsFor::Phase(Phase::Measured), Outcome::Done);
        add(CountsFor::Phase(Phase::Measured), Outcome::RolledBack);
        add(CountsFor::Nothing, Outcome::Done);
        add(CountsFor::Nothing, failed());
        add(CountsFor::Nothing, Outcome::Cancelled);
        add(CountsFor::InFlight { age: 5 }, Outcome::Cancelled);
        assert_eq!((stats.warmup.ended(), stats.window.ended()), (1, 2));
        assert_eq!(stats.cancelled, 2);
    }

    /// A backlog's failures are failures of the warm-up.
    #[test]
    fn a_backlog_of_the_warm_up_is_throughput_without_response_times() {
        let mut stats = TickStats::new(1);
        stats.add(&ended(CountsFor::Backlog, Outcome::Done, 1));
        stats.add(&ended(CountsFor::Backlog, failed(), 1));
        let window = &stats.window.0[0];
        assert_eq!((window.count(), window.response.count(), window.failed()), (1, 0, 0));
        assert_eq!((stats.window.ended(), stats.warmup.0[0].failed()), (0, 1));
        assert_eq!(stats.successes.sorted(), [(7, 7)]);
    }

    /// An operation in flight at the end has a response time: its own if it succeeded, else a lower
    /// bound. None of them is a success of the window.
    #[test]
    fn an_operation_that_ends_after_the_window_has_a_response_time_and_is_no_throughput() {
        let mut stats = TickStats::new(1);
        for (age, outcome) in [
            (Some(4_000), Outcome::Done),
            (Some(9_000), Outcome::Cancelled),
            (Some(2_000), failed()),
            (None, Outcome::Done),
            (None, failed()),
        ] {
            stats.add(&ended(CountsFor::AfterWindow { age }, outcome, 10_000));
        }
        let after = &stats.after.as_ref().unwrap().0[0];
        assert_eq!((after.response.count(), after.at_least), (4, 2));
        assert_eq!((after.unfinished, after.oldest), (3, 9_000));
        assert_eq!((after.failed(), after.cancelled), (2, 1));
        assert_eq!(after.ended(), 5, "each counts once");
        assert!(stats.window.0[0].is_empty() && stats.successes == Stretches::default());
        let mut sum = TickStats::new(1);
        sum.absorb(&stats);
        sum.absorb(&stats);
        assert_eq!(sum.after.as_ref().unwrap().0[0].unfinished, 6);
        sum.clear_all();
        assert!(sum.after.is_none());
    }
}
