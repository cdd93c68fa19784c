//! Which documents a check reads of those that a run did not touch.
//!
//! A sample of n of N documents finds a single wrong document with probability n/N, and a share s
//! of wrong documents with probability 1 − (1 − s)^n.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher};

use hoap_data::random::Stream;

/// A number that cannot be predicted: from the clock, the process id and the hasher's keys, which
/// the system draws at random.
pub fn unforeseen() -> u64 {
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    hasher.write_u128(now.map(|d| d.as_nanos()).unwrap_or_default());
    Stream::new(hasher.finish(), &[]).next_u64()
}

/// `size` distinct numbers below `count`, or all, sorted.
pub fn choose(count: u64, size: u64, random: &mut Stream) -> Vec<u64> {
    if size >= count {
        return (0..count).collect();
    }
    // Floyd's algorithm: every subset of this size is equally likely.
    let mut chosen = BTreeSet::new();
    for last in count - size..count {
        let drawn = random.uniform(0..=last as i64) as u64;
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}
