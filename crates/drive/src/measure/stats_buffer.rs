//! Hands statistics from a worker to the collector without a client ever waiting.
//!
//! Every worker has a [`StatsBuffer`], which its clients fill. On a tick the collector swaps an
//! empty one in and takes the full one. A client only *tries* to lock the buffer: during the
//! nanoseconds in which the collector holds it, the [`Recorder`] keeps operations aside and adds
//! them with the next one. Steady state allocates nothing, except for the first error of each kind.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crossbeam_utils::CachePadded;

use super::operation::EndedOperation;
use super::tick_stats::TickStats;

/// The statistics of a worker since the last tick, in cache lines of their own: the worker writes
/// them with every operation.
pub(crate) struct StatsBuffer(CachePadded<Mutex<TickStats>>);

impl StatsBuffer {
    pub fn new(kinds: usize) -> Self {
        StatsBuffer(CachePadded::new(Mutex::new(TickStats::new(kinds))))
    }

    /// Exchanges the statistics with `other`, which must be empty.
    pub fn swap(&self, other: &mut TickStats) {
        std::mem::swap(&mut *self.lock(), other);
    }

    // A panic does not leave the statistics in a state that matters, so a poisoned lock is used on.
    fn lock(&self) -> MutexGuard<'_, TickStats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The worker's side of a [`StatsBuffer`].
pub(crate) struct Recorder<'a> {
    buffer: &'a StatsBuffer,
    /// Operations that ended while the collector held the buffer.
    deferred: Vec<EndedOperation>,
}

impl<'a> Recorder<'a> {
    pub fn new(buffer: &'a StatsBuffer) -> Self {
        Recorder { buffer, deferred: Vec::with_capacity(64) }
    }

    /// Adds an operation. Never waits.
    #[inline]
    pub fn add(&mut self, ended: EndedOperation) {
        let mut stats = match self.buffer.0.try_lock() {
            Ok(stats) => stats,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return self.deferred.push(ended),
        };
        if !self.deferred.is_empty() {
            add_deferred(&mut stats, &mut self.deferred);
        }
        stats.add(&ended);
    }
}

#[cold]
fn add_deferred(stats: &mut TickStats, deferred: &mut Vec<EndedOperation>) {
    deferred.drain(..).for_each(|ended| stats.add(&ended));
}

impl Drop for Recorder<'_> {
    /// Adds the operations that were kept aside.
    fn drop(&mut self) {
        let mut stats = self.buffer.lock();
        add_deferred(&mut stats, &mut self.deferred);
    }
}

#[cfg(test)]
mod tests {
    use hoap_workload::client::{Completion, Outcome};

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
        let mut recorder = Recorder::new(&buffer);
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
        drop(recorder);
        full.clear_all();
        assert!(full.window.0[0].is_empty());
        buffer.swap(&mut full);
        assert_eq!(full.window.0[0].count(), 1, "the recorder's drop adds deferred operations");
    }
}
