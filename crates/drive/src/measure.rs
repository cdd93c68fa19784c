//! Measurement: what happened to each kind of operation, gathered without a client ever waiting.
//!
//! Every worker thread has a [`Slot`] with the interval that its clients are filling. On a tick the
//! collector swaps an empty interval in and takes the full one away. The client's side only ever
//! *tries* the slot: in the nanoseconds in which the collector holds it, the result is kept aside and
//! added with the next one. Nothing is allocated in steady state, apart from the first of each
//! error.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use hdrhistogram::Histogram;
use hoap_workload::ErrorKind;
use hoap_workload::client::{Completion, Outcome};

use crate::record::Latency;

/// Longest time a histogram tells apart: an hour. A longer one is counted at it; its true length is
/// kept in the maximum.
pub(crate) const LONGEST_US: u64 = 3_600_000_000;

/// A histogram of microseconds with three significant digits that grows up to [`LONGEST_US`]. It
/// starts with room for a second, so that it hardly ever grows.
pub(crate) fn histogram() -> Histogram<u64> {
    let mut h = Histogram::new_with_bounds(1, 1_000_000, 3).expect("the bounds are valid");
    h.auto(true);
    h
}

/// Whole microseconds, rounded to the nearest.
pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from((time.as_nanos() + 500) / 1_000).unwrap_or(u64::MAX)
}

/// What happened to one kind of operation in some interval.
pub(crate) struct KindSet {
    /// Response times of the successes, microseconds.
    pub times: Histogram<u64>,
    /// Their exact sum.
    pub sum: Duration,
    /// The longest, exact.
    pub longest: Duration,
    /// Of the successes, those that rolled back as the benchmark wants.
    pub rolled_back: u64,
    /// Times an operation was begun again.
    pub retries: u64,
    /// Operations that the end of the step cut off.
    pub cancelled: u64,
    /// Operations given up.
    pub failures: Vec<Failure>,
}

/// Failures of one kind.
pub(crate) struct Failure {
    pub kind: ErrorKind,
    pub count: u64,
    /// The first of them, in words.
    pub first: String,
}

impl KindSet {
    fn new() -> Self {
        KindSet {
            times: histogram(),
            sum: Duration::ZERO,
            longest: Duration::ZERO,
            rolled_back: 0,
            retries: 0,
            cancelled: 0,
            failures: Vec::new(),
        }
    }

    /// Adds one operation.
    pub fn add(&mut self, took: Duration, completion: &Completion) {
        self.retries += u64::from(completion.retries);
        match &completion.outcome {
            Outcome::Done => self.success(took),
            Outcome::RolledBack => {
                self.rolled_back += 1;
                self.success(took);
            }
            Outcome::Cancelled => self.cancelled += 1,
            Outcome::Failed(e) if e.kind == ErrorKind::Cancelled => self.cancelled += 1,
            Outcome::Failed(e) => self.failure(e.kind, 1, || e.to_string()),
        }
    }

    fn success(&mut self, took: Duration) {
        self.times
            .record(micros(took).min(LONGEST_US))
            .expect("the histogram grows up to any bounded value");
        self.sum += took;
        self.longest = self.longest.max(took);
    }

    fn failure(&mut self, kind: ErrorKind, count: u64, first: impl FnOnce() -> String) {
        match self.failures.iter_mut().find(|f| f.kind == kind) {
            Some(known) => known.count += count,
            None => self.failures.push(Failure { kind, count, first: first() }),
        }
    }

    /// Adds all of another set.
    pub fn absorb(&mut self, other: &KindSet) {
        self.times.add(&other.times).expect("the histogram grows");
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
        self.rolled_back += other.rolled_back;
        self.retries += other.retries;
        self.cancelled += other.cancelled;
        for f in &other.failures {
            self.failure(f.kind, f.count, || f.first.clone());
        }
    }

    /// Successes.
    pub fn count(&self) -> u64 {
        self.times.len()
    }

    /// Failures of all kinds.
    pub fn failed(&self) -> u64 {
        self.failures.iter().map(|f| f.count).sum()
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
            && self.retries == 0
            && self.cancelled == 0
            && self.failures.is_empty()
    }

    fn clear(&mut self) {
        if !self.is_empty() {
            self.times.reset();
            self.sum = Duration::ZERO;
            self.longest = Duration::ZERO;
            self.rolled_back = 0;
            self.retries = 0;
            self.cancelled = 0;
            self.failures.clear();
        }
    }

    /// Response times of the successes; zeros where there are none.
    pub fn latency(&self) -> Latency {
        if self.times.is_empty() {
            return Latency::default();
        }
        Latency {
            mean_us: self.sum.as_secs_f64() * 1e6 / self.count() as f64,
            p50_us: self.quantile_us(0.5),
            p90_us: self.quantile_us(0.9),
            p95_us: self.quantile_us(0.95),
            p99_us: self.quantile_us(0.99),
            p999_us: self.quantile_us(0.999),
            max_us: micros(self.longest),
        }
    }

