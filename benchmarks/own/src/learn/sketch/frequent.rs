//! The frequent values of a field. A count is never too high: what is rare is forgotten when there
//! are too many values.

use std::collections::HashMap;
use std::hash::Hash;

/// Values that are kept after some are forgotten.
const KEPT: usize = 512;

/// Values with counts.
#[derive(Clone, Debug)]
pub struct Frequent<T> {
    counts: HashMap<T, u64>,
    forgotten: bool,
}

impl<T> Default for Frequent<T> {
    fn default() -> Self {
        Frequent { counts: HashMap::new(), forgotten: false }
    }
}

impl<T: Hash + Eq + Ord + Clone> Frequent<T> {
    /// Counts a value.
    pub fn add<Q>(&mut self, value: &Q, times: u64)
    where
        T: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = T> + ?Sized,
    {
        if let Some(count) = self.counts.get_mut(value) {
            *count += times;
            return;
        }
        self.counts.insert(value.to_owned(), times);
        if self.counts.len() > 2 * KEPT {
            let mut counts: Vec<u64> = self.counts.values().copied().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let least = counts[KEPT];
            self.counts.retain(|_, count| *count > least);
            self.forgotten = true;
        }
    }

    /// Counts what another one has counted.
    pub fn merge(&mut self, other: &Frequent<T>) {
        self.forgotten |= other.forgotten;
        for (value, times) in &other.counts {
            self.add(value, *times);
        }
    }

    /// The values that occur so many times at least, the most frequent first.
    pub fn least(&self, times: u64) -> Vec<(T, u64)> {
        let frequent = self.counts.iter().filter(|(_, count)| **count >= times);
        let mut all: Vec<(T, u64)> = frequent.map(|(value, n)| (value.clone(), *n)).collect();
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all
    }

    /// How many values there are, if none was forgotten.
    pub fn all(&self) -> Option<usize> {
        (!self.forgotten).then_some(self.counts.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_values_are_found_among_many() {
        let mut of = Frequent::<String>::default();
        for n in 0..20_000 {
            of.add(format!("rare {n}").as_str(), 1);
            if n % 5 == 0 {
                of.add("often", 1);
            }
        }
        let found = of.least(20);
        assert!(found.len() == 1 && found[0].0 == "often", "{found:?}");
        assert!((3900..=4000).contains(&found[0].1) && of.all().is_none());
    }
}
