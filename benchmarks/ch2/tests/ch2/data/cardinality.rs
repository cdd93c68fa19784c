//! Specification section 1 and TPC-C 4.3.3.1: how many documents, under which keys, in which parts.

use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
use hoap_data::{Buffer, NATIONS};

use super::common::{self, data_set, key};

fn counts(data: &DataSet) -> [u64; 11] {
    Collection::ALL.map(|collection| data.count(collection))
}

#[test]
fn section_1_cardinalities() {
    let one = DataSet::new(Spec::new(Schema::Ch2pp, 1)).expect("valid");
    let documents = [1, 10, 30_000, 30_000, 30_000, 9000, 100_000, 100_000, 10_000, 62, 5];
    assert_eq!(counts(&one), documents);
    let thousand = DataSet::new(Spec::new(Schema::Ch2, 1000)).expect("valid");
    let scaled = documents.map(|n| n * 1000);
    assert_eq!(counts(&thousand)[..7], scaled[..7]);
    assert_eq!(counts(&thousand)[7..], documents[7..]);
    assert_eq!(counts(&thousand)[6], 100_000_000);
}

/// Scale-down divides items, stocks, customers, orders and new orders; W, districts, suppliers,
/// nations and regions stay.
#[test]
fn scale_down() {
    for n in [1, 2, 4, 5, 10, 20, 25, 50, 100] {
        let data = data_set(Schema::Ch2pp, 3, n);
        let n64 = u64::from(n);
        let customers = 90_000 / n64;
        let expected = [
            3,
            30,
            customers,
            customers,
            customers,
            27_000 / n64,
            300_000 / n64,
            100_000 / n64,
            10_000,
            62,
            5,
        ];
        assert_eq!(counts(&data), expected);
        assert_eq!(data.items() * n, 100_000);
        assert_eq!(data.customers_per_district() * n, 3000);
        assert_eq!(data.orders_per_district() * n, 3000);
        assert_eq!(data.delivered_per_district() * n, 2100);
        assert_eq!((data.suppliers(), data.districts_per_warehouse()), (10_000, 10));
    }
}

#[test]
fn keys_and_indexes_are_inverse() {
    let data = data_set(Schema::Ch2pp, 3, 100);
    for collection in Collection::ALL {
        let mut seen = std::collections::HashSet::new();
        for index in 0..data.count(collection) {
            let key = key(&data, collection, index);
            assert_eq!(data.index_of(collection, &key), Some(index), "{collection} {key}");
            assert!(seen.insert(key));
        }
    }
}

/// Specification section 2: the key of each document is made of its own ids.
#[test]
fn keys_are_the_ids_of_the_document() {
    use Collection::*;
    let ids: [(Collection, &[&str]); 11] = [
        (Warehouse, &["w_id"]),
        (District, &["d_w_id", "d_id"]),
        (Customer, &["c_w_id", "c_d_id", "c_id"]),
        (History, &["h_c_w_id", "h_c_d_id", "h_c_id"]),
        (Orders, &["o_w_id", "o_d_id", "o_id"]),
        (Neworder, &["no_w_id", "no_d_id", "no_o_id"]),
        (Stock, &["s_w_id", "s_i_id"]),
        (Item, &["i_id"]),
        (Supplier, &["su_suppkey"]),
        (Nation, &["n_nationkey"]),
        (Region, &["r_regionkey"]),
    ];
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let data = data_set(schema, 2, 100);
        for (collection, fields) in ids {
            for index in 0..data.count(collection) {
                let document = common::document(&data, collection, index);
                let parts: Vec<String> =
                    fields.iter().map(|f| common::int(&document, f).to_string()).collect();
                assert_eq!(key(&data, collection, index), parts.join("."));
            }
        }
    }
}

