//! The checks on a real database: they hold after the load and after runs of many clients, and each
//! catches the fault it is there for (spec §6, TPC-C 3.3.2).

use std::sync::Arc;

use hoap_data::Schema;
use hoap_record::{Check, Verdict};
use hoap_workload::ch2::conditions::{Deliveries, Isolation, conditions};
use hoap_workload::ch2::ledger::{Delivery, HistoryKey, Ledger, Order, Payment};
use hoap_workload::ch2::nothing_lost::Expected;
use hoap_workload::ch2::snapshot::Snapshot;
use hoap_workload::ch2::terminal::{Memory, Options, Terminals};
use hoap_workload::ch2::unchanged::Sample;
use hoap_workload::client::{Client, Outcome, Workload};
use serde_json::json;

use super::loaded::{Fresh, Loaded};
use crate::wait;

pub fn snapshot(loaded: &Loaded, expected: &mut Expected) -> Snapshot {
    let documents = loaded.target.documents().unwrap();
    wait(Snapshot::take(documents, &loaded.data, expected, &|| false)).unwrap()
}

fn check(loaded: &Loaded) -> Vec<Check> {
    let snapshot = snapshot(loaded, &mut Expected::nothing());
    conditions(&snapshot, &loaded.data, Deliveries::OfCustomers, Isolation::Isolated, "test")
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
        let before = snapshot(&loaded, &mut Expected::nothing());
        let terminals = terminals(&loaded);
        let memory = drive(&terminals, 4, 300);
        let ledger = &memory.ledger;
        assert!(ledger.orders.len() > 500 && ledger.payments.len() > 500);
        let mut expected = Expected::of(ledger).sampling(Sample::of(&loaded.data, 60, 1));
        let after = snapshot(&loaded, &mut expected);
        let deliveries = Deliveries::OfLedger { before: &before.districts, ledger };
        let mut checks = conditions(&after, &loaded.data, deliveries, Isolation::Isolated, "test");
        checks.extend(conditions(
            &after,
            &loaded.data,
            Deliveries::OfCustomers,
            Isolation::Isolated,
            "test",
        ));
        let (target, data) = (&*loaded.target, &loaded.data);
        checks.push(wait(expected.sample.check(target, data, ledger, "test", &|| false)).unwrap());
        checks.extend(expected.checks(ledger, &before.districts, &after, "test"));
        for c in &checks {
            assert_eq!(c.verdict, Verdict::Pass, "{c:?}");
        }
        // A second run on the same data starts from there, with keys of its own.
        let second = self::terminals(&loaded);
        let memory = drive(&second, 2, 100);
        let mut expected = Expected::of(&memory.ledger);
        let last = snapshot(&loaded, &mut expected);
        let checks = expected.checks(&memory.ledger, &after.districts, &last, "test");
        assert_eq!(failed(&checks), [""; 0]);
    }
}

/// A fault in loaded data, and the checks that must see it.
pub type Fault = (&'static [&'static str], fn(&Loaded));

/// One for each condition.
pub const FAULTS: [Fault; 12] = [
    (&["condition 1", "condition 8"], |l| l.set("warehouse", "1", "w_ytd", json!(1.25))),
    (&["condition 2"], |l| l.set("district", "1.1", "d_next_o_id", json!(77))),
    (&["condition 3", "condition 5"], |l| {
        let gone = l.write(async |tx| tx.delete("neworder", "1.2.25").await).unwrap();
        assert!(gone);
    }),
    (&["condition 4", "condition 6"], |l| l.set("orders", "2.3.4", "o_ol_cnt", json!(99))),
    (&["condition 5", "condition 7"], |l| l.set("orders", "2.3.4", "o_carrier_id", json!(null))),
    (&["condition 7", "condition 10", "condition 12"], |l| {
        // A multiple of 5 has lines that cost something (spec §3).
        l.set("orders", "2.3.5", "o_orderline[0].ol_delivery_d", json!(null));
    }),
    (&["condition 8", "condition 9", "condition 10"], |l| {
        l.set("history", "1.4.9", "h_amount", json!(10.01));
    }),
    (&["condition 1", "condition 9"], |l| l.set("district", "1.5", "d_ytd", json!(0.5))),
    (&["condition 10", "condition 12"], |l| {
        l.set("customer", "1.6.7", "c_balance", json!(123.45));
    }),
    (&["condition 12"], |l| l.set("customer", "1.6.7", "c_ytd_payment", json!(10.01))),
    (&["condition 11"], |l| l.set("customer", "1.6.7", "c_delivery_cnt", json!(1))),
    (&["cardinalities"], |l| {
        let gone = l.write(async |tx| tx.delete("stock", "2.500").await).unwrap();
        assert!(gone);
    }),
];

