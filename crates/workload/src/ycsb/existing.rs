//! YCSB's scrambled zipfian where few of its numbers exist.
//!
//! YCSB draws one of ten billion ranks, hashes it onto the room of loaded and expected records, and
//! draws again where there is no record yet. Where one number in a million exists, that is a
//! million draws for one key. The keys that come of it have a distribution: that of the ranks whose
//! number exists, each with its own probability. Here these ranks are found once and drawn from.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use hoap_data::ycsb::{Zipf, hashed_below};

/// Draws are repeated, as in YCSB, where at least one number in this many exists: some ten thousand
/// draws of ten nanoseconds at worst.
pub(super) const FEW: u64 = 4096;

/// The ranks that are hashed onto the first numbers.
#[derive(Debug)]
pub(super) struct Existing {
    /// The number of each rank, rising.
    numbers: Vec<u64>,
    /// The probability of the ranks up to each one.
    up_to: Vec<f64>,
    /// Ranks of higher numbers are not known.
    below: u64,
}

impl Existing {
    /// The ranks of `zipf` that are hashed onto the numbers below `below` of `room`; `None` where
    /// it was stopped.
    pub fn find(
        zipf: &Zipf,
        room: u64,
        below: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Existing> {
        let next = AtomicU32::new(0);
        let find = || {
            let mut found = Vec::new();
            while let Ok(lowest) = u8::try_from(next.fetch_add(1, Ordering::Relaxed)) {
                if stop() {
                    return None;
                }
                found.extend(hashed_below(lowest, zipf.items(), room, below));
            }
            Some(found)
        };
        let threads = thread::available_parallelism().map_or(1, |n| n.get());
        let mut ranks = thread::scope(|scope| {
            let all: Vec<_> = (1..threads).map(|_| scope.spawn(find)).collect();
            let mut ranks = find()?;
            for thread in all {
                ranks.extend(
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                );
            }
            Some(ranks)
        })?;
        ranks.sort_unstable();
        let mut sum = 0.0;
        let up_to = ranks.iter().map(|(_, rank)| {
            sum += zipf.share(*rank);
            sum
        });
        let up_to = up_to.collect();
        Some(Existing {
            numbers: ranks.into_iter().map(|(number, _)| number).collect(),
            up_to,
            below,
        })
    }

    /// Whether no draw gives a number below `limit`.
    pub fn is_empty_below(&self, limit: u64) -> bool {
        self.numbers.first().is_none_or(|first| *first >= limit)
    }

    /// The number below `limit` for a uniform one in [0, 1); `None` where not all of them are
    /// known, or there is none.
    #[inline]
    pub fn draw(&self, unit: f64, limit: u64) -> Option<u64> {
        if limit > self.below {
            return None;
        }
        let known = self.numbers.partition_point(|number| *number < limit);
        let up_to = &self.up_to[..known];
        let wanted = unit * up_to.last()?;
        let place = up_to.partition_point(|sum| *sum <= wanted);
        self.numbers[..known].get(place.min(known - 1)).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hoap_data::random::Stream;
    use hoap_data::ycsb::fnv_hash64;

    use super::*;

    /// Against draws that are repeated until a number is low enough, in a population small enough
    /// for that, at the limit of a load and at those of a growing table.
    #[test]
    fn draws_are_those_that_repeating_gives() {
        const DRAWS: u64 = 60_000;
        let (zipf, room) = (Zipf::new(200_000), 20_000);
        let existing = Existing::find(&zipf, room, 200, &|| false).unwrap();
        let mut stream = Stream::new(12, &[]);
        for limit in [50, 200] {
            let mut repeated: BTreeMap<u64, f64> = BTreeMap::new();
            for _ in 0..DRAWS {
                let number = loop {
                    let hash = fnv_hash64(zipf.rank(stream.unit())).unsigned_abs();
                    if hash % room < limit {
                        break hash % room;
                    }
                };
                *repeated.entry(number).or_default() += 1.0;
            }
            let mut drawn: BTreeMap<u64, f64> = BTreeMap::new();
            for _ in 0..DRAWS {
                let number = existing.draw(stream.unit(), limit).unwrap();
                assert!(number < limit);
                *drawn.entry(number).or_default() += 1.0;
            }
            // A rare number may be missing in one of them.
            for number in repeated.keys() {
                drawn.entry(*number).or_default();
            }
            let of = |number: &u64| repeated.get(number).copied().unwrap_or(0.0);
            // Two samples of equal size: half the square of the difference over the mean.
            let chi_square: f64 =
                drawn.iter().map(|(n, d)| (d - of(n)).powi(2) / (d + of(n))).sum();
            let freedom = (drawn.len() - 1) as f64;
            let high = freedom + 5.0 * (2.0 * freedom).sqrt();
            assert!(chi_square < high, "below {limit}: {chi_square} of {freedom}");
            // And it is not any distribution that passes.
            let even = DRAWS as f64 / drawn.len() as f64;
            let off: f64 = drawn.values().map(|d| (d - even).powi(2) / (d + even)).sum();
            assert!(off > high, "below {limit}: {off}");
        }
        assert_eq!(existing.draw(0.5, 201), None, "beyond what is known");
    }

    #[test]
    fn it_ends_when_asked_and_says_where_nothing_exists() {
        let zipf = Zipf::new(1000);
        assert!(Existing::find(&zipf, 10, 1, &|| true).is_none());
        let existing = Existing::find(&zipf, 1 << 50, 1000, &|| false).unwrap();
        assert!(existing.is_empty_below(1000) && existing.draw(0.5, 1000).is_none());
    }
}
