//! Every field of every collection, changed behind the back of a run: those that transactions write
//! and those that none may change. Each change is caught by the check that is there for it (spec
//! §6).

use std::collections::BTreeSet;

use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::checks::sample::Sample;
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::{Collection, Schema};
use hoap_ch2::ledger::{Ledger, Order};
use hoap_database::path::WHOLE;
use hoap_record::{Check, Verdict};
use hoap_workload::checks::watch::ALONE;
use serde_json::{Map, Value, json};

use super::checks::{drive, failed, nothing_lost, snapshot, terminals};
use super::loaded::{Fresh, Loaded, document};
use hoap_testing::wait;

/// Loaded documents of each collection in which unchanging fields are looked at. The tests change
/// such ones.
const FEW: u64 = 12;

/// Everything that `hoap run` checks after a run.
pub fn all_checks(
    loaded: &Loaded,
    before: &Snapshot,
    ledger: &Ledger,
    sample: Sample,
) -> Vec<Check> {
    let after = snapshot(loaded);
    let deliveries = Deliveries::OfLedger { before: &before.districts, ledger };
    let mut checks = conditions(&after, &loaded.data, deliveries, "test");
    let unchanged = sample.check(&loaded.target, &loaded.data, ledger, "test", &ALONE);
    checks.push(wait(unchanged).unwrap());
    checks.extend(nothing_lost(loaded, before, &after, ledger));
    checks
}

/// The sample alone, on data on which nothing ran.
fn sample_check(loaded: &Loaded, sample: &Sample) -> Check {
    let nobody = Ledger::default();
    let check = sample.check(&loaded.target, &loaded.data, &nobody, "test", &ALONE);
    wait(check).unwrap()
}

/// Another value of the same kind.
pub fn other(value: &Value) -> Value {
    match value {
        Value::Number(n) => match n.as_i64() {
            Some(n) => json!(n + 1),
            None => json!(n.as_f64().unwrap() + 1.0),
        },
        Value::String(text) => json!(format!("{}~", &text[1..])),
        Value::Array(elements) => {
            let mut elements = elements.clone();
            match elements.pop() {
                Some(Value::Object(mut last)) => {
                    let name = last.keys().next_back().unwrap().clone();
                    let changed = other(&last[&name]);
                    last.insert(name, changed);
                    elements.push(last.into());
                }
                Some(last) => elements.push(other(&last)),
                None => elements.push(json!("more")),
            }
            elements.into()
        }
        Value::Object(members) => {
            let mut members = members.clone();
            let name = members.keys().next_back().unwrap().clone();
            let changed = other(&members[&name]);
            members.insert(name, changed);
            members.into()
        }
        _ => json!("tampered"),
    }
}

pub fn path(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// The fields that transactions change in loaded documents (TPC-C 2.4.2, 2.5.2, 2.7.4).
const CHANGING: [&str; 16] = [
    "w_ytd",
    "d_ytd",
    "d_next_o_id",
    "c_balance",
    "c_ytd_payment",
    "c_payment_cnt",
    "c_delivery_cnt",
    "s_quantity",
    "s_ytd",
    "s_order_cnt",
    "s_remote_cnt",
    // Of the orders that the load delivered they do not change, nor does c_data with good credit.
    "c_data",
    "o_carrier_id",
    "no_o_id",
    "no_d_id",
    "no_w_id",
];

/// Each unchanging field of a sampled document of each collection, in both shapes.
pub fn each_field_that_no_transaction_changes_is_held_against_the_load(fresh: Fresh) {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let loaded = Loaded::new(fresh, schema);
        let sample = Sample::of(&loaded.data, FEW, 7);
        let check = sample_check(&loaded, &sample);
        assert_eq!(check.verdict, Verdict::Pass, "{check:?}");
        assert!(check.compares.contains("--sample 12 --sample-seed 7"), "{check:?}");
        let mut changed = 0;
        for collection in Collection::ALL {
            for &index in sample.indexes(collection).iter().take(1) {
                let (key, made) = document(&loaded.data, collection, index);
                let mut names: Vec<&String> = made.keys().collect();
                names.retain(|name| !CHANGING.contains(&name.as_str()));
                // A few of the 64 extra fields stand for all.
                names.retain(|name| !name.contains("_extra_") || name.ends_with('1'));
                // Behind a network, where a fault takes a while, one field of a document stands for
                // all: what compares them is the same.
                names.truncate(if loaded.target.in_process() { names.len() } else { 1 });
                for name in names {
                    loaded.set(collection.name(), &key, path(name), other(&made[name]));
                    let check = sample_check(&loaded, &sample);
                    let detail = check.detail.unwrap_or_default();
                    let named = format!("{} {key}: {name} is ", collection.name());
                    assert_eq!(check.verdict, Verdict::Fail, "{named}");
                    assert!(detail.contains(&named), "{named}: {detail}");
                    loaded.set(collection.name(), &key, path(name), made[name].clone());
                    changed += 1;
                }
            }
        }
        assert!(changed > if loaded.target.in_process() { 70 } else { 9 }, "{changed}");
        assert_eq!(sample_check(&loaded, &sample).verdict, Verdict::Pass);
    }
}

