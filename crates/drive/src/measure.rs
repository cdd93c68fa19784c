//! Measurement: what happened to each kind of operation, gathered without a client ever waiting.
//!
//! Every worker thread has a [`Slot`] with the intervals that its clients are filling, one for each
//! phase that counts. On a tick the collector swaps empty ones in and takes the full ones away. The
//! client's side only ever *tries* the slot: in the nanoseconds in which the collector holds it, the
//! result is kept aside and added with the next one. Nothing is allocated in steady state, apart from
//! the first of each error.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

use hoap_workload::client::{Completion, Outcome};
use hoap_workload::{Error, ErrorKind};

use crate::plan::Phase;
use crate::timing::Timing;

/// How long one operation took, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Took {
    /// From its actual start to its end.
    pub service: u64,
    /// From its intended start to its actual one; `None` in a closed loop, which has no intention.
    pub wait: Option<u64>,
}

impl Took {
    /// In a closed loop.
    pub fn closed(service: u64) -> Self {
        Took { service, wait: None }
    }

    /// From the intended start to the end.
    pub fn response(self) -> u64 {
        self.service.saturating_add(self.wait.unwrap_or(0))
    }
}

/// What an operation counts for, by when it was due and when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    /// It counts in the phase, warm-up or measured window, for throughput and response times.
    In(Phase),
    /// Open loop: it was due in the warm-up and ended in the measured window, so that it is part of the
    /// window's throughput and of no response time.
    Backlog,
    /// It counts for the measured window and ended after it: its response time is one of the window's,
    /// and it is no part of the throughput.
    After {
        /// How long it had run at the end of the window, nanoseconds, in an open loop since it was due;
        /// `None` where it had not begun.
        age: Option<u64>,
    },
    /// It was in flight at the end of the measured window and belongs to the warm-up, in which it was
    /// due, or in which it began of a step of a number of operations.
    Hung {
        /// How long it had run at the end of the window, nanoseconds.
        age: u64,
    },
    /// It counts nowhere.
    Nowhere,
}

/// What happened to one kind of operation in some interval.
pub(crate) struct KindSet {
    /// Response times of the successes, and of what was in flight at the end and did not succeed.
    pub response: Timing,
    /// The two parts of the response times, in an open loop.
    pub split: Option<Box<Split>>,
    /// Successes that no response time stands for: [`Counts::Backlog`].
    pub backlog: u64,
    /// Of the response times, lower bounds: operations that were in flight at the end of the window and
    /// did not succeed took at least so long.
    pub at_least: u64,
    /// Operations in flight at the end of the window.
    pub unfinished: u64,
    /// How long the oldest of them had run by then, nanoseconds.
    pub oldest: u64,
    /// Of the successes, those that rolled back as the benchmark wants.
    pub rolled_back: u64,
    /// Times an operation was begun again.
    pub retries: u64,
    /// Operations that the end of the step cut off.
    pub cancelled: u64,
    /// Operations given up.
    pub failures: Vec<Failure>,
}

/// The two parts of the response times of the successes.
pub(crate) struct Split {
    pub service: Timing,
    pub wait: Timing,
}

/// Failures of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub kind: ErrorKind,
    pub count: u64,
    /// The first of them, in words.
    pub first: String,
    /// When the first of them ended.
    pub from: Instant,
    /// When the last of them ended.
    pub to: Instant,
}

impl Failure {
    /// One failure, which has just been met.
    #[cold]
    pub fn now(error: &Error) -> Self {
        let now = Instant::now();
        Failure { kind: error.kind, count: 1, first: error.to_string(), from: now, to: now }
    }

    /// Adds others of the same kind.
    pub fn absorb(&mut self, other: &Failure) {
        self.count += other.count;
        if other.from < self.from {
            self.from = other.from;
            self.first.clone_from(&other.first);
        }
        self.to = self.to.max(other.to);
    }
}

impl KindSet {
    pub fn new() -> Self {
        KindSet {
            response: Timing::new(),
            split: None,
            backlog: 0,
            at_least: 0,
            unfinished: 0,
            oldest: 0,
            rolled_back: 0,
            retries: 0,
            cancelled: 0,
            failures: Vec::new(),
        }
    }

