//! Counter-based randomness: the n-th word of a stream is computed from its key and n alone.
//!
//! A stream is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
//! OOPSLA 2014) with random access: word n is `mix(key + (n + 1) · γ)`.

use std::ops::RangeInclusive;

use crate::text::{alphanumerics8, letters8, random_digits8};

/// The golden ratio's odd multiplier of SplitMix64.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output function: a bijection in which every input bit reaches every output bit.
#[inline(always)]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// `word` scaled to 0..n: the high half of the product. The relative bias of a share is at most n /
/// 2^64.
#[inline(always)]
const fn scale(word: u64, n: u64) -> u64 {
    ((word as u128 * n as u128) >> 64) as u64
}

/// A stream of random words, determined by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    key: u64,
    /// The key plus γ for each word drawn.
    state: u64,
}

impl Stream {
    /// The stream of this seed and path. Different paths, also of different lengths, give
    /// unrelated streams.
    pub fn new(seed: u64, path: &[u64]) -> Self {
        let mut key = mix(seed.wrapping_add(GAMMA));
        for &step in path {
            // The rotation makes [a, b] and [b, a] differ.
            key = mix(key.rotate_left(23) ^ mix(step.wrapping_add(GAMMA)));
        }
        Stream::of(key)
    }

    #[inline(always)]
    const fn of(key: u64) -> Self {
        Stream { key, state: key }
    }

    /// The stream whose key is word `n` of this one: one child for each `n`.
    #[inline(always)]
    pub fn child(self, n: u64) -> Stream {
        Stream::of(self.at(n))
    }

    /// Word `n` of the stream, whatever the current position.
    #[inline(always)]
    pub fn at(self, n: u64) -> u64 {
        mix(self.key.wrapping_add(n.wrapping_add(1).wrapping_mul(GAMMA)))
    }

    /// The stream that begins at word `n` of this one.
    #[inline(always)]
    pub fn skip(self, n: u64) -> Stream {
        Stream::of(self.key.wrapping_add(n.wrapping_mul(GAMMA)))
    }

    /// Several numbers drawn from word `n`.
    #[inline(always)]
    pub fn draws(self, n: u64) -> Draws {
        Draws(self.at(n))
    }

    /// The next word, uniform over all 2^64.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// A uniform number in a closed range; its start where the range is empty.
    #[inline]
    pub fn uniform(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (low, high) = range.into_inner();
        let word = self.next_u64();
        if high <= low {
            return low;
        }
        match (high.wrapping_sub(low) as u64).checked_add(1) {
            Some(n) => low.wrapping_add(scale(word, n) as i64),
            None => word as i64,
        }
    }

    /// A uniform number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with this probability; never at 0 or below, always at 1 or above.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Fills the buffer with random lower-case letters.
    pub fn letters(&mut self, out: &mut [u8]) {
        self.fill(out, letters8);
    }

    /// Fills the buffer with random digits.
    pub fn digits(&mut self, out: &mut [u8]) {
        self.fill(out, random_digits8);
    }

    /// Fills the buffer with random letters of both cases and digits.
    pub fn alphanumerics(&mut self, out: &mut [u8]) {
        self.fill(out, alphanumerics8);
    }

    /// Fills `out` with eight characters from each word; the last word may give fewer.
    #[inline(always)]
    fn fill(&mut self, out: &mut [u8], eight: impl Fn(u64) -> [u8; 8]) {
        let mut chunks = out.chunks_exact_mut(8);
        for chunk in &mut chunks {
            chunk.copy_from_slice(&eight(self.next_u64()));
        }
        let rest = chunks.into_remainder();
        if !rest.is_empty() {
            rest.copy_from_slice(&eight(self.next_u64())[..rest.len()]);
        }
    }
}

/// Several independent numbers from one word: each takes the high part of a multiplication and
/// leaves the low part to the next. Shares are exact to (product of all ranges) / 2^64, so that
/// product must stay well below 2^64.
#[derive(Clone, Copy, Debug)]
pub struct Draws(u64);

impl Draws {
    /// Uniform over 0..n.
    #[inline(always)]
    pub fn below(&mut self, n: u64) -> u64 {
        let product = u128::from(self.0) * u128::from(n);
        self.0 = product as u64;
        (product >> 64) as u64
    }

    /// Uniform over a closed range.
    #[inline(always)]
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of every range occur, also of ranges too wide to hit them by chance: the least and
    /// the greatest word give them.
    #[test]
    fn ends_of_ranges() {
        for n in [1, 2, 3, 26, 1000, 500_000, 12_873_600_000_001, 1 << 50, u64::MAX] {
            assert_eq!((Draws(0).below(n), Draws(u64::MAX).below(n)), (0, n - 1));
        }
        assert_eq!((Draws(0).within(5, 15), Draws(u64::MAX).within(5, 15)), (5, 15));
        let mut draws = [Draws(0), Draws(u64::MAX)];
        for (low, high) in [(1, 100_000), (1, 50), (1, 500_000)] {
            assert_eq!(draws.each_mut().map(|d| d.within(low, high)), [low, high]);
        }
    }

    /// The words are those of SplitMix64: the first ones of its reference implementation for the
    /// seed 1234567.
    #[test]
    fn split_mix_64() {
        let stream = Stream::of(1_234_567);
        let words = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([stream.at(0), stream.at(1)], words);
    }
}
