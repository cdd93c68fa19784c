//! Random characters from random words, eight per word.

use wide::{u16x8, u32x4, u64x2};

/// Number of lower-case letters.
const LETTERS: u16 = 26;

/// The 62 characters of TPC-C 4.3.2.2's random alphanumeric strings.
pub const ALPHANUMERICS: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Every pair of letters of both cases and digits.
static ALPHANUMERIC_PAIRS: [[u8; 2]; 62 * 62] = alphanumeric_pairs();

const fn alphanumeric_pairs() -> [[u8; 2]; 62 * 62] {
    let mut pairs = [[0; 2]; 62 * 62];
    let mut i = 0;
    while i < pairs.len() {
        pairs[i] = [ALPHANUMERICS[i / 62], ALPHANUMERICS[i % 62]];
        i += 1;
    }
    pairs
}

const _: () = assert!(cfg!(target_endian = "little"), "vectors are taken apart lowest byte first");

/// Sixteen lower-case letters, eight from each word. Each half of a word gives four letters by two
/// multiplications by 26², the second of the remainder of the first. The relative error of a
/// letter's share is at most 1.1e-4.
#[inline(always)]
pub fn letters16(words: [u64; 2]) -> [u8; 16] {
    let words = u64x2::new(words);
    let (low, high) = (times_pairs(words), times_pairs(words >> 32u32));
    let firsts = (low >> 32u32) | (high & TOP);
    let (low, high) = (times_pairs(low), times_pairs(high));
    let seconds = ((low & TOP) >> 16u32) | ((high >> 32u32) << 48u32);
    // Numbers of pairs are below 676: for these the high half of the product is the quotient by 26.
    let numbers: u16x8 = bytemuck::cast(firsts | seconds);
    let quotients = numbers.mul_keep_high(u16x8::splat(65_536u32.div_ceil(LETTERS.into()) as u16));
    let remainders = numbers - quotients * u16x8::splat(LETTERS);
    let letters = quotients + (remainders << 8u32) + u16x8::splat(u16::from_le_bytes(*b"aa"));
    bytemuck::cast(letters)
}

/// The upper half of each word.
const TOP: u64x2 = u64x2::splat(!0 << 32);

/// The lower half of each word times 26².
#[inline(always)]
fn times_pairs(words: u64x2) -> u64x2 {
    let pairs = u32x4::splat(u32::from(LETTERS * LETTERS));
    let products = bytemuck::cast::<_, u32x4>(words).widening_mul(pairs);
    let [first, second]: [u64x2; 2] = bytemuck::cast(products);
    first.unpack_lo(second)
}

/// Eight lower-case letters: the first half of [`letters16`].
#[inline(always)]
pub fn letters8(word: u64) -> [u8; 8] {
    let [letters, _]: [[u8; 8]; 2] = bytemuck::cast(letters16([word, word]));
    letters
}

/// Eight decimal digits, four from each half of the word.
#[inline(always)]
pub fn random_digits8(word: u64) -> [u8; 8] {
    let low = (u64::from(word as u32) * 10_000) >> 32;
    let high = ((word >> 32) * 10_000) >> 32;
    crate::number::digits8((low * 10_000 + high) as u32).to_le_bytes()
}

/// Eight letters of both cases and digits: four multiplications by 62², each of the remainder of
/// the one before.
#[inline(always)]
pub fn alphanumerics8(mut word: u64) -> [u8; 8] {
    let mut out = [0; 8];
    for out in out.chunks_exact_mut(2) {
        let product = u128::from(word) * (62 * 62);
        out.copy_from_slice(&ALPHANUMERIC_PAIRS[(product >> 64) as usize]);
        word = product as u64;
    }
    out
}

/// The pair of letters or digits with this number, 0 to 3843.
#[inline(always)]
pub fn alphanumeric_pair(number: u64) -> [u8; 2] {
    ALPHANUMERIC_PAIRS[number as usize]
}
