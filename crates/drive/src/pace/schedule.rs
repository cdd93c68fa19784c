//! The schedule of an open loop.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::arrivals::{ArrivalTimes, Cursor};
use crate::plan::{Arrivals, Phase};

/// The schedule of an open loop: hands out operations with their times, one after the other, to the
/// clients that are free.
pub(crate) struct Schedule {
    times: ArrivalTimes,
    /// The next operation, in a cache line of its own: every client writes it.
    next: CachePadded<AtomicU64>,
    /// When operation 0 is due, on the clients' clock.
    start: AtomicU64,
    /// The operations of the measured window: from `begin` up to, not including, `end`.
    begin: AtomicU64,
    end: AtomicU64,
    /// No operation from this number on may begin.
    limit: AtomicU64,
    /// Operations of the window that have not ended yet, if the window ends after a number of them.
    left: Option<AtomicU64>,
    /// The latest actual start of an operation of the window.
    last: AtomicU64,
}

impl Schedule {
    /// A schedule whose window ends after `operations`; `None`: at a time.
    pub fn new(rate: f64, arrivals: Arrivals, operations: Option<u64>) -> Self {
        let never = || AtomicU64::new(u64::MAX);
        Schedule {
            times: ArrivalTimes { rate, arrivals },
            next: CachePadded::new(AtomicU64::new(0)),
            start: AtomicU64::new(0),
            begin: never(),
            end: never(),
            limit: never(),
            left: operations.map(AtomicU64::new),
            last: AtomicU64::new(0),
        }
    }

    /// The next operation and its scheduled time on the clients' clock; `None` if no other may
    /// begin.
    #[inline]
    pub fn take(&self, cursor: &mut Cursor) -> Option<(u64, u64)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.may_begin(number).then(|| {
            let due = self.times.due(cursor, number);
            (number, self.start.load(Ordering::Relaxed) + due)
        })
    }

    /// Whether this operation may still begin.
    #[inline]
    pub fn may_begin(&self, number: u64) -> bool {
        number < self.limit.load(Ordering::Acquire)
    }

    /// The phase that an operation counts for.
    #[inline]
    pub fn phase(&self, number: u64) -> Phase {
        if number < self.begin.load(Ordering::Acquire) {
            Phase::Warmup
        } else if number < self.end.load(Ordering::Acquire) {
            Phase::Measured
        } else {
            Phase::Ended
        }
    }

    /// Counts an operation that began at `start` and has ended. Returns `true` for the last one of
    /// a window that ends after a number of operations.
    #[inline]
    pub fn end_one(&self, number: u64, start: u64) -> bool {
        let Some(left) = &self.left else { return false };
        if self.phase(number) != Phase::Measured {
            return false;
        }
        self.last.fetch_max(start, Ordering::Relaxed);
        left.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Whether the window ends after a number of operations.
    pub fn is_counted(&self) -> bool {
        self.left.is_some()
    }

    /// Starts the schedule: operation 0 is due now or soon after. To be called before a client
    /// takes an operation.
    pub fn start(&self, now: u64) {
        self.start.store(now, Ordering::Release);
    }

    /// Sets the operations of the measured window. No operation after them may begin.
    pub fn set_window(&self, begin: u64, end: u64) {
        self.end.store(end, Ordering::Release);
        self.limit.store(end, Ordering::Release);
        self.begin.store(begin, Ordering::Release);
    }

    /// The operations of the measured window; `u64::MAX` for a bound that is not known yet.
    pub fn window(&self) -> (u64, u64) {
        (self.begin.load(Ordering::Acquire), self.end.load(Ordering::Acquire))
    }

    /// Lets no other operation begin.
    pub fn close(&self) {
        self.limit.store(0, Ordering::Release);
    }

    /// How many operations are due before this time of the clients' clock.
    pub fn due_before(&self, now: u64) -> u64 {
        self.due_within(now.saturating_sub(self.start.load(Ordering::Acquire)))
    }

    /// How many operations are due within this time from the start.
    pub fn due_within(&self, time: u64) -> u64 {
        self.times.first_at(&mut Cursor::default(), time)
    }

    /// How many operations have been handed out. Those that are due have begun; the clients of the
    /// others wait for their times.
    pub fn handed_out(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    /// The scheduled time of operation `number` and the latest actual start of an operation of a
    /// window that ends after a number of operations, both on the clients' clock.
    pub fn due_and_last(&self, number: u64) -> (u64, u64) {
        let due = self.times.due(&mut Cursor::default(), number);
        (self.start.load(Ordering::Acquire) + due, self.last.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_hands_out_each_operation_of_its_window_once() {
        let schedule = Schedule::new(1e6, Arrivals::Constant, None);
        schedule.start(5_000);
        schedule.set_window(100, 1_000);
        let taken: Vec<(u64, u64)> = std::thread::scope(|scope| {
            let client = || {
                let mut cursor = Cursor::default();
                std::iter::from_fn(|| schedule.take(&mut cursor)).collect::<Vec<_>>()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(client)).collect();
            threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
        });
        let mut numbers: Vec<u64> = taken.iter().map(|(n, _)| *n).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..1_000).collect::<Vec<_>>());
        assert!(taken.iter().all(|(n, due)| *due == 5_000 + n * 1_000));
        assert_eq!(numbers.iter().filter(|n| schedule.phase(**n) == Phase::Measured).count(), 900);
        assert_eq!(schedule.due_before(5_000 + 250_000), 250);
        assert!(schedule.handed_out() >= 1_000);
    }
}
