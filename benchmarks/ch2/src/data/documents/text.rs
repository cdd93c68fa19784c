//! String values, from random words to the writer.

use hoap_data::random::{Draws, Stream};
use hoap_data::text::{alphanumerics8, letters8, letters16, random_digits8};
use hoap_data::writer::{ExtraField, Field, TEXT_SLACK, Writer};

use super::{CATEGORIES, EXTRA_FIELDS};
use crate::data::MAX_EXTRA_FIELDS;

/// Number of category names (CH2++ paper, section 3.1).
const CATEGORY_COUNT: u64 = 128;

/// Their names.
static CATEGORY_NAMES: [[u8; 12]; CATEGORY_COUNT as usize] = {
    let mut names = [*b"category_000"; CATEGORY_COUNT as usize];
    let mut n = 0;
    while n < names.len() {
        names[n][9] += n as u8 / 100;
        names[n][10] += n as u8 / 10 % 10;
        names[n][11] += n as u8 % 10;
        n += 1;
    }
    names
};

/// The word that replaces eight letters in 10 % of the i_data and s_data (TPC-C 4.3.3.1).
const ORIGINAL: &[u8] = b"ORIGINAL";

/// Fills `out` from its start with at least `len` characters, eight from each word. Up to seven
/// more may be written.
#[inline(always)]
fn fill(words: Stream, len: usize, out: &mut [u8], eight: impl Fn(u64) -> [u8; 8]) {
    let (chunks, _) = out[..len.next_multiple_of(8)].as_chunks_mut();
    for (n, chunk) in chunks.iter_mut().enumerate() {
        *chunk = eight(words.at(n as u64));
    }
}

/// Fills `out` from its start with at least `MOST` letters, of which a shorter text uses the first:
/// a few surplus letters cost less than an unpredictable branch.
#[inline(always)]
pub(super) fn fill_letters<const MOST: usize>(words: Stream, out: &mut [u8]) {
    fill_letters_of(words, MOST, out);
}

/// Fills `out` from its start with at least `len` letters. Up to fifteen more may be written.
#[inline(always)]
fn fill_letters_of(mut words: Stream, len: usize, out: &mut [u8]) {
    let (out, rest) = out.split_at_mut(len / 16 * 16);
    let (chunks, _) = out.as_chunks_mut();
    for chunk in chunks {
        *chunk = letters16([words.next_u64(), words.next_u64()]);
    }
    match len % 16 {
        0 => (),
        1..=8 => rest[..8].copy_from_slice(&letters8(words.next_u64())),
        9.. => rest[..16].copy_from_slice(&letters16([words.next_u64(), words.next_u64()])),
    }
}

/// Random lower-case letters, `len` of them and no more than `MOST`.
#[inline(always)]
pub(super) fn letters<const MOST: usize, W: Writer>(
    w: &mut W,
    field: Field,
    words: Stream,
    len: u64,
) {
    debug_assert!(len as usize <= MOST && MOST <= len as usize + TEXT_SLACK);
    w.text(field, len as usize, |out| fill_letters::<MOST>(words, out));
}

/// Random lower-case letters; more may be generated than used.
#[inline(always)]
pub(super) fn long_letters<W: Writer>(w: &mut W, field: Field, words: Stream, len: u64) {
    w.text(field, len as usize, |out| {
        fill_letters_of(words, len.next_multiple_of(16) as usize, out)
    });
}

/// Random digits.
#[inline(always)]
pub(super) fn digits<W: Writer>(w: &mut W, field: Field, words: Stream, len: u64) {
    w.text(field, len as usize, |out| fill(words, len as usize, out, random_digits8));
}

/// Random letters of both cases and digits, of which `change` may overwrite some.
#[inline(always)]
pub(super) fn alphanumerics<W: Writer>(
    w: &mut W,
    field: Field,
    words: Stream,
    len: u64,
    change: impl FnOnce(&mut [u8]),
) {
    w.text(field, len as usize, |out| {
        fill(words, len as usize, out, alphanumerics8);
        change(out);
    });
}

/// i_data or s_data: 26 to 50 letters; where `original`, eight of them at a random place are
/// replaced (TPC-C 4.3.3.1). Takes the length and the place from `draws`.
#[inline(always)]
pub(super) fn data<W: Writer>(
    w: &mut W,
    field: Field,
    words: Stream,
    mut draws: Draws,
    original: bool,
) {
    let len = draws.within(26, 50) as usize;
    let place = draws.below((len - ORIGINAL.len()) as u64 + 1) as usize;
    w.text(field, len, |out| {
        fill_letters::<50>(words, out);
        if original {
            out[place..place + ORIGINAL.len()].copy_from_slice(ORIGINAL);
        }
    });
}

/// An array of `low` to `high` different category names, every choice and order equally likely.
/// Needs the document's whole stream.
#[inline(always)]
pub(super) fn categories<W: Writer>(
    w: &mut W,
    field: Field,
    document: Stream,
    low: u64,
    high: u64,
) {
    let mut count = document.draws(CATEGORIES).within(low, high);
    let mut chosen = 0u128;
    w.begin_array(field);
    'words: for word in CATEGORIES + 1.. {
        // A word holds nine numbers of seven bits; each repetition is drawn again.
        let mut draws = document.draws(word);
        for _ in 0..9 {
            if count == 0 {
                break 'words;
            }
            let category = draws.below(CATEGORY_COUNT);
            if chosen & 1 << category == 0 {
                chosen |= 1 << category;
                count -= 1;
                category_name(w, category);
            }
        }
    }
    w.end_array();
}

#[inline(always)]
fn category_name<W: Writer>(w: &mut W, category: u64) {
    w.text(Field::ELEMENT, 12, |out| {
        out[..12].copy_from_slice(&CATEGORY_NAMES[category as usize]);
    });
}

/// The first `count` extra fields.
#[inline(always)]
pub(super) fn extra_fields<W: Writer>(
    w: &mut W,
    fields: &'static [ExtraField; MAX_EXTRA_FIELDS as usize],
    document: Stream,
    count: u32,
) {
    w.extras(&fields[..count as usize], document.skip(EXTRA_FIELDS));
}
