//! Documents as JSON.

use crate::Timestamp;
use crate::number::{TWO_DIGITS, digits8, write_u64};
use crate::random::Stream;
use crate::writer::{ExtraField, Field, TEXT_SLACK, Writer, extra_text};

/// Bytes of the window in which a value other than text is written together with its name.
const WINDOW: usize = Field::LONGEST + 40;

/// Bytes of `"c_extra_001":"…32…",`.
pub const EXTRA_FIELD: usize = ExtraField::LEN + 32 + 2;

/// Bytes of scratch that a document needs after its end.
pub const SCRATCH: usize = WINDOW;

/// Writes JSON without white space into a buffer that is large enough.
///
/// Every value is followed by a comma, which the end of an object or array removes. A value is
/// written in a window of fixed size, so that it needs only one bounds check.
pub struct JsonWriter<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl<'a> JsonWriter<'a> {
    /// Writes into `out`, from its beginning.
    #[inline(always)]
    pub fn new(out: &'a mut [u8]) -> Self {
        JsonWriter { out, at: 0 }
    }

    /// Bytes of the document, once it has ended.
    #[inline(always)]
    pub fn finish(self) -> usize {
        self.at.saturating_sub(1)
    }

    /// Bytes so far, including the comma after the last value.
    #[inline(always)]
    pub fn written(&self) -> usize {
        self.at
    }

    /// Writes the name of a field. Returns the window that begins with it, and the name's length.
    #[inline(always)]
    fn name(&mut self, field: Field) -> (&mut [u8; WINDOW], usize) {
        let name = field.json.as_bytes();
        let Some(out) = self.out[self.at..].first_chunk_mut() else { full() };
        out[..name.len()].copy_from_slice(name);
        (out, name.len())
    }

    /// Writes a field with these bytes as its value.
    #[inline(always)]
    fn put<const N: usize>(&mut self, field: Field, value: [u8; N]) {
        let (out, at) = self.name(field);
        out[at..at + N].copy_from_slice(&value);
        self.at += at + N;
    }

    #[inline(always)]
    fn end(&mut self, bracket: [u8; 2]) {
        if self.out[self.at - 1] == b',' {
            self.at -= 1;
        }
        self.put(Field::ELEMENT, bracket);
    }
}

/// Unreachable for documents: a test adds up the longest one of each collection.
#[cold]
#[inline(never)]
fn full() -> ! {
    panic!("a document is longer than the room for it")
}

