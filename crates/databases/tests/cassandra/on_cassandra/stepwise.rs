//! What transactions do here where the user of a run allows that they are none.

use std::sync::Arc;

use hoap_workload::capability::{
    Access, Change, Index, Intent, NonTransactional, Order, Patch, Target,
};
use hoap_workload::{ErrorKind, Result};
use serde_json::{Value, json};

use crate::conformance::{
    COLLECTION, count, document, field, get, index, load, session, transact, wait,
};
use crate::{Guard, admin, cql, fresh_with};

fn fresh() -> (Arc<dyn Target>, Guard) {
    let (target, guard) = fresh_with("");
    let (target, caveat) = NonTransactional::allow(Arc::new(*target));
    assert!(caveat.unwrap().contains("no transactions"), "{caveat:?}");
    (target, guard)
}

// Left out: readers that see one state, and writers that are seen as a whole.
hoap_testing::transaction_tests!(fresh);
hoap_testing::conformance_tests!(fresh: every_json_value_comes_back_as_it_went_in);

pub fn add(path: &'static str, n: i64) -> Patch {
    Patch { path, change: Change::AddInteger(n) }
}

fn patch(target: &dyn Target, key: &str, patches: &[Patch]) -> Result<()> {
    transact(target, Access::Write, async |t| t.patch(COLLECTION, key, patches).await)
}

fn find(target: &dyn Target, prefix: &[Value], order: Order, limit: Option<usize>) -> Vec<String> {
    let found = transact(target, Access::Read, async |t| {
        t.find(&index(), prefix, order, limit, &[], Intent::Look).await
    });
    found.unwrap().into_iter().map(|(key, _)| key).collect()
}

#[test]
fn the_description_says_that_there_are_none() {
    let (target, _guard) = fresh();
    let settings = target.description().settings;
    assert!(settings["transactions"].starts_with("NONE: "), "{settings:?}");
    assert!(target.analytics().is_err());
}

/// Of a transaction that begins with a patch the first condition decides; what it patches after
/// that is applied to whatever is newest. Sums of all clients are exact.
#[test]
fn no_sum_is_lost_among_many_writers() {
    const CLIENTS: usize = 4;
    const TIMES: usize = 15;
    let (target, _guard) = fresh();
    let target = &*target;
    load(target, 2);
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut session = session(target);
                let mut committed = 0;
                while committed < TIMES {
                    let round = wait(async {
                        let mut t = session.begin(Access::Write).await?;
                        let row = t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await?;
                        let next = row.unwrap()[0].as_i64().unwrap() + 1;
                        let set = Patch { path: "o_id", change: Change::Set(json!(next)) };
                        t.patch(COLLECTION, "1.1", &[set]).await?;
                        t.patch(COLLECTION, "1.2", &[add("o_id", -1)]).await?;
                        t.commit().await
                    });
                    match round {
                        Ok(()) => committed += 1,
                        Err(e) => assert_eq!(e.kind, ErrorKind::Conflict, "{e}"),
                    }
                }
            });
        }
    });
    let all = (CLIENTS * TIMES) as i64;
    assert_eq!(field(target, "1.1", "o_id"), json!(1 + all));
    assert_eq!(field(target, "1.2", "o_id"), json!(2 - all));
    // The look-ups followed.
    assert_eq!(
        find(target, &[json!(1), json!("L1"), json!(1 + all)], Order::Ascending, None),
        ["1.1"]
    );
}

