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

/// Makes the document with an index: appends its key, hands its values over, and returns the bytes
/// that it takes as JSON text.
type Make<'a> = &'a mut (dyn FnMut(u64, &mut String, &mut dyn Values) -> u64 + Send);

/// Documents that are not made yet: whoever takes them makes each of them once.
pub struct Unmade<'a> {
    make: Make<'a>,
    indexes: Range<u64>,
}

impl<'a> Unmade<'a> {
    /// The documents with these indexes.
    pub fn new(make: Make<'a>, indexes: Range<u64>) -> Self {
        Unmade { make, indexes }
    }

    /// Number of documents.
    pub fn len(&self) -> u64 {
        self.indexes.end.saturating_sub(self.indexes.start)
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the next document and returns its bytes as JSON text; `None` if there is no more.
    pub fn make_next(&mut self, key: &mut String, values: &mut dyn Values) -> Option<u64> {
        let index = self.indexes.next()?;
        Some((self.make)(index, key, values))
    }
}
