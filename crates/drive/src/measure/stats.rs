//! Statistics of the operations of one kind, and of all kinds.

use std::time::Instant;

use hoap_record::{Error, ErrorKind};

use crate::{Completion, Outcome};

use super::operation::ResponseTime;
use super::timing::Timing;

/// Failures of one kind of error.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub kind: ErrorKind,
    pub count: u64,
    /// The message of the first one.
    pub first: String,
    /// When the first one ended.
    pub from: Instant,
    /// When the last one ended.
    pub to: Instant,
}

impl Failure {
    /// One failure that ends now.
    #[cold]
    pub fn now(error: &Error) -> Self {
        let now = Instant::now();
        Failure { kind: error.kind, count: 1, first: error.to_string(), from: now, to: now }
    }

    /// Adds failures of the same kind.
    pub fn absorb(&mut self, other: &Failure) {
        self.count += other.count;
        if other.from < self.from {
            self.from = other.from;
            self.first.clone_from(&other.first);
        }
        self.to = self.to.max(other.to);
    }
}

/// Statistics of one kind of operation over some time.
pub(crate) struct KindStats {
    /// Response times of successes, and of operations that were in flight at the end of the window
    /// and did not succeed.
    pub response: Timing,
    /// The two parts of the response times, in an open loop.
    pub split: Option<Box<Split>>,
    /// Successes without a response time:
    /// [`CountsFor::Backlog`](super::operation::CountsFor::Backlog).
    pub backlog: u64,
    /// Response times that are lower bounds: those of operations that were in flight at the end of
    /// the window and did not succeed.
    pub at_least: u64,
    /// Operations in flight at the end of the window.
    pub unfinished: u64,
    /// How long the oldest of them had run by then, nanoseconds.
    pub oldest: u64,
    /// Successes that rolled back as the benchmark requires.
    pub rolled_back: u64,
    /// Successes that found nothing.
    pub empty: u64,
    /// Retries.
    pub retries: u64,
    /// Operations that the end of the step cancelled.
    pub cancelled: u64,
    /// Failed operations by kind of error.
    pub failures: Vec<Failure>,
}

/// The two parts of the response times.
pub(crate) struct Split {
    pub service: Timing,
    pub wait: Timing,
    /// The waits of operations for which a client waited.
    pub late: Timing,
}

impl KindStats {
    pub fn new() -> Self {
        KindStats {
            response: Timing::new(),
            split: None,
            backlog: 0,
            at_least: 0,
            unfinished: 0,
            oldest: 0,
            rolled_back: 0,
            empty: 0,
            retries: 0,
            cancelled: 0,
            failures: Vec::new(),
        }
    }

    /// Adds an operation.
    #[inline]
    pub fn add(&mut self, time: ResponseTime, completion: &Completion) {
        self.retries += u64::from(completion.retries);
        match &completion.outcome {
            Outcome::Done => {
                self.empty += u64::from(completion.rows == 0);
                self.add_success(time);
            }
            Outcome::RolledBack => {
                self.rolled_back += 1;
                self.add_success(time);
            }
            Outcome::Cancelled => self.cancelled += 1,
            Outcome::Failed(e) => self.add_error(e),
        }
    }

    /// Adds an operation of the window that ended after it. One that was in flight at the end of
    /// the window and did not succeed took at least as long as it ran.
    pub fn add_after(&mut self, time: ResponseTime, completion: &Completion, age: Option<u64>) {
        self.add(time, completion);
        let Some(age) = age else { return };
        self.add_in_flight(age);
        if !completion.outcome.succeeded() {
            self.at_least += 1;
            self.add_success(time);
        }
    }

    /// Adds an operation that was in flight at the end of the window.
    pub fn add_in_flight(&mut self, age: u64) {
        self.unfinished += 1;
        self.oldest = self.oldest.max(age);
    }

    /// Adds a success.
    #[inline]
    pub fn add_success(&mut self, time: ResponseTime) {
        self.response.add(time.total());
        if let Some(wait) = time.wait {
            let split = self.split();
            split.service.add(time.service);
            split.wait.add(wait);
            if time.late {
                split.late.add(wait);
            }
        }
    }

    fn split(&mut self) -> &mut Split {
        let new = Timing::new;
        let split = || Box::new(Split { service: new(), wait: new(), late: new() });
        self.split.get_or_insert_with(split)
    }

    /// Adds an error. Only the first of its kind is formatted.
    #[cold]
    fn add_error(&mut self, error: &Error) {
        match self.failures.iter_mut().find(|f| f.kind == error.kind) {
            Some(known) => {
                known.count += 1;
                known.to = Instant::now();
            }
            None => self.failures.push(Failure::now(error)),
        }
    }

