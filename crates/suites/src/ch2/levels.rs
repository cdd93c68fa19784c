//! What the checks see that read less than everything: those of the documents that a run touched,
//! and those of the counters and a sample. The cases are the table of `docs/checks.md`.

use std::collections::BTreeSet;

use hoap_ch2::checks::by_key::Touched;
use hoap_ch2::checks::conditions::{Deliveries, conditions};
use hoap_ch2::checks::counters;
use hoap_ch2::checks::nothing_lost;
use hoap_ch2::checks::sample::Sample;
use hoap_ch2::checks::snapshot::Snapshot;
use hoap_ch2::data::{Collection, Schema};
use hoap_ch2::ledger::Ledger;
use hoap_database::path::WHOLE;
use hoap_record::{Check, Verdict};
use hoap_workload::checks::watch::ALONE;
use serde_json::{Value, json};

use super::checks::{drive, failed, snapshot, terminals};
use super::loaded::{Fresh, Loaded, document};
use super::tampering::{all_checks, other, path};
use hoap_testing::wait;

/// A run on a database: what was there before it, and what it was told.
pub(super) struct Run {
    pub loaded: Loaded,
    fresh: bool,
    counters: Snapshot,
    pub whole: Snapshot,
    pub ledger: Ledger,
}

impl Run {
    pub fn new(loaded: Loaded, fresh: bool, clients: usize, operations: usize) -> Run {
        let counters = wait(counters::read(&loaded.target, &loaded.data, fresh, &ALONE)).unwrap();
        let whole = snapshot(&loaded);
        let ledger = drive(&terminals(&loaded), clients, operations).ledger;
        Run { loaded, fresh, counters, whole, ledger }
    }

    fn full(&self, sample: Sample) -> Vec<Check> {
        all_checks(&self.loaded, &self.whole, &self.ledger, sample)
    }

    fn touched(&self, sample: Sample, most: usize) -> Vec<Check> {
        let Run { loaded: Loaded { target, data, .. }, fresh, ledger, .. } = self;
        let (target, before) = (target, &self.counters.districts[..]);
        let touched = Touched { target, data, before, fresh: *fresh, ledger };
        let (after, lost) = wait(touched.keeping(most, &sample, &ALONE)).unwrap();
        let deliveries = Deliveries::OfLedger { before, ledger };
        let mut checks = conditions(&after, data, deliveries, "test");
        let sample = sample.check(target, data, ledger, "test", &ALONE);
        checks.push(wait(sample).unwrap());
        checks.extend(lost.checks("test"));
        checks.push(nothing_lost::nothing_added(ledger, before, &after, "test"));
        checks
    }

    fn sampled(&self, sample: Sample) -> Vec<Check> {
        let Run { loaded: Loaded { target, data, .. }, fresh, ledger, .. } = self;
        let after = wait(counters::read(target, data, *fresh, &ALONE)).unwrap();
        let before = &self.counters.districts;
        let sample = wait(sample.check(target, data, ledger, "test", &ALONE)).unwrap();
        vec![nothing_lost::counters(ledger, before, &after, "test"), sample]
    }

    fn nobody(&self) -> Sample {
        Sample::of(&self.loaded.data, 0, 1)
    }

    /// Behind a network a document takes a while.
    fn many(&self) -> Sample {
        match self.loaded.target.in_process() {
            true => self.everybody(),
            false => Sample::of(&self.loaded.data, 200, 1),
        }
    }

    /// All documents but most suppliers.
    fn everybody(&self) -> Sample {
        Sample::of(&self.loaded.data, 2_000, 1)
    }
}

fn verdicts(checks: &[Check]) -> Vec<(&str, Verdict)> {
    let mut all: Vec<_> = checks.iter().map(|c| (c.name.as_str(), c.verdict)).collect();
    all.sort_by_key(|(name, _)| *name);
    all
}

