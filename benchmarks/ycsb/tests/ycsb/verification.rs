//! Spec nosql §1, "Verification after a run": faults put in on purpose are found.

use hoap_database::KeyValue;
use hoap_drive::{Client, Workload};
use hoap_record::{Check, Verdict};
use hoap_testing::scanned::{block_on, poll_once};
use hoap_workload::ErrorKind;
use hoap_workload::checks::Level;
use hoap_ycsb::{Memory, Ycsb};

use crate::fake::{Fake, Fault, Rows};
use crate::operations::{self, after, run, setup, world};

/// The count, the writes and the sample after a run.
fn checks(fake: &Fake, ycsb: &Ycsb<Fake>, memory: &Memory) -> [Check; 3] {
    fake.state().faults = None;
    after(fake, ycsb, memory).try_into().expect("three checks")
}

fn updates() -> (Fake, Ycsb<Fake>) {
    world(setup("a", "recordcount=30;fieldcount=2;readproportion=0;updateproportion=1"))
}

#[test]
fn a_lost_update_is_found() {
    let (fake, ycsb) = updates();
    // The last update of each field must be lost for its loss to show: lose all after the first
    // 200.
    let mut n = 0;
    fake.faults(move |_, _| {
        n += 1;
        if n > 200 { Fault::Lose } else { Fault::None }
    });
    let (ends, memory) = run(&ycsb, 400);
    assert!(ends.iter().all(|(_, e)| e.is_none()));
    let [count, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Pass, Verdict::Fail));
    let detail = writes.detail.expect("a detail");
    assert!(detail.contains("user") && detail.contains("not at the last acknowledged"), "{detail}");
}

#[test]
fn a_lost_record_and_a_record_too_many_are_found() {
    let (fake, ycsb) = updates();
    let (_, memory) = run(&ycsb, 400);
    let lost = fake.state().rows.pop_first().expect("a record");
    let [count, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Fail, Verdict::Fail));
    assert!(count.detail.expect("a detail").contains("29 records found; 30 loaded, 0 inserts"));
    assert!(writes.detail.expect("a detail").contains("is not there"));

    fake.state().rows.insert(lost.0, lost.1.clone());
    fake.state().rows.insert("user1".into(), lost.1);
    let [count, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Fail, Verdict::Pass));
}

#[test]
fn a_lost_insert_is_found() {
    let (fake, ycsb) = world(setup("d", "readproportion=0;insertproportion=1;recordcount=5"));
    let mut n = 0;
    fake.faults(move |_, _| {
        n += 1;
        if n == 10 { Fault::Lose } else { Fault::None }
    });
    let (_, memory) = run(&ycsb, 20);
    let [count, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Fail, Verdict::Fail));
    assert!(count.detail.expect("a detail").contains("24 records found; 5 loaded, 20 inserts"));
}

