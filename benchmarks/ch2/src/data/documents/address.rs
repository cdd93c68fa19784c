//! Addresses, as fields of an object or as one string.

use hoap_data::random::Stream;
use hoap_data::text::{alphanumeric_pair, random_digits8};
use hoap_data::writer::{Field, Writer};

use super::text::fill_letters;

/// Words of an address: one for the lengths and the state, three for each string, one for the zip.
pub(super) const WORDS: u64 = 16;
const STREET_1: u64 = 1;
const STREET_2: u64 = 4;
const CITY: u64 = 7;
const ZIP: u64 = 10;

/// The end of every zip code (TPC-C 4.3.2.7).
const ZIP_END: &[u8; 5] = b"11111";

/// The field names of an address.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) street_1: Field<'static>,
    pub(super) street_2: Field<'static>,
    pub(super) city: Field<'static>,
    pub(super) state: Field<'static>,
    pub(super) zip: Field<'static>,
}

/// `address_fields!("c")`: the names `c_street_1` to `c_zip`.
macro_rules! address_fields {
    ($prefix:literal) => {
        $crate::data::documents::address::Fields {
            street_1: hoap_data::field!($prefix, "_street_1"),
            street_2: hoap_data::field!($prefix, "_street_2"),
            city: hoap_data::field!($prefix, "_city"),
            state: hoap_data::field!($prefix, "_state"),
            zip: hoap_data::field!($prefix, "_zip"),
        }
    };
}
pub(super) use address_fields;

/// A random address (TPC-C 4.3.3.1): streets and city a(10..20), the zip code of 4.3.2.7, and a
/// state of two of the 62 letters and digits.
#[derive(Clone, Copy)]
pub(super) struct Address {
    words: Stream,
    street_1: usize,
    street_2: usize,
    city: usize,
    state: [u8; 2],
}

impl Address {
    /// The address from these words.
    #[inline(always)]
    pub(super) fn new(words: Stream) -> Address {
        let mut draws = words.draws(0);
        Address {
            words,
            street_1: draws.within(10, 20) as usize,
            street_2: draws.within(10, 20) as usize,
            city: draws.within(10, 20) as usize,
            state: alphanumeric_pair(draws.below(62 * 62)),
        }
    }

    /// Writes it as five fields of the open object.
    #[inline(always)]
    pub(super) fn write<W: Writer>(&self, fields: Fields, w: &mut W) {
        w.text(fields.street_1, self.street_1, |out| self.fill_street_1(out));
        w.text(fields.street_2, self.street_2, |out| self.fill_street_2(out));
        w.text(fields.city, self.city, |out| self.fill_city(out));
        w.text(fields.state, self.state.len(), |out| self.fill_state(out));
        w.text(fields.zip, 4 + ZIP_END.len(), |out| self.fill_zip(out));
    }

    /// Writes it as one string, `street_1, street_2, city, state zip`.
    #[inline(always)]
    pub(super) fn write_joined<W: Writer>(&self, field: Field, w: &mut W) {
        let street_2 = self.street_1 + 2;
        let city = street_2 + self.street_2 + 2;
        let state = city + self.city + 2;
        let zip = state + self.state.len() + 1;
        w.text(field, zip + 4 + ZIP_END.len(), |out| {
            // In order, because each piece may write slightly beyond its end.
            self.fill_street_1(out);
            self.fill_street_2(&mut out[street_2..]);
            self.fill_city(&mut out[city..]);
            self.fill_state(&mut out[state..]);
            self.fill_zip(&mut out[zip..]);
            out[street_2 - 2..street_2].copy_from_slice(b", ");
            out[city - 2..city].copy_from_slice(b", ");
            out[state - 2..state].copy_from_slice(b", ");
            out[zip - 1] = b' ';
        });
    }

    #[inline(always)]
    fn fill_street_1(&self, out: &mut [u8]) {
        fill_letters::<20>(self.words.skip(STREET_1), out);
    }

    #[inline(always)]
    fn fill_street_2(&self, out: &mut [u8]) {
        fill_letters::<20>(self.words.skip(STREET_2), out);
    }

    #[inline(always)]
    fn fill_city(&self, out: &mut [u8]) {
        fill_letters::<20>(self.words.skip(CITY), out);
    }

    #[inline(always)]
    fn fill_state(&self, out: &mut [u8]) {
        out[..self.state.len()].copy_from_slice(&self.state);
    }

    /// TPC-C 4.3.2.7: n(4) and the constant.
    #[inline(always)]
    fn fill_zip(&self, out: &mut [u8]) {
        out[..8].copy_from_slice(&random_digits8(self.words.at(ZIP)));
        out[4..9].copy_from_slice(ZIP_END);
    }
}
