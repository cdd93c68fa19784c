//! Documents of a benchmark are stored alike whether they come by their values or as JSON text.

use std::ops::Range;
use std::sync::Arc;

use duckdb::Connection;
use hoap_ch2::data::{DataSet, Schema, Spec};
use hoap_database::Index;
use hoap_duckdb::open;
use hoap_shop::data::{ShopCollection, ShopData, ShopSpec};
use hoap_shop::load::Loaded as Shop;
use hoap_suites::conformance::wait;
use hoap_workload::load::{Existing, Load, LoadSource, Loaded, load};
use serde_json::Value;

use crate::url;

/// The same documents, of which only the JSON text can be had.
struct AsText(Arc<dyn LoadSource>);

impl LoadSource for AsText {
    fn benchmark(&self) -> &str {
        self.0.benchmark()
    }

    fn parameters(&self) -> Value {
        self.0.parameters()
    }

    fn collections(&self) -> Vec<&str> {
        self.0.collections()
    }

    fn part(&self, at: usize, part: u64, of: u64) -> Range<u64> {
        self.0.part(at, part, of)
    }

    fn append(&self, at: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        self.0.append(at, index, key, text);
    }

    fn indexes(&self) -> Vec<Index> {
        self.0.indexes()
    }
}

/// Loads into a new file of this folder.
fn loaded(source: impl LoadSource + 'static, folder: &tempfile::TempDir) -> Loaded {
    let target = open(&url(folder, "")).unwrap();
    let (what, stop) = (Load::whole(source, Existing::Refuse), Arc::new(|| false));
    wait(load(target.documents().unwrap(), what, stop, &mut |_| ())).unwrap()
}

fn same(source: impl LoadSource + Clone + 'static) {
    assert!(source.typed().is_some(), "the documents of {} have values", source.benchmark());
    let (values, text) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (by_values, by_text) =
        (loaded(source.clone(), &values), loaded(AsText(Arc::new(source.clone())), &text));
    assert_eq!((by_values.documents, by_values.bytes), (by_text.documents, by_text.bytes));

    let database = Connection::open_in_memory().unwrap();
    for (name, folder) in [("v", &values), ("t", &text)] {
        let path = folder.path().join("t.duckdb").display().to_string();
        database.execute_batch(&format!("ATTACH '{path}' AS {name} (READ_ONLY)")).unwrap();
    }
    let one = |text: &str| -> String {
        let found = database.query_row(text, [], |row| row.get::<_, Option<String>>(0));
        found.unwrap_or_else(|e| panic!("{text}: {e}")).unwrap_or_default()
    };
    for collection in source.collections() {
        let columns = |database: &str| {
            one(&format!(
                "SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index)
                 FROM duckdb_columns()
                 WHERE database_name = '{database}' AND table_name = '{collection}'"
            ))
        };
        assert_eq!(columns("v"), columns("t"), "{collection}");
        assert!(columns("v").contains(", "), "{collection}: {}", columns("v"));
        let rows = |database: &str| {
            one(&format!("SELECT CAST(count(*) AS VARCHAR) FROM {database}.{collection}"))
        };
        assert_eq!(rows("v"), rows("t"), "{collection}");
        let differing = one(&format!(
            "SELECT CAST(count(*) AS VARCHAR) FROM
             (SELECT * FROM v.{collection} EXCEPT ALL SELECT * FROM t.{collection})"
        ));
        assert_eq!(differing, "0", "{collection}");
    }
    let kinds = |database: &str| {
        one(&format!("SELECT string_agg(kind, ' ' ORDER BY collection) FROM {database}.hoap_kind"))
    };
    assert_eq!(kinds("v"), kinds("t"));
}

#[test]
fn documents_of_ch2_are_the_same() {
    let spec = Spec { scale_down: 20, ..Spec::new(Schema::Ch2, 1) };
    same(DataSet::new(spec).unwrap());
}

#[test]
fn documents_of_ch2pp_are_the_same() {
    let spec = Spec { scale_down: 20, ..Spec::new(Schema::Ch2pp, 1) };
    same(DataSet::new(spec).unwrap());
}

#[test]
fn customers_and_orders_of_the_shop_are_the_same() {
    let data = |embedded| ShopData::new(ShopSpec { embedded, ..ShopSpec::new(3000) }).unwrap();
    same(Shop::new(data(false), &ShopCollection::ALL).unwrap());
    same(Shop::new(data(true), &[]).unwrap());
}