#[test]
fn a_value_that_nobody_wrote_is_found() {
    let (fake, ycsb) = updates();
    let (_, memory) = run(&ycsb, 400);
    fake.state().rows.values_mut().for_each(|row| row[0][50] ^= 1);
    let [_, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!(writes.verdict, Verdict::Fail);
    assert!(writes.detail.expect("a detail").contains("which no write of this record wrote"));
}

/// A write of unknown outcome may be there or not; both are right.
#[test]
fn ambiguous_writes_may_be_there_or_not() {
    for applied in [true, false] {
        let (fake, ycsb) = updates();
        let mut n = 0;
        fake.faults(move |_, _| {
            n += 1;
            match (n % 4, applied) {
                (0, true) => Fault::Lie(ErrorKind::Ambiguous),
                (0, false) => Fault::Refuse(ErrorKind::Ambiguous),
                _ => Fault::None,
            }
        });
        let (ends, memory) = run(&ycsb, 400);
        assert_eq!(ends.iter().filter(|(_, e)| e.is_some()).count(), 100);
        let [count, writes, _] = checks(&fake, &ycsb, &memory);
        assert_eq!((count.detail, writes.detail), (None, None));
        assert!(writes.checked > 0);
    }
}

/// A refused write must not be taken for one that may be there: the version before it is wanted.
#[test]
fn a_write_that_was_refused_and_is_there_is_found() {
    let (fake, ycsb) = updates();
    let mut n = 0;
    fake.faults(move |_, _| {
        n += 1;
        if n > 200 { Fault::Lie(ErrorKind::Conflict) } else { Fault::None }
    });
    let (_, memory) = run(&ycsb, 400);
    let [_, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!(writes.verdict, Verdict::Fail);
}

fn deletes() -> (Fake, Ycsb<Fake>) {
    world(setup("a", "recordcount=400;readproportion=0;updateproportion=0.5;deleteproportion=0.5"))
}

/// A delete that was acknowledged and did nothing, one that was refused and took place, and a
/// record that is back.
#[test]
fn a_lost_delete_is_found() {
    for (fault, verdict) in [
        (Fault::Lose, Verdict::Fail),
        (Fault::Lie(ErrorKind::Conflict), Verdict::Fail),
        (Fault::Lie(ErrorKind::Ambiguous), Verdict::Pass),
        (Fault::Refuse(ErrorKind::Ambiguous), Verdict::Pass),
        (Fault::Refuse(ErrorKind::Throttled), Verdict::Pass),
    ] {
        let (fake, ycsb) = deletes();
        let mut n = 0;
        fake.faults(move |call, _| {
            n += u64::from(call == "delete");
            if call == "delete" && n % 4 == 0 { fault } else { Fault::None }
        });
        let (_, memory) = run(&ycsb, 200);
        let [count, writes, _] = checks(&fake, &ycsb, &memory);
        assert_eq!(count.verdict, verdict, "{fault:?}: {count:?}");
        if fault == Fault::Lose {
            assert!(count.detail.expect("a detail").contains("deletes acknowledged, 0 of unknown"));
            assert!(writes.detail.expect("a detail").contains("and a delete was acknowledged"));
        }
    }
    let (fake, ycsb) = deletes();
    let before = fake.state().rows.clone();
    let (_, memory) = run(&ycsb, 200);
    let back = before.into_iter().find(|(key, _)| !fake.state().rows.contains_key(key));
    let (key, row) = back.expect("a deleted record");
    fake.state().rows.insert(key.clone(), row);
    let [count, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Fail, Verdict::Fail));
    assert!(writes.detail.expect("a detail").contains(&key));
}

/// A delete whose future is dropped may or may not have taken place.
#[test]
fn a_delete_that_is_cut_off() {
    for applied in [false, true] {
        let (fake, ycsb) = world(setup(
            "a",
            "recordcount=10;readproportion=0;updateproportion=0;deleteproportion=1",
        ));
        fake.faults(|_, _| Fault::Hang);
        let mut client = block_on(ycsb.client(0)).expect("a client");
        client.next();
        assert!(poll_once(client.run()).is_none());
        let memory = client.finish();
        let (call, key, _) = fake.state().calls.pop().expect("a call");
        assert_eq!(call, "delete");
        if applied {
            fake.state().rows.remove(&key);
        }
        let [count, writes, _] = checks(&fake, &ycsb, &memory);
        assert_eq!((count.detail, writes.detail), (None, None));
    }
}

/// Clients on threads: nothing that really happened is reported.
#[test]
fn many_clients_at_once() {
    let (mut fake, _) = updates();
    fake.note = false;
    let setup = setup(
        "a",
        "recordcount=30;fieldcount=2;readproportion=0.1;updateproportion=0.4;insertproportion=0.3;\
         readmodifywriteproportion=0.2;dataintegrity=true",
    );
    let table = hoap_ycsb::UserTable::new("usertable", setup.records).expect("a table");
    let ycsb = Ycsb::new(KeyValue::alone("Fake", fake.clone()), &table, setup).expect("a workload");
    let mut memory = Memory::nothing();
    std::thread::scope(|scope| {
        let work = || {
            let mut client = block_on(ycsb.client(0)).expect("a client");
            for _ in 0..20_000 {
                client.next();
                let end = block_on(client.run());
                assert!(matches!(end.outcome, hoap_drive::Outcome::Done), "{end:?}");
            }
            client.finish()
        };
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        clients.into_iter().for_each(|c| memory.merge(c.join().expect("no panic")));
    });
    let [count, writes, _] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.detail, writes.detail), (None, None));
    assert!(memory.count.inserted > 20_000 && writes.checked > 20);
}