/// Loaded customers' data, carriers and delivery dates where no transaction reaches them, and
/// documents that are gone.
pub fn what_transactions_change_elsewhere_stays_where_they_do_not(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    let all = Sample::of(&loaded.data, 600, 3);
    let one = |collection, name: &'static str, fits: &dyn Fn(&Map<String, Value>) -> bool| {
        let find = |i| Some(document(&loaded.data, collection, i)).filter(|(_, d)| fits(d));
        let (key, made) = (0..).find_map(find).unwrap();
        loaded.set(collection.name(), &key, name, other(&made[name]));
        let check = sample_check(&loaded, &all);
        let detail = check.detail.unwrap_or_default();
        assert!(detail.contains(&format!("{} {key}: {name}", collection.name())), "{detail}");
        loaded.set(collection.name(), &key, name, made[name].clone());
    };
    one(Collection::Customer, "c_data", &|c| c["c_credit"] == "GC");
    one(Collection::Customer, "c_data", &|c| c["c_credit"] == "BC");
    one(Collection::Orders, "o_carrier_id", &|o| o["o_carrier_id"] != Value::Null);
    let delivered = "o_orderline[0].ol_delivery_d";
    loaded.set("orders", "1.1.1", delivered, json!("2020-01-01 00:00:00.000000"));
    let detail = sample_check(&loaded, &all).detail.unwrap_or_default();
    assert!(detail.contains("orders 1.1.1: o_orderline"), "{detail}");
    let gone = loaded.write(async |tx| tx.delete("region", "2").await).unwrap();
    assert!(gone);
    let detail = sample_check(&loaded, &all).detail.unwrap_or_default();
    assert!(detail.contains("region 2 is not there"), "{detail}");
}

/// Documents of the load and of a run that lack a field, of the document or in it, or have one more.
pub fn the_shape_of_a_document_is_held_against_the_load(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2);
    let ledger = drive(&terminals(&loaded), 1, 40).ledger;
    let sample = Sample::of(&loaded.data, 40, 3);
    let check = || {
        let check = sample.check(&loaded.target, &loaded.data, &ledger, "test", &ALONE);
        wait(check).unwrap()
    };
    let order = ledger.orders.iter().next().unwrap();
    let entered = format!("{}.{}.{}", order.w, order.d, order.o_id);
    let index = sample.indexes(Collection::Orders)[0];
    let (first, _) = document(&loaded.data, Collection::Orders, index);
    assert_eq!(check().verdict, Verdict::Pass);
    type Change = fn(&mut Map<String, Value>);
    let changes: [(&str, Change); 4] = [
        ("o_carrier_id", |order| drop(order.remove("o_carrier_id"))),
        ("o_more", |order| drop(order.insert("o_more".into(), Value::Null))),
        ("o_orderline", |order| {
            drop(order["o_orderline"][0].as_object_mut().unwrap().remove("ol_delivery_d"));
        }),
        ("o_orderline", |order| order["o_orderline"][1]["ol_more"] = json!(1)),
    ];
    for key in [entered, first] {
        let there = loaded.get("orders", &key, &[WHOLE]).unwrap().remove(0);
        let replace = |order: &Value| {
            loaded
                .write(async |tx| {
                    tx.delete("orders", &key).await?;
                    tx.insert("orders", &key, order).await
                })
                .unwrap();
        };
        for (name, change) in changes {
            let mut other = there.clone();
            change(other.as_object_mut().unwrap());
            replace(&other);
            let detail = check().detail.unwrap_or_default();
            assert!(detail.contains(&format!("orders {key}: {name}")), "{name}: {detail}");
            replace(&there);
        }
    }
    assert_eq!(check().verdict, Verdict::Pass);
}