/// Of all documents and of those that were touched the conditions say the same, whether the sums
/// are in memory or not.
pub fn what_was_touched_says_what_all_documents_say(fresh: Fresh) {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let run = Run::new(Loaded::new(fresh, schema), true, 4, 150);
        let before = counters::before(&run.counters, &run.loaded.data, "test");
        assert_eq!(before.verdict, Verdict::Pass, "{before:?}");
        for sample in [run.nobody(), run.many()] {
            let (full, touched) = (run.full(sample.clone()), run.touched(sample.clone(), 1 << 20));
            assert_eq!(verdicts(&touched), verdicts(&full), "{touched:?}");
            assert_eq!(failed(&touched), [""; 0], "{touched:?}");
            assert_eq!(run.touched(sample.clone(), 1), touched);
            assert_eq!(failed(&run.sampled(sample)), [""; 0]);
        }
        // Each condition looked at something.
        let checks = run.touched(run.nobody(), 1 << 20);
        assert!(checks.iter().all(|c| c.checked > 0 || c.name == "nothing changed"), "{checks:?}");

        // On what that run left, what adds up since the load is left open, and nothing is alarmed
        // about.
        let again = Run::new(run.loaded, false, 2, 60);
        let before = counters::before(&again.counters, &again.loaded.data, "test");
        assert_eq!(before.verdict, Verdict::Pass, "{before:?}");
        let touched = again.touched(again.many(), 1 << 20);
        assert_eq!(again.touched(again.many(), 1), touched);
        let open = touched.iter().filter(|c| c.verdict == Verdict::Skip).map(|c| c.name.as_str());
        let open: Vec<&str> = open.collect();
        assert_eq!(open, ["condition 10", "condition 12", "stock counts", "customer counts"]);
        assert_eq!(failed(&touched), [""; 0], "{touched:?}");
        assert_eq!(failed(&again.sampled(again.many())), [""; 0]);
    }
}

/// Counters that another moved before the first run are seen before it begins.
pub fn data_that_is_not_as_loaded_is_seen_before_the_run(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2);
    let check = |fresh| {
        let found = wait(counters::read(&loaded.target, &loaded.data, fresh, &ALONE)).unwrap();
        counters::before(&found, &loaded.data, "test").verdict
    };
    assert_eq!((check(true), check(false)), (Verdict::Pass, Verdict::Pass));
    for (collection, key, field) in [
        ("warehouse", "2", "w_ytd"),
        ("district", "1.3", "d_ytd"),
        ("district", "2.10", "d_next_o_id"),
    ] {
        let there = loaded.field(collection, key, field);
        loaded.set(collection, key, path(field), other(&there));
        assert_eq!((check(true), check(false)), (Verdict::Fail, Verdict::Fail), "{field}");
        loaded.set(collection, key, path(field), there);
    }
    // A delivery by nobody is no contradiction, and not what the load made.
    assert!(loaded.write(async |tx| tx.delete("neworder", "1.1.22").await).unwrap());
    assert_eq!((check(true), check(false)), (Verdict::Fail, Verdict::Pass));
}

/// Who sees a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seen {
    /// The counters, so every check.
    ByCounters,
    /// The checks of what was touched.
    Touched,
    /// Any sample that has the document.
    Sampled,
    /// Of what was touched and a sample that has the document.
    InSample,
    /// Only a pass over everything.
    OnlyFull,
}

/// A document and its field, the value that it is given, and who sees that.
pub(super) type Fault = (Seen, &'static str, String, &'static str);

