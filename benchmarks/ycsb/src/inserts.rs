//! Numbers for new records. A number becomes readable when its insert is acknowledged.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

/// The most outstanding inserts after the first unacknowledged one, as in YCSB.
const WINDOW: u64 = 1 << 20;

/// Assigns record numbers and tracks below which number every record exists, as YCSB's acknowledged
/// counter does. No call waits for another.
pub struct Inserts {
    next: CachePadded<AtomicU64>,
    readable: CachePadded<AtomicU64>,
    /// `window[n mod WINDOW]` is [`stamp`] of n once n is acknowledged. Entries are never cleared.
    window: Box<[AtomicU32]>,
}

impl Inserts {
    /// Numbers from `first` on; all records before it are readable.
    pub fn new(first: u64) -> Self {
        let mut window = Vec::with_capacity(WINDOW as usize);
        window.resize_with(WINDOW as usize, || AtomicU32::new(stamp(first).wrapping_sub(1)));
        Inserts { window: window.into(), ..Inserts::none(first) }
    }

    /// Without inserts: [`Inserts::claim`] never returns a number.
    pub fn none(records: u64) -> Self {
        let counter = || CachePadded::new(AtomicU64::new(records));
        Inserts { next: counter(), readable: counter(), window: Box::default() }
    }

    /// Every record below this number exists.
    #[inline]
    pub fn readable(&self) -> u64 {
        self.readable.load(Ordering::Acquire)
    }

    /// All numbers below this one are assigned.
    pub fn claimed(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    /// A number that no other client has; `None` while the insert of a number assigned a window
    /// (2^20 inserts) ago is outstanding.
    pub fn claim(&self) -> Option<u64> {
        let window = self.window.len() as u64;
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            // The limit may have passed the number since it was read; then the exchange fails.
            if next.saturating_sub(self.readable()) >= window {
                return None;
            }
            let exchange = (Ordering::Relaxed, Ordering::Relaxed);
            match self.next.compare_exchange_weak(next, next + 1, exchange.0, exchange.1) {
                Ok(_) => return Some(next),
                Err(now) => next = now,
            }
        }
    }

    /// Makes the record of an assigned number readable, together with the following ones that were
    /// acknowledged earlier.
    ///
    /// A client that marks a number reads the limit afterwards, and a client that moves the limit
    /// reads the marks afterwards. In the total order of sequentially consistent operations one of
    /// the two sees the other, so no acknowledged number stays unreadable.
    pub fn acknowledge(&self, number: u64) {
        let Some(slot) = self.slot(number) else { return };
        slot.store(stamp(number), Ordering::SeqCst);
        loop {
            let limit = self.readable.load(Ordering::SeqCst);
            let mut end = limit;
            while self.slot(end).is_some_and(|s| s.load(Ordering::SeqCst) == stamp(end)) {
                end += 1;
            }
            if end == limit {
                return;
            }
            // Where it fails, another client moved the limit, and the marks are read again.
            let _ = self.readable.compare_exchange(limit, end, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    fn slot(&self, number: u64) -> Option<&AtomicU32> {
        self.window.get((number % WINDOW) as usize)
    }
}

/// The round of the window that a number belongs to.
fn stamp(number: u64) -> u32 {
    (number / WINDOW) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spec §1 and YCSB's AcknowledgedCounterGenerator: the readable numbers are those acknowledged
    /// without a gap.
    #[test]
    fn a_record_is_readable_once_all_before_it_are() {
        let inserts = Inserts::new(100);
        assert_eq!(inserts.readable(), 100);
        assert_eq!([(); 4].map(|()| inserts.claim()), [100, 101, 102, 103].map(Some));
        inserts.acknowledge(102);
        inserts.acknowledge(101);
        assert_eq!(inserts.readable(), 100);
        inserts.acknowledge(100);
        assert_eq!(inserts.readable(), 103);
        inserts.acknowledge(103);
        assert_eq!((inserts.readable(), inserts.claimed()), (104, 104));
    }

    #[test]
    fn nobody_runs_a_window_ahead_of_an_insert_that_is_stuck() {
        let inserts = Inserts::new(7);
        let stuck = inserts.claim().unwrap();
        for _ in 1..WINDOW {
            inserts.acknowledge(inserts.claim().expect("within the window"));
        }
        assert_eq!((inserts.claim(), inserts.readable()), (None, 7));
        inserts.acknowledge(stuck);
        assert_eq!((inserts.readable(), inserts.claim()), (7 + WINDOW, Some(7 + WINDOW)));
        assert_eq!(
            inserts.readable(),
            7 + WINDOW,
            "stamps of the last round are not taken for new"
        );
        assert_eq!(Inserts::none(5).claim(), None);
    }

    /// Between the reads of the next number and of the limit, others may claim that number and
    /// acknowledge it.
    #[test]
    fn a_number_that_the_limit_has_passed_is_no_full_window() {
        let inserts = Inserts::new(100);
        inserts.readable.store(105, Ordering::Release);
        assert!(inserts.claim().is_some());
    }

    #[test]
    fn threads_lose_and_double_nothing() {
        let inserts = Inserts::new(0);
        let (threads, each) = (4u64, 300_000);
        let mut numbers: Vec<u64> = std::thread::scope(|scope| {
            let run = || {
                let mut mine = Vec::new();
                let mut held = None;
                for _ in 0..each {
                    let number = inserts.claim().unwrap();
                    assert!(inserts.readable() <= number);
                    mine.push(number);
                    // One behind, so that acknowledgements arrive out of order.
                    if let Some(earlier) = held.replace(number) {
                        inserts.acknowledge(earlier);
                    }
                }
                inserts.acknowledge(held.unwrap());
                mine
            };
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            handles.into_iter().flat_map(|h| h.join().unwrap()).collect()
        });
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..threads * each));
        assert_eq!(inserts.readable(), threads * each);
    }
}
