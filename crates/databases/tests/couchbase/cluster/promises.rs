//! What Couchbase promises where the common suite asks for more, or for something else.

use hoap_workload::capability::{Access, Change, Intent, Order, Patch, Target};
use hoap_workload::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::cluster::conformance::{
    COLLECTION, batch, count, field, index, load, session, transact, wait,
};

/// Equal, numbers by their value.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

pub fn values_come_back_equal<T: Target>(target: &T) {
    load(target, 0);
    let values = json!({
        "null": null, "yes": true, "no": false, "zero": 0, "one": 1, "minus": -7,
        "large": i64::MAX, "small": i64::MIN, "real": 0.1, "third": 1.0 / 3.0, "money": 300000.0,
        "sum": 0.1 + 0.2, "empty": "", "number_text": "12", "quote": "it's \"so\" \\ / \n\t\u{1}",
        "unicode": "Grüße 雪 \u{1F600}", "nothing": [], "list": [1, [2.5, {"a": null}], "x"],
        "object": {"b": 1, "a": {"c": [true]}}, "none": {}
    });
    let names = values.as_object().unwrap();
    let patches: Vec<_> = names
        .iter()
        .map(|(name, value)| Patch {
            path: Box::leak(name.clone().into_boxed_str()),
            change: Change::Set(value.clone()),
        })
        .collect();
    transact(target, Access::Write, async |t| {
        t.insert(COLLECTION, "1.1", &values).await?;
        t.insert(COLLECTION, "1.2", &json!({})).await?;
        t.patch(COLLECTION, "1.2", &patches).await
    })
    .unwrap();
    for key in ["1.1", "1.2"] {
        for (name, value) in names {
            let found = field(target, key, name);
            assert!(equal(&found, value), "{name}: {found}");
        }
    }
}

pub fn a_batch_is_written_again_by_who_goes_on<T: Target>(target: &T) {
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=5), 5).await.unwrap();
        // A load that ended before it saved its progress left some of its last batch.
        bulk.write(COLLECTION, &batch(1, [6, 7]), 5).await.unwrap();
        let mut next = documents.bulk("1/1").await.unwrap();
        assert_eq!(next.position(COLLECTION).await.unwrap(), 5);
        next.write(COLLECTION, &batch(1, 6..=9), 9).await.unwrap();
        assert_eq!(next.position(COLLECTION).await.unwrap(), 9);
        documents.settle(&[]).await.unwrap();
    });
    assert_eq!(count(target), 9);
}

fn set(n: i64) -> Patch {
    Patch { path: "o_id", change: Change::Set(json!(n)) }
}

/// Clients read a number, and write it back one larger.
pub fn no_update_is_lost_among_transactions<T: Target>(target: &T) {
    const CLIENTS: usize = 6;
    const TIMES: usize = 20;
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
                        t.patch(COLLECTION, "1.1", &[set(next)]).await?;
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
    assert_eq!(field(target, "1.1", "o_id"), json!(1 + CLIENTS * TIMES));
}

pub fn what_changed_after_it_was_read_is_a_conflict<T: Target>(target: &T) {
    load(target, 3);
    let (mut one, mut other) = (session(target), session(target));
    let change_then = |delete: bool| -> Error {
        let (mut one, mut other) = (session(target), session(target));
        wait(async {
            let mut t = one.begin(Access::Write).await.unwrap();
            t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await.unwrap();
            let mut u = other.begin(Access::Write).await.unwrap();
            u.patch(COLLECTION, "1.1", &[set(50)]).await.unwrap();
            u.commit().await.unwrap();
            match delete {
                true => t.delete(COLLECTION, "1.1").await.map(drop),
                false => t.patch(COLLECTION, "1.1", &[set(2)]).await,
            }
            .unwrap_err()
        })
    };
    for delete in [false, true] {
        let e = change_then(delete);
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    }
    assert_eq!(field(target, "1.1", "o_id"), json!(50));
    // Two that write the same document at the same time: neither is refused before the later
    // COMMIT.
    wait(async {
        let mut t = one.begin(Access::Write).await.unwrap();
        t.patch(COLLECTION, "1.2", &[set(20)]).await.unwrap();
        let mut u = other.begin(Access::Write).await.unwrap();
        u.patch(COLLECTION, "1.2", &[set(21)]).await.unwrap();
        // What was only looked at may change.
        t.get(COLLECTION, "1.3", &["o_id"], Intent::Look).await.unwrap();
        t.patch(COLLECTION, "1.2", &[set(22)]).await.unwrap();
        t.commit().await.unwrap();
        let e = u.commit().await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    });
    assert_eq!(field(target, "1.2", "o_id"), json!(22));
}

/// An INSERT of a key that is there is refused at once, and of two that insert it at the same time
/// one at its COMMIT.
pub fn of_two_that_insert_a_key_the_later_commit_is_a_conflict<T: Target>(target: &T) {
    load(target, 1);
    let (mut one, mut other) = (session(target), session(target));
    wait(async {
        let mut t = one.begin(Access::Write).await.unwrap();
        let mut u = other.begin(Access::Write).await.unwrap();
        t.insert(COLLECTION, "9.9", &json!({"o_id": 1})).await.unwrap();
        u.insert(COLLECTION, "9.9", &json!({"o_id": 2})).await.unwrap();
        let e = u.insert(COLLECTION, "9.9", &json!({"o_id": 3})).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
        t.commit().await.unwrap();
        let e = u.commit().await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
        let mut u = other.begin(Access::Write).await.unwrap();
        let e = u.insert(COLLECTION, "9.9", &json!({"o_id": 2})).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
        u.rollback().await.unwrap();
    });
    assert_eq!(field(target, "9.9", "o_id"), json!(1));
}

/// As two that take their key from the same counter meet: the later one is to try again.
pub fn a_key_from_a_counter_that_another_one_moved_is_a_conflict<T: Target>(target: &T) {
    load(target, 1);
    let (mut one, mut other) = (session(target), session(target));
    wait(async {
        let mut u = other.begin(Access::Write).await.unwrap();
        u.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await.unwrap();
        u.patch(COLLECTION, "1.1", &[set(2)]).await.unwrap();
        let mut t = one.begin(Access::Write).await.unwrap();
        t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await.unwrap();
        t.patch(COLLECTION, "1.1", &[set(2)]).await.unwrap();
        t.insert(COLLECTION, "9.1", &json!({"o_id": 1})).await.unwrap();
        t.commit().await.unwrap();
        let e = u.insert(COLLECTION, "9.1", &json!({"o_id": 1})).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    });
    assert_eq!(field(target, "1.1", "o_id"), json!(2));
}

/// The service would scan every document.
pub fn a_search_that_an_index_cannot_serve_is_refused<T: Target>(target: &T) {
    load(target, 1);
    let e = transact(target, Access::Read, async |t| {
        t.find(&index(), &[json!(null)], Order::Ascending, None, &[], Intent::Look).await
    });
    let e = e.unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("o_w_id"), "{e}");
}
