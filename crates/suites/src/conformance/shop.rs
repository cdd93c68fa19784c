//! Customers and their orders.

use std::collections::{BTreeMap, BTreeSet};

use hoap_database::shop::{Ask, JoinRow, JoinVariant, sales_key};
use hoap_database::{Batch, Database, Index, ShopSession};
use hoap_workload::ErrorKind;
use serde_json::{Value, json};

use super::wait;
use hoap_testing::errors::missing;

const CUSTOMERS: u32 = 150;
const COUNTRIES: u32 = 4;
const ZIPS: u32 = 11;
const MONTHS: [&str; 3] = ["January", "February", "March"];

fn country(customer: u32) -> String {
    format!("Côte d'Ivoire {}", customer % COUNTRIES)
}

fn zip(customer: u32) -> String {
    format!("{:05}", customer % ZIPS)
}

/// The orders of a customer: key, month, cents.
fn orders(customer: u32) -> impl Iterator<Item = (String, &'static str, i64)> {
    (0..customer % 6).map(move |n| {
        let random = (customer * 6 + n + 1).wrapping_mul(2_654_435_761);
        let month = MONTHS[random as usize >> 8 & 1];
        // Amounts that no binary fraction is equal to.
        (format!("order{customer}.{n}"), month, i64::from(random >> 12) * 10 + 9)
    })
}

/// The indexes of the workloads.
pub fn indexes() -> Vec<Index> {
    let on = |name, field| Index::new(name, "shop_customer", &[field]);
    vec![
        on("shop_customer_country", "address.country"),
        on("shop_customer_zip", "address.zip"),
        Index::new("shop_orders_covering", "shop_orders", &["_id", "month", "sale_price"]),
    ]
}

/// The collections of [`load_shop`].
pub const SHOP: [&str; 3] = ["shop_customer", "shop_orders", "shop_sales"];

/// Loads customers, whose orders are both in them and beside them, and the joining table, with
/// these indexes.
pub fn load_shop(target: &Database, indexes: &[Index]) {
    let mut batches = SHOP.map(|_| Batch::default());
    let mut add = |at: usize, key: &str, document: Value| {
        batches[at].push(|to, text| {
            to.push_str(key);
            text.extend_from_slice(document.to_string().as_bytes());
        });
    };
    let mut sales: BTreeMap<(String, &str), Vec<Value>> = BTreeMap::new();
    // A month without orders has a document, too.
    (0..ZIPS).for_each(|z| MONTHS.iter().for_each(|m| drop(sales.insert((zip(z), *m), vec![]))));
    for c in 0..CUSTOMERS {
        let (mut list, mut within) = (Vec::new(), Vec::new());
        for (key, month, cents) in orders(c) {
            let price = cents as f64 / 100.0;
            let document = json!({"_id": key, "month": month, "sale_price": price});
            add(1, &key, document.clone());
            let of_month = sales.entry((zip(c), month)).or_default();
            of_month.push(json!({"_id": key, "sale_price": price}));
            list.push(key);
            within.push(document);
        }
        let document = json!({
            "_id": format!("customer{c}"),
            "address": {"zip": zip(c), "country": country(c), "prev_address": {"zip": "x"}},
            "order_list": list,
            "orders": within,
        });
        add(0, &format!("customer{c}"), document);
    }
    for ((zip, month), orders) in sales {
        let key = sales_key(&zip, month);
        add(2, &key, json!({"_id": key, "zip": zip, "month": month, "orders": orders}));
    }
    wait(async {
        let documents = target.documents().unwrap();
        documents.create(&SHOP).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        for (name, batch) in SHOP.iter().zip(&batches) {
            bulk.write(name, batch, batch.len() as u64).await.unwrap();
        }
        bulk.finish().await.unwrap();
        drop(bulk);
        documents.settle(indexes).await.unwrap();
    });
}

pub fn pages_are_the_customers_of_the_country(target: &Database) {
    load_shop(target, &indexes());
    let mut session = wait(target.pages().unwrap().session(Ask::Pages)).unwrap();
    let mut keys = vec!["of the page before".to_owned(); 3];
    for c in 0..COUNTRIES {
        let of_country = (0..CUSTOMERS).filter(|n| n % COUNTRIES == c);
        let expected: BTreeSet<_> = of_country.map(|n| format!("customer{n}")).collect();
        let count = expected.len() as u32;
        for limit in [1, 7, count - 1, count, 100] {
            let mut seen = BTreeSet::new();
            for offset in (0..count + limit).step_by(limit as usize) {
                wait(session.page(&country(c), offset, limit, &mut keys)).unwrap();
                assert_eq!(keys.len() as u32, limit.min(count.saturating_sub(offset)));
                for key in &keys {
                    assert!(seen.insert(key.clone()), "{key} is on two pages");
                }
            }
            assert_eq!(seen, expected);
        }
    }
    for (name, offset, limit) in [
        ("nowhere", 0, 10),
        ("", 0, 10),
        ("' OR 1 --", 0, 10),
        (&*country(0), CUSTOMERS, 10),
        (&*country(0), u32::MAX, u32::MAX),
        (&*country(0), 0, 0),
    ] {
        wait(session.page(name, offset, limit, &mut keys)).unwrap();
        assert!(keys.is_empty(), "{name}, {limit} after {offset}: {keys:?}");
    }
}

