//! The checks on a real database: they hold after the load and after runs of many clients, and each
//! catches the fault it is there for (spec §6, TPC-C 3.3.2).

use std::sync::Arc;

use hoap_ch2::checks::by_key::Touched;
use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::checks::nothing_lost::nothing_added;
use hoap_ch2::checks::sample::Sample;
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::{Collection, Schema};
use hoap_ch2::ledger::{Delivery, HistoryKey, Ledger, Order, Payment};
use hoap_ch2::terminal::{Memory, Options, Terminals};
use hoap_drive::{Client, Outcome, Workload};
use hoap_record::{Check, Verdict};
use hoap_workload::checks::watch::ALONE;
use serde_json::{Value, json};

use super::loaded::{Fresh, Loaded, document};
use hoap_testing::wait;

pub fn snapshot(loaded: &Loaded) -> Snapshot {
    let documents = loaded.target.documents().unwrap();
    wait(Snapshot::take(documents, &loaded.data, &ALONE)).unwrap()
}

/// What was acknowledged, held against what is there.
pub fn nothing_lost(
    loaded: &Loaded,
    before: &Snapshot,
    after: &Snapshot,
    ledger: &Ledger,
) -> Vec<Check> {
    let Loaded { target, data, .. } = loaded;
    let before = &before.districts[..];
    let touched = Touched { target, data, before, fresh: false, ledger };
    let mut checks = wait(touched.lost(&ALONE)).unwrap().checks("test");
    checks.push(nothing_added(ledger, before, after, "test"));
    checks
}

fn check(loaded: &Loaded) -> Vec<Check> {
    let snapshot = snapshot(loaded);
    conditions(&snapshot, &loaded.data, Deliveries::OfCustomers, "test")
}

pub fn failed(checks: &[Check]) -> Vec<&str> {
    checks.iter().filter(|c| c.verdict == Verdict::Fail).map(|c| c.name.as_str()).collect()
}

/// Runs terminals side by side, so many operations each, and returns what they remember.
pub fn drive(terminals: &Arc<Terminals>, clients: usize, operations: usize) -> Memory {
    let threads: Vec<_> = (0..clients)
        .map(|number| {
            let terminals = terminals.clone();
            std::thread::spawn(move || {
                wait(async {
                    let mut client = terminals.client(number).await.unwrap();
                    for _ in 0..operations {
                        client.next();
                        let outcome = client.run().await.outcome;
                        let fine = matches!(outcome, Outcome::Done | Outcome::RolledBack);
                        assert!(fine, "{outcome:?}");
                    }
                    client.finish()
                })
            })
        })
        .collect();
    let mut memory = Memory::default();
    threads.into_iter().for_each(|t| memory.merge(t.join().unwrap()));
    memory
}

pub fn terminals(loaded: &Loaded) -> Arc<Terminals> {
    // What serializable transactions leave counts here, not how often one warehouse lets them begin
    // again.
    let options = Options { seed: 5, retries: 1_000, think_times: false };
    Arc::new(Terminals::new(loaded.target.clone(), loaded.data, options))
}

pub fn everything_holds_after_the_load(fresh: Fresh) {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let checks = check(&Loaded::new(fresh, schema));
        assert_eq!(checks.len(), 16);
        for c in &checks {
            assert_eq!(c.verdict, Verdict::Pass, "{c:?}");
            assert!(c.checked > 0, "{c:?}");
        }
    }
}

pub fn everything_holds_after_many_clients_and_the_ledger_agrees(fresh: Fresh) {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let loaded = Loaded::new(fresh, schema);
        let before = snapshot(&loaded);
        let terminals = terminals(&loaded);
        // More than a deck each, so that every kind of transaction meets every other.
        let memory = drive(&terminals, 4, 120);
        let ledger = &memory.ledger;
        assert!(ledger.orders.len() > 150 && ledger.payments.len() > 150);
        let after = snapshot(&loaded);
        let deliveries = Deliveries::OfLedger { before: &before.districts, ledger };
        let mut checks = conditions(&after, &loaded.data, deliveries, "test");
        checks.extend(conditions(&after, &loaded.data, Deliveries::OfCustomers, "test"));
        let (target, data) = (&loaded.target, &loaded.data);
        let sample = Sample::of(data, 60, 1);
        checks.push(wait(sample.check(target, data, ledger, "test", &ALONE)).unwrap());
        checks.extend(nothing_lost(&loaded, &before, &after, ledger));
        for c in &checks {
            assert_eq!(c.verdict, Verdict::Pass, "{c:?}");
        }
        // A second run on the same data starts from there, with keys of its own.
        let second = self::terminals(&loaded);
        let memory = drive(&second, 2, 50);
        let last = snapshot(&loaded);
        let checks = nothing_lost(&loaded, &after, &last, &memory.ledger);
        assert_eq!(failed(&checks), [""; 0]);
    }
}