    /// A quantile of the successes, 0 where there are none. A histogram answers with the upper
    /// edge of a bucket, which may lie above the longest time there was: then that is the answer.
    pub fn quantile_us(&self, quantile: f64) -> u64 {
        match self.times.is_empty() {
            true => 0,
            false => self.times.value_at_quantile(quantile).min(micros(self.longest)),
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

    /// All kinds in one.
    pub fn all(&self) -> KindSet {
        let mut all = KindSet::new();
        self.0.iter().for_each(|kind| all.absorb(kind));
        all
    }

    pub fn cancelled(&self) -> u64 {
        self.0.iter().map(|kind| kind.cancelled).sum()
    }

    pub fn failed(&self) -> u64 {
        self.0.iter().map(KindSet::failed).sum()
    }
}

/// Where a worker's interval changes hands.
pub(crate) struct Slot(Mutex<Interval>);

impl Slot {
    pub fn new(kinds: usize) -> Self {
        Slot(Mutex::new(Interval::new(kinds)))
    }

    /// Takes the full interval away and leaves `other`, which must be empty, in its place.
    pub fn swap(&self, other: &mut Interval) {
        std::mem::swap(&mut *self.lock(), other);
    }

    // A panic cannot leave an interval half changed in a way that matters: go on with it.
    fn lock(&self) -> MutexGuard<'_, Interval> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client's side of a [`Slot`].
pub(crate) struct Recorder<'a> {
    slot: &'a Slot,
    /// Results that came while the collector held the slot.
    aside: Vec<(usize, Duration, Completion)>,
}

impl<'a> Recorder<'a> {
    pub fn new(slot: &'a Slot) -> Self {
        Recorder { slot, aside: Vec::with_capacity(64) }
    }

    /// Adds one operation. Never waits.
    pub fn add(&mut self, kind: usize, took: Duration, completion: Completion) {
        let mut interval = match self.slot.0.try_lock() {
            Ok(interval) => interval,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return self.aside.push((kind, took, completion)),
        };
        for (kind, took, completion) in self.aside.drain(..) {
            interval.0[kind].add(took, &completion);
        }
        interval.0[kind].add(took, &completion);
    }
}

impl Drop for Recorder<'_> {
    /// Nothing that was kept aside is lost.
    fn drop(&mut self) {
        let mut interval = self.slot.lock();
        for (kind, took, completion) in self.aside.drain(..) {
            interval.0[kind].add(took, &completion);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done() -> Completion {
        Completion { outcome: Outcome::Done, retries: 0, rows: 0 }
    }

    #[test]
    fn a_client_never_waits_for_the_collector_and_loses_nothing() {
        let slot = Slot::new(1);
        let mut recorder = Recorder::new(&slot);
        let held = slot.lock();
        recorder.add(0, Duration::from_micros(1), done());
        recorder.add(0, Duration::from_micros(2), done());
        assert_eq!(held.0[0].count(), 0);
        drop(held);
        recorder.add(0, Duration::from_micros(3), done());
        let mut full = Interval::new(1);
        slot.swap(&mut full);
        assert_eq!((full.0[0].count(), full.0[0].sum), (3, Duration::from_micros(6)));

        let held = slot.lock();
        recorder.add(0, Duration::from_micros(4), done());
        drop(held);
        drop(recorder);
        full.clear();
        assert!(full.0[0].is_empty());
        slot.swap(&mut full);
        assert_eq!(full.0[0].count(), 1, "what was kept aside comes with the end");
    }

    #[test]
    fn longer_than_an_hour_counts_at_an_hour_and_keeps_its_length() {
        let mut set = KindSet::new();
        let long = Duration::from_secs(7200);
        set.add(long, &done());
        set.add(Duration::ZERO, &done());
        assert_eq!(set.count(), 2);
        assert!(set.times.equivalent(set.times.max(), LONGEST_US));
        assert_eq!(set.latency().max_us, 7_200_000_000);
        assert_eq!(set.latency().mean_us, 3_600_000_000.0);
        assert_eq!(set.latency().p50_us, 0);
    }

    #[test]
    fn three_digits_are_kept_and_no_quantile_exceeds_the_maximum() {
        let mut set = KindSet::new();
        for us in 1..=100_000 {
            set.add(Duration::from_micros(us), &done());
        }
        let latency = set.latency();
        let close = |value: u64, exact: f64| (value as f64 / exact - 1.0).abs() < 1e-3;
        assert!(close(latency.p50_us, 50_000.0) && close(latency.p90_us, 90_000.0));
        assert!(close(latency.p95_us, 95_000.0) && close(latency.p99_us, 99_000.0));
        assert!(close(latency.p999_us, 99_900.0));
        assert_eq!(latency.max_us, 100_000);
        assert!((latency.mean_us - 50_000.5).abs() < 1e-6);
        let mut one = KindSet::new();
        one.add(Duration::from_micros(1_000_001), &done());
        assert_eq!(one.latency().p50_us, 1_000_001);
    }

    #[test]
    fn time_rounds_to_the_nearest_microsecond() {
        assert_eq!(micros(Duration::from_nanos(499)), 0);
        assert_eq!(micros(Duration::from_nanos(500)), 1);
        assert_eq!(micros(Duration::from_nanos(1_499)), 1);
        assert_eq!(micros(Duration::MAX), u64::MAX);
    }
}
