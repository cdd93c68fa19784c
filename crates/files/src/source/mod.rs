//! The sources of files: the documents of a benchmark.

mod ch2;
mod shop;
mod ycsb;

use std::ops::Range;

use hoap_data::Buffer;
use serde_json::{Map, Value};

#[cfg(feature = "parquet")]
use crate::columns::Shredder;
use crate::flat::{Csv, Flat};
use crate::shape::Tree;

pub use ycsb::YcsbTable;

/// The documents of a benchmark: the interface for formats, manifests and parts.
///
/// Documents of one collection have the same fields in the same order; all values of a field have
/// one type or are null. `at` is a collection's position in [`FileSource::collections`].
pub trait FileSource: Sync {
    /// The benchmark's name: "ch2", "ch2pp", "ycsb", "shop".
    fn benchmark(&self) -> &'static str;

    /// Every parameter that decides the documents, as plain values, without the version of the
    /// data.
    fn parameters(&self) -> Map<String, Value>;

    /// The names of the collections and of their files: file names without dots.
    fn collections(&self) -> Vec<&str>;

    /// Number of documents of a collection.
    fn count(&self, at: usize) -> u64;

    /// Appends the documents of a range as JSON without white space, each followed by `end`.
    fn append_range(&self, at: usize, range: Range<u64>, end: &[u8], out: &mut Buffer);

    /// Writes one document value by value.
    fn write(&self, at: usize, index: u64, to: AnyWriter<'_, '_>);

    /// The mapping of the documents to relational tables.
    fn flat(&self) -> &'static Flat;
}

/// One of the writers of this crate. Each is a type of its own down to the value: a call through a
/// pointer for each value would cost more than most values.
pub enum AnyWriter<'w, 'a> {
    /// Makes a tree.
    Tree(&'w mut Tree),
    /// Makes rows of CSV.
    Csv(&'w mut Csv<'a>),
    /// Makes columns of Parquet.
    #[cfg(feature = "parquet")]
    Columns(&'w mut Shredder<'a>),
}

/// Passes the writer to generic code.
macro_rules! with_writer {
    ($to:expr, |$w:ident| $write:expr) => {
        match $to {
            $crate::source::AnyWriter::Tree($w) => $write,
            $crate::source::AnyWriter::Csv($w) => $write,
            #[cfg(feature = "parquet")]
            $crate::source::AnyWriter::Columns($w) => $write,
        }
    };
}
use with_writer;