    /// Adds one operation.
    #[inline]
    pub fn add(&mut self, took: Took, completion: &Completion) {
        self.retries += u64::from(completion.retries);
        match &completion.outcome {
            Outcome::Done => self.success(took),
            Outcome::RolledBack => {
                self.rolled_back += 1;
                self.success(took);
            }
            Outcome::Cancelled => self.cancelled += 1,
            Outcome::Failed(e) if e.kind == ErrorKind::Cancelled => self.cancelled += 1,
            Outcome::Failed(e) => self.failed_with(e),
        }
    }

    /// Adds one that ended after the window. What did not succeed took at least as long as it ran.
    fn add_after(&mut self, took: Took, completion: &Completion, age: Option<u64>) {
        self.add(took, completion);
        let Some(age) = age else { return };
        self.hung(age);
        if !completion.outcome.succeeded() {
            self.at_least += 1;
            self.success(took);
        }
    }

    /// Adds one that was in flight at the end of the window.
    fn hung(&mut self, age: u64) {
        self.unfinished += 1;
        self.oldest = self.oldest.max(age);
    }

    /// Adds one that went well.
    #[inline]
    pub fn success(&mut self, took: Took) {
        self.response.add(took.response());
        if let Some(wait) = took.wait {
            let split = self.split();
            split.service.add(took.service);
            split.wait.add(wait);
        }
    }

    fn split(&mut self) -> &mut Split {
        let new = || Box::new(Split { service: Timing::new(), wait: Timing::new() });
        self.split.get_or_insert_with(new)
    }

    /// The words of an error are made for the first of its kind only.
    #[cold]
    fn failed_with(&mut self, error: &Error) {
        match self.failures.iter_mut().find(|f| f.kind == error.kind) {
            Some(known) => {
                known.count += 1;
                known.to = Instant::now();
            }
            None => self.failures.push(Failure::now(error)),
        }
    }

    /// Adds failures of one kind.
    pub fn failure(&mut self, failure: &Failure) {
        match self.failures.iter_mut().find(|f| f.kind == failure.kind) {
            Some(known) => known.absorb(failure),
            None => self.failures.push(failure.clone()),
        }
    }

    /// Adds all of another set.
    pub fn absorb(&mut self, other: &KindSet) {
        self.response.absorb(&other.response);
        if let Some(theirs) = &other.split {
            let split = self.split();
            split.service.absorb(&theirs.service);
            split.wait.absorb(&theirs.wait);
        }
        self.backlog += other.backlog;
        self.at_least += other.at_least;
        self.unfinished += other.unfinished;
        self.oldest = self.oldest.max(other.oldest);
        self.rolled_back += other.rolled_back;
        self.retries += other.retries;
        self.cancelled += other.cancelled;
        other.failures.iter().for_each(|f| self.failure(f));
    }

    /// Successes.
    pub fn count(&self) -> u64 {
        self.response.count() - self.at_least + self.backlog
    }

    /// Operations that ended of those that response times stand for, in whatever way.
    fn ended(&self) -> u64 {
        self.response.count() - self.at_least + self.failed() + self.cancelled
    }

    /// Failures of all kinds.
    pub fn failed(&self) -> u64 {
        self.failures.iter().map(|f| f.count).sum()
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.response.count() == 0
            && self.backlog == 0
            && self.unfinished == 0
            && self.retries == 0
            && self.cancelled == 0
            && self.failures.is_empty()
    }

    fn clear(&mut self) {
        if !self.is_empty() {
            self.response.clear();
            if let Some(split) = &mut self.split {
                split.service.clear();
                split.wait.clear();
            }
            self.backlog = 0;
            self.at_least = 0;
            self.unfinished = 0;
            self.oldest = 0;
            self.rolled_back = 0;
            self.retries = 0;
            self.cancelled = 0;
            self.failures.clear();
        }
    }
}

/// What happened to all kinds of operations in some interval, by the index of the kind.
pub(crate) struct Interval(pub Vec<KindSet>);

impl Interval {
    pub fn new(kinds: usize) -> Self {
        Interval((0..kinds).map(|_| KindSet::new()).collect())
    }

