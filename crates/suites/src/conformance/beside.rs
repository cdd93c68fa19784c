//! Transactions beside each other.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hoap_database::{Access, Database, Intent, Patch};
use hoap_workload::ErrorKind;
use serde_json::{Value, json};

use super::killed::SetOnDrop;
use super::transactions::{add, insert, patch, set};
use super::{COLLECTION, document, field, load, session, transact, wait};

pub fn a_snapshot_does_not_move(target: &Database) {
    load(target, 3);
    let mut session = session(target);
    wait(async {
        let mut reader = session.begin(Access::Read).await.unwrap();
        // The first read decides what the others see: a writer commits between them.
        let first = reader.get(COLLECTION, "1.2", &["o_id"], Intent::Look).await.unwrap();
        assert_eq!(first, Some(vec![json!(2)]));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                patch(target, "1.1", &[add("o_id", 5)]).unwrap();
                insert(target, "7.7", &document(7, 7)).unwrap();
            });
        });
        let mut see = async |key: &str| {
            reader
                .get(COLLECTION, key, &["o_id"], Intent::Look)
                .await
                .unwrap()
                .map(|mut r| r.remove(0))
        };
        assert_eq!(see("1.1").await, Some(json!(1)));
        assert_eq!(see("7.7").await, None);
        reader.commit().await.unwrap();
        let mut reader = session.begin(Access::Read).await.unwrap();
        let row = reader.get(COLLECTION, "1.1", &["o_id"], Intent::Look).await.unwrap();
        assert_eq!(row, Some(vec![json!(6)]));
    });
}

/// Clients read a number, and write it back one larger, while others read sums that must agree.
pub fn no_update_is_lost(target: &Database) {
    const CLIENTS: u32 = 8;
    const TIMES: u32 = 40;
    load(target, 2);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let keys = ["1.1", "1.2"].map(String::from);
            while !done.load(Ordering::Relaxed) {
                let rows = transact(target, Access::Read, async |t| {
                    t.get_many(COLLECTION, &keys, &["o_id"], Intent::Look).await
                });
                let id = |row: &Option<Vec<Value>>| row.as_ref().unwrap()[0].as_i64().unwrap();
                assert_eq!(rows.unwrap().iter().map(id).sum::<i64>(), 3, "half a transaction");
            }
        });
        let _done = SetOnDrop(&done);
        count_up_and(target, CLIENTS, TIMES, &[("1.2", add("o_id", -1))]);
    });
    assert_eq!(field(target, "1.2", "o_id"), json!(2 - i64::from(CLIENTS * TIMES)));
}

/// Clients read a number and write it back one larger, of which none is lost: how often one met
/// another.
pub fn count_up(target: &Database, clients: u32, times: u32) -> u32 {
    load(target, 1);
    count_up_and(target, clients, times, &[])
}

/// The same, with these patches in each transaction.
fn count_up_and(target: &Database, clients: u32, times: u32, also: &[(&str, Patch<'_>)]) -> u32 {
    let conflicts = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                let mut session = session(target);
                let mut committed = 0;
                while committed < times {
                    let round = wait(async {
                        let mut t = session.begin(Access::Write).await?;
                        let row = t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await?;
                        let next = row.unwrap()[0].as_i64().unwrap() + 1;
                        t.patch(COLLECTION, "1.1", &[set("o_id", json!(next))]).await?;
                        for (key, patch) in also {
                            t.patch(COLLECTION, key, std::slice::from_ref(patch)).await?;
                        }
                        t.commit().await
                    });
                    match round {
                        Ok(()) => committed += 1,
                        Err(e) => {
                            assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
                            conflicts.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(field(target, "1.1", "o_id"), json!(1 + clients * times));
    conflicts.into_inner()
}