    /// Adds failures of one kind of error.
    pub fn add_failure(&mut self, failure: &Failure) {
        match self.failures.iter_mut().find(|f| f.kind == failure.kind) {
            Some(known) => known.absorb(failure),
            None => self.failures.push(failure.clone()),
        }
    }

    pub fn absorb(&mut self, other: &KindStats) {
        self.response.absorb(&other.response);
        if let Some(theirs) = &other.split {
            let split = self.split();
            split.service.absorb(&theirs.service);
            split.wait.absorb(&theirs.wait);
            split.late.absorb(&theirs.late);
        }
        self.backlog += other.backlog;
        self.at_least += other.at_least;
        self.unfinished += other.unfinished;
        self.oldest = self.oldest.max(other.oldest);
        self.rolled_back += other.rolled_back;
        self.empty += other.empty;
        self.retries += other.retries;
        self.cancelled += other.cancelled;
        other.failures.iter().for_each(|f| self.add_failure(f));
    }

    /// Successes.
    pub fn count(&self) -> u64 {
        self.response.count() - self.at_least + self.backlog
    }

    /// Operations that ended, whatever their outcome, without the backlog.
    pub fn ended(&self) -> u64 {
        self.response.count() - self.at_least + self.failed() + self.cancelled
    }

    /// Failures of all kinds.
    pub fn failed(&self) -> u64 {
        self.failures.iter().map(|f| f.count).sum()
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.response.count() == 0
            && self.backlog == 0
            && self.unfinished == 0
            && self.retries == 0
            && self.cancelled == 0
            && self.failures.is_empty()
    }

    /// Removes all operations and keeps the memory of the histograms.
    fn clear(&mut self) {
        if !self.is_empty() {
            self.response.clear();
            if let Some(split) = &mut self.split {
                split.service.clear();
                split.wait.clear();
                split.late.clear();
            }
            self.backlog = 0;
            self.at_least = 0;
            self.unfinished = 0;
            self.oldest = 0;
            self.rolled_back = 0;
            self.empty = 0;
            self.retries = 0;
            self.cancelled = 0;
            self.failures.clear();
        }
    }
}

/// Statistics of all kinds of operations over some time, by the index of the kind.
pub(crate) struct StatsByKind(pub Vec<KindStats>);

impl StatsByKind {
    pub fn new(kinds: usize) -> Self {
        StatsByKind((0..kinds).map(|_| KindStats::new()).collect())
    }

    pub fn absorb(&mut self, other: &StatsByKind) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            if !theirs.is_empty() {
                mine.absorb(theirs);
            }
        }
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(KindStats::clear);
    }

    /// Response times of all kinds together.
    pub fn all(&self) -> Timing {
        let mut all = Timing::new();
        self.0.iter().for_each(|kind| all.absorb(&kind.response));
        all
    }

    /// Operations that the end of the step cancelled.
    pub fn cancelled(&self) -> u64 {
        self.0.iter().map(|kind| kind.cancelled).sum()
    }

    /// Successes.
    pub fn count(&self) -> u64 {
        self.0.iter().map(KindStats::count).sum()
    }

    /// Operations that ended, whatever their outcome, without the backlog.
    pub fn ended(&self) -> u64 {
        self.0.iter().map(KindStats::ended).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Response = wait + service for every operation; failures are in none of the three.
    #[test]
    fn an_open_loop_has_three_times_for_every_success() {
        let mut stats = KindStats::new();
        for i in 1..=100 {
            let time =
                ResponseTime { service: i * 1_000, wait: Some((100 - i) * 2_000), late: i > 90 };
            assert_eq!(time.total(), (200 - i) * 1_000);
            let failed = Outcome::Failed(Error::new(ErrorKind::Timeout, "try", "no"));
            for outcome in [Outcome::Done, failed] {
                stats.add(time, &Completion { outcome, retries: 0, rows: 0 });
            }
        }
        let split = stats.split.as_ref().unwrap();
        assert_eq!((stats.count(), stats.failed()), (100, 100));
        assert_eq!((split.service.count(), split.wait.count()), (100, 100));
        assert_eq!((split.late.count(), split.late.latency().max_us), (10, 18));
        assert_eq!(stats.response.latency().max_us, 199);
        assert_eq!((split.service.latency().max_us, split.wait.latency().max_us), (100, 198));
        let sum = split.service.latency().mean_us + split.wait.latency().mean_us;
        assert!((stats.response.latency().mean_us - sum).abs() < 1e-9);
        let mut whole = KindStats::new();
        whole.absorb(&stats);
        whole.absorb(&stats);
        assert_eq!(whole.split.as_ref().unwrap().wait.count(), 200);
        whole.clear();
        assert!(whole.is_empty() && whole.split.as_ref().unwrap().wait.count() == 0);
    }
}