/// A fault in loaded data: the checks that must see it, the document, and the field with its wrong
/// value, or none where the document is removed.
type Fault = (&'static [&'static str], Collection, &'static str, Option<(&'static str, Value)>);

/// One for each condition.
fn faults() -> [Fault; 12] {
    use Collection::{Customer, District, History, Neworder, Orders, Stock, Warehouse};
    let set = |field, value| Some((field, value));
    // A multiple of 5 has lines that cost something (spec §3).
    let delivered = "o_orderline[0].ol_delivery_d";
    [
        (&["condition 1", "condition 8"], Warehouse, "1", set("w_ytd", json!(1.25))),
        (&["condition 2"], District, "1.1", set("d_next_o_id", json!(77))),
        (&["condition 3", "condition 5"], Neworder, "1.2.25", None),
        (&["condition 4", "condition 6"], Orders, "2.3.4", set("o_ol_cnt", json!(99))),
        (&["condition 5", "condition 7"], Orders, "2.3.4", set("o_carrier_id", json!(null))),
        (
            &["condition 7", "condition 10", "condition 12"],
            Orders,
            "2.3.5",
            set(delivered, json!(null)),
        ),
        (
            &["condition 8", "condition 9", "condition 10"],
            History,
            "1.4.9",
            set("h_amount", json!(10.01)),
        ),
        (&["condition 1", "condition 9"], District, "1.5", set("d_ytd", json!(0.5))),
        (&["condition 10", "condition 12"], Customer, "1.6.7", set("c_balance", json!(123.45))),
        (&["condition 12"], Customer, "1.6.7", set("c_ytd_payment", json!(10.01))),
        (&["condition 11"], Customer, "1.6.7", set("c_delivery_cnt", json!(1))),
        (&["cardinalities"], Stock, "2.500", None),
    ]
}

/// Makes one fault after the other in loaded data, looks with the names of the checks that must see
/// it, and puts the document back.
pub fn with_each_fault(loaded: &Loaded, look: impl Fn(&[&str])) {
    for (wanted, collection, key, change) in faults() {
        let name = collection.name();
        if let Some((field, value)) = change {
            let there = loaded.field(name, key, field);
            loaded.set(name, key, field, value);
            look(wanted);
            loaded.set(name, key, field, there);
        } else {
            let index = loaded.data.index_of(collection, key).unwrap();
            assert!(loaded.write(async |tx| tx.delete(name, key).await).unwrap());
            look(wanted);
            let made = document(&loaded.data, collection, index).1.into();
            loaded.write(async |tx| tx.insert(name, key, &made).await).unwrap();
        }
    }
}

pub fn each_condition_catches_its_fault(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    with_each_fault(&loaded, |wanted| {
        let checks = check(&loaded);
        let seen = failed(&checks);
        for name in wanted {
            assert!(seen.contains(name), "{name} did not see its fault, only {seen:?} did");
        }
        let told = checks.iter().find(|c| c.name == wanted[0]).unwrap();
        assert!(told.detail.as_ref().is_some_and(|d| d.contains(" of ")), "{told:?}");
    });
    assert_eq!(failed(&check(&loaded)), [""; 0], "each was seen by itself");
}

/// Condition 3 alone: a hole in the numbers, with order and neworder gone together.
pub fn condition_three_sees_a_hole_in_the_numbers(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2);
    loaded
        .write(async |tx| {
            tx.delete("neworder", "1.1.25").await?;
            tx.delete("orders", "1.1.25").await
        })
        .unwrap();
    let checks = check(&loaded);
    assert!(failed(&checks).contains(&"condition 3"), "{:?}", failed(&checks));
}

