//! Inputs that are nearly good.

use hoap_data::random::Stream;

/// What parsers give a meaning to, and what they often get wrong.
const WORDS: &[&[u8]] = &[
    b"\"",
    b"'",
    b"\\",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b",",
    b":",
    b"=",
    b"{",
    b"}",
    b"[",
    b"]",
    b"%",
    b"@",
    b"/",
    b"?",
    b"&",
    b"#",
    b"*",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    b"\xf0\x9f\x98\x80",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\"\"",
    b"\\u0000",
    b"\\ud800",
    b"%00",
    b"%zz",
    b"NaN",
    b"inf",
];

/// Numbers at which something ends.
const NUMBERS: &[&[u8]] = &[
    b"0",
    b"-0",
    b"-1",
    b"1",
    b"0.1",
    b"255",
    b"256",
    b"65535",
    b"65536",
    b"2147483647",
    b"2147483648",
    b"4294967295",
    b"4294967296",
    b"9007199254740993",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551615",
    b"18446744073709551616",
    b"99999999999999999999999999",
    b"1e9",
    b"1e308",
    b"1e999",
    b"-1e308",
    b"5e-324",
];

/// One of the seeds with one to four changes.
pub fn mutated(seeds: &[Vec<u8>], stream: &mut Stream) -> Vec<u8> {
    let mut bytes = pick(seeds, stream).clone();
    for _ in 0..=below(4, stream) {
        change(&mut bytes, seeds, stream);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], stream: &mut Stream) {
    let at = below(bytes.len() + 1, stream);
    let some = piece(bytes, stream);
    match below(9, stream) {
        0 if at < bytes.len() => bytes[at] ^= 1 << below(8, stream),
        1 if at < bytes.len() => bytes[at] = stream.next_u64() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(some)),
        4 => {
            let copy = bytes[some].to_vec();
            drop(bytes.splice(at..at, copy));
        }
        5 => {
            let other = pick(seeds, stream);
            let theirs = other[piece(other, stream)].to_vec();
            drop(bytes.splice(some, theirs));
        }
        6 => {
            let word = *pick(WORDS, stream);
            drop(bytes.splice(at..at, word.iter().copied()));
        }
        7 => {
            let word = *pick(WORDS, stream);
            drop(bytes.splice(some, word.iter().copied()));
        }
        _ => number(bytes, at, stream),
    }
}

/// Puts another number in the place of the next one.
fn number(bytes: &mut Vec<u8>, at: usize, stream: &mut Stream) {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let found = (at..bytes.len()).find(|&from| digits(from) > 0);
    let from = found.unwrap_or(bytes.len());
    let replaced = from..from + digits(from);
    drop(bytes.splice(replaced, pick(NUMBERS, stream).iter().copied()));
}

/// A part of the bytes, mostly a short one.
fn piece(bytes: &[u8], stream: &mut Stream) -> std::ops::Range<usize> {
    let from = below(bytes.len() + 1, stream);
    let most = bytes.len() - from;
    let length =
        if stream.chance(0.8) { most.min(below(32, stream)) } else { below(most + 1, stream) };
    from..from + length
}

fn pick<'a, T>(from: &'a [T], stream: &mut Stream) -> &'a T {
    &from[below(from.len(), stream)]
}

/// A number below `end`, which is not 0.
fn below(end: usize, stream: &mut Stream) -> usize {
    stream.uniform(0..=end as i64 - 1) as usize
}