    pub fn absorb(&mut self, other: &Interval) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            if !theirs.is_empty() {
                mine.absorb(theirs);
            }
        }
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(KindSet::clear);
    }

    /// Response times of all kinds.
    pub fn all(&self) -> Timing {
        let mut all = Timing::new();
        self.0.iter().for_each(|kind| all.absorb(&kind.response));
        all
    }

    pub fn cancelled(&self) -> u64 {
        self.0.iter().map(|kind| kind.cancelled).sum()
    }

    /// Successes.
    pub fn count(&self) -> u64 {
        self.0.iter().map(KindSet::count).sum()
    }

    /// Operations that ended of those that response times stand for, in whatever way.
    pub fn ended(&self) -> u64 {
        self.0.iter().map(KindSet::ended).sum()
    }
}

/// What a worker has measured since the last tick, by what it counts for.
pub(crate) struct Measured {
    pub warmup: Interval,
    pub window: Interval,
    /// What ended after the window. Most workers never have any.
    pub after: Option<Box<Interval>>,
    /// When the first and the last success of the window ended, on the clients' clock; the first is
    /// later than the last where none did.
    pub successes: (u64, u64),
    /// Operations that count nowhere and were cut off.
    pub cancelled: u64,
}

/// No success.
const NONE: (u64, u64) = (u64::MAX, 0);

impl Measured {
    pub fn new(kinds: usize) -> Self {
        Measured {
            warmup: Interval::new(kinds),
            window: Interval::new(kinds),
            after: None,
            successes: NONE,
            cancelled: 0,
        }
    }

    #[inline]
    fn add(&mut self, ended: &Ended) {
        if ended.counts == Counts::In(Phase::Measured) {
            if ended.completion.outcome.succeeded() {
                self.success_at(ended.at);
            }
            self.window.0[ended.kind].add(ended.took, &ended.completion);
        } else {
            self.add_outside(ended);
        }
    }

    #[inline]
    fn success_at(&mut self, at: u64) {
        self.successes = (self.successes.0.min(at), self.successes.1.max(at));
    }

    /// Adds what is not simply one of the window.
    fn add_outside(&mut self, ended: &Ended) {
        let Ended { kind, counts, took, at, ref completion } = *ended;
        match counts {
            Counts::In(Phase::Measured) => unreachable!("it is one of the window"),
            Counts::Backlog if completion.outcome.succeeded() => {
                self.success_at(at);
                let set = &mut self.window.0[kind];
                set.backlog += 1;
                set.rolled_back += u64::from(matches!(completion.outcome, Outcome::RolledBack));
                set.retries += u64::from(completion.retries);
            }
            Counts::In(Phase::Warmup) | Counts::Backlog => {
                self.warmup.0[kind].add(took, completion);
            }
            Counts::After { age } => self.after(kind).add_after(took, completion, age),
            Counts::Hung { age } => {
                self.after(kind).hung(age);
                self.cancelled += u64::from(completion.outcome.cancelled());
            }
            Counts::In(Phase::Connecting | Phase::Ended) | Counts::Nowhere => {
                self.cancelled += u64::from(completion.outcome.cancelled());
            }
        }
    }

    fn after(&mut self, kind: usize) -> &mut KindSet {
        let kinds = self.window.0.len();
        &mut self.after.get_or_insert_with(|| Box::new(Interval::new(kinds))).0[kind]
    }

    #[cold]
    fn add_all(&mut self, aside: &mut Vec<Ended>) {
        aside.drain(..).for_each(|ended| self.add(&ended));
    }

    pub fn absorb(&mut self, other: &Measured) {
        self.warmup.absorb(&other.warmup);
        self.window.absorb(&other.window);
        if let Some(theirs) = &other.after {
            let kinds = theirs.0.len();
            self.after.get_or_insert_with(|| Box::new(Interval::new(kinds))).absorb(theirs);
        }
        self.successes.0 = self.successes.0.min(other.successes.0);
        self.successes.1 = self.successes.1.max(other.successes.1);
        self.cancelled += other.cancelled;
    }

