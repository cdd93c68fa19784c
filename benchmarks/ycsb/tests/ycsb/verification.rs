//! Spec nosql §1, "Verification after a run": faults put in on purpose are found.

use hoap_database::KeyValue;
use hoap_drive::{Client, Workload};
use hoap_record::{Check, Verdict};
use hoap_testing::scanned::{block_on, poll_once};
use hoap_workload::ErrorKind;
use hoap_ycsb::{Memory, Ycsb};

use crate::fake::{Fake, Fault};
use crate::operations::{run, setup, world};

fn checks(fake: &Fake, ycsb: &Ycsb<Fake>, memory: &Memory) -> [Check; 2] {
    fake.state().faults = None;
    let checks =
        block_on(ycsb.verify(fake.database().documents().unwrap(), memory, "after the run"))
            .expect("checks");
    checks.try_into().expect("two checks")
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
    let [count, writes] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Pass, Verdict::Fail));
    let detail = writes.detail.expect("a detail");
    assert!(detail.contains("user") && detail.contains("not at the last acknowledged"), "{detail}");
}

#[test]
fn a_lost_record_and_a_record_too_many_are_found() {
    let (fake, ycsb) = updates();
    let (_, memory) = run(&ycsb, 400);
    let lost = fake.state().rows.pop_first().expect("a record");
    let [count, writes] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Fail, Verdict::Fail));
    assert!(count.detail.expect("a detail").contains("29 records found; 30 loaded, 0 inserts"));
    assert!(writes.detail.expect("a detail").contains("the record is not there"));

    fake.state().rows.insert(lost.0, lost.1.clone());
    fake.state().rows.insert("user1".into(), lost.1);
    let [count, writes] = checks(&fake, &ycsb, &memory);
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
    let [count, writes] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.verdict, writes.verdict), (Verdict::Fail, Verdict::Fail));
    assert!(count.detail.expect("a detail").contains("24 records found; 5 loaded, 20 inserts"));
}

#[test]
fn a_value_that_nobody_wrote_is_found() {
    let (fake, ycsb) = updates();
    let (_, memory) = run(&ycsb, 400);
    fake.state().rows.values_mut().for_each(|row| row[0][50] ^= 1);
    let [_, writes] = checks(&fake, &ycsb, &memory);
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
        let [count, writes] = checks(&fake, &ycsb, &memory);
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
    let [_, writes] = checks(&fake, &ycsb, &memory);
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
        let [count, writes] = checks(&fake, &ycsb, &memory);
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
    let [count, writes] = checks(&fake, &ycsb, &memory);
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
        let [count, writes] = checks(&fake, &ycsb, &memory);
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
    let [count, writes] = checks(&fake, &ycsb, &memory);
    assert_eq!((count.detail, writes.detail), (None, None));
    assert!(memory.count.inserted > 20_000 && writes.checked > 20);
}
