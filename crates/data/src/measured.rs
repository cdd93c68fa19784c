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
    pub(crate) fn so_far(&self) -> usize {
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

#[cfg(test)]
mod tests {
    use crate::json::JsonWriter;
    use crate::shop::{ShopCollection, ShopData, ShopSpec};
    use crate::writer::{Field, Writer, field};
    use crate::{Collection, DataSet, Date, Measured, Schema, Spec, Timestamp};

    /// The bytes counted, and those written.
    fn both(write: impl FnOnce(&mut Measured<'_, JsonWriter<'_>>)) -> (usize, usize) {
        let mut out = vec![0; 1 << 16];
        let mut json = JsonWriter::new(&mut out);
        let mut measured = Measured::new(&mut json);
        write(&mut measured);
        (measured.bytes(), json.finish())
    }

    #[test]
    fn every_value_counts_its_bytes() {
        let (counted, written) = both(|w| {
            w.begin_object(Field::ELEMENT);
            for value in [0, 9, 10, 99, 100, 12_345, 99_999_999, 100_000_000, u64::MAX] {
                w.int(field!("i"), value);
            }
            for value in [0, 1, -1, 99, 100, -100, 99_999, -100_000, i64::MAX / 1000] {
                w.cents(field!("c"), value);
            }
            for value in [0, 1, 9999, 10_000, 99_999, 100_000] {
                w.ratio(field!("r"), value);
            }
            w.null(field!("n"));
            w.bool(field!("t"), true);
            w.bool(field!("f"), false);
            w.str(field!("s"), "text");
            w.str(field!("e"), "");
            w.timestamp(field!("d"), Timestamp::from(Date::new(2014, 3, 9).expect("a day")));
            w.begin_array(field!("a"));
            w.end_array();
            w.begin_array(field!("b"));
            w.begin_object(Field::ELEMENT);
            w.end_object();
            w.begin_array(Field::ELEMENT);
            w.int(Field::ELEMENT, 1);
            w.end_array();
            w.end_array();
            w.end_object();
        });
        assert_eq!(counted, written);
        let empty = both(|w| {
            w.begin_object(Field::ELEMENT);
            w.end_object();
        });
        assert_eq!(empty, (2, 2));
    }

    #[test]
    fn every_document_counts_its_bytes() {
        for schema in [Schema::Ch2, Schema::Ch2pp] {
            let data = DataSet::new(Spec::new(schema, 2)).expect("valid");
            for collection in Collection::ALL {
                let count = data.count(collection);
                for index in (0..count.min(40)).chain(count.saturating_sub(40)..count) {
                    let (counted, written) = both(|w| data.write(collection, index, w));
                    assert_eq!(counted, written, "{collection} {index}");
                }
            }
        }
        let data = ShopData::new(ShopSpec::new(1000)).expect("valid");
        for collection in ShopCollection::ALL {
            for index in 0..100 {
                let (counted, written) = both(|w| data.write(collection, index, w));
                assert_eq!(counted, written, "{collection} {index}");
                let mut text = Vec::new();
                data.append(collection, index, &mut text);
                assert_eq!(written, text.len(), "{collection} {index}");
            }
        }
    }
}
