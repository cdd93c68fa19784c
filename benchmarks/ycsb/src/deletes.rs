//! Which loaded records a run deletes, and in what order.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;

/// The order of the deletes: a fixed one, spread over the records, so that every distribution of
/// requests keeps its shape while records go.
const ORDER: u64 = u64::from_be_bytes(*b"deletes\0");

/// Assigns each of the records that requests select from to one delete at most, and knows of each
/// record whether its delete has begun. No call waits for another.
pub struct Deletes {
    records: Range<u64>,
    order: Permutation,
    begun: CachePadded<AtomicU64>,
}

impl Deletes {
    /// Deletes of these records.
    pub fn of(records: Range<u64>) -> Self {
        let order = Permutation::new((records.end - records.start).max(1), ORDER);
        Deletes { records, order, begun: CachePadded::default() }
    }

    /// The most records that are deleted: half of them, so that requests go on finding some.
    pub fn most(&self) -> u64 {
        (self.records.end - self.records.start) / 2
    }

    /// A record that no other client deletes; `None` once [`Deletes::most`] are.
    pub fn claim(&self) -> Option<u64> {
        let next = |begun: u64| (begun < self.most()).then_some(begun + 1);
        let claimed = self.begun.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        claimed.ok().map(|place| self.records.start + self.order.apply(place))
    }

    /// Any of the records, each as likely.
    pub fn any(&self, stream: &mut Stream) -> u64 {
        let last = self.records.end.saturating_sub(1).max(self.records.start);
        stream.uniform(self.records.start as i64..=last as i64) as u64
    }

    /// Whether the delete of this record has begun: it may be gone.
    #[inline]
    pub fn has(&self, number: u64) -> bool {
        self.records.contains(&number)
            && self.order.inverse(number - self.records.start) < self.begun.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_record_is_deleted_once_and_half_of_them_stay() {
        let deletes = Deletes::of(100..1100);
        let all: BTreeSet<u64> = std::thread::scope(|scope| {
            let claim = || std::iter::from_fn(|| deletes.claim()).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(claim)).collect();
            let claimed: Vec<u64> =
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
            assert_eq!(claimed.len(), 500);
            claimed.into_iter().collect()
        });
        assert_eq!((all.len(), deletes.claim()), (500, None));
        for number in 0..1200 {
            assert_eq!(deletes.has(number), all.contains(&number), "{number}");
        }
        // Spread over the records: a quarter of them has about a quarter of the deletes.
        let first = all.range(100..350).count();
        assert!((90..160).contains(&first), "{first}");
        assert_eq!(Deletes::of(5..6).claim(), None);
        assert!(!Deletes::of(5..6).has(5));
    }
}
