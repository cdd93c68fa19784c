//! The numbers of undelivered orders, of which only the first and the last are kept where they
//! follow each other, as they must (TPC-C 3.3.2.3).

use std::collections::BTreeMap;

use super::district::District;
use super::weighed::{Weighed, Weights};

/// The numbers in each district: first how they add up, then those that do not follow each other.
pub(super) struct Numbers {
    weights: Weights,
    /// The weighed numbers of each district.
    sums: Vec<Weighed>,
    /// The numbers in districts where they do not follow each other, sorted.
    scattered: BTreeMap<usize, Vec<u32>>,
}

impl Numbers {
    /// Of so many districts.
    pub fn new(districts: usize) -> Self {
        let sums = vec![Weighed::default(); districts];
        Numbers { weights: Weights::draw(), sums, scattered: BTreeMap::new() }
    }

    /// Adds a number to the district with this index.
    pub fn add(&mut self, index: usize, number: u32, district: &mut District) {
        district.neworders.add(number);
        self.sums[index].add(self.weights.of(number.into()), 1);
    }

    /// Whether there are districts whose numbers do not follow each other. They are to be kept.
    pub fn scattered(&mut self, districts: &[District]) -> bool {
        let sums = std::mem::take(&mut self.sums);
        for (index, (sum, district)) in sums.into_iter().zip(districts).enumerate() {
            let Some((oldest, newest)) = district.neworders.ends else { continue };
            let follow = u64::from(newest - oldest) + 1 == district.neworders.count && {
                let mut wanted = Weighed::default();
                (oldest..=newest).for_each(|n| wanted.add(self.weights.of(n.into()), 1));
                wanted == sum
            };
            if !follow {
                self.scattered.insert(index, Vec::new());
            }
        }
        !self.scattered.is_empty()
    }

    /// Keeps a number of the district with this index, if it is one to be kept.
    pub fn keep(&mut self, index: usize, number: u32) {
        if let Some(numbers) = self.scattered.get_mut(&index) {
            numbers.push(number);
        }
    }

    /// Sorts what was kept.
    pub fn sort(&mut self) {
        self.scattered.values_mut().for_each(|numbers| numbers.sort_unstable());
    }

    /// Whether an undelivered order of the district with this index has this number.
    pub fn has(&self, index: usize, number: u32, district: &District) -> bool {
        match self.scattered.get(&index) {
            Some(numbers) => numbers.binary_search(&number).is_ok(),
            None => district.neworders.ends.is_some_and(|(a, z)| (a..=z).contains(&number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(numbers: &[u32]) -> (Numbers, [District; 1], bool) {
        let (mut all, mut district) = (Numbers::new(1), [District::default()]);
        numbers.iter().for_each(|&n| all.add(0, n, &mut district[0]));
        let scattered = all.scattered(&district);
        numbers.iter().for_each(|&n| all.keep(0, n));
        all.sort();
        (all, district, scattered)
    }

    /// Whether they are kept or not, each is known and no other.
    #[test]
    fn numbers_are_kept_only_where_they_do_not_follow_each_other() {
        for (numbers, kept) in [
            (&[][..], false),
            (&[7], false),
            (&[9, 7, 8, 10], false),
            (&[7, 9], true),
            (&[0, u32::MAX], true),
            // As many as there should be, with one twice in the place of another.
            (&[7, 8, 8, 10], true),
            (&[7, 7], true),
        ] {
            let (all, [district], scattered) = read(numbers);
            assert_eq!(scattered, kept, "{numbers:?}");
            assert_eq!(district.neworders.count, numbers.len() as u64);
            for n in (0..12).chain([u32::MAX]) {
                assert_eq!(all.has(0, n, &district), numbers.contains(&n), "{numbers:?}: {n}");
            }
        }
    }
}
