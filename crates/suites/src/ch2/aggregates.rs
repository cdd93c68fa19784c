//! What a database adds up for the conditions by its own queries, held to what is added up of its
//! documents: after a load and after runs, on data with faults, and on data that is none.

use std::collections::BTreeSet;

use hoap_ch2::checks::by_database::{self, Aggregates};
use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::checks::district::District;
use hoap_ch2::checks::nothing_lost;
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::{Collection, Schema};
use hoap_ch2::ledger::Ledger;
use hoap_record::{Check, Verdict};
use hoap_workload::checks::watch::ALONE;
use hoap_workload::{ErrorKind, Result};
use serde_json::{Value, json};

use super::checks::{drive, failed, snapshot, terminals, with_each_fault};
use super::levels::{self, Run};
use super::loaded::{Fresh, Loaded};
use super::tampering::{other, path, written};
use hoap_testing::wait;

/// Both sides' snapshots and their checks, those of the documents first. The names of the checks
/// are the same.
struct Both {
    snapshots: [Snapshot; 2],
    checks: [Vec<Check>; 2],
}

fn added_up(loaded: &Loaded) -> Result<Snapshot> {
    let Loaded { target, data, .. } = loaded;
    wait(async {
        let aggregates = Aggregates::of(&*target, data.spec().schema)?;
        let mut session = target.analytics()?.session().await?;
        aggregates.snapshot(&mut session, data).await
    })
}

/// After a run with this ledger, on districts that were as these.
fn both(loaded: &Loaded, run: Option<(&[District], &Ledger)>) -> Both {
    let here = snapshot(loaded);
    let there = added_up(loaded).unwrap();
    let data = &loaded.data;
    let source = match run {
        Some((before, ledger)) => Deliveries::OfLedger { before, ledger },
        None => Deliveries::OfCustomers,
    };
    let mut ours = conditions(&here, data, source, "test");
    // Only who knows what the load made of a stock can judge it.
    ours.retain(|check| check.name != "stock quantities");
    let mut theirs = by_database::checks(&there, data, source, "test");
    if let Some((before, ledger)) = run {
        ours.push(nothing_lost::nothing_added(ledger, before, &here, "test"));
        theirs.push(by_database::nothing_added(ledger, before, &there, "test"));
    }
    for check in &mut theirs {
        assert!(check.compares.ends_with("; computed by the database"), "{check:?}");
        let name = check.name.strip_suffix(", by the database");
        check.name = name.unwrap_or_else(|| panic!("{check:?}")).to_owned();
    }
    let names = |checks: &[Check]| checks.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&theirs), names(&ours));
    Both { snapshots: [here, there], checks: [ours, theirs] }
}

/// Asserts that all is well and that both found the same, and returns the districts.
fn agreed(loaded: &Loaded, run: Option<(&[District], &Ledger)>) -> Vec<District> {
    let Both { snapshots: [here, there], checks: [ours, theirs] } = both(loaded, run);
    assert_eq!(there.w_ytd, here.w_ytd);
    for (i, (there, here)) in there.districts.iter().zip(&here.districts).enumerate() {
        assert_eq!(there, here, "district {}", District::key(i));
    }
    assert_eq!(there.counts, here.counts);
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert_eq!(ours.verdict, Verdict::Pass, "{ours:?}");
        let of = |check: &Check| (check.verdict, check.checked, check.detail.clone());
        assert_eq!(of(theirs), of(ours), "{}", ours.name);
        assert!(theirs.checked > 0, "{theirs:?}");
    }
    there.districts
}

/// District by district, before and after transactions.
pub fn what_the_database_adds_up_is_what_is_added_up_here(fresh: Fresh) {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let loaded = Loaded::new(fresh, schema);
        let mut before = agreed(&loaded, None);
        for clients in [4, 2] {
            let ledger = drive(&terminals(&loaded), clients, 100).ledger;
            assert!(ledger.deliveries.len() > 20 && ledger.payments.len() > 50);
            let after = agreed(&loaded, Some((&before[..], &ledger)));
            assert_ne!(after, before);
            // Without a ledger too.
            before = agreed(&loaded, None);
            assert_eq!(after, before);
        }
    }
}