#[test]
fn first_and_last_keys() {
    let data = DataSet::new(Spec::new(Schema::Ch2pp, 12)).expect("valid");
    let ends = Collection::ALL.map(|collection| {
        (key(&data, collection, 0), key(&data, collection, data.count(collection) - 1))
    });
    let expected = [
        ("1", "12"),
        ("1.1", "12.10"),
        ("1.1.1", "12.10.3000"),
        ("1.1.1", "12.10.3000"),
        ("1.1.1", "12.10.3000"),
        ("1.1.2101", "12.10.3000"),
        ("1.1", "12.100000"),
        ("1", "100000"),
        ("0", "9999"),
        ("48", "122"),
        ("0", "4"),
    ];
    assert_eq!(ends, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn texts_that_are_no_keys() {
    let data = data_set(Schema::Ch2pp, 2, 100);
    let never = [
        "",
        ".",
        "..",
        "...",
        "1.",
        ".1",
        "1..1",
        "x",
        "1.x",
        "1.1.x",
        "-1",
        "+1",
        "+1.1",
        "01",
        "1.01",
        "01.1.1",
        "1.1.01",
        "00",
        " 1",
        "1 ",
        "1,1",
        "１",
        "1.1.1.1",
        "99999999999999999999",
        "4294967297",
        "4294967297.1.1",
        "1e0",
        "1.0.1",
        "0.1.1",
        "1\n",
        "\0",
        "1.1.1\0",
    ];
    for collection in Collection::ALL {
        for text in never {
            assert_eq!(data.index_of(collection, text), None, "{collection} {text:?}");
        }
    }
    // Just outside of the load.
    let outside: [(Collection, &[&str]); 11] = [
        (Collection::Warehouse, &["0", "3", "1.1"]),
        (Collection::District, &["1.0", "1.11", "3.1", "1", "1.1.1"]),
        (Collection::Customer, &["1.1.0", "1.1.31", "1.11.1", "3.1.1", "1.1"]),
        (Collection::History, &["1.1.0", "1.1.31"]),
        (Collection::Orders, &["1.1.0", "1.1.31"]),
        (Collection::Neworder, &["1.1.21", "1.1.31", "1.1.1"]),
        (Collection::Stock, &["1.0", "1.1001", "3.1", "1"]),
        (Collection::Item, &["0", "1001"]),
        (Collection::Supplier, &["10000"]),
        (Collection::Nation, &["47", "58", "64", "91", "96", "123", "0"]),
        (Collection::Region, &["5"]),
    ];
    for (collection, keys) in outside {
        for text in keys {
            assert_eq!(data.index_of(collection, text), None, "{collection} {text:?}");
        }
    }
    assert_eq!(data.index_of(Collection::Nation, "57"), Some(9));
    assert_eq!(NATIONS[9].1, 57);
}

/// Every text of up to four characters of a small alphabet either is no key or is written back.
#[test]
fn every_short_text() {
    let data = data_set(Schema::Ch2pp, 2, 100);
    let alphabet = ['0', '1', '2', '3', '9', '.', '-'];
    let mut texts = vec![String::new()];
    for _ in 0..5 {
        let longer = texts.iter().flat_map(|t| alphabet.map(|c| format!("{t}{c}")));
        texts = longer.chain(texts.iter().cloned()).collect();
        texts.sort();
        texts.dedup();
    }
    let mut keys = 0;
    for collection in Collection::ALL {
        for text in &texts {
            if let Some(index) = data.index_of(collection, text) {
                assert_eq!(key(&data, collection, index), *text);
                keys += 1;
            }
        }
    }
    assert!(keys > 500, "{keys}");
}

#[test]
fn parts_join_to_the_whole() {
    let data = data_set(Schema::Ch2pp, 3, 50);
    for collection in Collection::ALL {
        let count = data.count(collection);
        for of in [1, 2, 3, 7, 64, count, count + 1, 1_000_000_007] {
            let parts = (1..=of.min(2000)).map(|part| data.part(collection, part, of));
            let mut next = 0;
            for range in parts {
                assert_eq!(range.start, next);
                next = range.end;
                let size = range.end - range.start;
                assert!(size == count / of || size == count / of + 1, "{size} of {count} / {of}");
            }
            assert_eq!(data.part(collection, of, of).end, count);
            if of <= 2000 {
                assert_eq!(next, count);
            }
        }
        for (part, of) in [(0, 1), (2, 1), (1, 0), (0, 0), (u64::MAX, 5)] {
            assert!(data.part(collection, part, of).is_empty());
        }
        assert_eq!(data.part(collection, u64::MAX, u64::MAX).end, count);
    }
}

#[test]
#[should_panic(expected = "neworder has no document 180")]
fn beyond_the_last() {
    data_set(Schema::Ch2, 2, 100).append(Collection::Neworder, 180, &mut Vec::new());
}

#[test]
#[should_panic(expected = "neworder has no documents 178..181")]
fn range_beyond_the_last() {
    let data = data_set(Schema::Ch2, 2, 100);
    data.append_range(Collection::Neworder, 178..181, b"\n", &mut Buffer::new());
}

#[test]
#[should_panic(expected = "nation has no key 62")]
fn beyond_the_last_key() {
    key(&data_set(Schema::Ch2, 2, 100), Collection::Nation, 62);
}

#[test]
fn names() {
    for collection in Collection::ALL {
        assert_eq!(collection.name().parse(), Ok(collection));
        assert_eq!(collection.to_string(), collection.name());
    }
    for bad in ["", "order", "Warehouse", "warehouse ", "x\ny"] {
        let error = bad.parse::<Collection>().expect_err("no collection").to_string();
        assert!(
            error.contains("is unknown: use one of warehouse, district") && !error.contains('\n')
        );
    }
}