/// What each level sees of what is wrong after a run of updates, inserts and deletes: the count, a
/// write that is remembered, and the sample. The table is small, so the sample is all of it.
#[test]
fn what_each_level_sees() {
    type Tamper = fn(&mut Rows, &[String]);
    let [count, writes, sample] = ["record count", "nothing lost: writes", "nothing changed"];
    let cases: [(&str, Tamper, &[&str]); 9] = [
        ("nothing", |_, _| (), &[]),
        ("lost", |rows, written| drop(rows.remove(&written[0])), &[count, writes, sample]),
        ("stale", |rows, written| older(rows, &written[0]), &[writes, sample]),
        ("truncated", |rows, written| cut(rows, &written[0]), &[writes, sample]),
        (
            "short of a field",
            |rows, written| drop(rows.get_mut(&written[0]).unwrap().pop()),
            &[writes, sample],
        ),
        (
            "of another",
            |rows, written| {
                let other = rows[&written[1]].clone();
                rows.insert(written[0].clone(), other);
            },
            &[writes, sample],
        ),
        (
            "extra",
            |rows, _| {
                let row = rows.values().next().unwrap().clone();
                rows.insert("user1".into(), row);
            },
            &[count],
        ),
        (
            "under another key",
            |rows, written| {
                let key = rows.keys().find(|key| !written.contains(key)).unwrap().clone();
                let row = rows.remove(&key).unwrap();
                rows.insert("user1".into(), row);
            },
            &[count, sample],
        ),
        (
            "untouched and changed",
            |rows, written| {
                let key = rows.keys().find(|key| !written.contains(key)).unwrap().clone();
                cut(rows, &key);
            },
            &[sample],
        ),
    ];
    for (what, tamper, seen) in cases {
        let (fake, ycsb) = world(setup(
            "a",
            "recordcount=200;fieldcount=2;readproportion=0;updateproportion=1;requestdistribution=uniform",
        ));
        let (_, memory) = run(&ycsb, 60);
        let mut written: Vec<String> =
            fake.state().calls.iter().map(|call| call.1.clone()).collect();
        written.dedup();
        tamper(&mut fake.state().rows, &written);
        for level in [Level::Full, Level::Touched, Level::Sample, Level::Off] {
            let checks = operations::checks(&fake, &ycsb, Some(&memory), level);
            let failed: Vec<&str> = checks
                .iter()
                .filter(|check| check.verdict == Verdict::Fail)
                .map(|check| check.name.as_str())
                .collect();
            let at_level = |name: &&&str| match level {
                Level::Full => true,
                Level::Touched => **name != "record count",
                Level::Sample => **name == "nothing changed",
                _ => false,
            };
            let wanted: Vec<&str> = seen.iter().filter(at_level).copied().collect();
            assert_eq!(failed, wanted, "{what} at {level}: {checks:#?}");
            // What is not counted is said.
            let skipped = checks.iter().filter(|check| check.verdict == Verdict::Skip).count();
            let uncounted = matches!(level, Level::Touched | Level::Sample);
            assert_eq!(skipped, if uncounted { 2 } else { 0 });
        }
    }
}

/// The row of a key as the load made it: its last write is lost.
fn older(rows: &mut Rows, key: &str) {
    let table =
        hoap_ycsb::UserTable::new("usertable", setup("a", "recordcount=200;fieldcount=2").records);
    let loaded = Fake::loaded(&table.expect("a table"));
    let row = loaded.state().rows[key].clone();
    rows.insert(key.to_owned(), row);
}

fn cut(rows: &mut Rows, key: &str) {
    rows.get_mut(key).expect("a row")[0].truncate(50);
}

/// A record that was deleted and is back, and one that the run inserted and is gone, at every level
/// that looks.
#[test]
fn what_comes_back_and_what_was_inserted_is_looked_for() {
    for level in [Level::Full, Level::Touched] {
        let (fake, ycsb) = world(setup(
            "a",
            "recordcount=100;readproportion=0;updateproportion=0;insertproportion=0.5;deleteproportion=0.5",
        ));
        let before = fake.state().rows.clone();
        let (_, memory) = run(&ycsb, 60);
        let now = fake.state().rows.clone();
        let back = before.iter().find(|(key, _)| !now.contains_key(*key)).expect("a deleted one");
        let gone = now.keys().find(|key| !before.contains_key(*key)).expect("an inserted one");
        let failed = |rows: Rows| {
            fake.state().rows = rows;
            let checks = operations::checks(&fake, &ycsb, Some(&memory), level);
            let failed = checks.into_iter().filter(|check| check.verdict == Verdict::Fail);
            failed.map(|check| check.name).collect::<Vec<_>>()
        };
        assert_eq!(failed(now.clone()), [""; 0]);
        let mut resurrected = now.clone();
        resurrected.insert(back.0.clone(), back.1.clone());
        assert!(failed(resurrected).contains(&"nothing lost: writes".to_owned()), "{level}");
        let mut lost = now.clone();
        lost.remove(gone);
        assert!(failed(lost).contains(&"nothing changed".to_owned()), "{level}");
    }
}

/// Before a run: what is not as loaded, and what an earlier run inserted, is seen at every level.
#[test]
fn a_table_that_is_not_as_loaded_is_seen_before_a_run() {
    let set_up = || setup("a", "recordcount=100;fieldcount=2");
    for level in [Level::Full, Level::Touched, Level::Sample] {
        let (fake, ycsb) = world(set_up());
        let holds = || {
            let checks = operations::checks(&fake, &ycsb, None, level);
            checks.iter().all(|check| check.verdict != Verdict::Fail)
        };
        assert!(holds(), "{level}");
        let table = hoap_ycsb::UserTable::new("usertable", set_up().records).expect("a table");
        let mut key = String::new();
        table.records.append_key(table.records.key(100), &mut key);
        let row = fake.state().rows.values().next().unwrap().clone();
        fake.state().rows.insert(key.clone(), row);
        assert!(!holds(), "{level}: the first record that a run inserts is there");
        fake.state().rows.remove(&key);
        run(&ycsb, 1);
        let (_, written, _) = fake.state().calls.last().cloned().expect("a call");
        let update = fake.state().calls.iter().any(|(call, ..)| *call == "update");
        assert_eq!(holds(), !update, "{level}: {written} was written since the load");
    }
}
