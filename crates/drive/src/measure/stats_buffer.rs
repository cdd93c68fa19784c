//! Hands statistics from a worker to the collector without a client ever waiting.
//!
//! Every worker has a [`StatsBuffer`], which its clients fill. On a tick the collector swaps an
//! empty one in and takes the full one. A client only *tries* to lock the buffer: during the
//! nanoseconds in which the collector holds it, the [`Recorder`] keeps operations aside and adds
//! them with the next one. Steady state allocates nothing, except for the first error of each kind.
//!
//! A lock costs as much as a fifth of an operation that does nothing. So the recorder keeps the
//! lock from one operation to the next until the worker has polled all its clients, and gives it up
//! with the next operation where the collector wants it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crossbeam_utils::CachePadded;

use super::operation::EndedOperation;
use super::tick_stats::TickStats;

/// The statistics of a worker since the last tick, in cache lines of their own: the worker writes
/// them with every operation.
pub(crate) struct StatsBuffer(CachePadded<Shared>);

struct Shared {
    stats: Mutex<TickStats>,
    /// Whether the collector waits for the lock or has it.
    wanted: AtomicBool,
}

impl StatsBuffer {
    pub fn new(kinds: usize) -> Self {
        let stats = Mutex::new(TickStats::new(kinds));
        StatsBuffer(CachePadded::new(Shared { stats, wanted: AtomicBool::new(false) }))
    }

    /// Exchanges the statistics with `other`, which must be empty.
    pub fn swap(&self, other: &mut TickStats) {
        self.0.wanted.store(true, Ordering::Relaxed);
        std::mem::swap(&mut *self.lock(), other);
        self.0.wanted.store(false, Ordering::Relaxed);
    }

    // A panic does not leave the statistics in a state that matters, so a poisoned lock is used on.
    fn lock(&self) -> MutexGuard<'_, TickStats> {
        self.0.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, unless the collector wants it or has it.
    #[inline]
    fn try_lock(&self) -> Option<MutexGuard<'_, TickStats>> {
        if self.is_wanted() {
            return None;
        }
        match self.0.stats.try_lock() {
            Ok(stats) => Some(stats),
            Err(TryLockError::Poisoned(e)) => Some(e.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    #[inline]
    fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::Relaxed)
    }
}

/// The worker's side of a [`StatsBuffer`].
pub(crate) struct Recorder<'a> {
    buffer: &'a StatsBuffer,
    /// The lock, from an operation to the end of the worker's round.
    held: Option<MutexGuard<'a, TickStats>>,
    /// Whether it is given up after each operation: the next one of a blocking client may take any
    /// time.
    blocking: bool,
    /// Operations that ended while the collector held the buffer.
    deferred: Vec<EndedOperation>,
}

impl<'a> Recorder<'a> {
    pub fn new(buffer: &'a StatsBuffer, blocking: bool) -> Self {
        Recorder { buffer, held: None, blocking, deferred: Vec::with_capacity(64) }
    }

    /// Adds an operation. Never waits.
    #[inline]
    pub fn add(&mut self, ended: EndedOperation) {
        if self.held.is_none() || self.buffer.is_wanted() {
            self.held = None;
            self.held = self.buffer.try_lock();
        }
        let Some(stats) = &mut self.held else { return self.deferred.push(ended) };
        if !self.deferred.is_empty() {
            add_deferred(stats, &mut self.deferred);
        }
        stats.add(&ended);
        if self.blocking {
            self.held = None;
        }
    }

    /// Leaves the buffer to the collector until the next operation. To be called before the worker
    /// waits.
    pub fn end_round(&mut self) {
        self.held = None;
    }

    /// Adds the operations that were kept aside, and waits while the collector holds the buffer.
    pub fn end(&mut self) {
        self.held = None;
        add_deferred(&mut self.buffer.lock(), &mut self.deferred);
    }
}

#[cold]
fn add_deferred(stats: &mut TickStats, deferred: &mut Vec<EndedOperation>) {
    deferred.drain(..).for_each(|ended| stats.add(&ended));
}

#[cfg(test)]
mod tests {
    use crate::{Completion, Outcome};

    use super::*;
    use crate::measure::operation::{CountsFor, ResponseTime};
    use crate::plan::Phase;

    fn add_success(recorder: &mut Recorder<'_>, service: u64) {
        recorder.add(EndedOperation {
            kind: 0,
            counts_for: CountsFor::Phase(Phase::Measured),
            time: ResponseTime::closed(service),
            at: 7,
            completion: Completion { outcome: Outcome::Done, retries: 0, rows: 0 },
        });
    }

    #[test]
    fn a_client_never_waits_for_the_collector_and_loses_no_operation() {
        let buffer = StatsBuffer::new(1);
        let mut recorder = Recorder::new(&buffer, true);
        let held = buffer.lock();
        add_success(&mut recorder, 1_000);
        add_success(&mut recorder, 2_000);
        assert_eq!(held.window.0[0].count(), 0);
        drop(held);
        add_success(&mut recorder, 3_000);
        let mut full = TickStats::new(1);
        buffer.swap(&mut full);
        let latency = full.window.0[0].response.latency();
        assert_eq!((full.window.0[0].count(), latency.mean_us), (3, 2.0));

        let held = buffer.lock();
        add_success(&mut recorder, 4_000);
        drop(held);
        recorder.end();
        full.clear_all();
        assert!(full.window.0[0].is_empty());
        buffer.swap(&mut full);
        assert_eq!(full.window.0[0].count(), 1, "the end adds deferred operations");
    }

    /// The collector waits until the round ends or, where it does not, for the next operation; the
    /// operations that end while it has the buffer are not lost.
    #[test]
    fn a_recorder_that_keeps_the_lock_gives_it_up_where_the_collector_wants_it() {
        let buffer = StatsBuffer::new(1);
        let mut recorder = Recorder::new(&buffer, false);
        let mut full = TickStats::new(1);
        add_success(&mut recorder, 1_000);
        assert!(buffer.try_lock().is_none(), "it is kept");
        recorder.end_round();
        buffer.swap(&mut full);
        assert_eq!(full.window.0[0].count(), 1);

        full.clear_all();
        let taken = AtomicBool::new(false);
        let added = std::thread::scope(|scope| {
            add_success(&mut recorder, 1_000);
            scope.spawn(|| {
                buffer.swap(&mut full);
                taken.store(true, Ordering::Release);
            });
            let mut added = 1;
            while !taken.load(Ordering::Acquire) {
                add_success(&mut recorder, 1_000);
                added += 1;
            }
            added
        });
        recorder.end();
        let mut rest = TickStats::new(1);
        buffer.swap(&mut rest);
        assert_eq!(full.window.0[0].count() + rest.window.0[0].count(), added);
    }
}
