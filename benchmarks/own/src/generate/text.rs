//! Random text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hoap_data::random::Stream;
use hoap_data::writer::extra_text;

use crate::file::model::Alphabet;

/// Words begin with one of these …
const BEGINNINGS: [&str; 64] = [
    "ba", "be", "bi", "bo", "bra", "bri", "ca", "ce", "chi", "co", "cra", "da", "de", "di", "do",
    "dra", "fa", "fe", "fi", "fo", "ga", "ge", "gi", "go", "gra", "ha", "he", "ho", "ja", "jo",
    "ka", "ki", "la", "le", "li", "lo", "ma", "me", "mi", "mo", "na", "ne", "ni", "no", "pa", "pe",
    "pi", "po", "qua", "ra", "re", "ri", "ro", "sa", "se", "si", "so", "sta", "ta", "te", "ti",
    "to", "va", "ve",
];

/// … and end with one of these: 4,096 words.
const ENDINGS: [&str; 64] = [
    "bel", "ber", "ble", "chen", "cil", "cker", "dal", "den", "der", "dle", "dor", "fel", "fer",
    "gan", "gel", "ger", "gle", "kel", "ken", "ker", "lam", "lan", "len", "ler", "let", "lin",
    "lon", "man", "mel", "men", "mer", "mon", "nal", "nel", "ner", "net", "nic", "nor", "nus",
    "pel", "per", "ple", "ral", "ran", "rel", "ren", "rin", "ris", "ron", "ros", "san", "sel",
    "sen", "sin", "son", "sor", "tal", "tel", "ten", "ter", "tin", "ton", "tor", "vel",
];

/// Bits of a word's number, and words of a random word.
const BITS: u32 = 12;
const WORDS: u64 = (u64::BITS / BITS) as u64;

/// A text as a number, the first byte the lowest, and its length.
type Packed = (u64, u8);

static PACKED: [[Packed; 64]; 2] = [packed(BEGINNINGS), packed(ENDINGS)];

const fn packed(texts: [&str; 64]) -> [Packed; 64] {
    let mut all = [(0, 0); 64];
    let mut n = 0;
    while n < 64 {
        let bytes = texts[n].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            all[n].0 |= (bytes[at] as u64) << (8 * at);
            at += 1;
        }
        all[n].1 = bytes.len() as u8;
        n += 1;
    }
    all
}

/// Appends so many random words, with spaces between them.
pub fn words(count: u64, random: &mut Stream, out: &mut Vec<u8>) {
    let mut left = count;
    while left > 0 {
        let (mut bits, some) = (random.next_u64(), left.min(WORDS));
        let (mut buffer, mut len) = ([0; 8 * WORDS as usize], 0);
        for _ in 0..some {
            let (word, bytes) = word(bits);
            buffer[len..len + 8].copy_from_slice(&word.to_le_bytes());
            (len, bits) = (len + bytes, bits >> BITS);
        }
        out.extend_from_slice(&buffer[..len]);
        left -= some;
    }
    if count > 0 {
        out.pop();
    }
}

/// The word of the lowest bits with a space behind it: eight bytes at most, and how many they are.
#[inline]
fn word(bits: u64) -> (u64, usize) {
    let (begin, first) = PACKED[0][(bits & 63) as usize];
    let (end, more) = PACKED[1][(bits >> 6 & 63) as usize];
    let len = first + more;
    (begin | end << (8 * first) | u64::from(b' ') << (8 * len), usize::from(len) + 1)
}

/// Appends so many random characters.
pub fn characters(alphabet: Alphabet, count: u64, random: &mut Stream, out: &mut Vec<u8>) {
    let (start, count) = (out.len(), count as usize);
    match alphabet {
        Alphabet::Words => {
            while out.len() < start + count {
                words(5, random, out);
                out.push(b' ');
            }
            out.truncate(start + count);
            // A text does not end with a space.
            if count > 0 && out.last() == Some(&b' ') {
                out[start + count - 1] = b's';
            }
        }
        Alphabet::Hex => {
            while out.len() < start + count {
                out.extend_from_slice(&extra_text([random.next_u64(), random.next_u64()]));
            }
            out.truncate(start + count);
        }
        _ => {
            out.resize(start + count, 0);
            let text = &mut out[start..];
            match alphabet {
                Alphabet::Digits => random.digits(text),
                Alphabet::Alnum => random.alphanumerics(text),
                Alphabet::Upper => {
                    random.letters(text);
                    text.make_ascii_uppercase();
                }
                Alphabet::Letters => {
                    random.letters(text);
                    for chunk in text.chunks_mut(64) {
                        let case = random.next_u64();
                        chunk
                            .iter_mut()
                            .enumerate()
                            .for_each(|(n, b)| *b ^= ((case >> n & 1) as u8) << 5);
                    }
                }
                _ => random.letters(text),
            }
        }
    }
}

/// Appends so many random bytes as base64.
pub fn binary(count: u64, random: &mut Stream, out: &mut Vec<u8>) {
    /// Bytes that are encoded at once: a multiple of three, and of eight.
    const CHUNK: usize = 48;
    let mut left = count as usize;
    while left > 0 {
        let mut bytes = [0; CHUNK];
        bytes
            .chunks_exact_mut(8)
            .for_each(|chunk| chunk.copy_from_slice(&random.next_u64().to_le_bytes()));
        let some = left.min(CHUNK);
        let start = out.len();
        out.resize(start + CHUNK / 3 * 4, 0);
        // There is room for all of them.
        let len = STANDARD.encode_slice(&bytes[..some], &mut out[start..]).unwrap_or(0);
        out.truncate(start + len);
        left -= some;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_4096_words() {
        let all: BTreeSet<(u64, usize)> = (0..4096).map(word).collect();
        assert_eq!(all.len(), 4096);
    }

    #[test]
    fn texts_have_their_lengths_and_characters() {
        use Alphabet::{Alnum, Digits, Hex, Letters, Lower, Upper, Words};
        type Belongs = fn(u8) -> bool;
        let cases: [(Alphabet, Belongs); 7] = [
            (Alnum, |b| b.is_ascii_alphanumeric()),
            (Letters, |b| b.is_ascii_alphabetic()),
            (Lower, |b| b.is_ascii_lowercase()),
            (Upper, |b| b.is_ascii_uppercase()),
            (Digits, |b| b.is_ascii_digit()),
            (Hex, |b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
            (Words, |b| b.is_ascii_lowercase() || b == b' '),
        ];
        let mut random = Stream::new(1, &[]);
        for (alphabet, is_one) in cases {
            for count in [0, 1, 7, 8, 33, 500] {
                let mut out = b"before".to_vec();
                characters(alphabet, count, &mut random, &mut out);
                let text = &out[6..];
                assert_eq!(text.len() as u64, count, "{alphabet:?}");
                assert!(
                    text.iter().all(|b| is_one(*b)) && text.last() != Some(&b' '),
                    "{alphabet:?}"
                );
            }
        }
        for count in [0, 1, 2, 3, 47, 48, 49, 100] {
            let mut out = Vec::new();
            binary(count, &mut random, &mut out);
            assert_eq!(STANDARD.decode(&out).unwrap().len() as u64, count);
        }
    }
}
