//! The bytes of a field's value.

use hoap_data::random::Stream;
use wide::u8x16;

/// The most digits of a version: 13 digits of five bits hold 64 bits.
const VERSION_DIGITS: usize = 13;
const DIGIT_BITS: u32 = 5;
/// The low bits of a character, which YCSB draws for every place: those of a digit.
const DIGIT: u8 = (1 << DIGIT_BITS) - 1;
/// The first of YCSB's characters.
const FIRST: u8 = b' ';
/// Characters that are made at once.
pub(super) const BLOCK: usize = 16;
/// The random bits of a character by its place, again and again: `RandomByteIterator` of YCSB's
/// core-0.17.0.jar cuts an int into six characters by these masks.
const KEPT: [u8; 3] = [31, 63, 95];
/// [`KEPT`] for a block that begins at each place.
const MASKS: [u8x16; 3] = [masks(0), masks(1), masks(2)];
/// What follows the random characters of a compressible value.
pub(super) const FILLER: u8 = b'0';

const fn masks(place: usize) -> u8x16 {
    let mut masks = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        masks[at] = KEPT[(place + at) % KEPT.len()];
        at += 1;
    }
    u8x16::new(masks)
}

/// The random words of a value: wyrand (Wang Yi, 2019), of which a word costs one multiplication.
/// SplitMix64, as documents have it elsewhere, would be a third of the time that a value takes.
struct Words(u64);

impl Words {
    #[inline(always)]
    fn pair(&mut self) -> [u64; 2] {
        [self.next(), self.next()]
    }

    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.0) * u128::from(self.0 ^ 0xe703_7ed1_a0b4_28db);
        ((product >> 64) as u64 ^ product as u64).to_le()
    }
}

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
fn version_digits(version: u64) -> [u64; 2] {
    [spread(version), spread(version >> (8 * DIGIT_BITS))]
}

/// The lowest 40 bits, five to each byte, the lowest first.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    let x = bits & 0xff_ffff_ffff;
    let x = (x & 0xf_ffff) | ((x >> 20) << 32);
    let x = (x & 0x0000_03ff_0000_03ff) | ((x & 0x000f_fc00_000f_fc00) << 6);
    ((x & 0x001f_001f_001f_001f) | ((x & 0x03e0_03e0_03e0_03e0) << 3)).to_le()
}

/// The characters of two words in a block that begins at `place`. Those that JSON escapes become
/// others with the same low bits: `"` becomes `b`, and `\` becomes `|`.
#[inline(always)]
fn characters(words: [u64; 2], mask: u8x16) -> [u8; BLOCK] {
    let splat = u8x16::splat;
    let raw: u8x16 = bytemuck::cast(words);
    let x = (raw & mask) + splat(FIRST);
    let escaped = |byte: u8, bit: u8| x.simd_eq(splat(byte)) & splat(bit);
    (x | escaped(b'"', 0x40) | escaped(b'\\', 0x20)).to_array()
}

/// The blocks of a value; of the last one the value may have the first bytes only.
struct Blocks {
    words: Words,
    masks: [u8x16; 3],
}

impl Blocks {
    /// The first block of a value of `len` bytes, and those after it. `of_field` is the stream of
    /// the key's field.
    #[inline(always)]
    fn begin(of_field: Stream, version: u64, len: usize) -> ([u8; BLOCK], Blocks) {
        let version = stated(version, len);
        let mut words = Words(of_field.at(version));
        // The digits take the place of the low bits of the first characters.
        let low: [u64; 2] = bytemuck::cast(LOW[digits(len)]);
        let [a, b] = words.pair();
        let [c, d] = version_digits(version);
        let first = [(a & !low[0]) | (c & low[0]), (b & !low[1]) | (d & low[1])];
        (characters(first, MASKS[0]), Blocks { words, masks: MASKS })
    }

    #[inline(always)]
    fn next(&mut self) -> [u8; BLOCK] {
        self.masks.rotate_left(1);
        characters(self.words.pair(), self.masks[0])
    }
}

