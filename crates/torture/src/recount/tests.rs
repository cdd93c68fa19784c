//! Ledgers and what another client found.

use std::collections::BTreeMap;

use hoap_ch2::checks::district::{District, Undelivered};
use hoap_ch2::ledger::{self, Delivery, HistoryKey, Ledger, RunMark};
use hoap_ycsb::data::RecordSpec;

use super::*;

fn order(o_id: u32) -> ledger::Order {
    ledger::Order { w: 1, d: 1, o_id, c: 1, lines: 5, amount: 100, digest: 9 }
}

fn payment(run: RunMark, count: u32) -> Payment {
    let history = HistoryKey { run, terminal: 0, count };
    Payment { history, w: 1, d: 1, amount: 5, digest: 1 }
}

/// Orders 31 and 32, payments 0 and 1 and the delivery of order 21 were acknowledged. Of one order,
/// one payment and two deliveries of that district the outcome is unknown.
fn ledger(run: RunMark) -> Ch2 {
    let ledger = Ledger {
        orders: [31, 32].into_iter().map(order).collect(),
        payments: [0, 1].into_iter().map(|n| payment(run, n)).collect(),
        deliveries: [Delivery { w: 1, d: 1, o_id: 21, digest: 1 }].into_iter().collect(),
        ambiguous_orders: BTreeMap::from([((1, 1), 1)]),
        ambiguous_payments: vec![payment(run, 2)],
        ambiguous_deliveries: BTreeMap::from([((1, 1), 2)]),
    };
    let neworders = Undelivered::between(Some((21, 24)));
    let before = District { next_o_id: 31, neworders, ..District::default() };
    Ch2 { before: vec![before], fresh: true, tally: Default::default(), ledger }
}

/// What is there, as lines of keys: without a key, with a key.
fn found(run: RunMark, without: &str, with: [&str; 3]) -> Count {
    let payment = |n: u32| payment(run, n).history.text();
    let [orders, neworder, history] = [
        format!("1.1.1\n1.1.30\n1.1.31\n1.1.32\n{}", with[0]),
        format!("1.1.22\n1.1.23\n1.1.24\n1.1.31\n1.1.32\n{}", with[1]),
        format!("1.1.1\n{}\n{}\n{}", payment(0), payment(1), with[2]),
    ];
    let less = |text: &str| text.lines().filter(|l| *l != without).collect::<Vec<_>>().join("\n");
    let (orders, neworder, history) = (less(&orders), less(&neworder), less(&history));
    let found = Ch2Keys {
        orders: orders.lines().filter_map(super::Order::read).collect(),
        neworder: keys(&neworder),
        history: keys(&history),
    };
    ch2(&ledger(run), &found)
}

#[test]
fn what_is_acknowledged_is_lost_where_it_is_not_there() {
    let run = RunMark::draw();
    let whole = found(run, "", ["", "", ""]);
    assert_eq!((whole.acknowledged, whole.lost, whole.added), (5, 0, 0), "{whole:?}");
    assert_eq!((whole.ambiguous, whole.present, whole.absent), (4, 0, 4));
    for (without, with, says) in [
        ("1.1.32", ["", "", ""], "orders 1.1.32 was acknowledged"),
        (&*payment(run, 1).history.text(), ["", "", ""], "was acknowledged and is not there"),
        ("", ["", "1.1.21", ""], "the delivery of 1.1.21"),
    ] {
        let count = found(run, without, with);
        assert_eq!(count.lost, 1, "{count:?}");
        assert!(count.examples[0].contains(says), "{count:?}");
    }
}

#[test]
fn what_is_of_unknown_outcome_may_be_there_but_no_more_of_it() {
    let run = RunMark::draw();
    let unsure = payment(run, 2).history.text();
    let all = found(run, "1.1.22", ["1.1.33", "1.1.33", &unsure]);
    assert_eq!((all.ambiguous, all.present, all.absent), (4, 3, 1), "{all:?}");
    assert_eq!((all.lost, all.added), (0, 0));
    let more = found(run, "", ["1.1.33\n1.1.34", "1.1.33\n1.1.34", ""]);
    assert_eq!((more.added, more.present), (1, 1), "{more:?}");
    assert!(more.examples[0].contains("1 orders that nobody made"), "{more:?}");
}

