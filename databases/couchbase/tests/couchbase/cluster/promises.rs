//! What Couchbase promises where the common suite asks for more, or for something else.

use hoap_database::{Access, Change, Database, Find, Intent, Patch};
use hoap_workload::{Error, ErrorKind};
use serde_json::json;

use crate::cluster::conformance::{
    COLLECTION, batch, count, count_up, field, index, load, session, transact, wait,
};

fn set(n: i64) -> Patch<'static> {
    Patch { path: "o_id", change: Change::Set(json!(n)) }
}

pub fn a_batch_is_written_again_by_who_goes_on(target: &Database) {
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

pub fn no_update_is_lost_among_transactions(target: &Database) {
    count_up(target, 6, 20);
}

pub fn what_changed_after_it_was_read_is_a_conflict(target: &Database) {
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
pub fn of_two_that_insert_a_key_the_later_commit_is_a_conflict(target: &Database) {
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
pub fn a_key_from_a_counter_that_another_one_moved_is_a_conflict(target: &Database) {
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
pub fn a_search_that_an_index_cannot_serve_is_refused(target: &Database) {
    load(target, 1);
    let e =
        transact(target, Access::Read, async |t| t.find(Find::by(&index(), &[json!(null)])).await);
    let e = e.unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("o_w_id"), "{e}");
}
