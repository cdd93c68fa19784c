//! The customers and orders of Pagination and JOIN.

use std::ops::Range;

use hoap_data::Buffer;
use hoap_data::writer::Writer;
use hoap_files::{AnyWriter, Child, FileSource, Flat, Visit};
use serde_json::{Map, Value};

use crate::data::{DATA_VERSION, ShopCollection, ShopData, ShopSpec};

const CUSTOMER_KEY: &[(&str, &str)] = &[("_id", "customer_id")];

/// A customer has four arrays of its own and two that are arrays in arrays.
static FLAT: Flat = Flat {
    qualified: true,
    spread: &[],
    tables: &[
        Child {
            array: "devices",
            table: "shop_customer_device",
            key: CUSTOMER_KEY,
            positions: &["position"],
            element: "device",
        },
        Child {
            array: "linked_devices",
            table: "shop_customer_linked_device",
            key: CUSTOMER_KEY,
            positions: &["list_position", "position"],
            element: "device",
        },
        Child {
            array: "children",
            table: "shop_customer_child",
            key: CUSTOMER_KEY,
            positions: &["position"],
            element: "",
        },
        Child {
            array: "visited_places",
            table: "shop_customer_visited_place",
            key: CUSTOMER_KEY,
            positions: &["position"],
            element: "",
        },
        Child {
            array: "visited_places.cities",
            table: "shop_customer_visited_city",
            key: CUSTOMER_KEY,
            positions: &["place_position", "position"],
            element: "city",
        },
        Child {
            array: "order_list",
            table: "shop_customer_order",
            key: CUSTOMER_KEY,
            positions: &["position"],
            element: "order_id",
        },
    ],
};

/// A document by its index.
struct Document<'a>(&'a ShopData, ShopCollection, u64);

impl Visit for Document<'_> {
    fn write<W: Writer>(self, to: &mut W) {
        let Document(data, collection, index) = self;
        data.write(collection, index, to);
    }
}

impl FileSource for ShopData {
    fn benchmark(&self) -> &'static str {
        "shop"
    }

    fn data_version(&self) -> u32 {
        DATA_VERSION
    }

    fn parameters(&self) -> Map<String, Value> {
        let ShopSpec {
            seed,
            customers,
            orders_per_customer,
            customers_per_country,
            customers_per_zip,
            customer_bytes,
            order_bytes,
            // Files have both collections.
            embedded: _,
        } = *self.spec();
        let pairs: [(&str, Value); 7] = [
            ("seed", seed.into()),
            ("customers", customers.into()),
            ("orders_per_customer", orders_per_customer.into()),
            ("customers_per_country", customers_per_country.into()),
            ("customers_per_zip", customers_per_zip.into()),
            ("customer_bytes", customer_bytes.into()),
            ("order_bytes", order_bytes.into()),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn collections(&self) -> Vec<&str> {
        ShopCollection::BOTH.map(ShopCollection::name).to_vec()
    }

    fn count(&self, at: usize) -> u64 {
        ShopData::count(self, ShopCollection::BOTH[at])
    }

    fn append_range(&self, at: usize, range: Range<u64>, end: &[u8], out: &mut Buffer) {
        ShopData::append_range(self, ShopCollection::BOTH[at], range, end, out);
    }

    fn write(&self, at: usize, index: u64, to: AnyWriter<'_, '_>) {
        to.take(Document(self, ShopCollection::BOTH[at], index));
    }

    fn flat(&self) -> &'static Flat {
        &FLAT
    }
}
