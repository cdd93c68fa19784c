//! Documents of `data`, value by value.

use hoap_data::writer::{ExtraField, Field, TEXT_SLACK, Writer, extra_text};
use hoap_data::{Measured, Timestamp};
use hoap_database::Values;

/// Bytes of a text, with the slack of its writer, that are written without an allocation.
const SHORT: usize = 1024;

/// Hands the values of the document that `write` writes to `values`. Returns the bytes that it
/// takes as JSON text.
#[inline]
pub fn hand_over<'v>(
    values: &'v mut dyn Values,
    write: impl FnOnce(&mut Measured<'_, Through<'v>>),
) -> u64 {
    let mut through = Through { values, short: [0; SHORT] };
    let mut measured = Measured::new(&mut through);
    write(&mut measured);
    measured.bytes() as u64
}

/// Writes to a trait object.
pub struct Through<'v> {
    values: &'v mut dyn Values,
    short: [u8; SHORT],
}

impl Writer for Through<'_> {
    #[inline(always)]
    fn begin_object(&mut self, field: Field) {
        self.values.begin_object(field.name());
    }

    #[inline(always)]
    fn end_object(&mut self) {
        self.values.end_object();
    }

    #[inline(always)]
    fn begin_array(&mut self, field: Field) {
        self.values.begin_array(field.name());
    }

    #[inline(always)]
    fn end_array(&mut self) {
        self.values.end_array();
    }

    #[inline(always)]
    fn null(&mut self, field: Field) {
        self.values.null(field.name());
    }

    #[inline(always)]
    fn bool(&mut self, field: Field, value: bool) {
        self.values.bool(field.name(), value);
    }

    #[inline(always)]
    fn int(&mut self, field: Field, value: u64) {
        self.values.int(field.name(), value);
    }

    // The quotient of two integers below 2^53 is the double nearest to it, as a reader of JSON
    // makes it.

    #[inline(always)]
    fn cents(&mut self, field: Field, value: i64) {
        self.values.real(field.name(), value as f64 / 100.0);
    }

    #[inline(always)]
    fn ratio(&mut self, field: Field, value: u32) {
        self.values.real(field.name(), f64::from(value) / 10_000.0);
    }

    #[inline(always)]
    fn timestamp(&mut self, field: Field, value: Timestamp) {
        self.values.text(field.name(), &value.to_bytes());
    }

    #[inline(always)]
    fn text(&mut self, field: Field, len: usize, fill: impl FnOnce(&mut [u8])) {
        let room = len + TEXT_SLACK;
        if let Some(out) = self.short.get_mut(..room) {
            fill(out);
            self.values.text(field.name(), &out[..len]);
        } else {
            let mut out = vec![0; room];
            fill(&mut out);
            self.values.text(field.name(), &out[..len]);
        }
    }

    #[inline(always)]
    fn extra(&mut self, field: &'static ExtraField, words: [u64; 2]) {
        self.values.text(field.name(), &extra_text(words));
    }
}
