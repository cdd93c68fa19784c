//! Customers and the history of their payments.

use hoap_data::random::Stream;
use hoap_data::writer::{ExtraField, Field, Writer};
use hoap_data::{Timestamp, field};

use super::address::{self, Address, Fields, address_fields};
use super::last_name::last_name_bytes;
use super::text::{categories, digits, extra_fields, letters, long_letters};
use super::{INITIAL_PAYMENT, UNIT};
use crate::data::collection::{Collection, Ids};
use crate::data::{DataSet, Schema};

// Words of a customer.
const SCALARS: u64 = 0;
const SINCE: u64 = 1;
const LAST: u64 = 2;
const FIRST: u64 = 4;
const ADDRESSES: u64 = 16;
const PHONES: u64 = ADDRESSES + 4 * address::WORDS;
const DATA: u64 = 128;

// Words of a history document.
const HISTORY_DATA: u64 = 1;

/// Credit limit in cents (TPC-C 4.3.3.1, C_CREDIT_LIM).
const CREDIT_LIMIT: i64 = 50_000 * UNIT;
/// Largest discount in units of 1/10,000 (TPC-C 4.3.3.1, C_DISCOUNT).
const MAX_DISCOUNT: u64 = 5000;
/// The first customers of a district, whose last names are all names in order (TPC-C 4.3.3.1,
/// C_LAST).
const NAMES_IN_ORDER: u32 = 1000;

/// Kinds of address. A customer always has the first, each other with probability 1/3.
const ADDRESS_KINDS: [Kind; 4] =
    [Kind::new("shipping"), Kind::new("home"), Kind::new("work"), Kind::new("billing")];
/// Kinds of phone. A customer always has the first, each other with probability 1/3.
const PHONE_KINDS: [Kind; 4] =
    [Kind::new("contact"), Kind::new("home"), Kind::new("work"), Kind::new("mobile")];

const FIELDS: Fields = address_fields!("c");
static EXTRA: [ExtraField; 128] = ExtraField::all(b'c');

/// A kind of address or phone: a name of up to eight characters, copied as one word.
#[derive(Clone, Copy)]
struct Kind {
    padded: [u8; 8],
    len: usize,
}

impl Kind {
    const fn new(name: &str) -> Kind {
        let mut padded = [0; 8];
        padded.split_at_mut(name.len()).0.copy_from_slice(name.as_bytes());
        Kind { padded, len: name.len() }
    }

    #[inline(always)]
    fn write<W: Writer>(&self, field: Field, w: &mut W) {
        w.text(field, self.len, |out| out[..8].copy_from_slice(&self.padded));
    }
}

/// Values that decide the shape of the document, drawn before their fields are written.
struct Scalars {
    discount: u32,
    first_len: u64,
    data_len: u64,
    /// The kinds that the customer has; the first is always among them.
    addresses: [bool; 4],
    phones: [bool; 4],
}

impl Scalars {
    #[inline(always)]
    fn new(words: Stream) -> Scalars {
        let mut draws = words.draws(SCALARS);
        let discount = draws.within(0, MAX_DISCOUNT) as u32;
        let first_len = draws.within(8, 16);
        let data_len = draws.within(300, 500);
        let mut third = || draws.below(3) == 0;
        let addresses = [true, third(), third(), third()];
        let phones = [true, third(), third(), third()];
        Scalars { discount, first_len, data_len, addresses, phones }
    }
}