#[test]
fn a_number_that_was_given_twice_is_a_loss_and_so_is_another_order_under_it() {
    let lines = "1.1.31\t1\t5\n1.1.32\t1\t5";
    let lost = |numbers: &[u32], lines: &str| {
        let orders = numbers.iter().map(|n| order(*n)).collect();
        let ledger = Ledger { orders, ..Ledger::default() };
        let before = District { next_o_id: 31, ..District::default() };
        let orders: HashMap<_, _> = lines.lines().filter_map(super::Order::read).collect();
        let neworder = orders.keys().copied().collect();
        let found = Ch2Keys { orders, neworder, history: BTreeSet::new() };
        ch2(&Ch2 { before: vec![before], fresh: true, tally: Default::default(), ledger }, &found)
            .lost
    };
    assert_eq!(lost(&[31, 32], lines), 0);
    assert_eq!(lost(&[31, 32, 32], lines), 1);
    assert_eq!(lost(&[31, 32], &lines.replace("32\t1", "32\t9")), 1, "another customer");
    assert_eq!(lost(&[31, 32], &lines.replace("1\t5", "1\t6")), 2, "other lines");
    let delivery = Delivery { w: 1, d: 1, o_id: 31, digest: 1 };
    let ledger = Ledger { deliveries: [delivery; 2].into_iter().collect(), ..Ledger::default() };
    let before = District { next_o_id: 31, ..District::default() };
    let none = Ch2Keys { orders: HashMap::new(), neworder: keys(""), history: keys("") };
    assert_eq!(
        ch2(&Ch2 { before: vec![before], fresh: true, tally: Default::default(), ledger }, &none)
            .lost,
        1
    );
}

fn records() -> Records {
    Records::new(RecordSpec { count: 2, fields: 2, ..RecordSpec::default() }).unwrap()
}

fn key(n: u64) -> String {
    let mut text = String::new();
    records().append_key(records().key(n), &mut text);
    text
}

/// The lines of the records with these numbers, whose field 1 of record 0 has a version.
fn lines(numbers: &[u64], version: u64) -> String {
    let line = |n: u64, field: u16| {
        let version = if (n, field) == (0, 1) { version } else { 0 };
        let mut value = Vec::new();
        records().append_value(records().key(n), field, version, &mut value);
        format!("{}\t{field}\t{}\n", key(n), String::from_utf8(value).unwrap())
    };
    numbers.iter().flat_map(|&n| [line(n, 0), line(n, 1)]).collect()
}

/// One insert is acknowledged and one unsure. Of field 1 of record 0, version 5 is the last
/// acknowledged write, version 4 ended before it began, and version 6 is unsure.
fn of(numbers: &[u64], version: u64) -> Count {
    let write = |version, start, end| Write { key: key(0), field: Some(1), version, start, end };
    let ledger = Ycsb {
        inserted: 1,
        unsure_inserts: 1,
        writes: vec![write(4, 10, 20), write(5, 30, 40)],
        unsure: vec![Unsure { key: key(0), field: Some(1), version: 6 }],
    };
    ycsb(&ledger, &records(), &lines(numbers, version)).unwrap()
}

#[test]
fn records_and_last_writes_are_lost_where_they_are_not_there() {
    let whole = of(&[0, 1, 2], 5);
    assert_eq!((whole.acknowledged, whole.lost, whole.added), (2, 0, 0), "{whole:?}");
    assert_eq!((whole.ambiguous, whole.present, whole.absent), (2, 0, 2));
    assert_eq!(of(&[0, 1, 2], 4).lost, 1, "an older write");
    assert_eq!(of(&[0, 1, 2], 99).lost, 1, "a write that nobody made");
    assert_eq!(of(&[0, 1], 5).lost, 1, "a record");
    assert_eq!(of(&[1, 2, 3], 5).lost, 1, "the field with the record");
    let unsure = of(&[0, 1, 2, 3], 6);
    assert_eq!((unsure.lost, unsure.added, unsure.present), (0, 0, 2), "{unsure:?}");
    assert_eq!(of(&[0, 1, 2, 3, 4], 5).added, 1);
}

#[test]
fn lines_that_are_none_are_refused() {
    let ledger = Ycsb { inserted: 0, unsure_inserts: 0, writes: vec![], unsure: vec![] };
    for text in ["user1\tx\tvalue", "user1 0 value", "user1\t0"] {
        let e = ycsb(&ledger, &records(), text).unwrap_err();
        assert!(e.to_string().contains("key, tab, number"), "{e}");
    }
}

#[test]
fn a_killed_driver_owes_the_payments_of_its_time_series() {
    let folder = tempfile::tempdir().unwrap();
    let head =
        "step,phase,at_seconds,seconds,kind,count,failed,retries,mean_us,p50_us,p99_us,max_us";
    let rows = format!(
        "{head}\n1,measured,0.1,0.1,NewOrder,9,0,0,1,1,1,1\n1,measured,0.1,0.1,Payment,5,0,0,1,1,1,1\n\
         1,measured,0.2,0.1,Payment,2,0,0,1,1,1,1\n1,measured,0.3,0.1,Paym"
    );
    std::fs::write(folder.path().join("samples.csv"), rows).unwrap();
    let plan =
        Recount { by: "x".into(), orders: None, neworder: None, history: None, records: None };
    let lost = |after| grown(&plan, 100, after, folder.path()).lost;
    assert_eq!((lost(107), lost(108), lost(106), lost(0)), (0, 0, 1, 7));
}
