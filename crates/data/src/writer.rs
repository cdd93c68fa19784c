//! The output of the generators. A generator writes each document once to a [`Writer`], which
//! decides the form (JSON here, typed columns elsewhere).

use wide::{i8x16, u8x16, u16x8};

use crate::Timestamp;
use crate::random::Stream;

/// Bytes that [`Writer::text`] provides beyond the text's length, so that a text of variable length
/// is written in a fixed number of words.
pub const TEXT_SLACK: usize = 32;

/// A field name in its JSON form, with quotes and colon, ready to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The name with quotes and colon; empty for [`Field::ELEMENT`].
    pub json: &'a str,
}

impl Field<'static> {
    /// Bytes of the longest name in JSON form.
    pub const LONGEST: usize = 28;

    /// The place of a value that has no name: the document itself, the elements of an array.
    pub const ELEMENT: Field<'static> = Field { json: "" };

    /// A field from its whole JSON form `"name":`; the macro `field!` makes it.
    pub const fn quoted(json: &'static str) -> Field<'static> {
        assert!(json.len() <= Field::LONGEST);
        Field { json }
    }
}

impl<'a> Field<'a> {
    /// A field from its whole JSON form `"name":`, of any length. For texts only: other values are
    /// written together with their name in a window for [`Field::LONGEST`] bytes of it.
    pub fn of_text(json: &'a str) -> Field<'a> {
        Field { json }
    }

    /// Whether it is [`Field::ELEMENT`].
    #[inline(always)]
    pub fn is_element(&self) -> bool {
        self.json.is_empty()
    }

    /// The name; empty for [`Field::ELEMENT`].
    #[inline]
    pub fn name(&self) -> &'a str {
        let end = self.json.len().saturating_sub(2);
        self.json.get(1..end).unwrap_or_default()
    }
}

/// `field!("c", "_id")`: the field with the joined name, as a constant.
#[macro_export]
macro_rules! field {
    ($($part:expr),+) => {{
        const FIELD: $crate::writer::Field =
            $crate::writer::Field::quoted(concat!("\"", $($part),+, "\":"));
        FIELD
    }};
}

/// The name of an extra field, `c_extra_001` to `c_extra_128`, in its JSON form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtraField {
    /// The name, colon and quotation mark before the value, and one byte that makes it a vector.
    pub json: [u8; 16],
}

impl ExtraField {
    /// Bytes of [`ExtraField::json`] in use.
    pub const LEN: usize = 15;

    /// The names of all 128, for the collection whose fields begin with `prefix`.
    pub const fn all(prefix: u8) -> [ExtraField; 128] {
        let mut fields = [ExtraField { json: *b"\"?_extra_000\":\"0" }; 128];
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
        str::from_utf8(&self.json[1..12]).unwrap_or_default()
    }
}

/// The value of an extra field: the lower-case hexadecimal digits of its words, the most
/// significant of each first.
#[inline(always)]
pub fn extra_text(words: [u64; 2]) -> [u8; 32] {
    let bytes: u8x16 = bytemuck::cast(words.map(u64::to_be));
    let low_bits = u8x16::splat(15);
    let shifted: u8x16 = bytemuck::cast(bytemuck::cast::<_, u16x8>(bytes) >> 4u32);
    let (high, low) = (shifted & low_bits, bytes & low_bits);
    let digits = |nibbles: u8x16| -> u8x16 {
        let letter = bytemuck::cast::<_, i8x16>(nibbles).simd_gt(i8x16::splat(9));
        let gap = u8x16::splat(b'a' - b'9' - 1) & bytemuck::cast::<_, u8x16>(letter);
        nibbles + u8x16::splat(b'0') + gap
    };
    bytemuck::cast([digits(u8x16::unpack_low(high, low)), digits(u8x16::unpack_high(high, low))])
}

/// Takes the values of documents in order. Inside an array the fields are [`Field::ELEMENT`].
pub trait Writer {
    /// Begins an object; the document itself is one.
    fn begin_object(&mut self, field: Field);
    /// Ends the object begun last.
    fn end_object(&mut self);
    /// Begins an array.
    fn begin_array(&mut self, field: Field);
    /// Ends the array begun last.
    fn end_array(&mut self);
    /// No value.
    fn null(&mut self, field: Field);
    /// True or false.
    fn bool(&mut self, field: Field, value: bool);
    /// An integer.
    fn int(&mut self, field: Field, value: u64);
    /// Money in cents.
    fn cents(&mut self, field: Field, value: i64);
    /// A share, such as a tax or a discount, in units of 1/10,000.
    fn ratio(&mut self, field: Field, value: u32);
    /// An instant.
    fn timestamp(&mut self, field: Field, value: Timestamp);
    /// A string of ASCII characters from the space on, without `"` and `\`, of `len` bytes: `fill`
    /// gets a buffer of `len` + [`TEXT_SLACK`] bytes and writes the first `len`; the rest is scratch.
    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8]));
    /// An extra field with the value [`extra_text`] of these words.
    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]);

    /// Consecutive extra fields, each with the next two words. A writer overrides it where it can
    /// write them faster together.
    #[inline(always)]
    fn extras(&mut self, fields: &'static [ExtraField], mut words: Stream) {
        for field in fields {
            self.extra(field, [words.next_u64(), words.next_u64()]);
        }
    }

    /// A fixed string, of the same characters as [`Writer::text`].
    #[inline(always)]
    fn str(&mut self, field: Field, value: &str) {
        self.text(field, value.len(), |out| out[..value.len()].copy_from_slice(value.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(field!("c", "_id").name(), "c_id");
        assert_eq!(Field::ELEMENT.name(), "");
        static FIELDS: [ExtraField; 128] = ExtraField::all(b'o');
        let names = [0, 8, 9, 98, 99, 127].map(|i: usize| FIELDS[i].name());
        let expected = ["001", "009", "010", "099", "100", "128"];
        assert_eq!(names, expected.map(|n| format!("o_extra_{n}")));
    }

    #[test]
    fn hexadecimal() {
        let words = (0..64).map(|shift| 0x0123_4567_89ab_cdefu64.rotate_left(shift));
        for word in words.chain([0, 1, u64::MAX, 0x9e37_79b9_7f4a_7c15]) {
            let expected = format!("{word:016x}{:016x}", !word);
            assert_eq!(extra_text([word, !word]), expected.as_bytes());
        }
    }
}