/// Documents that the run touched, and others, with fields that one check or another compares.
pub(super) fn faults(run: &Run) -> Vec<Fault> {
    let (loaded, ledger) = (&run.loaded, &run.ledger);
    let o = ledger.orders.iter().nth(3).unwrap();
    let order = format!("{}.{}.{}", o.w, o.d, o.o_id);
    let item = loaded.field("orders", &order, "o_orderline[0].ol_i_id");
    let supplier = loaded.field("orders", &order, "o_orderline[0].ol_supply_w_id");
    let stock = format!("{supplier}.{item}");
    let payment = a_payment(run);
    let ids = ["h_c_w_id", "h_c_d_id", "h_c_id"].map(|f| loaded.field("history", &payment, f));
    let [w, d, c] = &ids;
    let customer = format!("{w}.{d}.{c}");
    let delivery = ledger.deliveries.iter().next().unwrap();
    let delivered = format!("{}.{}.{}", delivery.w, delivery.d, delivery.o_id);
    // The last order of a district that nobody has delivered.
    let open = format!("{}.{}.{}", o.w, o.d, ledger_last(ledger, o.w, o.d));
    let paid: BTreeSet<String> = all_paid(loaded, ledger);
    let idle = (1..=30).map(|c| format!("2.7.{c}"));
    let has = |key: &str, field, value| loaded.field("customer", key, field) == value;
    let mut idle = idle.into_iter().filter(|key| !paid.contains(key));
    let idle =
        idle.find(|it| has(it, "c_delivery_cnt", json!(0)) && has(it, "c_credit", json!("GC")));
    let idle = idle.unwrap();
    let mut customers = (1..=10).flat_map(|d| (1..=30).map(move |c| format!("2.{d}.{c}")));
    let debtor = customers.find(|key| has(key, "c_credit", json!("BC"))).unwrap();
    let unsold = unsold(run);

    use Seen::{ByCounters, InSample, Sampled, Touched};
    vec![
        (ByCounters, "warehouse", "2".into(), "w_ytd"),
        (ByCounters, "district", "2.4".into(), "d_ytd"),
        (ByCounters, "district", "2.4".into(), "d_next_o_id"),
        (Touched, "orders", order.clone(), "o_c_id"),
        (Touched, "orders", order.clone(), "o_ol_cnt"),
        (Touched, "orders", order, "o_orderline[1].ol_quantity"),
        (Touched, "orders", delivered.clone(), "o_carrier_id"),
        (Touched, "orders", delivered, "o_orderline[0].ol_delivery_d"),
        (Touched, "neworder", open, "no_o_id"),
        (Touched, "history", payment.clone(), "h_amount"),
        (Touched, "history", payment.clone(), "h_c_id"),
        (Touched, "customer", customer.clone(), "c_balance"),
        (Touched, "customer", customer.clone(), "c_ytd_payment"),
        (Touched, "customer", customer.clone(), "c_payment_cnt"),
        (Touched, "customer", customer, "c_delivery_cnt"),
        (Touched, "stock", stock.clone(), "s_ytd"),
        (Touched, "stock", stock.clone(), "s_order_cnt"),
        (Touched, "stock", stock.clone(), "s_remote_cnt"),
        (Touched, "stock", stock, "s_quantity"),
        (InSample, "customer", idle.clone(), "c_balance"),
        (InSample, "customer", idle.clone(), "c_payment_cnt"),
        (Sampled, "customer", idle, "c_since"),
        (Sampled, "customer", debtor, "c_data"),
        (InSample, "stock", unsold.clone(), "s_order_cnt"),
        (Sampled, "stock", unsold.clone(), "s_quantity"),
        (Sampled, "stock", unsold.clone(), "s_data"),
        (Sampled, "orders", "2.3.4".into(), "o_carrier_id"),
        (Sampled, "orders", "2.3.4".into(), "o_ol_cnt"),
        (Sampled, "history", "2.3.4".into(), "h_amount"),
        (Sampled, "item", "77".into(), "i_price"),
        (InSample, "neworder", "2.3.29".into(), "no_d_id"),
    ]
}

