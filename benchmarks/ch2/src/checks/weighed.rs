//! Sums that tell whether each of many differences is 0, in 16 bytes however many there are.
//!
//! Each difference is multiplied by a weight of its place: 64 bits that are drawn for this pass
//! alone. If all differences are 0, so is the sum. If one is not, then whatever the others are, the
//! sum is 0 for at most one of the 2^64 weights that its place may have, which nobody can foresee.
//! Errors that balance each other are therefore seen too. What belongs to a place may come in any
//! order and in parts.

use hoap_data::random::Stream;

use hoap_workload::checks::sample::unforeseen;

/// The random stream of the weights.
const STREAM: u64 = 0x7765_6967_6874;

/// The weights of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights(Stream);

impl Weights {
    /// Draws weights that cannot be predicted.
    pub fn draw() -> Self {
        Weights(Stream::new(unforeseen(), &[STREAM]))
    }

    /// The weight of a place.
    pub fn of(self, place: u64) -> Weight {
        Weight(self.0.at(place))
    }
}

/// The weight of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight(u64);

/// A sum of weighed differences.
///
/// It wraps around at 2^128. The product of a difference other than 0 and below 2^64 in magnitude
/// is another one for each weight, even so: two weights differ by less than 2^64, and their
/// products by less than 2^128.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weighed(i128);

impl Weighed {
    /// Adds a difference, or a part of it.
    pub fn add(&mut self, weight: Weight, difference: impl Into<i128>) {
        let product = difference.into().wrapping_mul(weight.0.into());
        self.0 = self.0.wrapping_add(product);
    }

    /// Whether all differences are 0.
    pub fn all_zero(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(weights: Weights, differences: &[(u64, i64)]) -> Weighed {
        let mut sum = Weighed::default();
        differences.iter().for_each(|&(place, n)| sum.add(weights.of(place), n));
        sum
    }

    #[test]
    fn parts_that_add_up_to_nothing_are_nothing_in_any_order() {
        let weights = Weights::draw();
        let mut parts = Vec::new();
        for place in 0..10_000 {
            let n = place as i64 * 7_919 - 3;
            parts.extend([(place, n), (place, 5), (place, i64::MAX)]);
        }
        for place in (0..10_000).rev() {
            let n = place as i64 * 7_919 - 3;
            parts.extend([(place, -i64::MAX), (place, -n - 5)]);
        }
        assert!(sum(weights, &parts).all_zero());
        for at in [0, 17, parts.len() - 1] {
            let mut wrong = parts.clone();
            wrong[at].1 += if wrong[at].1 > 0 { -1 } else { 1 };
            assert!(!sum(weights, &wrong).all_zero(), "{at}");
        }
    }

    /// A difference of one place does not pay for that of another, nor do many of the same.
    #[test]
    fn differences_that_balance_each_other_are_seen() {
        let weights = Weights::draw();
        for power in 0..63 {
            let n = 1_i64 << power;
            for (one, other) in [(n, -n), (n, n), (i64::MIN, n), (i64::MIN, i64::MIN)] {
                let pair = [(3, one), (4, other)];
                assert!(!sum(weights, &pair).all_zero(), "{pair:?}");
            }
            assert!(!sum(weights, &[(u64::MAX, -n)]).all_zero(), "{n}");
        }
        let all: Vec<_> = (0..1 << 16).map(|place| (place, i64::MIN)).collect();
        assert!(!sum(weights, &all).all_zero());
    }

    #[test]
    fn no_two_passes_have_the_same_weights() {
        let [one, other] = [(); 2].map(|()| Weights::draw().of(7).0);
        assert_ne!(one, other);
    }
}