/// Somebody else writes between a transaction's reads and its commit.
#[test]
fn the_first_condition_is_a_conflict_and_later_ones_are_met_by_the_newest_document() {
    let (target, _guard) = fresh();
    let target = &*target;
    load(target, 3);
    let mut session = session(target);
    let mut commit = |meanwhile: &(dyn Fn() + Sync), first: &str, second: &str| {
        wait(async {
            let mut t = session.begin(Access::Write).await.unwrap();
            t.patch(COLLECTION, first, &[add("o_id", 10)]).await.unwrap();
            t.patch(COLLECTION, second, &[add("o_id", 10)]).await.unwrap();
            std::thread::scope(|scope| scope.spawn(meanwhile).join().unwrap());
            t.commit().await
        })
    };
    let e = commit(&|| patch(target, "1.1", &[add("o_id", 100)]).unwrap(), "1.1", "1.2");
    assert_eq!(e.unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(
        (field(target, "1.1", "o_id"), field(target, "1.2", "o_id")),
        (json!(101), json!(2))
    );
    commit(&|| patch(target, "1.1", &[add("o_id", 100)]).unwrap(), "1.2", "1.1").unwrap();
    assert_eq!(
        (field(target, "1.1", "o_id"), field(target, "1.2", "o_id")),
        (json!(211), json!(12))
    );
    // Gone after a part was applied: that is not undone, and said.
    let gone = || {
        let deleted = transact(target, Access::Write, async |t| t.delete(COLLECTION, "1.3").await);
        assert!(deleted.unwrap());
    };
    let e = commit(&gone, "1.2", "1.3").unwrap_err();
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    assert!(e.to_string().contains("a part of its changes"), "{e}");
    assert_eq!(field(target, "1.2", "o_id"), json!(22));
}

/// Of two that insert the same key, or delete the same document, one is done and the other one is
/// as if it had not been, with all that it inserted and deleted before.
#[test]
fn what_cannot_be_done_twice_comes_first_and_is_undone_as_a_whole() {
    let (target, _guard) = fresh();
    let target = &*target;
    load(target, 3);
    let (mut one, mut two) = (session(target), session(target));
    wait(async {
        let mut a = one.begin(Access::Write).await.unwrap();
        let mut b = two.begin(Access::Write).await.unwrap();
        for (t, own) in [(&mut a, "9.1"), (&mut b, "9.2")] {
            t.patch(COLLECTION, "1.1", &[add("o_id", 1)]).await.unwrap();
            t.insert(COLLECTION, own, &document(9, 1)).await.unwrap();
            t.insert(COLLECTION, "9.9", &document(9, 9)).await.unwrap();
        }
        assert!(b.delete(COLLECTION, "1.2").await.unwrap());
        a.commit().await.unwrap();
        let e = b.commit().await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    });
    assert_eq!(field(target, "1.1", "o_id"), json!(2));
    assert_eq!(field(target, "1.2", "o_id"), json!(2));
    assert_eq!((get(target, "9.2", &[]), count(target)), (None, 5));
    assert_eq!(find(target, &[json!(9)], Order::Ascending, None), ["9.9", "9.1"]);
    // Deleted by the other one first.
    wait(async {
        let mut a = one.begin(Access::Write).await.unwrap();
        let mut b = two.begin(Access::Write).await.unwrap();
        for t in [&mut a, &mut b] {
            assert!(t.delete(COLLECTION, "1.2").await.unwrap());
            assert!(t.delete(COLLECTION, "1.3").await.unwrap());
        }
        b.commit().await.unwrap();
        assert_eq!(a.commit().await.unwrap_err().kind, ErrorKind::Conflict);
    });
    assert_eq!(count(target), 3);
}

/// An entry is a hint: what was left behind by a commit that ended in its midst is not found.
#[test]
fn entries_without_their_documents_are_passed_over() {
    let (target, guard) = fresh();
    let target = &*target;
    load(target, 40);
    let all = find(target, &[json!(1), json!("L1")], Order::Ascending, None);
    assert_eq!(all.len(), 14);
    let keyspace = &guard.keyspace;
    for key in &all[..9] {
        cql(admin(), &format!("DELETE FROM {keyspace}.orders WHERE y_id = '{key}'"));
    }
    for (order, expected) in [(Order::Ascending, &all[9]), (Order::Descending, &all[13])] {
        assert_eq!(find(target, &[json!(1), json!("L1")], order, Some(1)), [expected.as_str()]);
    }
    assert_eq!(find(target, &[json!(1), json!("L1")], Order::Ascending, None), all[9..]);
}

/// Without its table, or with one of other fields, nothing is searched.
#[test]
fn a_search_without_its_look_ups_is_refused() {
    let (target, _guard) = fresh();
    let target = &*target;
    load(target, 1);
    for (other, kind) in [
        (Index { name: "nothing", ..index() }, ErrorKind::Missing),
        (Index { fields: vec!["o_id"], ..index() }, ErrorKind::Invalid),
    ] {
        let found = transact(target, Access::Read, async |t| {
            t.find(&other, &[json!(1)], Order::Ascending, None, &[], Intent::Look).await
        });
        assert_eq!(found.unwrap_err().kind, kind);
    }
    // They go with the collections, and are made again with them.
    let documents = target.documents().unwrap();
    wait(documents.drop(&[COLLECTION])).unwrap();
    load(target, 2);
    assert_eq!(find(target, &[json!(1)], Order::Descending, None), ["1.2", "1.1"]);
}
