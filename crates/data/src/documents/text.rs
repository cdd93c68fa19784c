//! Strings of values, on their way from random words to a writer.

use super::{CATEGORIES, EXTRA_FIELDS};
use crate::random::{Draws, Stream};
use crate::text::{alphanumerics8, letters8, random_digits8};
use crate::writer::{ExtraField, Field, Writer};

/// Number of category names (CH2++ paper, section 3.1).
const CATEGORY_COUNT: u64 = 128;

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

#[inline(always)]
pub(super) fn fill_letters(words: Stream, len: usize, out: &mut [u8]) {
    fill(words, len, out, letters8);
}

/// Random lower-case letters.
#[inline(always)]
pub(super) fn letters<W: Writer>(w: &mut W, field: Field, words: Stream, len: u64) {
    w.text(field, len as usize, |out| fill_letters(words, len as usize, out));
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
        fill_letters(words, len, out);
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
        // Nine numbers of seven bits are in a word; each repetition is drawn anew.
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
        let mut name = *b"category_000";
        for (place, unit) in name[9..].iter_mut().zip([100, 10, 1]) {
            *place += (category / unit % 10) as u8;
        }
        out[..12].copy_from_slice(&name);
    });
}

/// The first `count` extra fields.
#[inline(always)]
pub(super) fn extra_fields<W: Writer>(
    w: &mut W,
    fields: &'static [ExtraField; 128],
    document: Stream,
    count: u32,
) {
    for (n, field) in fields.iter().take(count as usize).enumerate() {
        let word = EXTRA_FIELDS + 2 * n as u64;
        w.extra(field, [document.at(word), document.at(word + 1)]);
    }
}
