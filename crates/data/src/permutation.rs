//! Random permutations that need no memory.

use crate::random::{GAMMA, mix};

/// Pairs of rounds of the Feistel network. The first round of a pair changes the low part of a
/// number, the second the high part. With few bits, numbers often agree in one half, so small
/// domains need more rounds before pairs of numbers look random (tested by chi-squared over keys).
const PAIRS: u64 = 3;
const PAIRS_IN_FEW_BITS: u64 = 8;
const FEW_BITS: u32 = 11;

/// A keyed bijection on 0..n: an alternating Feistel network over the bits of n − 1, repeated until
/// the result is below n (cycle walking: Black and Rogaway, "Ciphers with arbitrary finite
/// domains", CT-RSA 2002). Fewer than two repetitions on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    n: u64,
    key: u64,
    pairs: u64,
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
        let pairs = if bits <= FEW_BITS { PAIRS_IN_FEW_BITS } else { PAIRS };
        Permutation { n, key, pairs, low_bits, low_mask, high_mask }
    }

    /// The permutation of the same numbers with another key.
    #[inline(always)]
    pub fn with_key(self, key: u64) -> Self {
        Permutation { key, ..self }
    }

    /// The size n of the domain.
    #[inline(always)]
    pub fn size(&self) -> u64 {
        self.n
    }

    /// The image of `i`. A number not below n maps to itself.
    #[inline]
    pub fn apply(&self, i: u64) -> u64 {
        self.walk(i, |p, (low, high)| {
            (0..p.pairs).fold((low, high), |halves, pair| p.high(p.low(halves, pair), pair))
        })
    }

    /// The preimage of `i`: the inverse of [`Permutation::apply`].
    #[inline]
    pub fn inverse(&self, i: u64) -> u64 {
        self.walk(i, |p, (low, high)| {
            (0..p.pairs).rev().fold((low, high), |halves, pair| p.low(p.high(halves, pair), pair))
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

    /// The first round of a pair, its own inverse: changes the low part using the high one.
    #[inline(always)]
    fn low(&self, (low, high): (u64, u64), pair: u64) -> (u64, u64) {
        (low ^ (mix(self.round_key(2 * pair) ^ high) & self.low_mask), high)
    }

    /// The second round of a pair, its own inverse: changes the high part using the low one.
    #[inline(always)]
    fn high(&self, (low, high): (u64, u64), pair: u64) -> (u64, u64) {
        (low, high ^ (mix(self.round_key(2 * pair + 1) ^ low) & self.high_mask))
    }

    #[inline(always)]
    fn round_key(&self, round: u64) -> u64 {
        self.key.wrapping_add(round.wrapping_mul(GAMMA))
    }
}
