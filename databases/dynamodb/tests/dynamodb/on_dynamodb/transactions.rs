//! Document transactions, where the suite asks for a snapshot, and the limits.

use hoap_database::{Access, Change, Database, Find, Intent, Patch};
use hoap_workload::{Error, ErrorKind};
use serde_json::{Value, json};

use super::fresh;
use crate::conformance::{COLLECTION, document, field, get, index, load, session, transact, wait};
use crate::fresh_with;

fn set(path: &str, value: Value) -> Patch<'_> {
    Patch { path, change: Change::Set(value) }
}

pub fn add(path: &'static str, n: i64) -> Patch<'static> {
    Patch { path, change: Change::AddInteger(n) }
}

fn patch(target: &Database, key: &str, patches: &[Patch<'_>]) -> Result<(), Error> {
    transact(target, Access::Write, async |t| t.patch(COLLECTION, key, patches).await)
}

fn insert(target: &Database, key: &str, document: &Value) -> Result<(), Error> {
    transact(target, Access::Write, async |t| t.insert(COLLECTION, key, document).await)
}

/// A reading transaction that saw two states is told so, at its end at the latest.
#[test]
fn a_reader_that_saw_two_states_is_a_conflict() {
    let (target, _guard) = fresh();
    load(&target, 3);
    let mut session = session(&target);
    let see = async |t: &mut hoap_database::Transaction<'_>, key: &str| {
        t.get(COLLECTION, key, &["o_id"], Intent::Look).await
    };
    let beside = |key: &'static str| {
        std::thread::scope(|scope| {
            scope.spawn(|| patch(&target, key, &[add("o_id", 5)]).unwrap());
        });
    };
    wait(async {
        // What it has read was changed before it reads something else.
        let mut t = session.begin(Access::Read).await.unwrap();
        assert_eq!(see(&mut t, "1.1").await.unwrap(), Some(vec![json!(1)]));
        beside("1.1");
        see(&mut t, "1.2").await.unwrap();
        assert_eq!(t.commit().await.unwrap_err().kind, ErrorKind::Conflict);
        // The same document in two states.
        let mut t = session.begin(Access::Read).await.unwrap();
        see(&mut t, "1.1").await.unwrap();
        beside("1.1");
        assert_eq!(see(&mut t, "1.1").await.unwrap_err().kind, ErrorKind::Conflict);
        assert_eq!(t.commit().await.unwrap_err().kind, ErrorKind::Conflict);
        // One that was absent has come.
        let mut t = session.begin(Access::Read).await.unwrap();
        assert_eq!(see(&mut t, "7.7").await.unwrap(), None);
        std::thread::scope(|scope| {
            scope.spawn(|| insert(&target, "7.7", &document(7, 7)).unwrap());
        });
        see(&mut t, "1.2").await.unwrap();
        assert_eq!(t.commit().await.unwrap_err().kind, ErrorKind::Conflict);
        // Other documents are nothing to it.
        let mut t = session.begin(Access::Read).await.unwrap();
        see(&mut t, "1.2").await.unwrap();
        beside("1.1");
        see(&mut t, "1.3").await.unwrap();
        t.commit().await.unwrap();
    });
}

/// Its marks fit into no single request, and still nobody's change slips through.
#[test]
fn a_reader_of_hundreds_of_documents_is_checked_whole() {
    let (target, _guard) = fresh();
    load(&target, 350);
    let keys: Vec<String> = (1..=350).map(|o| format!("1.{o}")).collect();
    let read = |meanwhile: &dyn Fn()| {
        transact(&target, Access::Read, async |t| {
            let rows = t.get_many(COLLECTION, &keys, &["o_id"], Intent::Look).await?;
            assert!(rows.iter().zip(1..).all(|(row, o)| *row == Some(vec![json!(o)])));
            meanwhile();
            Ok(())
        })
    };
    read(&|| {}).unwrap();
    let e = read(&|| {
        std::thread::scope(|scope| {
            scope.spawn(|| patch(&target, "1.349", &[set("o_open", json!(false))]).unwrap());
        });
    });
    assert_eq!(e.unwrap_err().kind, ErrorKind::Conflict);
}

