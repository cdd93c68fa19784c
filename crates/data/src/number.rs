//! Decimal digits, without a division by ten in a loop and without allocation.

/// The digits of the numbers below 100; the rest of the table only saves a bounds check.
pub static TWO_DIGITS: [[u8; 2]; 128] = {
    let mut all = [[b'0'; 2]; 128];
    let mut n = 0;
    while n < 100 {
        all[n] = [b'0' + n as u8 / 10, b'0' + n as u8 % 10];
        n += 1;
    }
    all
};

/// The ASCII digits of a number below 10^8 with leading zeros, the first digit in the lowest byte.
#[inline(always)]
pub fn digits8(value: u32) -> u64 {
    debug_assert!(value < 100_000_000);
    ascii_zeros() | digit_values8(value)
}

#[inline(always)]
const fn ascii_zeros() -> u64 {
    0x3030_3030_3030_3030
}

/// Like [`digits8`], with the values 0 to 9 instead of characters.
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

/// The shortest forms of the numbers below 1000, and in the last byte their lengths.
static SHORT: [[u8; 4]; 1000] = {
    let mut all = [[0; 4]; 1000];
    let mut n = 0;
    while n < 1000 {
        let [a, b, c] = [n / 100, n / 10 % 10, n % 10];
        let [a, b, c] = [b'0' + a as u8, b'0' + b as u8, b'0' + c as u8];
        all[n] = match n {
            0..10 => [c, 0, 0, 1],
            10..100 => [b, c, 0, 2],
            _ => [a, b, c, 3],
        };
        n += 1;
    }
    all
};

/// Writes the shortest decimal form of `value` at the start of `out` and returns its length. May
/// write up to eight bytes beyond it. Needs a buffer of 28 bytes.
#[inline(always)]
pub fn write_u64(value: u64, out: &mut [u8]) -> usize {
    match value {
        0..100_000_000 => write_u32_short(value as u32, out),
        _ => write_u64_long(value, out),
    }
}

/// A number below 10^8: all eight digits at once, then the leading zeros are shifted out.
#[inline(always)]
fn write_u32_short(value: u32, out: &mut [u8]) -> usize {
    if let Some(short) = SHORT.get(value as usize) {
        out[..4].copy_from_slice(short);
        return short[3].into();
    }
    let digits = digit_values8(value);
    let zeros = (digits.trailing_zeros() / 8).min(7);
    let text = (digits | ascii_zeros()) >> (8 * zeros);
    out[..8].copy_from_slice(&text.to_le_bytes());
    8 - zeros as usize
}

/// A number from 10^8 on: the last eight or sixteen digits all at once.
#[inline(never)]
fn write_u64_long(value: u64, out: &mut [u8]) -> usize {
    const EIGHT: u64 = 100_000_000;
    let (rest, low) = (value / EIGHT, value % EIGHT);
    let (top, middle) = (rest / EIGHT, rest % EIGHT);
    let mut at = 0;
    if top > 0 {
        at = write_u32_short(top as u32, out);
        out[at..at + 8].copy_from_slice(&digits8(middle as u32).to_le_bytes());
        at += 8;
    } else {
        at += write_u32_short(middle as u32, out);
    }
    out[at..at + 8].copy_from_slice(&digits8(low as u32).to_le_bytes());
    at + 8
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
}
