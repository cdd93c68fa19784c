//! The hash that spreads YCSB's keys.

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The prime to the fourth: hashing four zero bytes is multiplying by it.
const PRIME_4: u64 = PRIME.wrapping_mul(PRIME).wrapping_mul(PRIME).wrapping_mul(PRIME);

/// FNV-1a over the eight bytes of a number, lowest byte first, as YCSB's `Utils.hash` returns it:
/// the absolute value of the signed word. The smallest signed word is returned unchanged.
#[inline]
pub const fn fnv_hash64(number: u64) -> i64 {
    let low = four_bytes(OFFSET_BASIS, number as u32);
    // Almost all numbers take this branch, so it costs nothing.
    let hash = match (number >> 32) as u32 {
        0 => low.wrapping_mul(PRIME_4),
        high => four_bytes(low, high),
    };
    (hash as i64).wrapping_abs()
}

#[inline(always)]
const fn four_bytes(hash: u64, bytes: u32) -> u64 {
    let [a, b, c, d] = bytes.to_le_bytes();
    let hash = (hash ^ a as u64).wrapping_mul(PRIME);
    let hash = (hash ^ b as u64).wrapping_mul(PRIME);
    let hash = (hash ^ c as u64).wrapping_mul(PRIME);
    (hash ^ d as u64).wrapping_mul(PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte by byte, as defined.
    fn plain(number: u64) -> i64 {
        let hash = number
            .to_le_bytes()
            .iter()
            .fold(OFFSET_BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
        (hash as i64).wrapping_abs()
    }

    #[test]
    fn four_zero_bytes_are_one_multiplication() {
        let edges = (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1, (1 << bit) | 1]);
        for number in (0..70_000).chain(edges).chain([u64::MAX, 0xff00_ff00, 0x0100_0000_0000]) {
            assert_eq!(fnv_hash64(number), plain(number), "{number}");
        }
    }
}
