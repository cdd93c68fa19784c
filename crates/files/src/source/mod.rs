//! The sources of files: the documents of a benchmark.

mod ch2;
mod shop;
mod ycsb;

use std::ops::Range;

use hoap_data::writer::Writer;
use hoap_data::{Buffer, Part};
use serde_json::{Map, Value};

use crate::flat::Flat;

pub use ycsb::YcsbTable;

/// The documents of a benchmark: the interface for formats, manifests and parts.
///
/// Documents of one collection have the same fields in the same order; all values of a field have
/// one type or are null.
pub trait FileSource: Sync {
    /// One of its collections.
    type Collection: Copy + Ord + Send + Sync;

    /// The benchmark's name: "ch2", "ch2pp", "ycsb", "shop".
    fn benchmark(&self) -> &'static str;

    /// Every parameter that decides the documents, as plain values, without the version of the
    /// data.
    fn parameters(&self) -> Map<String, Value>;

    /// The name of the collection and of its files: a file name without dots.
    fn name(&self, collection: Self::Collection) -> &str;

    /// Number of documents of a collection.
    fn count(&self, collection: Self::Collection) -> u64;

    /// Appends the documents of a range as JSON without white space, each followed by `end`.
    fn append_range<const N: usize>(
        &self,
        collection: Self::Collection,
        range: Range<u64>,
        end: &[u8; N],
        out: &mut Buffer,
    );

    /// Writes one document value by value.
    fn write<W: Writer>(&self, collection: Self::Collection, index: u64, w: &mut W);

    /// The mapping of the documents to relational tables.
    fn flat(&self) -> &'static Flat;

    /// The indexes of a part. Parts are contiguous, join to the whole, and differ in size by at
    /// most one document.
    fn part(&self, collection: Self::Collection, part: Part) -> Range<u64>;
}
