//! What is loaded.

use std::ops::Range;

use serde_json::Value;

use hoap_database::{Index, Values};

/// The documents of a benchmark, as the source of a load.
pub trait LoadSource: Send + Sync {
    /// The benchmark's name, such as "ch2".
    fn benchmark(&self) -> &str;

    /// Every parameter that decides the bytes, including the data version, as a JSON object of
    /// plain values. Equal exactly where the data is equal.
    fn parameters(&self) -> Value;

    /// The collections, in the order of loading.
    fn collections(&self) -> Vec<&str>;

    /// Collections that runs create beside these. Replacing the data drops them.
    fn other_collections(&self) -> Vec<&str> {
        Vec::new()
    }

    /// How this data lies to that of a note with these parameters, if both are ranges of the same.
    fn joins(&self, _there: &Value) -> Option<Joined> {
        None
    }

    /// The document indexes of part `part` (from 1) of `of` parts of the collection at `at` in
    /// [`LoadSource::collections`]. The parts together are the whole range, in order.
    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64>;

    /// Appends key and JSON text of a document.
    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>);

    /// The same documents value by value, where they can be had so.
    fn typed(&self) -> Option<&dyn TypedSource> {
        None
    }

    /// The indexes that the benchmark's operations need.
    fn indexes(&self) -> Vec<Index>;
}

/// How a range of documents lies to another one of the same.
#[derive(Clone, Debug, PartialEq)]
pub enum Joined {
    /// In it.
    Within,
    /// One follows the other: the parameters of both together.
    Together(Value),
    /// Neither: they overlap, or there is a gap between them.
    Apart,
}

/// Documents that can be had value by value as well as in JSON text.
pub trait TypedSource: Send + Sync {
    /// Appends the key of a document to `key` and hands its values to `values`. Returns the bytes
    /// that the document takes as JSON text.
    fn write(&self, at: usize, index: u64, key: &mut String, values: &mut dyn Values) -> u64;
}
