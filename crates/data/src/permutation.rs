//! Random permutations that need no memory.

use crate::random::{GAMMA, mix};

/// Rounds of the Feistel network. In few bits two numbers often meet in one half, so small domains
/// need more rounds before pairs look random (tested by chi-squared over keys).
const ROUNDS: u64 = 6;
const ROUNDS_IN_FEW_BITS: u64 = 16;
const FEW_BITS: u32 = 11;

/// A keyed bijection on 0..n: an alternating Feistel network over the bits of n − 1 whose walk is
/// repeated until it lands below n (Black and Rogaway, "Ciphers with arbitrary finite domains",
/// CT-RSA 2002: cycle walking). Less than two walks on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    n: u64,
    key: u64,
    rounds: u64,
    /// Bits of the low and of the high part of a number.
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
}

impl Permutation {
    /// The permutation of 0..n with this key.
    #[inline]
    pub fn new(n: u64, key: u64) -> Self {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        let low_bits = bits.div_ceil(2);
        let ones = |bits: u32| (1u64 << bits) - 1;
        let (low_mask, high_mask) = (ones(low_bits), ones(bits - low_bits));
        let rounds = if bits <= FEW_BITS { ROUNDS_IN_FEW_BITS } else { ROUNDS };
        Permutation { n, key, rounds, low_bits, low_mask, high_mask }
    }

    /// Where `i` goes. A number that is not below n stays where it is.
    #[inline]
    pub fn apply(&self, i: u64) -> u64 {
        self.walk(i, |p, (low, high)| {
            (0..p.rounds).fold((low, high), |halves, round| p.round(halves, round))
        })
    }

    /// Which number goes to `i`: the inverse of [`Permutation::apply`].
    #[inline]
    pub fn inverse(&self, i: u64) -> u64 {
        self.walk(i, |p, (low, high)| {
            (0..p.rounds).rev().fold((low, high), |halves, round| p.round(halves, round))
        })
    }

    #[inline(always)]
    fn walk(&self, i: u64, step: impl Fn(&Self, (u64, u64)) -> (u64, u64)) -> u64 {
        if i >= self.n {
            return i;
        }
        let mut x = i;
        loop {
            let (low, high) = step(self, (x & self.low_mask, x >> self.low_bits));
            x = low | high << self.low_bits;
            if x < self.n {
                return x;
            }
        }
    }

    /// One round, its own inverse: even ones change the low part by the high one, odd ones the
    /// high part by the low one.
    #[inline(always)]
    fn round(&self, (low, high): (u64, u64), round: u64) -> (u64, u64) {
        let key = self.key.wrapping_add(round.wrapping_mul(GAMMA));
        if round.is_multiple_of(2) {
            (low ^ (mix(key ^ high) & self.low_mask), high)
        } else {
            (low, high ^ (mix(key ^ low) & self.high_mask))
        }
    }
}