    /// What counts for a phase.
    pub fn of(&self, phase: Phase) -> &Interval {
        match phase {
            Phase::Measured => &self.window,
            _ => &self.warmup,
        }
    }

    /// Forgets what counts for these phases and for none of the two.
    pub fn clear(&mut self, phases: &[Phase]) {
        if phases.contains(&Phase::Warmup) {
            self.warmup.clear();
        }
        if phases.contains(&Phase::Measured) {
            self.window.clear();
            self.successes = NONE;
        }
        self.after = None;
        self.cancelled = 0;
    }

    /// Forgets everything.
    pub fn clear_all(&mut self) {
        self.clear(&[Phase::Warmup, Phase::Measured]);
    }
}

/// An operation that ended.
pub(crate) struct Ended {
    /// Index into the workload's kinds.
    pub kind: usize,
    pub counts: Counts,
    pub took: Took,
    /// When it ended, on the clients' clock.
    pub at: u64,
    pub completion: Completion,
}

/// Where a worker's intervals change hands. It has cache lines of its own: its worker writes it with
/// every operation.
#[repr(align(128))]
pub(crate) struct Slot(Mutex<Measured>);

impl Slot {
    pub fn new(kinds: usize) -> Self {
        Slot(Mutex::new(Measured::new(kinds)))
    }

    /// Takes what was measured away and leaves `other`, which must be empty, in its place.
    pub fn swap(&self, other: &mut Measured) {
        std::mem::swap(&mut *self.lock(), other);
    }

    // A panic cannot leave an interval half changed in a way that matters: go on with it.
    fn lock(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client's side of a [`Slot`].
pub(crate) struct Recorder<'a> {
    slot: &'a Slot,
    /// Results that came while the collector held the slot.
    aside: Vec<Ended>,
}

impl<'a> Recorder<'a> {
    pub fn new(slot: &'a Slot) -> Self {
        Recorder { slot, aside: Vec::with_capacity(64) }
    }