pub fn the_database_sees_each_fault_in_loaded_data(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    with_each_fault(&loaded, |wanted| {
        let Both { checks: [ours, theirs], .. } = both(&loaded, None);
        let (ours, seen) = (failed(&ours), failed(&theirs));
        for name in wanted.iter().chain(&ours) {
            assert!(seen.contains(name), "{name} did not see its fault, only {seen:?} did");
        }
        let told = theirs.iter().find(|c| c.name == wanted[0]).unwrap();
        assert!(told.detail.as_ref().is_some_and(|d| d.contains(" of ")), "{told:?}");
    });
    // A hole in the numbers, with order and neworder gone together.
    let loaded = Loaded::new(fresh, Schema::Ch2);
    for collection in ["neworder", "orders"] {
        assert!(loaded.write(async |tx| tx.delete(collection, "1.1.25").await).unwrap());
    }
    let Both { checks: [ours, theirs], .. } = both(&loaded, None);
    assert!(failed(&theirs).contains(&"condition 3"), "{theirs:?}");
    assert_eq!(failed(&theirs), failed(&ours));
    // A customer who has the number of another, and then none at all.
    let loaded = Loaded::new(fresh, Schema::Ch2);
    loaded.set("customer", "1.1.25", "c_id", json!(26));
    for wanted in ["customer counts", "condition 10"] {
        let Both { checks: [ours, theirs], .. } = both(&loaded, None);
        assert!(failed(&ours).contains(&wanted), "{ours:?}");
        assert!(failed(&ours).iter().all(|name| failed(&theirs).contains(name)), "{theirs:?}");
        assert!(failed(&theirs).contains(&"cardinalities"), "{theirs:?}");
        loaded.write(async |tx| tx.delete("customer", "1.1.25").await).unwrap();
    }
}

/// Whatever field is changed, the same conditions fail; but that a line is of another stock, the
/// database's sums of a warehouse do not see.
pub fn the_database_sees_what_is_changed_after_a_run(fresh: Fresh) {
    let run = Run::new(Loaded::new(fresh, Schema::Ch2pp), true, 1, 100);
    let (loaded, ledger, before) = (&run.loaded, &run.ledger, &run.whole.districts[..]);
    let checks = || both(loaded, Some((before, ledger))).checks;
    assert_eq!(checks().map(|checks| failed(&checks).len()), [0, 0]);
    let places = levels::faults(&run).into_iter();
    let places = places.map(|(_, collection, key, field)| ("", collection, key, field));
    // What is added up of a field is added up of every document's.
    let (mut seen, mut fields) = (0, BTreeSet::new());
    for (wanted, collection, key, field) in written(loaded, ledger).into_iter().chain(places) {
        if !fields.insert((collection, field)) {
            continue;
        }
        let there = loaded.field(collection, &key, field);
        loaded.set(collection, &key, path(field), other(&there));
        let [ours, theirs] = checks();
        let what = format!("{collection} {key} {field}");
        let mut ours = failed(&ours);
        ours.retain(|name| *name != "stock counts" || !field.ends_with("ol_i_id"));
        assert_eq!(failed(&theirs), ours, "{what}: {theirs:?}");
        let judged = theirs.iter().any(|check| check.name == wanted);
        assert!(!judged || failed(&theirs).contains(&wanted), "{what}: {theirs:?}");
        seen += usize::from(!failed(&theirs).is_empty());
        loaded.set(collection, &key, path(field), there);
    }
    assert!(seen > 20, "{seen}");
    // A payment that nobody made, and one that is gone.
    let history = json!({
        "h_c_id": 1, "h_c_d_id": 1, "h_c_w_id": 1, "h_d_id": 1, "h_w_id": 1,
        "h_date": "2021-01-01 00:00:00.000000", "h_amount": 0, "h_data": "",
    });
    loaded.write(async |tx| tx.insert("history", "stray", &history).await).unwrap();
    let [ours, theirs] = checks();
    assert_eq!(failed(&theirs), ["customer counts", "nothing added"]);
    assert_eq!(failed(&theirs), failed(&ours));
    assert!(loaded.write(async |tx| tx.delete("history", "stray").await).unwrap());
    let payment = ledger.payments.iter().nth(2).unwrap().history.text();
    assert!(loaded.write(async |tx| tx.delete("history", &payment).await).unwrap());
    let [ours, theirs] = checks();
    assert!(failed(&theirs).contains(&"condition 9"), "{theirs:?}");
    assert_eq!(failed(&theirs), failed(&ours));
}