impl Writer for JsonWriter<'_> {
    #[inline(always)]
    fn begin_object(&mut self, field: Field) {
        self.put(field, *b"{");
    }

    #[inline(always)]
    fn end_object(&mut self) {
        self.end(*b"},");
    }

    #[inline(always)]
    fn begin_array(&mut self, field: Field) {
        self.put(field, *b"[");
    }

    #[inline(always)]
    fn end_array(&mut self) {
        self.end(*b"],");
    }

    #[inline(always)]
    fn null(&mut self, field: Field) {
        self.put(field, *b"null,");
    }

    #[inline(always)]
    fn bool(&mut self, field: Field, value: bool) {
        if value { self.put(field, *b"true,") } else { self.put(field, *b"false,") }
    }

    #[inline(always)]
    fn int(&mut self, field: Field, value: u64) {
        let (out, mut at) = self.name(field);
        at += write_u64(value, &mut out[at..]);
        out[at] = b',';
        self.at += at + 1;
    }

    #[inline(always)]
    fn cents(&mut self, field: Field, value: i64) {
        let (out, mut at) = self.name(field);
        // The sign is always written, and kept where the value is negative.
        out[at] = b'-';
        at += usize::from(value < 0);
        let value = value.unsigned_abs();
        at += write_u64(value / 100, &mut out[at..]);
        let [tens, ones] = TWO_DIGITS[(value % 100) as usize];
        out[at..at + 4].copy_from_slice(&[b'.', tens, ones, b',']);
        self.at += at + 4;
    }

    #[inline(always)]
    fn ratio(&mut self, field: Field, value: u32) {
        let (out, mut at) = self.name(field);
        at += write_u64(u64::from(value / 10_000), &mut out[at..]);
        let [_, _, _, _, a, b, c, d] = digits8(value % 10_000).to_le_bytes();
        out[at..at + 6].copy_from_slice(&[b'.', a, b, c, d, b',']);
        self.at += at + 6;
    }

    #[inline(always)]
    fn timestamp(&mut self, field: Field, value: Timestamp) {
        let (out, at) = self.name(field);
        let end = at + 1 + Timestamp::LEN;
        out[at] = b'"';
        out[at + 1..end].copy_from_slice(&value.to_bytes());
        out[end..end + 2].copy_from_slice(b"\",");
        self.at += end + 2;
    }

    #[inline(always)]
    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8])) {
        let name = field.json.as_bytes();
        let start = name.len() + 1;
        let out = &mut self.out[self.at..self.at + start + len + TEXT_SLACK];
        out[..name.len()].copy_from_slice(name);
        out[name.len()] = b'"';
        fill(&mut out[start..]);
        out[start + len..start + len + 2].copy_from_slice(b"\",");
        self.at += start + len + 2;
    }

    #[inline(always)]
    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]) {
        let Some(out) = self.out[self.at..].first_chunk_mut() else { full() };
        write_extra(out, field, words);
        self.at += EXTRA_FIELD;
    }

    #[inline(always)]
    fn extras(&mut self, fields: &'static [ExtraField], mut words: Stream) {
        let (out, _) = self.out[self.at..].as_chunks_mut();
        for (out, field) in out[..fields.len()].iter_mut().zip(fields) {
            write_extra(out, field, [words.next_u64(), words.next_u64()]);
        }
        self.at += fields.len() * EXTRA_FIELD;
    }
}

#[inline(always)]
fn write_extra(out: &mut [u8; EXTRA_FIELD], field: &ExtraField, words: [u64; 2]) {
    out[..field.json.len()].copy_from_slice(&field.json);
    out[ExtraField::LEN..EXTRA_FIELD - 2].copy_from_slice(&extra_text(words));
    out[EXTRA_FIELD - 2..].copy_from_slice(b"\",");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Date, field};

    fn json(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
        let mut out = [0; 512];
        let mut writer = JsonWriter::new(&mut out);
        write(&mut writer);
        let len = writer.finish();
        String::from_utf8(out[..len].to_vec()).expect("ASCII")
    }

    #[test]
    fn values() {
        let text = json(|w| {
            w.begin_object(Field::ELEMENT);
            w.int(field!("int"), 123_456_789_012);
            w.cents(field!("a"), 0);
            w.cents(field!("b"), -7);
            w.cents(field!("c"), -1000);
            w.cents(field!("d"), 300_000_000_000_005);
            w.ratio(field!("e"), 5000);
            w.ratio(field!("f"), 7);
            w.null(field!("g"));
            w.str(field!("h"), "text");
            w.begin_array(field!("none"));
            w.end_array();
            w.begin_array(field!("two"));
            w.int(Field::ELEMENT, 1);
            w.begin_object(Field::ELEMENT);
            w.end_object();
            w.end_array();
            w.timestamp(field!("t"), Timestamp::from(Date::new(2014, 3, 9).expect("a day")));
            w.end_object();
        });
        assert_eq!(
            text,
            "{\"int\":123456789012,\"a\":0.00,\"b\":-0.07,\"c\":-10.00,\"d\":3000000000000.05,\
             \"e\":0.5000,\"f\":0.0007,\"g\":null,\"h\":\"text\",\"none\":[],\"two\":[1,{}],\
             \"t\":\"2014-03-09 00:00:00.000000\"}"
        );
    }
}
