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

/// What happened to one kind of operation in some interval.
pub(crate) struct KindSet {
    /// Response times of the successes.
    pub response: Timing,
    /// The two parts of the response times, in an open loop.
    pub split: Option<Box<Split>>,
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
        self.rolled_back += other.rolled_back;
        self.retries += other.retries;
        self.cancelled += other.cancelled;
        other.failures.iter().for_each(|f| self.failure(f));
    }

    /// Successes.
    pub fn count(&self) -> u64 {
        self.response.count()
    }

    /// Failures of all kinds.
    pub fn failed(&self) -> u64 {
        self.failures.iter().map(|f| f.count).sum()
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.count() == 0 && self.retries == 0 && self.cancelled == 0 && self.failures.is_empty()
    }

    fn clear(&mut self) {
        if !self.is_empty() {
            self.response.clear();
            if let Some(split) = &mut self.split {
                split.service.clear();
                split.wait.clear();
            }
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

    pub fn failed(&self) -> u64 {
        self.0.iter().map(KindSet::failed).sum()
    }

    /// Operations that ended, in whatever way.
    pub fn ended(&self) -> u64 {
        let successes = self.0.iter().map(KindSet::count).sum::<u64>();
        successes + self.failed() + self.cancelled()
    }
}

/// What a worker has measured since the last tick, by what it counts for.
pub(crate) struct Measured {
    pub warmup: Interval,
    pub window: Interval,
    /// Operations that count nowhere and were cut off.
    pub cancelled: u64,
}

impl Measured {
    pub fn new(kinds: usize) -> Self {
        Measured { warmup: Interval::new(kinds), window: Interval::new(kinds), cancelled: 0 }
    }

    #[inline]
    fn add(&mut self, kind: usize, phase: Phase, took: Took, completion: &Completion) {
        let interval = match phase {
            Phase::Warmup => &mut self.warmup,
            Phase::Measured => &mut self.window,
            Phase::Connecting | Phase::Ended => {
                self.cancelled += u64::from(is_cancelled(&completion.outcome));
                return;
            }
        };
        interval.0[kind].add(took, completion);
    }

    #[cold]
    fn add_all(&mut self, aside: &mut Vec<Aside>) {
        for (kind, phase, took, completion) in aside.drain(..) {
            self.add(kind, phase, took, &completion);
        }
    }

    pub fn absorb(&mut self, other: &Measured) {
        self.warmup.absorb(&other.warmup);
        self.window.absorb(&other.window);
        self.cancelled += other.cancelled;
    }

    pub fn clear(&mut self) {
        self.warmup.clear();
        self.window.clear();
        self.cancelled = 0;
    }
}

/// A result that waits for the collector.
type Aside = (usize, Phase, Took, Completion);

fn is_cancelled(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Cancelled => true,
        Outcome::Failed(e) => e.kind == ErrorKind::Cancelled,
        Outcome::Done | Outcome::RolledBack => false,
    }
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
    aside: Vec<Aside>,
}

impl<'a> Recorder<'a> {
    pub fn new(slot: &'a Slot) -> Self {
        Recorder { slot, aside: Vec::with_capacity(64) }
    }

    /// Adds one operation to the phase it counts for; to no other than the warm-up and the measured
    /// window. Never waits.
    #[inline]
    pub fn add(&mut self, kind: usize, phase: Phase, took: Took, completion: Completion) {
        let mut measured = match self.slot.0.try_lock() {
            Ok(measured) => measured,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return self.aside.push((kind, phase, took, completion));
            }
        };
        if !self.aside.is_empty() {
            measured.add_all(&mut self.aside);
        }
        measured.add(kind, phase, took, &completion);
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
        let completion = Completion { outcome: Outcome::Done, retries: 0, rows: 0 };
        recorder.add(0, Phase::Measured, Took::closed(service), completion);
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
        full.clear();
        assert!(full.window.0[0].is_empty());
        slot.swap(&mut full);
        assert_eq!(full.window.0[0].count(), 1, "what was kept aside comes with the end");
    }

    #[test]
    fn an_operation_counts_for_its_phase_and_outside_of_both_only_as_cancelled() {
        let mut measured = Measured::new(1);
        let mut add = |phase, outcome| {
            let completion = Completion { outcome, retries: 0, rows: 0 };
            measured.add(0, phase, Took::closed(1), &completion);
        };
        add(Phase::Warmup, Outcome::Done);
        add(Phase::Measured, Outcome::Done);
        add(Phase::Measured, Outcome::RolledBack);
        add(Phase::Ended, Outcome::Done);
        add(Phase::Ended, Outcome::Cancelled);
        let error = Error::new(ErrorKind::Cancelled, "try", "no");
        add(Phase::Ended, Outcome::Failed(error));
        assert_eq!((measured.warmup.ended(), measured.window.ended()), (1, 2));
        assert_eq!(measured.cancelled, 2);
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
