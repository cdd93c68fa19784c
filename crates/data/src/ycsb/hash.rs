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

/// The numbers below `items` with this lowest byte whose [`fnv_hash64`] leaves a remainder below
/// `below` when divided by `modulus`, as (remainder, number). Items are at most 2^40.
///
/// Numbers of equal low bytes share the first steps of their hashes, and a multiplication replaces
/// the division: a number takes about two nanoseconds.
pub fn hashed_below(lowest: u8, items: u64, modulus: u64, below: u64) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let Some(last) = items.checked_sub(1).filter(|_| modulus > 0) else { return found };
    let inverse = u64::MAX / modulus;
    let next = |hash: u64, byte: u64| (hash ^ byte).wrapping_mul(PRIME);
    let bytes = |from: u32| 0..=(last >> from).min(255);
    let first = next(OFFSET_BASIS, u64::from(lowest));
    for b in bytes(8) {
        let second = next(first, b);
        for c in bytes(16) {
            let third = next(second, c);
            for d in bytes(24) {
                let fourth = next(third, d);
                for e in 0..=last >> 32 {
                    let hash = ((fourth ^ e).wrapping_mul(PRIME_4) as i64).unsigned_abs();
                    // Below 2^63 the estimate of the quotient is too small by one at most.
                    let quotient = ((u128::from(hash) * u128::from(inverse)) >> 64) as u64;
                    let rest = hash.wrapping_sub(quotient.wrapping_mul(modulus));
                    let rest = if rest >= modulus { rest - modulus } else { rest };
                    if rest < below {
                        let number = e << 32 | d << 24 | c << 16 | b << 8 | u64::from(lowest);
                        found.extend((number <= last).then_some((rest, number)));
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_the_remainders_of_their_hashes() {
        for (items, modulus, below) in [
            (0, 7, 7),
            (1, 1, 1),
            (300, 1, 1),
            (70_000, 1_000, 3),
            (70_001, 99_999_999_977, 1 << 34),
            (70_001, (1 << 62) + 9, 1 << 50),
            (200_000, u64::MAX, 1 << 48),
        ] {
            let mut found: Vec<(u64, u64)> =
                (0..=255).flat_map(|low| hashed_below(low, items, modulus, below)).collect();
            found.sort_by_key(|(_, number)| *number);
            let remainders = (0..items).map(|n| (fnv_hash64(n).unsigned_abs() % modulus, n));
            let expected: Vec<(u64, u64)> = remainders.filter(|(rest, _)| *rest < below).collect();
            assert_eq!(found, expected, "{items} {modulus} {below}");
        }
        // Beyond 32 bits, with the last numbers of YCSB's population.
        let items = 10_000_000_001u64;
        let found = hashed_below(1, items, 1 << 40, 1 << 20);
        assert!(found.iter().any(|(_, number)| number >> 32 == 2));
        assert!(found.iter().all(|(rest, number)| {
            *number < items && fnv_hash64(*number).unsigned_abs() % (1 << 40) == *rest
        }));
        // A share of 2^-20 of 39 million numbers.
        assert!((20..60).contains(&found.len()), "{}", found.len());
    }

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
