//! How many values there are, and how often each occurs: exact for the values with the lowest hashes.
//!
//! A value whose hash is among the lowest of all was among them from its first occurrence on, so its
//! count is exact, and the values that are kept are a random sample of all.

use std::collections::BTreeMap;

use twox_hash::XxHash3_128;

/// Values that are kept.
const KEPT: usize = 1024;

/// The values with the lowest hashes, and how often each occurs.
#[derive(Clone, Debug, Default)]
pub struct Distinct {
    counts: BTreeMap<u64, u64>,
    /// Every value with a hash below it is kept; `None` if all are.
    below: Option<u64>,
}

/// The hash of a value, which is the same in every field.
pub fn hash(bytes: &[u8]) -> u64 {
    XxHash3_128::oneshot(bytes) as u64
}

impl Distinct {
    /// Counts a value.
    pub fn add(&mut self, hash: u64, times: u64) {
        if self.below.is_some_and(|below| hash >= below) {
            return;
        }
        *self.counts.entry(hash).or_default() += times;
        while self.counts.len() > KEPT {
            self.below = self.counts.pop_last().map(|(hash, _)| hash);
        }
    }

    /// Counts what another one has counted.
    pub fn merge(&mut self, other: &Distinct) {
        if let Some(below) = other.below {
            self.below = Some(self.below.map_or(below, |own| own.min(below)));
            self.counts.retain(|hash, _| *hash < below);
        }
        other.counts.iter().for_each(|(hash, times)| self.add(*hash, *times));
    }

    /// How many values there are.
    pub fn estimate(&self) -> u64 {
        match self.below {
            None => self.counts.len() as u64,
            Some(below) => (self.counts.len() as f64 * 2f64.powi(64) / below as f64) as u64,
        }
    }

    /// Whether no value that is kept occurs twice.
    pub fn is_unique(&self) -> bool {
        self.counts.values().all(|count| *count == 1)
    }

    /// The counts of the values that are kept.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.counts.values().copied()
    }

    /// The share of values that another one has, too, and of how many that is known.
    pub fn inside(&self, other: &Distinct) -> (f64, usize) {
        let below = other.below.unwrap_or(u64::MAX);
        let mine = self.counts.range(..below);
        let (mut all, mut both) = (0, 0);
        for (hash, _) in mine {
            all += 1;
            both += usize::from(other.counts.contains_key(hash));
        }
        (both as f64 / all.max(1) as f64, all)
    }

    /// Whether few values have most of the occurrences: the most frequent fifth has more than half.
    pub fn is_skewed(&self) -> bool {
        let mut counts: Vec<u64> = self.counts().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = counts.iter().sum();
        let most: u64 = counts.iter().take(counts.len() / 5).sum();
        counts.len() >= 10 && most * 2 > all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_values_are_estimated_and_their_counts_are_exact() {
        for (values, within) in [(10u64, 0), (1024, 0), (50_000, 4000)] {
            let (mut all, mut even) = (Distinct::default(), Distinct::default());
            for round in 0..3u64 {
                for n in 0..values {
                    let hash = hash(&n.to_le_bytes());
                    all.add(hash, 1 + u64::from(round == 2));
                    if n % 2 == 0 {
                        even.add(hash, 1);
                    }
                }
            }
            assert!(all.estimate().abs_diff(values) <= within, "{}", all.estimate());
            assert!(all.counts().all(|count| count == 4) && !all.is_unique());
            assert!(even.inside(&all).0 == 1.0 && (all.inside(&even).0 - 0.5).abs() < 0.1);
            let mut both = even.clone();
            both.merge(&all);
            assert!(both.estimate().abs_diff(values) <= within);
        }
    }
}
