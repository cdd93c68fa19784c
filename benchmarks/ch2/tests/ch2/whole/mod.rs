//! The check of all documents: what it takes in memory, and that it sees and names what is wrong
//! though it keeps no document.

mod documents;

use documents::{Change, Document, Made};
use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
use hoap_database::Database;
use hoap_record::{Check, Verdict};
use hoap_testing::scanned::block_on;
use hoap_workload::checks::watch::ALONE;
use serde_json::{Value, json};

/// What a warehouse may take, bytes: mostly the sums of its ten districts.
const WAREHOUSE: u64 = 1_330;

fn data(warehouses: u32, scale_down: u32) -> DataSet {
    DataSet::new(Spec { scale_down, ..Spec::new(Schema::Ch2, warehouses) }).unwrap()
}

fn take(made: &Made) -> Snapshot {
    let database = Database::new(made.clone());
    let documents = database.documents().unwrap();
    block_on(Snapshot::take(documents, &made.data, &ALONE)).unwrap()
}

fn check(made: &Made) -> Vec<Check> {
    conditions(&take(made), &made.data, Deliveries::OfCustomers, "test")
}

/// The names of the checks that fail, each with what it says.
fn failed(checks: &[Check]) -> Vec<(&str, &str)> {
    let failed = checks.iter().filter(|c| c.verdict == Verdict::Fail);
    failed.map(|c| (c.name.as_str(), c.detail.as_deref().unwrap())).collect()
}

fn nothing(_: Collection, _: &str, _: usize, _: &mut Document) -> bool {
    true
}

/// Adds to a number.
fn more(document: &mut Document, field: &str, n: f64) {
    let there = document.get(field).and_then(Value::as_f64);
    if let Some(there) = there {
        document.insert(field.to_owned(), json!(there + n));
    }
}

/// Whatever the customers, orders, payments and stocks of a warehouse.
#[test]
fn a_warehouse_takes_little_and_a_document_nothing() {
    let peaks = [1, 6].map(|warehouses| {
        let made = Made::new(data(warehouses, 100), nothing);
        let measured = allocation_counter::measure(|| drop(take(&made)));
        measured.bytes_max
    });
    assert!(peaks[1] <= peaks[0] + 5 * WAREHOUSE, "{peaks:?}");

    let larger = Made::new(data(1, 10), nothing);
    let measured = allocation_counter::measure(|| drop(take(&larger)));
    assert!(measured.bytes_max <= peaks[0] + 5_000, "{measured:?}, {peaks:?}");
}

#[test]
fn what_fits_together_is_read_once() {
    let made = Made::new(data(2, 100), nothing);
    let checks = check(&made);
    assert_eq!(failed(&checks), []);
    let checked = |name| checks.iter().find(|c| c.name == name).unwrap().checked;
    assert_eq!(checked("condition 10"), 600);
    assert_eq!(checked("condition 12"), 600);
    assert_eq!(checked("customer counts"), 1_200);
    for collection in [Collection::Customer, Collection::Orders, Collection::Neworder] {
        assert_eq!(made.times(collection), 1, "{collection:?}");
    }
}

/// Two errors that balance each other, of two customers of a district and of one customer's two
/// counts: sums without weights would not see them.
#[test]
fn errors_that_balance_each_other_are_named() {
    let change: Change = |collection, key, _, document| {
        match (collection, key) {
            (Collection::Customer, "1.4.5") => more(document, "c_balance", 3.0),
            (Collection::Customer, "1.4.6") => more(document, "c_balance", -3.0),
            (Collection::Customer, "2.1.1") => {
                document.insert("c_payment_cnt".into(), json!(2));
                document.insert("c_delivery_cnt".into(), json!(-1));
            }
            _ => {}
        }
        true
    };
    let made = Made::new(data(2, 100), change);
    let checks = check(&made);
    let failed = failed(&checks);
    let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["condition 10", "condition 11", "condition 12", "customer counts"]);
    let told = |name| failed.iter().find(|(n, _)| *n == name).unwrap().1;
    for name in ["condition 10", "condition 12"] {
        let told = told(name);
        assert!(told.starts_with("2 of 600 fail; customer 1.4.5: "), "{told}");
        assert!(told.contains("; customer 1.4.6: "), "{told}");
    }
    let counts = told("customer counts");
    assert!(counts.starts_with("2 of 1200 fail; customer 2.1.1: c_payment_cnt"), "{counts}");
    assert!(counts.contains("c_delivery_cnt less orders delivered since the load is -1"));
    assert_eq!(made.times(Collection::Customer), 2);
    assert_eq!(made.times(Collection::Neworder), 1);
}