/// Nothing lost, nothing added: each kind of loss is seen and named (spec §6).
pub fn the_ledger_catches_what_is_lost_changed_or_added(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    let before = snapshot(&loaded);
    let ledger = drive(&terminals(&loaded), 1, 60).ledger;
    let sees = |wanted: &str| {
        let checks = nothing_lost(&loaded, &before, &snapshot(&loaded), &ledger);
        failed(&checks).contains(&wanted)
    };
    let o = ledger.orders.iter().nth(3).unwrap();
    let order = format!("{}.{}.{}", o.w, o.d, o.o_id);
    let payment = ledger.payments.iter().nth(2).unwrap().history.text();
    let (lost, paid, added) = ("nothing lost: NewOrder", "nothing lost: Payment", "nothing added");
    for (wanted, collection, key, field, value) in [
        (lost, "orders", &*order, "o_c_id", json!(o.c % 30 + 1)),
        (paid, "history", &*payment, "h_amount", json!(0.01)),
        (added, "district", "1.1", "d_next_o_id", json!(9999)),
    ] {
        let there = loaded.field(collection, key, field);
        loaded.set(collection, key, field, value);
        assert!(sees(wanted), "{collection} {key} {field}");
        loaded.set(collection, key, field, there);
    }
    let stray = json!({
        "h_c_id": 1, "h_c_d_id": 1, "h_c_w_id": 1, "h_d_id": 1, "h_w_id": 1,
        "h_date": "2021-01-01 00:00:00.000000", "h_amount": 0, "h_data": "",
    });
    loaded.write(async |tx| tx.insert("history", "stray", &stray).await).unwrap();
    assert!(sees(added), "a payment too many");
    assert!(loaded.write(async |tx| tx.delete("history", "stray").await).unwrap());
    for (wanted, collection, key) in [(lost, "orders", &order), (paid, "history", &payment)] {
        assert!(!sees(wanted), "before {collection} {key} is gone");
        assert!(loaded.write(async |tx| tx.delete(collection, key).await).unwrap());
        assert!(sees(wanted), "{collection} {key}");
    }
}

/// An ambiguous commit may be there or not; both are right, and nothing else is.
pub fn ambiguous_commits_are_allowed_for_and_no_more(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    let before = snapshot(&loaded);
    let terminals = terminals(&loaded);
    let mut memory = drive(&terminals, 1, 60);
    let ledger = &mut memory.ledger;
    // The database has it, the client did not hear.
    let mut orders: Vec<Order> = ledger.orders.iter().collect();
    let lost = orders.pop().unwrap();
    ledger.orders = orders.into_iter().collect();
    let check = |ledger: &Ledger| nothing_lost(&loaded, &before, &snapshot(&loaded), ledger);
    assert_eq!(failed(&check(ledger)), ["nothing added"]);
    ledger.ambiguous_orders.insert((lost.w, lost.d), 1);
    assert_eq!(failed(&check(ledger)), [""; 0]);
}

/// The same seed draws the same operations (spec §4: seeds are recorded so that a run repeats).
pub fn one_client_repeats_itself_with_the_same_seed(fresh: Fresh) {
    let [one, other] = [(); 2].map(|()| {
        let loaded = Loaded::new(fresh, Schema::Ch2);
        drive(&terminals(&loaded), 1, 100).ledger
    });
    assert!(!other.payments.is_empty() && !other.deliveries.is_empty());
    // All but the mark, which no two runs share, and the dates, which the digests hold.
    for (ours, theirs) in one.payments.iter().zip(&other.payments) {
        assert_ne!(ours.history.run, theirs.history.run);
    }
    let mark = one.payments.iter().next().unwrap().history.run;
    let [one, other] = [one, other].map(|ledger| {
        let history = |p: Payment| HistoryKey { run: mark, ..p.history };
        let payment = |p| Payment { history: history(p), digest: 0, ..p };
        Ledger {
            orders: ledger.orders.iter().map(|o| Order { digest: 0, ..o }).collect(),
            payments: ledger.payments.iter().map(payment).collect(),
            deliveries: ledger.deliveries.iter().map(|d| Delivery { digest: 0, ..d }).collect(),
            ..ledger
        }
    });
    assert_eq!(one, other);
}
