//! Decimal and hexadecimal digits, computed in machine words: no division by ten in a loop, no
//! table, no allocation.

/// The ASCII digits of a number below 10^8 with leading zeros, the first digit in the lowest byte.
#[inline(always)]
pub(crate) fn digits8(value: u32) -> u64 {
    debug_assert!(value < 100_000_000);
    ascii_zeros() | digit_values8(value)
}

#[inline(always)]
const fn ascii_zeros() -> u64 {
    0x3030_3030_3030_3030
}

/// As [`digits8`], the values 0 to 9 instead of characters.
///
/// Each step divides all lanes at once by multiplying with a rounded-up reciprocal: 10^4 on the
/// number, 100 on two lanes of 32 bits, 10 on four lanes of 16 bits.
#[inline(always)]
fn digit_values8(value: u32) -> u64 {
    let value = u64::from(value);
    let high = value / 10_000;
    let fours = high | ((value - high * 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - tens * 10) << 8)
}

/// Writes the shortest decimal form of `value` at the start of `out` and returns its length. May
/// write up to eight bytes more than that. Needs a buffer of 28 bytes.
#[inline(always)]
pub(crate) fn write_u64(value: u64, out: &mut [u8]) -> usize {
    if value < 100_000_000 {
        return write_u32_short(value as u32, out);
    }
    write_u64_long(value, out)
}

/// A number below 10^8: all eight digits at once, the leading zeros shifted away.
#[inline(always)]
fn write_u32_short(value: u32, out: &mut [u8]) -> usize {
    let digits = digit_values8(value);
    let zeros = (digits.trailing_zeros() / 8).min(7);
    let text = (digits | ascii_zeros()) >> (8 * zeros);
    out[..8].copy_from_slice(&text.to_le_bytes());
    8 - zeros as usize
}

#[cold]
fn write_u64_long(value: u64, out: &mut [u8]) -> usize {
    let head = write_u64(value / 100_000_000, out);
    out[head..head + 8].copy_from_slice(&digits8((value % 100_000_000) as u32).to_le_bytes());
    head + 8
}

/// The sixteen lower-case hexadecimal digits of a word, the most significant first.
#[inline(always)]
pub(crate) fn hex16(word: u64) -> [u8; 16] {
    let mut out = [0; 16];
    out[..8].copy_from_slice(&hex8((word >> 32) as u32).to_le_bytes());
    out[8..].copy_from_slice(&hex8(word as u32).to_le_bytes());
    out
}

/// Eight hexadecimal digits in the bytes of a word, the most significant in the lowest byte.
#[inline(always)]
fn hex8(word: u32) -> u64 {
    // One nibble to each byte, the most significant first.
    let bytes = u64::from(word.swap_bytes());
    let x = (bytes | (bytes << 16)) & 0x0000_ffff_0000_ffff;
    let x = (x | (x << 8)) & 0x00ff_00ff_00ff_00ff;
    let nibbles = ((x >> 4) | (x << 8)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Nibbles above nine carry into the fifth bit; those need the distance from '9' + 1 to 'a'.
    let letters = ((nibbles + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
    nibbles + ascii_zeros() + letters * u64::from(b'a' - b'9' - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_digits() {
        for value in (0..100_000_000).step_by(9973).chain(0..12_000).chain([99_999_999]) {
            assert_eq!(digits8(value).to_le_bytes(), format!("{value:08}").as_bytes());
        }
    }

    #[test]
    fn shortest_form() {
        let mut out = [0; 28];
        let powers = (0..20).map(|p| 10u64.pow(p));
        let edges = powers.flat_map(|p| [p - 1, p, p + 1, p.wrapping_mul(7)]);
        for value in edges.chain(0..2000).chain([u64::MAX]) {
            let len = write_u64(value, &mut out);
            assert_eq!(&out[..len], value.to_string().as_bytes());
        }
    }

    #[test]
    fn hexadecimal() {
        for word in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210] {
            assert_eq!(hex16(word), format!("{word:016x}").as_bytes());
        }
        for shift in 0..64 {
            let word = 0x9e37_79b9_7f4a_7c15u64.rotate_left(shift);
            assert_eq!(hex16(word), format!("{word:016x}").as_bytes());
        }
    }
}
