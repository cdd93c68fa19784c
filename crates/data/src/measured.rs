//! The length of documents as JSON, without their text.

use crate::Timestamp;
use crate::json::EXTRA_FIELD;
use crate::random::Stream;
use crate::writer::{ExtraField, Field, Writer};

/// Passes values on to a writer of another form, and counts the bytes that they take as JSON.
pub struct Measured<'a, W> {
    inner: &'a mut W,
    /// Bytes so far. Every value counts with a comma behind it, which the end of an object or array
    /// takes back.
    bytes: usize,
    /// Whether nothing came since an object or array began.
    empty: bool,
}

impl<'a, W: Writer> Measured<'a, W> {
    /// A writer that passes on to this one.
    pub fn new(inner: &'a mut W) -> Self {
        Measured { inner, bytes: 0, empty: true }
    }

    /// Bytes of the document, once it has ended.
    pub fn bytes(&self) -> usize {
        self.bytes.saturating_sub(1)
    }

    /// Bytes so far, including the comma after the last value.
    pub fn so_far(&self) -> usize {
        self.bytes
    }

    /// Counts a field whose value takes `len` bytes.
    #[inline(always)]
    fn count(&mut self, field: Field, len: usize) {
        self.bytes += field.json.len() + len + 1;
        self.empty = false;
    }

    #[inline(always)]
    fn begin(&mut self, field: Field) {
        self.bytes += field.json.len() + 1;
        self.empty = true;
    }

    #[inline(always)]
    fn end(&mut self) {
        self.bytes += if self.empty { 2 } else { 1 };
        self.empty = false;
    }
}

/// The number of digits.
#[inline(always)]
fn digits(value: u64) -> usize {
    value.checked_ilog10().unwrap_or(0) as usize + 1
}

impl<W: Writer> Writer for Measured<'_, W> {
    #[inline(always)]
    fn begin_object(&mut self, field: Field) {
        self.begin(field);
        self.inner.begin_object(field);
    }

    #[inline(always)]
    fn end_object(&mut self) {
        self.end();
        self.inner.end_object();
    }

    #[inline(always)]
    fn begin_array(&mut self, field: Field) {
        self.begin(field);
        self.inner.begin_array(field);
    }

    #[inline(always)]
    fn end_array(&mut self) {
        self.end();
        self.inner.end_array();
    }

    #[inline(always)]
    fn null(&mut self, field: Field) {
        self.count(field, 4);
        self.inner.null(field);
    }

    #[inline(always)]
    fn bool(&mut self, field: Field, value: bool) {
        self.count(field, if value { 4 } else { 5 });
        self.inner.bool(field, value);
    }

    #[inline(always)]
    fn int(&mut self, field: Field, value: u64) {
        self.count(field, digits(value));
        self.inner.int(field, value);
    }

    #[inline(always)]
    fn cents(&mut self, field: Field, value: i64) {
        let whole = digits(value.unsigned_abs() / 100);
        self.count(field, usize::from(value < 0) + whole + 3);
        self.inner.cents(field, value);
    }

    #[inline(always)]
    fn ratio(&mut self, field: Field, value: u32) {
        self.count(field, digits(u64::from(value / 10_000)) + 5);
        self.inner.ratio(field, value);
    }

    #[inline(always)]
    fn timestamp(&mut self, field: Field, value: Timestamp) {
        self.count(field, Timestamp::LEN + 2);
        self.inner.timestamp(field, value);
    }

    #[inline(always)]
    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8])) {
        self.count(field, len + 2);
        self.inner.text(field, len, fill);
    }

    #[inline(always)]
    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]) {
        self.count(Field::ELEMENT, EXTRA_FIELD - 1);
        self.inner.extra(field, words);
    }

    #[inline(always)]
    fn extras(&mut self, fields: &'static [ExtraField], words: Stream) {
        self.bytes += fields.len() * EXTRA_FIELD;
        self.empty &= fields.is_empty();
        self.inner.extras(fields, words);
    }
}
