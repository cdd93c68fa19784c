//! The sources of files: the documents of a benchmark.

use std::ops::Range;

use hoap_data::Buffer;
use serde_json::{Map, Value};

#[cfg(feature = "parquet")]
use crate::columns::Shredder;
use crate::flat::{Csv, Flat};
use crate::shape::Tree;
use crate::typed::TypedWriter;

/// The documents of a benchmark: the interface for formats, manifests and parts.
///
/// Documents of one collection have the same fields in the same order; all values of a field have
/// one type or are null. `at` is a collection's position in [`FileSource::collections`].
pub trait FileSource: Sync {
    /// The name of the benchmark, as users type it.
    fn benchmark(&self) -> &'static str;

    /// Version of the bytes: another one makes other documents of the same parameters.
    fn data_version(&self) -> u32;

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

    /// Writes a document that has every field, and returns true, if documents may lack any value:
    /// then each that is missing is written as null. Else some documents show what all are like.
    fn example(&self, _at: usize, _to: AnyWriter<'_, '_>) -> bool {
        false
    }

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

/// A document that any writer takes.
pub trait Visit {
    /// Writes it value by value.
    fn write<W: TypedWriter>(self, to: &mut W);
}

impl AnyWriter<'_, '_> {
    /// Passes the writer to generic code.
    pub fn take(self, document: impl Visit) {
        match self {
            AnyWriter::Tree(to) => document.write(to),
            AnyWriter::Csv(to) => document.write(to),
            #[cfg(feature = "parquet")]
            AnyWriter::Columns(to) => document.write(to),
        }
    }
}