    /// Adds one operation to what it counts for. Never waits.
    #[inline]
    pub fn add(&mut self, ended: Ended) {
        let mut measured = match self.slot.0.try_lock() {
            Ok(measured) => measured,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return self.aside.push(ended),
        };
        if !self.aside.is_empty() {
            measured.add_all(&mut self.aside);
        }
        measured.add(&ended);
    }
}

impl Drop for Recorder<'_> {
    /// Nothing that was kept aside is lost.
    fn drop(&mut self) {
        let mut measured = self.slot.lock();
        measured.add_all(&mut self.aside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(recorder: &mut Recorder<'_>, service: u64) {
        recorder.add(ended(Counts::In(Phase::Measured), Outcome::Done, Took::closed(service)));
    }

    fn ended(counts: Counts, outcome: Outcome, took: Took) -> Ended {
        let completion = Completion { outcome, retries: 0, rows: 0 };
        Ended { kind: 0, counts, took, at: 7, completion }
    }

    #[test]
    fn a_client_never_waits_for_the_collector_and_loses_nothing() {
        let slot = Slot::new(1);
        let mut recorder = Recorder::new(&slot);
        let held = slot.lock();
        done(&mut recorder, 1_000);
        done(&mut recorder, 2_000);
        assert_eq!(held.window.0[0].count(), 0);
        drop(held);
        done(&mut recorder, 3_000);
        let mut full = Measured::new(1);
        slot.swap(&mut full);
        let latency = full.window.0[0].response.latency();
        assert_eq!((full.window.0[0].count(), latency.mean_us), (3, 2.0));

        let held = slot.lock();
        done(&mut recorder, 4_000);
        drop(held);
        drop(recorder);
        full.clear_all();
        assert!(full.window.0[0].is_empty());
        slot.swap(&mut full);
        assert_eq!(full.window.0[0].count(), 1, "what was kept aside comes with the end");
    }

    #[test]
    fn an_operation_counts_for_its_phase_and_outside_of_both_only_as_cancelled() {
        let mut measured = Measured::new(1);
        let mut add = |counts, outcome| measured.add(&ended(counts, outcome, Took::closed(1)));
        add(Counts::In(Phase::Warmup), Outcome::Done);
        add(Counts::In(Phase::Measured), Outcome::Done);
        add(Counts::In(Phase::Measured), Outcome::RolledBack);
        add(Counts::Nowhere, Outcome::Done);
        add(Counts::Nowhere, Outcome::Cancelled);
        let error = Error::new(ErrorKind::Cancelled, "try", "no");
        add(Counts::Nowhere, Outcome::Failed(error));
        assert_eq!((measured.warmup.ended(), measured.window.ended()), (1, 2));
        assert_eq!(measured.cancelled, 2);
    }

    /// The backlog is throughput without a response time; its failures are the warm-up's.
    #[test]
    fn a_backlog_of_the_warm_up_counts_as_done_and_has_no_response_time() {
        let mut measured = Measured::new(1);
        measured.add(&ended(Counts::Backlog, Outcome::Done, Took::closed(1)));
        let error = Error::new(ErrorKind::Timeout, "try", "no");
        measured.add(&ended(Counts::Backlog, Outcome::Failed(error), Took::closed(1)));
        let window = &measured.window.0[0];
        assert_eq!((window.count(), window.response.count(), window.failed()), (1, 0, 0));
        assert_eq!((measured.window.ended(), measured.warmup.0[0].failed()), (0, 1));
        assert_eq!(measured.successes, (7, 7));
    }

    /// What was in flight at the end has a response time: its own where it succeeded, else at least as
    /// long as it ran. Nothing of it is a success of the window.
    #[test]
    fn what_ends_after_the_window_has_a_response_time_and_is_no_success_of_it() {
        let failed = || Outcome::Failed(Error::new(ErrorKind::Timeout, "try", "no"));
        let mut measured = Measured::new(1);
        for (age, outcome) in [
            (Some(4_000), Outcome::Done),
            (Some(9_000), Outcome::Cancelled),
            (Some(2_000), failed()),
            (None, Outcome::Done),
            (None, failed()),
        ] {
            measured.add(&ended(Counts::After { age }, outcome, Took::closed(10_000)));
        }
        let after = &measured.after.as_ref().unwrap().0[0];
        assert_eq!((after.response.count(), after.at_least), (4, 2));
        assert_eq!((after.unfinished, after.oldest), (3, 9_000));
        assert_eq!((after.failed(), after.cancelled), (2, 1));
        assert_eq!(after.ended(), 5, "each is there once");
        assert!(measured.window.0[0].is_empty() && measured.successes == NONE);
        let mut sum = Measured::new(1);
        sum.absorb(&measured);
        sum.absorb(&measured);
        assert_eq!(sum.after.as_ref().unwrap().0[0].unfinished, 6);
        sum.clear_all();
        assert!(sum.after.is_none());
    }

    /// Response = wait + service of every operation, failures in none of the three.
    #[test]
    fn an_open_loop_has_three_times_of_every_success() {
        let mut set = KindSet::new();
        for i in 1..=100 {
            let took = Took { service: i * 1_000, wait: Some((100 - i) * 2_000) };
            assert_eq!(took.response(), (200 - i) * 1_000);
            let failed = Outcome::Failed(Error::new(ErrorKind::Timeout, "try", "no"));
            for outcome in [Outcome::Done, failed] {
                set.add(took, &Completion { outcome, retries: 0, rows: 0 });
            }
        }
        let split = set.split.as_ref().unwrap();
        assert_eq!((set.count(), set.failed()), (100, 100));
        assert_eq!((split.service.count(), split.wait.count()), (100, 100));
        assert_eq!(set.response.latency().max_us, 199);
        assert_eq!((split.service.latency().max_us, split.wait.latency().max_us), (100, 198));
        let sum = split.service.latency().mean_us + split.wait.latency().mean_us;
        assert!((set.response.latency().mean_us - sum).abs() < 1e-9);
        let mut whole = KindSet::new();
        whole.absorb(&set);
        whole.absorb(&set);
        assert_eq!(whole.split.as_ref().unwrap().wait.count(), 200);
        whole.clear();
        assert!(whole.is_empty() && whole.split.as_ref().unwrap().wait.count() == 0);
    }
}
