//! Random characters from random words, eight to a word.

/// Number of lower-case letters.
const LETTERS: usize = 26;

/// The 62 characters of TPC-C 4.3.2.2's random alphanumeric strings.
pub(crate) const ALPHANUMERICS: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Every pair of lower-case letters.
static LETTER_PAIRS: [[u8; 2]; LETTERS * LETTERS] = letter_pairs();

/// Every pair of letters of both cases and digits.
static ALPHANUMERIC_PAIRS: [[u8; 2]; 62 * 62] = alphanumeric_pairs();

const fn letter_pairs() -> [[u8; 2]; LETTERS * LETTERS] {
    let mut pairs = [[0; 2]; LETTERS * LETTERS];
    let mut i = 0;
    while i < pairs.len() {
        pairs[i] = [b'a' + (i / LETTERS) as u8, b'a' + (i % LETTERS) as u8];
        i += 1;
    }
    pairs
}

const fn alphanumeric_pairs() -> [[u8; 2]; 62 * 62] {
    let mut pairs = [[0; 2]; 62 * 62];
    let mut i = 0;
    while i < pairs.len() {
        pairs[i] = [ALPHANUMERICS[i / 62], ALPHANUMERICS[i % 62]];
        i += 1;
    }
    pairs
}

/// Eight lower-case letters. Each half of the word gives four: two multiplications by 26², the
/// second of what the first left over. No letter's share is off by more than 1.1e-4 of itself.
#[inline(always)]
pub(crate) fn letters8(word: u64) -> [u8; 8] {
    let mut out = [0; 8];
    for (half, out) in [word as u32, (word >> 32) as u32].into_iter().zip(out.chunks_exact_mut(4)) {
        let first = u64::from(half) * (LETTERS * LETTERS) as u64;
        let second = u64::from(first as u32) * (LETTERS * LETTERS) as u64;
        out[..2].copy_from_slice(&LETTER_PAIRS[(first >> 32) as usize]);
        out[2..].copy_from_slice(&LETTER_PAIRS[(second >> 32) as usize]);
    }
    out
}

/// Eight decimal digits, four from each half of the word.
#[inline(always)]
pub(crate) fn random_digits8(word: u64) -> [u8; 8] {
    let low = (u64::from(word as u32) * 10_000) >> 32;
    let high = ((word >> 32) * 10_000) >> 32;
    crate::number::digits8((low * 10_000 + high) as u32).to_le_bytes()
}

/// Eight letters of both cases and digits: four multiplications by 62², each of what the one
/// before left over.
#[inline(always)]
pub(crate) fn alphanumerics8(mut word: u64) -> [u8; 8] {
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
pub(crate) fn alphanumeric_pair(number: u64) -> [u8; 2] {
    ALPHANUMERIC_PAIRS[number as usize]
}