/// Of many wrong warehouses some are read again, in bounded memory; the others are told of.
#[test]
fn no_more_than_some_wrong_warehouses_are_kept() {
    let change: Change = |collection, key, _, document| {
        if collection == Collection::Customer && key.ends_with(".7.3") {
            more(document, "c_ytd_payment", 1.0);
        }
        true
    };
    let [few, many] = [9, 18].map(|warehouses| Made::new(data(warehouses, 100), change));
    for (made, wanted) in [(&few, "at least 9 of 2700 fail"), (&many, "at least 18 of 5400 fail")] {
        let checks = check(made);
        let [(name, told)] = failed(&checks)[..] else { panic!("{checks:?}") };
        assert_eq!(name, "condition 12");
        assert!(told.starts_with(&format!("{wanted}; customer 1.7.3: ")), "{told}");
        assert_eq!(made.times(Collection::History), 2);
    }
    let peaks = [few, many].map(|made| {
        let measured = allocation_counter::measure(|| drop(take(&made)));
        measured.bytes_max
    });
    assert!(peaks[1] <= peaks[0] + 9 * WAREHOUSE, "{peaks:?}");
    let eight = check(&Made::new(data(8, 100), change));
    assert!(failed(&eight)[0].1.starts_with("8 of 2400 fail; "), "{eight:?}");
}

/// What was wrong and is right a moment later is no pass.
#[test]
fn what_is_right_only_when_it_is_read_again_fails() {
    let change: Change = |collection, key, before, document| {
        if collection == Collection::Customer && key == "2.9.9" && before == 0 {
            more(document, "c_balance", 0.01);
        }
        true
    };
    let checks = check(&Made::new(data(2, 100), change));
    let failed = failed(&checks);
    let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["condition 10", "condition 12"]);
    let told = failed[0].1;
    assert!(told.starts_with("at least 1 of 600 fail; warehouse 2: of a customer"), "{told}");
    assert!(told.ends_with("was right when it was read again"), "{told}");
}

/// Undelivered orders with holes, doubles and none: condition 5 names the order, as it does where
/// all numbers are there.
#[test]
fn undelivered_orders_that_do_not_follow_each_other_are_compared_by_number() {
    // Orders 22 to 30 of a district are undelivered.
    let change: Change = |collection, key, _, document| {
        match (collection, key) {
            (Collection::Neworder, "1.2.25") => return false,
            // As many numbers as there should be, and the first and the last are right.
            (Collection::Neworder, "1.3.25") => {
                document.insert("no_o_id".into(), json!(26));
            }
            (Collection::Neworder, key) if key.starts_with("1.4.") => return false,
            (Collection::Orders, "2.5.20") => {
                document.insert("o_carrier_id".into(), Value::Null);
            }
            _ => {}
        }
        true
    };
    let made = Made::new(data(2, 100), change);
    let checks = check(&made);
    let five = checks.iter().find(|c| c.name == "condition 5").unwrap();
    let told = five.detail.as_deref().unwrap();
    // Two without a neworder, nine in the district without any, one with no carrier, and a neworder
    // too many.
    assert!(told.starts_with("13 of 601 fail; orders 1.2.25: o_carrier_id null, no"), "{told}");
    assert!(told.contains("; orders 1.3.25: o_carrier_id null, no neworder"), "{told}");
    assert_eq!(made.times(Collection::Neworder), 2);
    assert_eq!(made.times(Collection::Orders), 1);
}