/// One session per variant.
fn joins(target: &Database) -> impl Iterator<Item = (JoinVariant, ShopSession)> {
    let joins = target.joins().unwrap();
    let variants = joins.variants();
    assert!(!variants.is_empty());
    variants.iter().map(move |v| (*v, wait(joins.session(Ask::Joins(*v))).unwrap()))
}

pub fn every_join_sums_to_the_cent(target: &Database) {
    load_shop(target, &indexes());
    let mut expected: BTreeMap<(String, &str), i64> = BTreeMap::new();
    for c in 0..CUSTOMERS {
        for (_, month, cents) in orders(c) {
            *expected.entry((zip(c), month)).or_default() += cents;
        }
    }
    assert_eq!(expected.len() as u32, ZIPS * 2, "every zip code has orders in two months");
    for (variant, mut session) in joins(target) {
        let mut rows = vec![JoinRow { month: "old".into(), zip: "old".into(), cents: 0 }];
        for ((zip, month), cents) in &expected {
            wait(session.join(zip, month, &mut rows)).unwrap();
            let row = JoinRow { month: (*month).to_owned(), zip: zip.clone(), cents: *cents };
            assert_eq!(rows, [row], "{variant:?}");
        }
    }
}

pub fn a_join_of_nothing_is_empty(target: &Database) {
    load_shop(target, &indexes());
    for (variant, mut session) in joins(target) {
        let mut rows = vec![JoinRow { month: "old".into(), zip: "old".into(), cents: 0 }];
        for (zip, month) in [("99999", "January"), ("00001", "March"), ("", ""), ("x", "January")] {
            wait(session.join(zip, month, &mut rows)).unwrap();
            assert!(rows.is_empty(), "{variant:?}: {rows:?}");
        }
    }
}

pub fn a_join_that_is_not_offered_is_refused(target: &Database) {
    load_shop(target, &indexes());
    let joins = target.joins().unwrap();
    let offered = joins.variants();
    for variant in JoinVariant::ALL {
        let session = wait(joins.session(Ask::Joins(variant)));
        match session {
            Ok(_) => assert!(offered.contains(&variant), "{variant:?}"),
            Err(e) => {
                assert!(!offered.contains(&variant), "{e}");
                assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
                assert!(e.to_string().contains(&format!("has no {variant} join")), "{e}");
            }
        }
    }
}

/// Of a database: what names an index that is missing, how many indexes are too few for a join, and
/// what then names the one that is missing.
fn lacking(target: &Database) -> (&'static str, usize, &'static str) {
    match target.description().name.as_str() {
        "Cassandra" => ("joining table", 0, "joining table"),
        "PostgreSQL" => {
            let scan = "index is missing: PostgreSQL would seq scan on";
            (scan, 1, scan)
        }
        "SQLite" => ("no such index", 2, "no such index: shop_orders_covering"),
        "Redis" | "MongoDB" => ("is missing", 1, "shop_customer_zip"),
        _ => ("is missing", 1, "is missing"),
    }
}

fn settle(target: &Database, indexes: &[Index]) {
    wait(target.documents().unwrap().settle(indexes)).unwrap();
}

/// Without its index a search would read every customer: it is refused before the run.
pub fn pages_without_their_index_are_refused(target: &Database) {
    load_shop(target, &[]);
    let pages = target.pages().unwrap();
    let session = || wait(pages.session(Ask::Pages)).map(drop);
    missing(session().unwrap_err(), &[lacking(target).0, "hoap load"]);
    settle(target, &indexes()[..1]);
    session().unwrap();
    wait(target.documents().unwrap().drop(&SHOP)).unwrap();
    missing(session().unwrap_err(), &["hoap load"]);
}

/// And a join without one of its indexes, or without what it is made from. A joining table is read
/// by its key, unless it is in the place of an index.
pub fn joins_without_their_indexes_are_refused(target: &Database) {
    load_shop(target, &[]);
    let joins = target.joins().unwrap();
    let each = |lacks: &dyn Fn(JoinVariant) -> Option<&'static str>| {
        for variant in joins.variants() {
            let session = wait(joins.session(Ask::Joins(*variant))).map(drop);
            match lacks(*variant) {
                Some(words) => missing(session.unwrap_err(), &[words, "hoap load"]),
                None => session.unwrap(),
            }
        }
    };
    let by_key =
        |variant| variant == JoinVariant::JoiningTable && target.description().name != "Cassandra";
    let (none, few, one) = lacking(target);
    each(&|variant| (!by_key(variant)).then_some(none));
    settle(target, &indexes()[..few]);
    // Of the indexes of the two collections only the first is of customers with their orders.
    let served = |variant| by_key(variant) || variant == JoinVariant::Embedded && few > 1;
    each(&|variant| (!served(variant)).then_some(one));
    settle(target, &indexes());
    each(&|_| None);
    wait(target.documents().unwrap().drop(&SHOP)).unwrap();
    each(&|_| Some(""));
}