/// The bits of the first block that the digits take, by their number.
const LOW: [[u8; BLOCK]; VERSION_DIGITS + 1] = {
    let mut low = [[0; BLOCK]; VERSION_DIGITS + 1];
    let mut digits = 0;
    while digits <= VERSION_DIGITS {
        let mut at = 0;
        while at < digits {
            // What 64 bits leave of the thirteenth digit is random, too.
            low[digits][at] = if at < VERSION_DIGITS - 1 { DIGIT } else { DIGIT >> 1 };
            at += 1;
        }
        digits += 1;
    }
    low
};

/// Appends the value of this length.
#[inline]
pub(super) fn append(of_field: Stream, version: u64, len: usize, out: &mut Vec<u8>) {
    let end = out.len() + len;
    let (block, mut blocks) = Blocks::begin(of_field, version, len);
    out.reserve(len.next_multiple_of(BLOCK));
    out.extend_from_slice(&block);
    while out.len() < end {
        out.extend_from_slice(&blocks.next());
    }
    out.truncate(end);
}

/// Writes the value of this length to the start of `out`, which has room for whole blocks.
#[inline]
pub(super) fn fill(of_field: Stream, version: u64, len: usize, out: &mut [u8]) {
    let (room, _) = out[..len.next_multiple_of(BLOCK)].as_chunks_mut();
    let (first, mut blocks) = Blocks::begin(of_field, version, len);
    if let Some((to, rest)) = room.split_first_mut() {
        *to = first;
        for to in rest {
            *to = blocks.next();
        }
    }
}

/// The version in the value, where its other bytes follow from that version.
#[inline]
pub(super) fn check(of_field: Stream, value: &[u8]) -> Option<u64> {
    let digits = value.iter().take(digits(value.len())).zip(0..);
    let version = digits.fold(0, |version: u64, (&byte, place)| {
        version | u64::from(byte & DIGIT) << (DIGIT_BITS * place)
    });
    let (mut block, mut blocks) = Blocks::begin(of_field, version, value.len());
    let (whole, rest) = value.as_chunks();
    for piece in whole {
        if *piece != block {
            return None;
        }
        block = blocks.next();
    }
    (*rest == block[..rest.len()]).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `RandomByteIterator.fillBytesImpl` makes of an int.
    fn jars(int: i32) -> [u8; 6] {
        [int & 31, int >> 5 & 63, int >> 10 & 95, int >> 15 & 31, int >> 20 & 63, int >> 25 & 95]
            .map(|bits| bits as u8 + b' ')
    }

    /// Shares of the characters at each place of six, in the jar and here: equal but for the two
    /// that JSON escapes.
    #[test]
    fn characters_are_the_jars() {
        const DRAWS: u32 = 200_000;
        let mut words = Stream::new(1, &[]);
        let mut counts = [[[0u32; 256]; 6]; 2];
        for _ in 0..DRAWS {
            for (place, byte) in jars(words.next_u64() as i32).into_iter().enumerate() {
                let byte = match byte {
                    b'"' => b'b',
                    b'\\' => b'|',
                    other => other,
                };
                counts[0][place][usize::from(byte)] += 1;
            }
        }
        for _ in 0..DRAWS / 10 {
            let mut value = Vec::new();
            append(Stream::new(2, &[]), words.next_u64(), 60, &mut value);
            for (at, &byte) in value.iter().enumerate() {
                counts[1][at % 6][usize::from(byte)] += 1;
            }
        }
        for place in 0..6 {
            for byte in 0..256 {
                let [jar, here] = counts.map(|counts| f64::from(counts[place][byte]));
                assert_eq!(jar == 0.0, here == 0.0, "{place} {byte}: {jar} and {here}");
                let deviation = (jar + here).sqrt();
                assert!((jar - here).abs() <= 5.0 * deviation, "{place} {byte}: {jar}, {here}");
            }
        }
    }
}