/// Null, a number as text, a truth value, a fraction, a field that is not there: each is an error
/// here, and an error there that names the document.
pub fn a_field_of_another_type_is_an_error_of_the_database_too(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    let ledger = drive(&terminals(&loaded), 1, 60).ledger;
    let o = ledger.orders.iter().next().unwrap();
    let new = format!("{}.{}.{}", o.w, o.d, o.o_id);
    let wrong = |key: &str| {
        let taken = wait(Snapshot::take(loaded.target.documents().unwrap(), &loaded.data, &ALONE));
        assert_eq!(taken.unwrap_err().kind, ErrorKind::Broken, "{key}");
        let error = added_up(&loaded).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Broken, "{key}: {error}");
        let told = error.to_string();
        assert!(told.contains("have the database add up") && told.contains(key), "{key}: {told}");
    };
    let cases: [(&str, &str, &'static str, Value); 20] = [
        ("warehouse", "2", "w_ytd", json!("1")),
        ("district", "1.3", "d_next_o_id", json!(null)),
        ("orders", "2.3.4", "o_w_id", json!(null)),
        ("orders", "2.3.4", "o_id", json!("4")),
        ("orders", "2.3.4", "o_c_id", json!("x y")),
        ("orders", "2.3.4", "o_ol_cnt", json!(true)),
        ("orders", "2.3.4", "o_ol_cnt", json!(7.5)),
        ("orders", "2.3.4", "o_orderline", json!(null)),
        ("orders", "2.3.4", "o_orderline[1].ol_amount", json!("1.5")),
        ("orders", "2.3.4", "o_orderline[1].ol_amount", json!(null)),
        ("orders", &new, "o_orderline[0].ol_quantity", json!("5")),
        ("orders", &new, "o_orderline[0].ol_supply_w_id", json!(null)),
        ("neworder", "2.3.29", "no_o_id", json!("29")),
        ("neworder", "2.3.29", "no_d_id", json!(null)),
        ("history", "1.4.9", "h_amount", json!("10.00")),
        ("history", "1.4.9", "h_c_id", json!(null)),
        ("customer", "1.6.7", "c_balance", json!("1.00")),
        ("customer", "1.6.7", "c_payment_cnt", json!(1.5)),
        ("stock", "2.500", "s_ytd", json!(null)),
        ("stock", "2.500", "s_quantity", json!("50")),
    ];
    for (collection, key, field, value) in cases {
        let there = loaded.field(collection, key, field);
        loaded.set(collection, key, field, value);
        wrong(key);
        loaded.set(collection, key, field, there);
    }
    let history = json!({
        "h_c_id": 1, "h_c_d_id": 1, "h_c_w_id": 1, "h_d_id": 1, "h_w_id": 1,
        "h_date": "2021-01-01 00:00:00.000000", "h_data": "",
    });
    loaded.write(async |tx| tx.insert("history", "short", &history).await).unwrap();
    wrong("short");
    assert!(loaded.write(async |tx| tx.delete("history", "short").await).unwrap());
    added_up(&loaded).unwrap();
}

pub fn a_collection_that_is_gone_or_empty_is_no_pass(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2);
    let documents = loaded.target.documents().unwrap();
    wait(documents.drop(&["orders"])).unwrap();
    let error = added_up(&loaded).unwrap_err();
    assert!(error.to_string().contains("orders"), "{error}");
    let all = Collection::ALL.map(Collection::name);
    wait(documents.drop(&all)).unwrap();
    wait(documents.create(&all)).unwrap();
    let Both { checks: [ours, theirs], .. } = both(&loaded, None);
    for wanted in ["condition 1", "condition 2", "cardinalities"] {
        assert!(failed(&theirs).contains(&wanted), "{wanted}: {theirs:?}");
    }
    assert!(failed(&ours).iter().all(|name| failed(&theirs).contains(name)), "{theirs:?}");
}
