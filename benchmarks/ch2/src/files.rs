//! CH2 and CH2++.

use std::ops::Range;

use hoap_data::Buffer;
use hoap_data::writer::Writer;
use hoap_files::{AnyWriter, Child, FileSource, Flat, Visit};
use serde_json::{Map, Value};

use crate::data::{Collection, DATA_VERSION, DataSet};

const CUSTOMER_KEY: &[(&str, &str)] =
    &[("c_w_id", "c_w_id"), ("c_d_id", "c_d_id"), ("c_id", "c_id")];

/// The tables of order lines use TPC-C's names (clause 1.3.1), and so do the columns of `s_dists`.
static FLAT: Flat = Flat {
    qualified: false,
    spread: &[(
        "s_dists",
        &[
            "s_dist_01",
            "s_dist_02",
            "s_dist_03",
            "s_dist_04",
            "s_dist_05",
            "s_dist_06",
            "s_dist_07",
            "s_dist_08",
            "s_dist_09",
            "s_dist_10",
        ],
    )],
    tables: &[
        Child {
            array: "o_orderline",
            table: "orderline",
            key: &[("o_w_id", "ol_w_id"), ("o_d_id", "ol_d_id"), ("o_id", "ol_o_id")],
            positions: &[],
            element: "",
        },
        Child {
            array: "c_addresses",
            table: "customer_address",
            key: CUSTOMER_KEY,
            positions: &["c_address_position"],
            element: "",
        },
        Child {
            array: "c_phones",
            table: "customer_phone",
            key: CUSTOMER_KEY,
            positions: &["c_phone_position"],
            element: "",
        },
        Child {
            array: "c_item_categories",
            table: "customer_item_category",
            key: CUSTOMER_KEY,
            positions: &["c_category_position"],
            element: "c_item_category",
        },
        Child {
            array: "i_categories",
            table: "item_category",
            key: &[("i_id", "i_id")],
            positions: &["i_category_position"],
            element: "i_category",
        },
    ],
};

/// A document by its index.
struct Document<'a>(&'a DataSet, Collection, u64);

impl Visit for Document<'_> {
    fn write<W: Writer>(self, to: &mut W) {
        let Document(data, collection, index) = self;
        data.write(collection, index, to);
    }
}

impl FileSource for DataSet {
    fn benchmark(&self) -> &'static str {
        self.spec().schema.name()
    }

    fn data_version(&self) -> u32 {
        DATA_VERSION
    }

    fn parameters(&self) -> Map<String, Value> {
        let spec = self.spec();
        let pairs: [(&str, Value); 5] = [
            ("warehouses", spec.warehouses.into()),
            ("seed", spec.seed.into()),
            ("run_date", spec.run_date.to_string().into()),
            ("extra_fields", spec.extra_fields.to_string().into()),
            ("scale_down", spec.scale_down.into()),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn collections(&self) -> Vec<&str> {
        Collection::ALL.map(Collection::name).to_vec()
    }

    fn count(&self, at: usize) -> u64 {
        DataSet::count(self, Collection::ALL[at])
    }

    fn append_range(&self, at: usize, range: Range<u64>, end: &[u8], out: &mut Buffer) {
        DataSet::append_range(self, Collection::ALL[at], range, end, out);
    }

    fn write(&self, at: usize, index: u64, to: AnyWriter<'_, '_>) {
        to.take(Document(self, Collection::ALL[at], index));
    }

    fn flat(&self) -> &'static Flat {
        &FLAT
    }
}
