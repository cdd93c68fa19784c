//! A document of any collection, by its index.

use std::ops::Range;

use hoap_data::Buffer;
use hoap_data::json::{EXTRA_FIELD, JsonWriter, SCRATCH};
use hoap_data::writer::Writer;

use crate::data::DataSet;
use crate::data::collection::{Collection, Ids};

impl DataSet {
    /// Appends a document as JSON, without white space and without a line end. Its fields are in
    /// the order of the specification's table.
    ///
    /// # Panics
    /// Where `index` is not below [`DataSet::count`].
    pub fn append(&self, collection: Collection, index: u64, out: &mut Vec<u8>) {
        let ids = self.ids(collection, index);
        let start = out.len();
        out.resize(start + self.room(collection), 0);
        let len = self.json(collection, ids, &mut out[start..]);
        out.truncate(start + len);
    }

    /// Appends the documents of a range as JSON, each followed by `end`. Faster than one call per
    /// document.
    ///
    /// # Panics
    /// Where the range goes beyond [`DataSet::count`].
    pub fn append_range(
        &self,
        collection: Collection,
        range: Range<u64>,
        end: &[u8],
        out: &mut Buffer,
    ) {
        let keys = self.keys(collection);
        assert!(range.end <= keys.count(), "{collection} has no documents {range:?}");
        let room = self.room(collection) + end.len();
        for index in range {
            out.append(room, |out| {
                let len = self.json(collection, keys.ids(index), out);
                out[len..len + end.len()].copy_from_slice(end);
                len + end.len()
            });
        }
    }

    /// Writes a document as JSON and returns its length.
    #[inline(never)]
    fn json(&self, collection: Collection, ids: Ids, out: &mut [u8]) -> usize {
        let mut writer = JsonWriter::new(out);
        self.write_ids(collection, ids, &mut writer);
        writer.finish()
    }

    /// Writes a document in the writer's form.
    ///
    /// # Panics
    /// Where `index` is not below [`DataSet::count`].
    #[inline]
    pub fn write<W: Writer>(&self, collection: Collection, index: u64, w: &mut W) {
        self.write_ids(collection, self.ids(collection, index), w);
    }

    #[inline(always)]
    fn write_ids<W: Writer>(&self, collection: Collection, ids: Ids, w: &mut W) {
        match collection {
            Collection::Warehouse => self.warehouse(ids, w),
            Collection::District => self.district(ids, w),
            Collection::Customer => self.customer(ids, w),
            Collection::History => self.history(ids, w),
            Collection::Orders => self.order(ids, w),
            Collection::Neworder => self.neworder(ids, w),
            Collection::Stock => self.stock(ids, w),
            Collection::Item => self.item(ids, w),
            Collection::Supplier => self.supplier(ids, w),
            Collection::Nation => self.nation(ids, w),
            Collection::Region => self.region(ids, w),
        }
    }

    /// Bytes for any document of the collection, with the writer's scratch after it.
    fn room(&self, collection: Collection) -> usize {
        let extra = self.spec().extra_fields;
        let (room, extra) = match collection {
            Collection::Customer => (2500, extra.customer),
            Collection::Orders => (4500, extra.orders),
            Collection::Item => (500, extra.item),
            Collection::Stock => (800, 0),
            _ => (600, 0),
        };
        room + extra as usize * EXTRA_FIELD + SCRATCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ExtraFields, MAX_WAREHOUSES, Schema, Spec};

    /// Bytes of the longest JSON object of these fields: names, and characters of their values.
    fn object(fields: &[(&str, usize)]) -> usize {
        fields.iter().map(|(name, value)| name.len() + value + 4).sum::<usize>() + 2
    }

    fn address(prefix: &str, kind: &[(&str, usize)]) -> usize {
        let longest = [("_street_1", 22), ("_street_2", 22), ("_city", 22), ("_state", 4)];
        object(kind) + object(&longest) + object(&[("_zip", 11)]) + 5 * prefix.len()
    }

    /// Any document and the scratch after it fit into [`DataSet::room`]: the test adds up the
    /// longest values that section 3 of the specification allows. No number takes more than 13
    /// characters.
    #[test]
    fn room_for_the_longest() {
        let mut spec = Spec::new(Schema::Ch2pp, MAX_WAREHOUSES);
        spec.extra_fields = ExtraFields::NONE;
        let nested = DataSet::new(spec).expect("valid");
        spec.schema = Schema::Ch2;
        let flat = DataSet::new(spec).expect("valid");
        let number = 13;
        let numbers = |n: usize| n * object(&[("c_delivery_cnt", number)]);
        let date = object(&[("ol_delivery_d", 28)]);
        let address_of_kind = address("c", &[("c_address_kind", 10)]);
        let phone = object(&[("c_phone_kind", 9), ("c_phone_number", 18)]);
        let line = numbers(5) + date + object(&[("ol_dist_info", 26)]);
        let name = object(&[("c_name", 2), ("c_first", 18), ("c_middle", 4), ("c_last", 17)]);
        let texts = |n: usize, len: usize| n * object(&[("s_dist_00", len + 2)]);
        let customer = numbers(10)
            + name
            + 4 * (address_of_kind + phone)
            + 3 * object(&[("c_item_categories", 2)])
            + date
            + texts(15, 12)
            + texts(1, 500);
        let longest = [
            (Collection::Warehouse, numbers(3) + texts(2, 10) + address("w", &[])),
            (Collection::District, numbers(5) + texts(2, 10) + address("d", &[])),
            (Collection::Customer, customer),
            (Collection::History, numbers(6) + date + texts(1, 24)),
            (Collection::Orders, numbers(7) + date + texts(1, 0) + 15 * line),
            (Collection::Neworder, numbers(3)),
            (Collection::Stock, numbers(6) + texts(1, 50) + texts(11, 24)),
            (Collection::Item, numbers(3) + texts(1, 24) + texts(4, 12) + texts(1, 50)),
            (Collection::Supplier, numbers(3) + texts(3, 18) + address("su", &[]) + texts(1, 100)),
            (Collection::Nation, numbers(2) + texts(1, 14) + texts(1, 114)),
            (Collection::Region, numbers(1) + texts(1, 11) + texts(1, 115)),
        ];
        for (collection, longest) in longest {
            let needed = longest + SCRATCH;
            assert!(nested.room(collection) >= needed, "{collection} needs {needed}");
            assert!(flat.room(collection) >= needed, "{collection} needs {needed}");
            let mut out = Vec::new();
            for data in [flat, nested] {
                let count = data.count(collection);
                for index in count.saturating_sub(5000)..count {
                    out.clear();
                    data.append(collection, index, &mut out);
                    assert!(out.len() <= longest, "{collection}: {} of {longest}", out.len());
                }
            }
        }
    }
}