/// A sample sees only its share of the documents: what is outside of it stays unseen, the sample of
/// all sees it.
pub fn a_sample_sees_its_share_and_the_sample_of_all_sees_all(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2);
    let index = 77;
    let (key, made) = document(&loaded.data, Collection::Stock, index);
    loaded.set("stock", &key, "s_data", other(&made["s_data"]));
    let (mut seen, mut missed) = (0, 0);
    for seed in 0..60 {
        // A quarter of the 2,000 stocks.
        let sample = Sample::of(&loaded.data, 500, seed);
        if seed < 6 {
            let inside = sample.indexes(Collection::Stock).contains(&index);
            let verdict = sample_check(&loaded, &sample).verdict;
            assert_eq!(verdict == Verdict::Fail, inside, "seed {seed}");
        }
        if sample.indexes(Collection::Stock).contains(&index) { seen += 1 } else { missed += 1 }
    }
    // 15 and 45 on average, with a standard deviation of 3.4.
    assert!((3..=32).contains(&seen) && missed > 20, "{seen} {missed}");
    let all = Sample::of(&loaded.data, u64::MAX, 1);
    let check = sample_check(&loaded, &all);
    assert_eq!(check.verdict, Verdict::Fail);
    let counts = Collection::ALL.iter().filter(|&&c| c != Collection::Neworder);
    let documents: u64 = counts.map(|&c| loaded.data.count(c)).sum();
    // Each field counts.
    assert!(check.checked > 2 * documents, "{} of {documents} documents", check.checked);
}

