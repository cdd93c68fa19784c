//! A number of operations that all clients of a step share.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest number of operations that a worker takes at a time.
const MOST: u64 = 64;

/// The operations that a step measures. Workers take them in blocks that shrink towards the end, so that
/// the clients write to memory in common only now and then, and nobody sits on work that others
/// could do.
pub(crate) struct Budget {
    whole: u64,
    workers: u64,
    left: AtomicU64,
    ended: AtomicU64,
}

/// One worker's part of a [`Budget`].
pub(crate) struct Share<'a> {
    budget: &'a Budget,
    left: Cell<u64>,
    /// Operations that ended and that the budget has not heard of.
    ended: Cell<u64>,
}

impl Budget {
    pub fn new(whole: u64, workers: usize) -> Self {
        let workers = workers.max(1) as u64;
        Budget { whole, workers, left: AtomicU64::new(whole), ended: AtomicU64::new(0) }
    }

    fn block(&self) -> u64 {
        let size = |left: u64| (left / (8 * self.workers)).clamp(1, MOST).min(left);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left > 0).then(|| left - size(left))
        });
        taken.map_or(0, size)
    }
}

impl<'a> Share<'a> {
    pub fn new(budget: &'a Budget) -> Self {
        Share { budget, left: Cell::new(0), ended: Cell::new(0) }
    }

    /// Takes one operation; `false` when all have been taken.
    #[inline]
    pub fn take(&self) -> bool {
        if self.left.get() == 0 {
            self.left.set(self.budget.block());
        }
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    /// An operation has ended. `true` for the last one of all.
    ///
    /// The worker tells the budget when it has many to tell of, and of each when nothing is left to
    /// take, or when its client is going to `rest` before it comes back here.
    #[inline]
    pub fn end(&self, rest: bool) -> bool {
        self.ended.set(self.ended.get() + 1);
        if self.ended.get() >= MOST || self.left.get() == 0 || rest { self.tell() } else { false }
    }

    fn tell(&self) -> bool {
        let ended = self.ended.replace(0);
        let before = self.budget.ended.fetch_add(ended, Ordering::AcqRel);
        ended > 0 && before + ended == self.budget.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_take_exactly_the_whole_and_one_of_them_ends_it() {
        for (whole, workers) in [(1, 1), (1, 4), (63, 2), (100_003, 3)] {
            let budget = Budget::new(whole, workers);
            let results: Vec<(u64, u64)> = std::thread::scope(|scope| {
                let work = || {
                    let share = Share::new(&budget);
                    let (mut ran, mut last) = (0, 0);
                    while share.take() {
                        ran += 1;
                        last += u64::from(share.end(ran % 7 == 0));
                    }
                    (ran, last)
                };
                let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
                threads.into_iter().map(|t| t.join().unwrap()).collect()
            });
            assert_eq!(results.iter().map(|r| r.0).sum::<u64>(), whole);
            assert_eq!(
                results.iter().map(|r| r.1).sum::<u64>(),
                1,
                "one hears that it was the last"
            );
        }
    }

    /// Operations of several clients of a worker overlap: the last to end is the last, whatever was
    /// taken in between.
    #[test]
    fn operations_in_flight_are_waited_for() {
        let budget = Budget::new(3, 1);
        let share = Share::new(&budget);
        assert!(share.take() && share.take() && share.take() && !share.take());
        assert!(!share.end(false));
        assert!(!share.end(false));
        assert!(share.end(false));
    }
}
