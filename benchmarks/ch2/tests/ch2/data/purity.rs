//! Specification section 1: a data set is a pure function of schema, W, seed, RUN_DATE and extra
//! fields, and every document of its key.

use hoap_ch2::data::{Collection, DataSet, Schema, Spec};

use super::common::*;

fn with(change: impl FnOnce(&mut Spec)) -> DataSet {
    let mut spec = Spec::new(Schema::Ch2, 2);
    spec.scale_down = 100;
    change(&mut spec);
    DataSet::new(spec).expect("valid")
}

fn all(data: &DataSet, collection: Collection) -> Vec<String> {
    (0..data.count(collection)).map(|index| text(data, collection, index)).collect()
}

#[test]
fn equal_specifications_give_equal_bytes() {
    let (a, b) = (with(|_| ()), with(|_| ()));
    for collection in Collection::ALL {
        assert_eq!(all(&a, collection), all(&b, collection));
    }
}

/// Every collection with random values changes with the seed, in nearly every document.
#[test]
fn seed() {
    let (a, b) = (with(|_| ()), with(|s| s.seed = 2));
    for collection in Collection::ALL {
        let same =
            all(&a, collection).iter().zip(all(&b, collection)).filter(|(x, y)| *x == y).count();
        let expected = match collection {
            Collection::Neworder => a.count(collection) as usize, // Ids only.
            _ => 0,
        };
        assert_eq!(same, expected, "{collection}");
    }
}

/// More warehouses add documents and change none, but for s_remote_cnt, which is 0 where W = 1
/// (specification, section 3).
#[test]
fn warehouses() {
    let (small, large) = (with(|_| ()), with(|s| s.warehouses = 5));
    for collection in Collection::ALL {
        let (small, large) = (all(&small, collection), all(&large, collection));
        assert_eq!(small[..], large[..small.len()], "{collection}");
    }
    let one = with(|s| s.warehouses = 1);
    for collection in Collection::ALL {
        for (x, y) in documents(&one, collection).zip(documents(&small, collection)) {
            let mut y = y;
            if collection == Collection::Stock {
                y["s_remote_cnt"] = 0.into();
            }
            assert_eq!(x, y);
        }
    }
}

/// RUN_DATE moves every date by the same days (between years of equal length) and nothing else.
#[test]
fn run_date() {
    let (a, b) = (with(|_| ()), with(|s| s.run_date = s.run_date.add_days(28 * 1461 / 4)));
    let days = b.spec().run_date.days_since_1970() - a.spec().run_date.days_since_1970();
    for (collection, field) in [
        (Collection::Customer, "c_since"),
        (Collection::Orders, "o_entry_d"),
        (Collection::History, "h_date"),
    ] {
        for (x, mut y) in documents(&a, collection).zip(documents(&b, collection)) {
            assert_eq!(micros(&y, field) - micros(&x, field), days * hoap_data::DAY_MICROS);
            y[field] = x[field].clone();
            let lines = y.get_mut("o_orderline").and_then(|lines| lines.as_array_mut());
            for (n, line) in lines.into_iter().flatten().enumerate() {
                line["ol_delivery_d"] = x["o_orderline"][n]["ol_delivery_d"].clone();
            }
            assert_eq!(x, y);
        }
    }
    for collection in
        [Collection::Warehouse, Collection::Stock, Collection::Item, Collection::Supplier]
    {
        assert_eq!(all(&a, collection), all(&b, collection));
    }
}

/// Documents of different warehouses, districts and collections share no random text.
#[test]
fn no_text_twice() {
    let data = with(|s| s.scale_down = 50);
    let mut seen = std::collections::HashSet::new();
    let mut texts = 0;
    for collection in Collection::ALL {
        for document in all(&data, collection) {
            for part in
                document.split('"').filter(|p| p.len() >= 16 && !p.contains([':', ' ', '_']))
            {
                // Names of many syllables are meant to repeat.
                if !part.bytes().all(|b| b.is_ascii_uppercase()) {
                    texts += 1;
                    assert!(seen.insert(part.to_owned()), "{part} occurs twice");
                }
            }
        }
    }
    assert!(texts > 40_000, "{texts}");
}
