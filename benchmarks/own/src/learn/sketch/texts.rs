//! What is known of the texts of a field.

use super::distinct::{Distinct, hash};
use super::frequent::Frequent;
use super::numbers::Lengths;
use super::sample::Sample;

/// Texts of a field that are kept, and bytes of each.
const KEPT: usize = 2048;
const MOST_BYTES: usize = 120;

/// A text of the sample.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The text, or its beginning.
    pub text: Box<str>,
    /// All its bytes.
    pub bytes: usize,
}

/// Texts of a field.
#[derive(Clone, Debug)]
pub struct Texts {
    /// Their lengths in bytes.
    pub lengths: Lengths,
    /// How many have characters beyond ASCII.
    pub wide: u64,
    /// Frequent values; those that are long are none.
    pub frequent: Frequent<String>,
    /// Distinct values.
    pub distinct: Distinct,
    /// A random sample.
    pub sample: Sample<Kept>,
    /// The first and the last by bytes, which of dates is by time.
    pub ends: Option<(Box<str>, Box<str>)>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts {
            lengths: Lengths::default(),
            wide: 0,
            frequent: Frequent::default(),
            distinct: Distinct::default(),
            sample: Sample::new(KEPT),
            ends: None,
        }
    }
}

/// The beginning of a text that is kept.
fn beginning(text: &str) -> &str {
    let end = (0..=MOST_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

impl Texts {
    /// Takes a text in, so many times.
    pub fn add(&mut self, text: &str, times: u64) {
        self.lengths.add(text.len(), times);
        self.wide += if text.is_ascii() { 0 } else { times };
        self.distinct.add(hash(text.as_bytes()), times);
        if text.len() <= MOST_BYTES {
            self.frequent.add(text, times);
        }
        let kept = || Kept { text: beginning(text).into(), bytes: text.len() };
        (0..times.min(KEPT as u64)).for_each(|_| self.sample.add(kept));
        self.end(text);
    }

    fn end(&mut self, text: &str) {
        match &mut self.ends {
            None => self.ends = Some((beginning(text).into(), beginning(text).into())),
            Some((first, _)) if text < &**first => *first = beginning(text).into(),
            Some((_, last)) if text > &**last => *last = beginning(text).into(),
            Some(_) => {}
        }
    }

    /// Takes in what another one has.
    pub fn merge(&mut self, other: &Texts) {
        self.lengths.merge(&other.lengths);
        self.wide += other.wide;
        self.frequent.merge(&other.frequent);
        self.distinct.merge(&other.distinct);
        self.sample.merge(&other.sample);
        if let Some((first, last)) = &other.ends {
            self.end(first);
            self.end(last);
        }
    }
}