/// Each fault is seen by the checks that the table says see it, and by no others.
///
/// A database decides how documents are read, not what is seen in them: behind a network, where a
/// fault takes seconds, one stands for all that the same checks see.
pub fn each_level_sees_what_it_is_said_to_see(fresh: Fresh) {
    let run = Run::new(Loaded::new(fresh, Schema::Ch2pp), true, 1, 100);
    let (loaded, payment, unsold) = (&run.loaded, a_payment(&run), unsold(&run));
    use Seen::{OnlyFull, Sampled, Touched};
    let (every, mut stands) = (loaded.target.in_process(), BTreeSet::new());
    for (seen, collection, key, field) in faults(&run) {
        if !stands.insert(seen) && !every {
            continue;
        }
        let there = loaded.field(collection, &key, field);
        loaded.set(collection, &key, path(field), other(&there));
        sees(&run, seen, &format!("{collection} {key} {field}"));
        loaded.set(collection, &key, path(field), there);
    }
    // Documents too many or too few.
    let history = json!({
        "h_c_id": 1, "h_c_d_id": 1, "h_c_w_id": 1, "h_d_id": 1, "h_w_id": 1,
        "h_date": "2021-01-01 00:00:00.000000", "h_amount": 0, "h_data": "",
    });
    loaded.write(async |tx| tx.insert("history", "stray", &history).await).unwrap();
    sees(&run, OnlyFull, "a payment too many");
    assert!(loaded.write(async |tx| tx.delete("history", "stray").await).unwrap());
    let index = loaded.data.index_of(Collection::Stock, &unsold).unwrap();
    assert!(loaded.write(async |tx| tx.delete("stock", &unsold).await).unwrap());
    sees(&run, Sampled, "a stock too few");
    let made = document(&loaded.data, Collection::Stock, index).1.into();
    loaded.write(async |tx| tx.insert("stock", &unsold, &made).await).unwrap();
    assert!(loaded.write(async |tx| tx.delete("history", &payment).await).unwrap());
    sees(&run, Touched, "a payment too few");
}

/// Documents under keys of others, which leave every count and sum as it is, are seen without a
/// sample.
pub fn a_document_under_another_key_is_seen(fresh: Fresh) {
    let run = Run::new(Loaded::new(fresh, Schema::Ch2), true, 1, 20);
    let loaded = &run.loaded;
    let whole = |collection, key: &str| loaded.get(collection, key, &[WHOLE]).unwrap().remove(0);
    let put = |collection, gone: [&str; 2], there: [(&str, &Value); 2]| {
        let change = loaded.write(async |tx| {
            for key in gone {
                tx.delete(collection, key).await?;
            }
            for (key, document) in there {
                tx.insert(collection, key, document).await?;
            }
            Ok(())
        });
        change.unwrap();
    };
    let cardinalities = || {
        let checks = run.full(run.nobody());
        let all = failed(&checks).into_iter().map(str::to_owned).collect::<Vec<_>>();
        (all, format!("{checks:?}"))
    };
    assert_eq!(cardinalities().0, [""; 0]);
    let stocks = (1..=1000).map(|i| format!("2.{i}"));
    let mut unsold = stocks.filter(|key| loaded.field("stock", key, "s_ytd") == json!(0));
    let (one, other) = (unsold.next().unwrap(), unsold.next().unwrap());
    for (collection, one, other) in [
        ("stock", &*one, &*other),
        ("customer", "2.7.11", "2.7.12"),
        ("orders", "1.1.25", "1.1.26"),
    ] {
        let [a, b] = [one, other].map(|key| whole(collection, key));
        put(collection, [one, other], [(one, &b), (other, &a)]);
        let (names, told) = cardinalities();
        assert_eq!(names, ["cardinalities"], "{told}");
        assert!(told.contains(&format!("{collection} {one} has the numbers of another")), "{told}");
        put(collection, [one, other], [(one, &a), (other, &b)]);
    }
    // One is gone, and another is there twice.
    for (collection, one, other, twice) in
        [("item", "77", "78", "078"), ("orders", "1.1.25", "1.1.26", "1.1.026")]
    {
        let [a, b] = [one, other].map(|key| whole(collection, key));
        put(collection, [one, other], [(other, &b), (twice, &b)]);
        let (names, told) = cardinalities();
        assert!(names.contains(&"cardinalities".to_owned()), "{told}");
        assert!(told.contains(&format!("{collection} has as many documents as it must")), "{told}");
        put(collection, [other, twice], [(one, &a), (other, &b)]);
    }
    assert_eq!(cardinalities().0, [""; 0]);
}

