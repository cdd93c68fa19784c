//! The operation budget of a step that runs a number of operations.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest number of operations that a worker takes at a time.
const LARGEST_BLOCK: u64 = 64;

/// The operations that a step measures. Workers take them in blocks, so that they rarely write to
/// shared memory. Blocks shrink towards the end, so that no worker holds operations that others
/// could run.
pub(crate) struct Budget {
    whole: u64,
    workers: u64,
    left: AtomicU64,
    ended: AtomicU64,
}

/// One worker's part of a [`Budget`].
pub(crate) struct WorkerBudget<'a> {
    budget: &'a Budget,
    left: Cell<u64>,
    /// Operations that have ended and are not reported to the budget yet.
    ended: Cell<u64>,
}

impl Budget {
    pub fn new(whole: u64, workers: usize) -> Self {
        let workers = workers.max(1) as u64;
        Budget { whole, workers, left: AtomicU64::new(whole), ended: AtomicU64::new(0) }
    }

    /// Takes a block of operations and returns its size; 0 when none is left.
    fn take_block(&self) -> u64 {
        let size = |left: u64| (left / (8 * self.workers)).clamp(1, LARGEST_BLOCK).min(left);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left > 0).then(|| left - size(left))
        });
        taken.map_or(0, size)
    }
}

impl<'a> WorkerBudget<'a> {
    pub fn new(budget: &'a Budget) -> Self {
        WorkerBudget { budget, left: Cell::new(0), ended: Cell::new(0) }
    }

    /// Takes one operation. Returns `false` if none is left.
    #[inline]
    pub fn take(&self) -> bool {
        if self.left.get() == 0 {
            self.left.set(self.budget.take_block());
        }
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    /// Counts an operation that has ended. Returns `true` for the last one of the step.
    ///
    /// The worker reports to the budget in blocks. It reports each operation when no operation is
    /// left to take, or when its client `pauses` before its next one.
    #[inline]
    pub fn end(&self, pauses: bool) -> bool {
        self.ended.set(self.ended.get() + 1);
        if self.ended.get() >= LARGEST_BLOCK || self.left.get() == 0 || pauses {
            self.report()
        } else {
            false
        }
    }

    fn report(&self) -> bool {
        let ended = self.ended.replace(0);
        let before = self.budget.ended.fetch_add(ended, Ordering::AcqRel);
        ended > 0 && before + ended == self.budget.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_take_exactly_the_budget_and_one_of_them_ends_it() {
        for (whole, workers) in [(1, 1), (1, 4), (63, 2), (100_003, 3)] {
            let budget = Budget::new(whole, workers);
            let results: Vec<(u64, u64)> = std::thread::scope(|scope| {
                let work = || {
                    let share = WorkerBudget::new(&budget);
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
                "one operation is reported as the last"
            );
        }
    }

    /// Operations of a worker's clients overlap: the budget ends with the operation that ends last,
    /// not with the one that was taken last.
    #[test]
    fn the_budget_ends_with_the_last_operation_in_flight() {
        let budget = Budget::new(3, 1);
        let share = WorkerBudget::new(&budget);
        assert!(share.take() && share.take() && share.take() && !share.take());
        assert!(!share.end(false));
        assert!(!share.end(false));
        assert!(share.end(false));
    }
}
