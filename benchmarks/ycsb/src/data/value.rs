//! The bytes of a field's value.

use hoap_data::random::Stream;

/// The most digits of a version: 13 digits of five bits hold 64 bits.
const VERSION_DIGITS: usize = 13;
/// The first of the 32 characters.
const FIRST: u8 = b'0';
const DIGIT_BITS: u32 = 5;
/// What follows the random characters of a compressible value.
pub(super) const FILLER: u8 = FIRST;

/// Number of version digits in a value of this length.
#[inline(always)]
pub(super) fn digits(len: usize) -> usize {
    (len / 2).clamp(1, VERSION_DIGITS)
}

/// The part of a version that a value of `len` bytes contains: all of it from 26 bytes on.
#[inline(always)]
pub(super) fn stated(version: u64, len: usize) -> u64 {
    match digits(len) {
        VERSION_DIGITS => version,
        n => version & ((1 << (DIGIT_BITS * n as u32)) - 1),
    }
}

/// The digits of the version, the lowest first.
#[inline(always)]
fn version_digits(version: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    digits[..8].copy_from_slice(&characters(spread(version)));
    digits[8..].copy_from_slice(&characters(spread(version >> (8 * DIGIT_BITS))));
    digits
}

/// The lowest 40 bits, five to each byte.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    let x = bits & 0xff_ffff_ffff;
    let x = (x & 0xf_ffff) | ((x >> 20) << 32);
    let x = (x & 0x0000_03ff_0000_03ff) | ((x & 0x000f_fc00_000f_fc00) << 6);
    (x & 0x001f_001f_001f_001f) | ((x & 0x03e0_03e0_03e0_03e0) << 3)
}

/// Eight characters of five bits.
#[inline(always)]
fn characters(word: u64) -> [u8; 8] {
    ((word & 0x1f1f_1f1f_1f1f_1f1f) + u64::from_ne_bytes([FIRST; 8])).to_le_bytes()
}

/// Appends the value of this length. `of_field` is the stream of the key's field, with a child for
/// each version.
#[inline]
pub(super) fn append(of_field: Stream, version: u64, len: usize, out: &mut Vec<u8>) {
    write(of_field, version, len, |piece| out.extend_from_slice(piece));
}

/// Fills `out` with the value of its length.
#[inline]
pub(super) fn fill(of_field: Stream, version: u64, out: &mut [u8]) {
    let mut at = 0;
    write(of_field, version, out.len(), |piece| {
        out[at..at + piece.len()].copy_from_slice(piece);
        at += piece.len();
    });
}

/// Hands the value of this length to `put`: the digits of its version, then a word at a time.
#[inline(always)]
fn write(of_field: Stream, version: u64, len: usize, mut put: impl FnMut(&[u8])) {
    let version = stated(version, len);
    let stated = digits(len).min(len);
    let digits = version_digits(version);
    match stated {
        // Of a known length it is copied without a call.
        VERSION_DIGITS => put(&digits[..VERSION_DIGITS]),
        fewer => put(&digits[..fewer]),
    }
    let mut words = of_field.child(version);
    let mut left = len - stated;
    while left >= 8 {
        put(&characters(words.next_u64()));
        left -= 8;
    }
    if left > 0 {
        put(&characters(words.next_u64())[..left]);
    }
}

/// The version in the value, where its other bytes follow from that version.
#[inline]
pub(super) fn check(of_field: Stream, value: &[u8]) -> Option<u64> {
    let (head, rest) = value.split_at(digits(value.len()).min(value.len()));
    let mut version: u64 = 0;
    for (place, &byte) in head.iter().enumerate() {
        let digit = byte.wrapping_sub(FIRST);
        let shifted = u64::from(digit).checked_shl(DIGIT_BITS * place as u32)?;
        // The thirteenth digit holds four bits.
        if digit >= 1 << DIGIT_BITS || shifted >> (DIGIT_BITS * place as u32) != u64::from(digit) {
            return None;
        }
        version |= shifted;
    }
    let mut words = of_field.child(version);
    let mut chunks = rest.chunks_exact(8);
    let whole = chunks.by_ref().all(|chunk| chunk == characters(words.next_u64()));
    let rest = chunks.remainder();
    let ends = whole && (rest.is_empty() || rest == &characters(words.next_u64())[..rest.len()]);
    ends.then_some(version)
}