impl DataSet {
    #[inline(always)]
    pub(crate) fn customer<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [warehouse, district, id] = ids;
        let words = self.words(Collection::Customer, ids);
        let scalars = Scalars::new(words);
        let nested = self.spec().schema == Schema::Ch2pp;
        w.begin_object(Field::ELEMENT);
        w.int(field!("c_id"), id.into());
        w.int(field!("c_d_id"), district.into());
        w.int(field!("c_w_id"), warehouse.into());
        w.ratio(field!("c_discount"), scalars.discount);
        w.str(field!("c_credit"), if self.choices().bad_credit(ids) { "BC" } else { "GC" });
        if nested {
            w.begin_object(field!("c_name"));
        }
        letters::<16, _>(w, field!("c_first"), words.skip(FIRST), scalars.first_len);
        w.str(field!("c_middle"), "OE");
        let (last, last_len) = last_name_bytes(self.last_name_number(ids, words));
        w.text(field!("c_last"), last_len, |out| out[..last.len()].copy_from_slice(&last));
        if nested {
            w.end_object();
        }
        w.cents(field!("c_credit_lim"), CREDIT_LIMIT);
        w.cents(field!("c_balance"), self.delivered_to_customer(ids) - INITIAL_PAYMENT);
        w.cents(field!("c_ytd_payment"), INITIAL_PAYMENT);
        w.int(field!("c_payment_cnt"), 1);
        w.int(field!("c_delivery_cnt"), 0);
        extra_fields(w, &EXTRA, words, self.spec().extra_fields.customer);
        if nested {
            write_addresses(words, scalars.addresses, w);
            write_phones(words, scalars.phones, w);
        } else {
            Address::new(words.skip(ADDRESSES)).write(FIELDS, w);
            digits(w, field!("c_phone"), words.skip(PHONES), 16);
        }
        w.timestamp(field!("c_since"), self.since_of(words));
        if nested {
            categories(w, field!("c_item_categories"), words, 0, 15);
        }
        long_letters(w, field!("c_data"), words.skip(DATA), scalars.data_len);
        w.end_object();
    }

    /// The instant of c_since, which is that of the customer's initial order and payment
    /// (specification, section 3).
    #[inline(always)]
    pub(super) fn customer_since(&self, ids: Ids) -> Timestamp {
        self.since_of(self.words(Collection::Customer, ids))
    }

    #[inline(always)]
    fn since_of(&self, words: Stream) -> Timestamp {
        let (first, values) = self.since();
        first.add_micros(words.draws(SINCE).below(values) as i64)
    }

    /// Number of the last name (TPC-C 4.3.3.1, C_LAST): the customer's own among the first
    /// thousand, NURand(255, 0, 999) of 2.1.6 beyond.
    #[inline(always)]
    fn last_name_number(&self, [.., id]: Ids, words: Stream) -> u32 {
        if id <= NAMES_IN_ORDER {
            return id - 1;
        }
        let mut draws = words.draws(LAST);
        let (a, x) = (draws.below(256) as u32, draws.below(1000) as u32);
        ((a | x) + self.c_last_load()) % 1000
    }

    #[inline(always)]
    pub(crate) fn history<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [warehouse, district, customer] = ids.map(u64::from);
        let words = self.words(Collection::History, ids);
        w.begin_object(Field::ELEMENT);
        w.int(field!("h_c_id"), customer);
        w.int(field!("h_c_d_id"), district);
        w.int(field!("h_c_w_id"), warehouse);
        w.int(field!("h_d_id"), district);
        w.int(field!("h_w_id"), warehouse);
        w.timestamp(field!("h_date"), self.customer_since(ids));
        w.cents(field!("h_amount"), INITIAL_PAYMENT);
        letters::<24, _>(
            w,
            field!("h_data"),
            words.skip(HISTORY_DATA),
            words.draws(0).within(12, 24),
        );
        w.end_object();
    }
}

#[inline(always)]
fn write_addresses<W: Writer>(words: Stream, present: [bool; 4], w: &mut W) {
    w.begin_array(field!("c_addresses"));
    for ((kind, n), _) in ADDRESS_KINDS.iter().zip(0..).zip(present).filter(|(_, there)| *there) {
        w.begin_object(Field::ELEMENT);
        kind.write(field!("c_address_kind"), w);
        Address::new(words.skip(ADDRESSES + n * address::WORDS)).write(FIELDS, w);
        w.end_object();
    }
    w.end_array();
}

#[inline(always)]
fn write_phones<W: Writer>(words: Stream, present: [bool; 4], w: &mut W) {
    w.begin_array(field!("c_phones"));
    for ((kind, n), _) in PHONE_KINDS.iter().zip(0..).zip(present).filter(|(_, there)| *there) {
        w.begin_object(Field::ELEMENT);
        kind.write(field!("c_phone_kind"), w);
        digits(w, field!("c_phone_number"), words.skip(PHONES + 2 * n), 16);
        w.end_object();
    }
    w.end_array();
}
