//! Clients in each other's way, at each level of isolation.

use hoap_database::{Access, Change, Find, Intent, Order, Patch};
use hoap_workload::ErrorKind;
use serde_json::json;

use super::fresh_with;
use crate::conformance::{COLLECTION, count_up, index, load, session, wait};

fn set(path: &'static str, n: i64) -> Patch<'static> {
    Patch { path, change: Change::Set(json!(n)) }
}

/// How often six clients that count up were a conflict.
fn conflicts(options: &str) -> u32 {
    let (target, _schema) = fresh_with(options);
    count_up(&target, 6, 30)
}

#[test]
fn at_read_committed_no_update_is_lost_and_nobody_fails() {
    assert_eq!(conflicts("&isolation=read-committed"), 0);
}

#[test]
fn at_the_higher_levels_no_update_is_lost_and_somebody_runs_again() {
    for level in ["repeatable-read", "serializable"] {
        assert!(conflicts(&format!("&isolation={level}")) > 0, "{level}");
    }
}

/// Write skew: each takes back the other's reason. Only serializable sees it.
#[test]
fn serializable_finds_what_locks_do_not() {
    for (level, expected) in [("repeatable-read", 0), ("serializable", 1)] {
        let (target, _schema) = fresh_with(&format!("&isolation={level}"));
        load(&target, 2);
        let (mut one, mut other) = (session(&target), session(&target));
        let failed = wait(async {
            let mut a = one.begin(Access::Write).await.unwrap();
            let mut b = other.begin(Access::Write).await.unwrap();
            a.get(COLLECTION, "1.2", &["o_id"], Intent::Look).await.unwrap();
            b.get(COLLECTION, "1.1", &["o_id"], Intent::Look).await.unwrap();
            a.patch(COLLECTION, "1.1", &[set("o_id", 0)]).await.unwrap();
            let b_wrote = b.patch(COLLECTION, "1.2", &[set("o_id", 0)]).await;
            let a_done = a.commit().await;
            let b_done = match b_wrote {
                Ok(()) => b.commit().await,
                failed => failed,
            };
            [a_done, b_done].into_iter().filter_map(Result::err).collect::<Vec<_>>()
        });
        assert_eq!(failed.len(), expected, "{level}: {failed:?}");
        assert!(failed.iter().all(|e| e.kind == ErrorKind::Conflict), "{failed:?}");
    }
}

/// Two transactions that lock two documents in opposite orders.
#[test]
fn a_deadlock_is_a_conflict() {
    let (target, _schema) = fresh_with("");
    load(&target, 2);
    let target = &target;
    let start = std::sync::Barrier::new(2);
    let run = |first: &'static str, second: &'static str| {
        let mut session = session(target);
        wait(async {
            let mut t = session.begin(Access::Write).await.unwrap();
            t.get(COLLECTION, first, &[], Intent::Change).await.unwrap();
            start.wait();
            t.get(COLLECTION, second, &[], Intent::Change).await?;
            t.commit().await
        })
    };
    let run = &run;
    let ends: Vec<_> = std::thread::scope(|scope| {
        let threads = [("1.1", "1.2"), ("1.2", "1.1")].map(|(a, b)| scope.spawn(move || run(a, b)));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let failed: Vec<_> = ends.into_iter().filter_map(Result::err).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0].kind, ErrorKind::Conflict, "{}", failed[0]);
}

/// Lists of documents are locked in the order of their keys, whatever order they are named in.
#[test]
fn lists_of_documents_are_no_deadlock() {
    let (target, _schema) = fresh_with("");
    load(&target, 20);
    let target = &target;
    std::thread::scope(|scope| {
        for client in 0..4 {
            scope.spawn(move || {
                let mut session = session(target);
                let mut keys: Vec<String> = (1..=20).map(|o| format!("1.{o}")).collect();
                for n in 0..50 {
                    keys.rotate_left((client * 7 + n) % 20);
                    if client % 2 == 1 {
                        keys.reverse();
                    }
                    wait(async {
                        let mut t = session.begin(Access::Write).await.unwrap();
                        t.get_many(COLLECTION, &keys, &["o_id"], Intent::Change).await.unwrap();
                        t.commit().await.unwrap();
                    });
                }
            });
        }
    });
}

/// The oldest document is taken by each client in turn, and none is taken twice (Delivery).
#[test]
fn what_is_found_to_be_deleted_is_taken_once() {
    for level in ["read-committed", "serializable"] {
        const DOCUMENTS: i64 = 60;
        let (target, _schema) = fresh_with(&format!("&isolation={level}"));
        load(&target, DOCUMENTS);
        let target = &target;
        let taken: u32 = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let (mut session, mut taken) = (session(target), 0);
                        loop {
                            let round = wait(async {
                                let mut t = session.begin(Access::Write).await?;
                                let change = Intent::Change;
                                let order = Order::Ascending;
                                let prefix = [json!(1)];
                                let found = t
                                    .find(Find {
                                        order,
                                        limit: Some(1),
                                        intent: change,
                                        ..Find::by(&index(), &prefix)
                                    })
                                    .await?;
                                let Some((key, _)) = found.first() else { return Ok(false) };
                                assert!(t.delete(COLLECTION, key).await?, "{key} was gone");
                                t.commit().await?;
                                Ok(true)
                            });
                            match round {
                                Ok(true) => taken += 1,
                                Ok(false) => break taken,
                                Err::<_, hoap_workload::Error>(e) => {
                                    assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
                                }
                            }
                        }
                    })
                })
                .collect();
            clients.into_iter().map(|client| client.join().unwrap()).sum()
        });
        // At READ COMMITTED a client may find nothing while another's delete is not committed; the
        // rest is then taken by that one.
        assert_eq!(i64::from(taken), DOCUMENTS, "{level}");
    }
}

/// Two loads that replace: whoever looks for the note while the other removes it finds one or none.
#[test]
fn a_note_is_read_while_another_removes_it() {
    let (target, _schema) = fresh_with("");
    std::thread::scope(|scope| {
        let note = || wait(target.documents().unwrap().note()).unwrap();
        let reader = scope.spawn(move || (0..300).filter_map(|_| note()).count());
        while !reader.is_finished() {
            let documents = target.documents().unwrap();
            wait(documents.set_note(None, &json!(1))).unwrap();
            wait(documents.drop(&[])).unwrap();
        }
        reader.join().unwrap();
    });
}
