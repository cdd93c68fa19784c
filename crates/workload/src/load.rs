//! Loading a database, in one part or several, from nothing or from where it stopped.

use std::ops::Range;

use serde_json::Value;

use crate::capability::Index;

/// The documents of a benchmark, as a load writes them.
pub trait Source: Send + Sync {
    /// The benchmark's name: "ch2", "ch2pp", "ycsb", "shop".
    fn benchmark(&self) -> &'static str;

    /// Every parameter that decides the bytes, the data version included, as a JSON object of plain
    /// values: equal exactly where the data is.
    fn parameters(&self) -> Value;

    /// The collections, in the order they are loaded.
    fn collections(&self) -> Vec<&'static str>;

    /// The indexes of part `part` (from 1) of `of` of the collection at `at` in
    /// [`Source::collections`]. The parts are the whole, one after the other.
    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64>;

    /// Appends key and JSON text of a document.
    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>);

    /// The indexes that the benchmark's operations need.
    fn indexes(&self) -> Vec<Index>;
}