pub fn each_condition_catches_its_fault(fresh: Fresh) {
    for (wanted, break_it) in FAULTS {
        let loaded = Loaded::new(fresh, Schema::Ch2pp);
        break_it(&loaded);
        let checks = check(&loaded);
        let seen = failed(&checks);
        for name in wanted {
            assert!(seen.contains(name), "{name} did not see its fault, only {seen:?} did");
        }
        let told = checks.iter().find(|c| c.name == wanted[0]).unwrap();
        assert!(told.detail.as_ref().is_some_and(|d| d.contains(" of ")), "{told:?}");
    }
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
    type Break = fn(&Loaded, &Ledger, String);
    let faults: [(&str, Break); 6] = [
        ("nothing lost: NewOrder", |l, ledger, _| {
            let o = ledger.orders.iter().nth(3).unwrap();
            let key = format!("{}.{}.{}", o.w, o.d, o.o_id);
            l.write(async |tx| tx.delete("orders", &key).await).unwrap();
        }),
        ("nothing lost: NewOrder", |l, ledger, _| {
            let o = ledger.orders.iter().nth(3).unwrap();
            let key = format!("{}.{}.{}", o.w, o.d, o.o_id);
            l.set("orders", &key, "o_c_id", json!(o.c % 30 + 1));
        }),
        ("nothing lost: Payment", |l, _, key| {
            l.write(async |tx| tx.delete("history", &key).await).unwrap();
        }),
        ("nothing lost: Payment", |l, _, key| l.set("history", &key, "h_amount", json!(0.01))),
        ("nothing added", |l, _, _| {
            let document = json!({
                "h_c_id": 1, "h_c_d_id": 1, "h_c_w_id": 1, "h_d_id": 1, "h_w_id": 1,
                "h_date": "2021-01-01 00:00:00.000000", "h_amount": 0, "h_data": "",
            });
            l.write(async |tx| tx.insert("history", "stray", &document).await).unwrap();
        }),
        ("nothing added", |l, _, _| l.set("district", "1.1", "d_next_o_id", json!(9999))),
    ];
    for (wanted, break_it) in faults {
        let loaded = Loaded::new(fresh, Schema::Ch2pp);
        let before = snapshot(&loaded, &mut Expected::nothing());
        let terminals = terminals(&loaded);
        let memory = drive(&terminals, 1, 60);
        let ledger = &memory.ledger;
        let payment = ledger.payments.iter().nth(2).unwrap().history.text();
        break_it(&loaded, ledger, payment);
        let mut expected = Expected::of(ledger);
        let after = snapshot(&loaded, &mut expected);
        let checks = expected.checks(ledger, &before.districts, &after, "test");
        assert!(failed(&checks).contains(&wanted), "{wanted}: only {:?}", failed(&checks));
    }
}

/// An ambiguous commit may be there or not; both are right, and nothing else is.
pub fn ambiguous_commits_are_allowed_for_and_no_more(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    let before = snapshot(&loaded, &mut Expected::nothing());
    let terminals = terminals(&loaded);
    let mut memory = drive(&terminals, 1, 60);
    let ledger = &mut memory.ledger;
    // The database has it, the client did not hear.
    let mut orders: Vec<Order> = ledger.orders.iter().collect();
    let lost = orders.pop().unwrap();
    ledger.orders = orders.into_iter().collect();
    let check = |ledger: &Ledger| {
        let mut expected = Expected::of(ledger);
        let after = snapshot(&loaded, &mut expected);
        expected.checks(ledger, &before.districts, &after, "test")
    };
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
