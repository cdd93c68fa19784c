//! Documents value by value, for a database that takes typed values.

use std::ops::Range;

/// Takes the values of documents in order. A value outside of an object has no name: the document
/// itself, and the elements of arrays.
pub trait Values {
    /// Begins an object; a document is one.
    fn begin_object(&mut self, field: &str);
    /// Ends the object begun last.
    fn end_object(&mut self);
    /// Begins an array.
    fn begin_array(&mut self, field: &str);
    /// Ends the array begun last.
    fn end_array(&mut self);
    /// No value.
    fn null(&mut self, field: &str);
    /// True or false.
    fn bool(&mut self, field: &str, value: bool);
    /// A number without a fraction.
    fn int(&mut self, field: &str, value: u64);
    /// A number that JSON writes with a fraction: the double nearest to it.
    fn real(&mut self, field: &str, value: f64);
    /// ASCII text.
    fn text(&mut self, field: &str, value: &[u8]);
}

/// Documents that can be had value by value as well as in JSON text.
pub trait TypedSource: Send + Sync {
    /// Appends the key of a document to `key` and hands its values to `values`. Returns the bytes
    /// that the document takes as JSON text.
    fn write(&self, at: usize, index: u64, key: &mut String, values: &mut dyn Values) -> u64;
}

/// Documents that are not made yet: whoever takes them makes each of them once.
pub struct Unmade<'a> {
    source: &'a dyn TypedSource,
    at: usize,
    indexes: Range<u64>,
}

impl<'a> Unmade<'a> {
    /// The documents with these indexes in the collection at `at` of a source.
    pub fn new(source: &'a dyn TypedSource, at: usize, indexes: Range<u64>) -> Self {
        Unmade { source, at, indexes }
    }

    /// Number of documents.
    pub fn len(&self) -> u64 {
        self.indexes.end.saturating_sub(self.indexes.start)
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the next document, as [`TypedSource::write`] does; `None` where there is no more.
    pub fn make_next(&mut self, key: &mut String, values: &mut dyn Values) -> Option<u64> {
        let index = self.indexes.next()?;
        Some(self.source.write(self.at, index, key, values))
    }
}