#[test]
fn what_was_read_to_be_changed_is_a_condition_and_what_was_looked_at_as_told() {
    for (options, looked) in [("conditions=changed", true), ("conditions=read", false)] {
        let (target, _guard) = fresh_with(options);
        load(&target, 3);
        for (intent, passes) in [(Intent::Look, looked), (Intent::Change, false)] {
            let mut session = session(&target);
            let end = wait(async {
                let mut t = session.begin(Access::Write).await?;
                t.get(COLLECTION, "1.1", &["o_id"], intent).await?;
                t.patch(COLLECTION, "1.2", &[add("o_id", 1)]).await?;
                std::thread::scope(|scope| {
                    scope.spawn(|| patch(&target, "1.1", &[add("o_id", 1)]).unwrap());
                });
                t.commit().await
            });
            match passes {
                true => end.unwrap(),
                false => assert_eq!(end.unwrap_err().kind, ErrorKind::Conflict, "{options}"),
            }
        }
        let committed = 2 + i64::from(looked);
        assert_eq!(field(&target, "1.2", "o_id"), json!(committed));
    }
}

#[test]
fn a_transaction_of_more_than_100_items_is_refused_and_changes_nothing() {
    let (target, _guard) = fresh();
    load(&target, 120);
    let end = |patched: i64| {
        transact(&target, Access::Write, async |t| {
            for o in 1..=patched {
                t.patch(COLLECTION, &format!("1.{o}"), &[set("o_open", json!(false))]).await?;
            }
            Ok(())
        })
    };
    end(100).unwrap();
    let e = end(101).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("101 items") && e.to_string().contains("takes 100"), "{e}");
    assert_eq!(field(&target, "1.101", "o_open"), json!(true));
    assert_eq!(field(&target, "1.100", "o_open"), json!(false));
}

#[test]
fn an_index_follows_inserts_patches_and_deletes_of_one_transaction_and_the_next() {
    let (target, _guard) = fresh();
    load(&target, 6);
    let find = |prefix: Value| {
        let found = transact(&target, Access::Read, async |t| {
            let prefix = prefix.as_array().unwrap();
            t.find(Find { fields: &["o_id"], ..Find::by(&index(), prefix) }).await
        });
        found.unwrap().into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!(find(json!([1, "L1"])), ["1.1", "1.4"]);
    transact(&target, Access::Write, async |t| {
        t.patch(COLLECTION, "1.1", &[set("o_name.last", json!("L2")), add("o_id", 0)]).await?;
        t.insert(COLLECTION, "1.7", &document(1, 7)).await?;
        assert!(t.delete(COLLECTION, "1.4").await?);
        // Made, changed and gone again: nothing is left of it.
        t.insert(COLLECTION, "1.10", &document(1, 10)).await?;
        assert!(t.delete(COLLECTION, "1.10").await?);
        assert!(!t.delete(COLLECTION, "1.10").await?);
        // Gone and there again, as another document.
        assert!(t.delete(COLLECTION, "1.2").await?);
        t.insert(COLLECTION, "1.2", &document(2, 2)).await
    })
    .unwrap();
    assert_eq!(find(json!([1, "L1"])), ["1.7"]);
    assert_eq!(find(json!([1, "L2"])), ["1.1", "1.5"]);
    assert_eq!(find(json!([2])), ["1.2"]);
    assert_eq!(get(&target, "1.10", &[]), None);
    assert_eq!(field(&target, "1.2", "o_w_id"), json!(2));
    let missing = transact(&target, Access::Read, async |t| {
        let absent = hoap_database::Index { name: "absent".into(), ..index() };
        t.find(Find::by(&absent, &[json!(1)])).await
    });
    assert_eq!(missing.unwrap_err().kind, ErrorKind::Missing);
}
