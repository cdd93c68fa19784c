//! Warehouses and districts.

use hoap_data::field;
use hoap_data::random::Stream;
use hoap_data::writer::{Field, Writer};

use super::INITIAL_PAYMENT;
use super::address::{Address, Fields, address_fields};
use super::text::letters;
use crate::data::collection::{Collection, Ids};
use crate::data::{DataSet, Schema};

// Words of a warehouse and of a district.
const SCALARS: u64 = 0;
const NAME: u64 = 1;
const ADDRESS: u64 = 16;

/// Largest tax in units of 1/10,000 (TPC-C 4.3.3.1, W_TAX and D_TAX).
const MAX_TAX: u64 = 2000;

/// The fields that both collections share: tax, name, address.
struct Site {
    words: Stream,
    tax: u32,
    name: u64,
}

impl Site {
    #[inline(always)]
    fn new(words: Stream) -> Site {
        let mut draws = words.draws(SCALARS);
        Site { words, tax: draws.within(0, MAX_TAX) as u32, name: draws.within(6, 10) }
    }

    #[inline(always)]
    fn write_name<W: Writer>(&self, field: Field, w: &mut W) {
        letters::<10, _>(w, field, self.words.skip(NAME), self.name);
    }

    /// An object in CH2++, flat fields in CH2.
    #[inline(always)]
    fn write_address<W: Writer>(&self, schema: Schema, object: Field, fields: Fields, w: &mut W) {
        let address = Address::new(self.words.skip(ADDRESS));
        if schema == Schema::Ch2pp {
            w.begin_object(object);
            address.write(fields, w);
            w.end_object();
        } else {
            address.write(fields, w);
        }
    }
}

impl DataSet {
    /// The payments that the load records in a district (specification, section 3: d_ytd =
    /// 30,000.00 before scale-down), in cents.
    pub fn district_payments(&self) -> i64 {
        i64::from(self.customers_per_district()) * INITIAL_PAYMENT
    }

    #[inline(always)]
    pub(crate) fn warehouse<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [.., id] = ids;
        let site = Site::new(self.words(Collection::Warehouse, ids));
        let payments = self.district_payments() * i64::from(self.districts_per_warehouse());
        w.begin_object(Field::ELEMENT);
        w.int(field!("w_id"), id.into());
        w.cents(field!("w_ytd"), payments);
        w.ratio(field!("w_tax"), site.tax);
        site.write_name(field!("w_name"), w);
        site.write_address(self.spec().schema, field!("w_address"), address_fields!("w"), w);
        w.end_object();
    }

    #[inline(always)]
    pub(crate) fn district<W: Writer>(&self, ids: Ids, w: &mut W) {
        let [_, warehouse, id] = ids;
        let site = Site::new(self.words(Collection::District, ids));
        w.begin_object(Field::ELEMENT);
        w.int(field!("d_id"), id.into());
        w.int(field!("d_w_id"), warehouse.into());
        w.cents(field!("d_ytd"), self.district_payments());
        w.ratio(field!("d_tax"), site.tax);
        w.int(field!("d_next_o_id"), u64::from(self.orders_per_district()) + 1);
        site.write_name(field!("d_name"), w);
        site.write_address(self.spec().schema, field!("d_address"), address_fields!("d"), w);
        w.end_object();
    }
}