/// The check that must see a change, and the document and the field that are changed.
pub type Fault = (&'static str, &'static str, String, &'static str);

/// Each field that a transaction writes, in one document each.
pub fn written(loaded: &Loaded, ledger: &Ledger) -> Vec<Fault> {
    let order = |o: Order| format!("{}.{}.{}", o.w, o.d, o.o_id);
    let an_order = order(ledger.orders.iter().nth(3).unwrap());
    let delivered: BTreeSet<String> =
        ledger.deliveries.iter().map(|d| format!("{}.{}.{}", d.w, d.d, d.o_id)).collect();
    let a_delivery = delivered.first().unwrap().clone();
    let a_payment = ledger.payments.iter().nth(2).unwrap().history.text();
    let open = (1..).map(|o| format!("2.3.{o}"));
    let open = open.into_iter().find(|key| loaded.get("neworder", key, &[]).is_some()).unwrap();

    let (lost, paid) = ("nothing lost: NewOrder", "nothing lost: Payment");
    let brought = "nothing lost: Delivery";
    let mut faults: Vec<Fault> = vec![
        ("condition 1", "warehouse", "2".into(), "w_ytd"),
        ("condition 9", "district", "2.4".into(), "d_ytd"),
        ("condition 2", "district", "2.4".into(), "d_next_o_id"),
        ("condition 10", "customer", "1.6.7".into(), "c_balance"),
        ("condition 12", "customer", "1.6.7".into(), "c_ytd_payment"),
        ("customer counts", "customer", "1.6.7".into(), "c_payment_cnt"),
        ("customer counts", "customer", "1.6.7".into(), "c_delivery_cnt"),
        ("stock quantities", "stock", "2.345".into(), "s_quantity"),
        ("stock counts", "stock", "2.345".into(), "s_ytd"),
        ("stock counts", "stock", "2.345".into(), "s_order_cnt"),
        ("stock counts", "stock", "2.345".into(), "s_remote_cnt"),
        ("condition 5", "neworder", open.clone(), "no_o_id"),
        ("condition 5", "neworder", open.clone(), "no_d_id"),
        ("condition 5", "neworder", open, "no_w_id"),
        (brought, "orders", a_delivery.clone(), "o_carrier_id"),
        (brought, "orders", a_delivery, "o_orderline[0].ol_delivery_d"),
        ("condition 6", "orders", an_order.clone(), "o_ol_cnt"),
        ("nothing changed", "orders", an_order.clone(), "o_extra_001"),
        ("nothing changed", "orders", an_order.clone(), "o_extra_064"),
        ("stock counts", "orders", an_order.clone(), "o_orderline[0].ol_quantity"),
        ("stock counts", "orders", an_order.clone(), "o_orderline[1].ol_quantity"),
    ];
    for field in [
        "o_id",
        "o_c_id",
        "o_d_id",
        "o_w_id",
        "o_ol_cnt",
        "o_all_local",
        "o_entry_d",
        "o_orderline[1].ol_number",
        "o_orderline[1].ol_i_id",
        "o_orderline[1].ol_supply_w_id",
        "o_orderline[1].ol_quantity",
        "o_orderline[1].ol_amount",
        "o_orderline[1].ol_dist_info",
    ] {
        faults.push((lost, "orders", an_order.clone(), field));
    }
    for field in hoap_ch2::ledger::digest::HISTORY {
        faults.push((paid, "history", a_payment.clone(), field));
    }
    faults
}

/// Each field that a transaction writes, in one document each, after a run.
pub fn each_field_that_a_transaction_writes_is_held_against_the_ledger(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    // What an earlier run left is where this one begins.
    drive(&terminals(&loaded), 1, 60);
    let before = snapshot(&loaded);
    let memory = drive(&terminals(&loaded), 2, 150);
    let ledger = &memory.ledger;
    let everything = Sample::of(&loaded.data, u64::MAX, 1);
    assert_eq!(failed(&all_checks(&loaded, &before, ledger, everything)), [""; 0]);

    // A customer with bad credit who paid in one of the two runs.
    let customers = 0..loaded.data.count(Collection::Customer);
    let bad_credit =
        customers.map(|i| document(&loaded.data, Collection::Customer, i)).find(|(key, made)| {
            made["c_credit"] == "BC" && loaded.field("customer", key, "c_data") != made["c_data"]
        });
    let (debtor, made) = bad_credit.unwrap();

    let mut faults = written(&loaded, ledger);
    faults.push(("nothing changed", "customer", debtor.clone(), "c_data"));
    if !loaded.target.in_process() {
        // One stands for all that the same check sees in such documents.
        let mut stands = BTreeSet::new();
        faults.retain(|(wanted, collection, ..)| stands.insert((*wanted, *collection)));
    }
    for (wanted, collection, key, field) in faults {
        let there = loaded.field(collection, &key, field);
        loaded.set(collection, &key, path(field), other(&there));
        // All customers and orders, where it is the sample that sees it.
        let size = if wanted == "nothing changed" { 600 } else { 1 };
        let checks = all_checks(&loaded, &before, ledger, Sample::of(&loaded.data, size, 1));
        let seen = failed(&checks);
        assert!(seen.contains(&wanted), "{collection} {key} {field}: only {seen:?}");
        loaded.set(collection, &key, path(field), there);
    }
    // A payment that is missing from c_data.
    loaded.set("customer", &debtor, "c_data", made["c_data"].clone());
    let checks = all_checks(&loaded, &before, ledger, Sample::of(&loaded.data, 600, 1));
    assert_eq!(failed(&checks), ["nothing changed"]);
}

/// What is taken from one stock and given to another leaves the sums of a warehouse as they are, and
/// is seen without a sample.
pub fn a_stock_update_in_the_wrong_place_is_seen(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2);
    let before = snapshot(&loaded);
    let memory = drive(&terminals(&loaded), 1, 60);
    let take = |key: &str, n: i64| {
        let count = loaded.field("stock", key, "s_order_cnt").as_i64().unwrap();
        loaded.set("stock", key, "s_order_cnt", json!(count + n));
    };
    take("1.10", 1);
    take("1.20", -1);
    let nobody = Sample::of(&loaded.data, 0, 1);
    let checks = all_checks(&loaded, &before, &memory.ledger, nobody);
    assert_eq!(failed(&checks), ["stock counts"]);
    let detail = checks.iter().find_map(|c| c.detail.as_ref()).unwrap();
    assert!(detail.contains("; warehouse 1: s_ytd, s_order_cnt or"), "{detail}");
}
