//! Where values go: a generator writes each document once, against [`Writer`]; the form (JSON here,
//! typed columns elsewhere) is the writer's.

use crate::Timestamp;
use crate::number::{digits8, hex16, write_u64};

/// Room that [`Writer::text`] hands out beyond the text's length, so that text is written in whole
/// words.
pub const TEXT_SLACK: usize = 8;

/// A field name as JSON writes it, quotes and colon included: a byte run ready to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    json: &'static str,
}

impl Field {
    /// The place of a value that has no name: the document itself, the elements of an array.
    pub const ELEMENT: Field = Field { json: "" };

    /// Takes `"name":` as a whole; the macro `field!` makes it.
    pub(crate) const fn quoted(json: &'static str) -> Field {
        Field { json }
    }

    /// The name; empty for [`Field::ELEMENT`].
    pub fn name(&self) -> &'static str {
        self.json.trim_matches(['"', ':'])
    }
}

/// `field!("c", "_id")`: the field with the joined name, as a constant.
macro_rules! field {
    ($($part:expr),+) => {{
        const FIELD: $crate::writer::Field =
            $crate::writer::Field::quoted(concat!("\"", $($part),+, "\":"));
        FIELD
    }};
}
pub(crate) use field;

/// The name of an extra field, `c_extra_001` to `c_extra_128`, as JSON writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtraField {
    json: [u8; ExtraField::LEN],
}

impl ExtraField {
    const LEN: usize = 14;

    /// The names of all 128, for the collection whose fields begin with `prefix`.
    pub(crate) const fn all(prefix: u8) -> [ExtraField; 128] {
        let mut fields = [ExtraField { json: *b"\"?_extra_000\":" }; 128];
        let mut n = 0;
        while n < fields.len() {
            let number = n as u8 + 1;
            let json = &mut fields[n].json;
            json[1] = prefix;
            json[9] = b'0' + number / 100;
            json[10] = b'0' + number / 10 % 10;
            json[11] = b'0' + number % 10;
            n += 1;
        }
        fields
    }

    /// The name.
    pub fn name(&self) -> &str {
        str::from_utf8(&self.json[1..Self::LEN - 2]).unwrap_or_default()
    }
}

/// Takes the values of documents in order. Inside an array the fields are [`Field::ELEMENT`].
pub trait Writer {
    /// Begins an object, the document itself among them.
    fn begin_object(&mut self, field: Field);
    /// Ends the object begun last.
    fn end_object(&mut self);
    /// Begins an array.
    fn begin_array(&mut self, field: Field);
    /// Ends the array begun last.
    fn end_array(&mut self);
    /// No value.
    fn null(&mut self, field: Field);
    /// A number without fraction.
    fn int(&mut self, field: Field, value: u64);
    /// Money in cents.
    fn cents(&mut self, field: Field, value: i64);
    /// A tax or a discount in units of 1/10,000.
    fn ratio(&mut self, field: Field, value: u32);
    /// An instant.
    fn timestamp(&mut self, field: Field, value: Timestamp);
    /// A string of ASCII characters without `"`, `\` and control characters, of `len` bytes:
    /// `fill` gets a buffer of `len` + [`TEXT_SLACK`] bytes and writes the first `len`; the rest is
    /// scratch.
    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8]));
    /// An extra field: 32 hexadecimal digits, sixteen from each word.
    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]);

    /// A fixed string, of the same characters as [`Writer::text`].
    #[inline(always)]
    fn str(&mut self, field: Field, value: &str) {
        self.text(field, value.len(), |out| out[..value.len()].copy_from_slice(value.as_bytes()));
    }
}

/// Writes JSON without white space into a buffer that is large enough.
///
/// Every value is followed by a comma; what ends an object or an array takes the last one back.
pub(crate) struct JsonWriter<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl<'a> JsonWriter<'a> {
    pub(crate) fn new(out: &'a mut [u8]) -> Self {
        JsonWriter { out, at: 0 }
    }

    /// Bytes of the document, once it has ended.
    pub(crate) fn finish(self) -> usize {
        self.at.saturating_sub(1)
    }

    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    #[inline(always)]
    fn number(&mut self, value: u64) {
        self.at += write_u64(value, &mut self.out[self.at..]);
    }

    #[inline(always)]
    fn end(&mut self, bracket: [u8; 2]) {
        if self.out[self.at - 1] == b',' {
            self.at -= 1;
        }
        self.put(&bracket);
    }
}

impl Writer for JsonWriter<'_> {
    #[inline(always)]
    fn begin_object(&mut self, field: Field) {
        self.put(field.json.as_bytes());
        self.put(b"{");
    }

    #[inline(always)]
    fn end_object(&mut self) {
        self.end(*b"},");
    }

    #[inline(always)]
    fn begin_array(&mut self, field: Field) {
        self.put(field.json.as_bytes());
        self.put(b"[");
    }

    #[inline(always)]
    fn end_array(&mut self) {
        self.end(*b"],");
    }

    #[inline(always)]
    fn null(&mut self, field: Field) {
        self.put(field.json.as_bytes());
        self.put(b"null,");
    }

    #[inline(always)]
    fn int(&mut self, field: Field, value: u64) {
        self.put(field.json.as_bytes());
        self.number(value);
        self.put(b",");
    }

    #[inline(always)]
    fn cents(&mut self, field: Field, value: i64) {
        self.put(field.json.as_bytes());
        if value < 0 {
            self.put(b"-");
        }
        let value = value.unsigned_abs();
        self.number(value / 100);
        let [.., tens, ones] = digits8((value % 100) as u32).to_le_bytes();
        self.put(&[b'.', tens, ones, b',']);
    }

    #[inline(always)]
    fn ratio(&mut self, field: Field, value: u32) {
        self.put(field.json.as_bytes());
        self.number(u64::from(value / 10_000));
        let [_, _, _, _, a, b, c, d] = digits8(value % 10_000).to_le_bytes();
        self.put(&[b'.', a, b, c, d, b',']);
    }

    #[inline(always)]
    fn timestamp(&mut self, field: Field, value: Timestamp) {
        self.put(field.json.as_bytes());
        self.put(b"\"");
        self.put(&value.to_bytes());
        self.put(b"\",");
    }

    #[inline(always)]
    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8])) {
        self.put(field.json.as_bytes());
        self.put(b"\"");
        fill(&mut self.out[self.at..self.at + len + TEXT_SLACK]);
        self.at += len;
        self.put(b"\",");
    }

    #[inline(always)]
    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]) {
        self.put(&field.json);
        self.put(b"\"");
        self.put(&hex16(words[0]));
        self.put(&hex16(words[1]));
        self.put(b"\",");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Date;

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

    #[test]
    fn names() {
        assert_eq!(field!("c", "_id").name(), "c_id");
        assert_eq!(Field::ELEMENT.name(), "");
        static FIELDS: [ExtraField; 128] = ExtraField::all(b'o');
        let names = [0, 8, 9, 98, 99, 127].map(|i: usize| FIELDS[i].name());
        let expected = ["001", "009", "010", "099", "100", "128"];
        assert_eq!(names, expected.map(|n| format!("o_extra_{n}")));
    }
}