/// A payment of the run, by a customer whose number and the next are customers' of the district. If it
/// is lost, another payment or a delivery of the run leads to the customer.
fn a_payment(run: &Run) -> String {
    let (loaded, ledger) = (&run.loaded, &run.ledger);
    let paid = ledger.payments.iter().map(|p| p.history.text());
    let paid: Vec<_> = paid.map(|key| (payer(loaded, &key), key)).collect();
    let receiver = |(w, d, o_id): (u32, u32, u32)| {
        format!("{w}.{d}.{}", loaded.field("orders", &format!("{w}.{d}.{o_id}"), "o_c_id"))
    };
    let received = ledger.deliveries.iter().map(|it| receiver((it.w, it.d, it.o_id)));
    let received: BTreeSet<String> = received.collect();
    let number = |key: &String| loaded.field("history", key, "h_c_id").as_i64().unwrap();
    let again = |customer: &String| {
        received.contains(customer)
            || paid.iter().filter(|(other, _)| other == customer).count() > 1
    };
    let found = paid.iter().find(|(customer, key)| number(key) < 30 && again(customer));
    found.expect("somebody who paid, and paid again or received an order").1.clone()
}

/// A stock of which nothing was sold.
fn unsold(run: &Run) -> String {
    let mut stocks = (1..=1000).map(|i| format!("2.{i}"));
    stocks.find(|key| run.loaded.field("stock", key, "s_ytd") == json!(0)).unwrap()
}

/// The largest number of the ledger's orders in a district.
fn ledger_last(ledger: &Ledger, w: u32, d: u32) -> u32 {
    ledger.orders.iter().filter(|o| (o.w, o.d) == (w, d)).map(|o| o.o_id).max().unwrap()
}

/// The customers that paid.
fn all_paid(loaded: &Loaded, ledger: &Ledger) -> BTreeSet<String> {
    ledger.payments.iter().map(|p| payer(loaded, &p.history.text())).collect()
}

/// The customer of a payment.
fn payer(loaded: &Loaded, key: &str) -> String {
    let [w, d, c] = ["h_c_w_id", "h_c_d_id", "h_c_id"].map(|f| loaded.field("history", key, f));
    format!("{w}.{d}.{c}")
}

/// Asserts that those see a fault that are to see it, and nobody else.
fn sees(run: &Run, seen: Seen, what: &str) {
    let fails = |checks: &[Check]| !failed(checks).is_empty();
    let (touched, sampled) = (run.touched(run.nobody(), 1 << 20), run.sampled(run.nobody()));
    let by_touched = matches!(seen, Seen::ByCounters | Seen::Touched);
    assert_eq!(fails(&touched), by_touched, "{what}: {touched:?}");
    assert_eq!(fails(&sampled), seen == Seen::ByCounters, "{what}: {sampled:?}");
    if by_touched {
        // What the conditions say of it, they say at both levels.
        let full = run.full(run.nobody());
        let of = |checks: &[Check]| -> BTreeSet<String> {
            let failed = failed(checks).into_iter().filter(|name| name.starts_with("condition"));
            failed.map(str::to_owned).collect()
        };
        assert!(fails(&full), "{what}: {full:?}");
        assert_eq!(of(&touched), of(&full), "{what}: {touched:?}\n{full:?}");
        return;
    }
    let full = run.full(run.everybody());
    assert!(fails(&full), "{what}: {full:?}");
    let touched = run.touched(run.everybody(), 1 << 20);
    let wanted = matches!(seen, Seen::Sampled | Seen::InSample);
    assert_eq!(fails(&touched), wanted, "{what}: {touched:?}");
    let sampled = run.sampled(run.everybody());
    assert_eq!(fails(&sampled), seen == Seen::Sampled, "{what}: {sampled:?}");
}
