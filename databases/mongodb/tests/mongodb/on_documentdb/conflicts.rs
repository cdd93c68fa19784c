//! Conflicts as this engine says them: without MongoDB's labels, and without ending the
//! transaction.

use hoap_database::{Access, Change, Intent, Patch};
use hoap_workload::ErrorKind;
use serde_json::json;

use super::fresh;
use crate::conformance::{COLLECTION, field, load, session, wait};

fn add(n: i64) -> [Patch<'static>; 1] {
    [Patch { path: "o_id", change: Change::AddInteger(n) }]
}

/// Code 112: the document is locked by another transaction. Code 16777220, PostgreSQL's 40001: it
/// was changed since the snapshot.
#[test]
fn both_kinds_of_conflict_are_conflicts_and_the_session_goes_on() {
    let (target, _guard) = fresh();
    load(&target, 2);
    let (mut first, mut second) = (session(&target), session(&target));
    for (committed_before, words) in [(false, "code 112"), (true, "code 16777220")] {
        let e = wait(async {
            let mut one = first.begin(Access::Write).await.unwrap();
            let mut other = second.begin(Access::Write).await.unwrap();
            for t in [&mut one, &mut other] {
                t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await.unwrap();
            }
            one.patch(COLLECTION, "1.1", &add(10)).await.unwrap();
            let e = if committed_before {
                one.commit().await.unwrap();
                other.patch(COLLECTION, "1.1", &add(1)).await.unwrap_err()
            } else {
                let e = other.patch(COLLECTION, "1.1", &add(1)).await.unwrap_err();
                one.commit().await.unwrap();
                e
            };
            // It is over for the client; the server keeps it, with its locks, until it is aborted.
            let over = other.get(COLLECTION, "1.2", &["o_id"], Intent::Look).await.unwrap_err();
            assert_eq!(over.kind, ErrorKind::Invalid, "{over}");
            other.rollback().await.unwrap();
            e
        });
        assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
        assert!(e.to_string().contains(words), "{e}");
        wait(async {
            let mut again = second.begin(Access::Write).await.unwrap();
            again.patch(COLLECTION, "1.1", &add(1)).await.unwrap();
            again.commit().await.unwrap();
        });
    }
    assert_eq!(field(&target, "1.1", "o_id"), json!(1 + 2 * 11));
}

/// Of two that insert the same key one wins, and the other one is told so or is to try again.
#[test]
fn of_two_inserts_of_a_key_one_wins() {
    let (target, _guard) = fresh();
    load(&target, 1);
    let (mut first, mut second) = (session(&target), session(&target));
    let document = |n: i64| json!({"o_w_id": 9, "o_id": n});
    wait(async {
        let mut one = first.begin(Access::Write).await.unwrap();
        let mut other = second.begin(Access::Write).await.unwrap();
        one.insert(COLLECTION, "9.9", &document(1)).await.unwrap();
        let e = other.insert(COLLECTION, "9.9", &document(2)).await.unwrap_err();
        assert!(matches!(e.kind, ErrorKind::Conflict | ErrorKind::Duplicate), "{e}");
        other.rollback().await.unwrap();
        one.commit().await.unwrap();
        let mut other = second.begin(Access::Write).await.unwrap();
        let e = other.insert(COLLECTION, "9.9", &document(2)).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
        other.rollback().await.unwrap();
    });
    assert_eq!(field(&target, "9.9", "o_id"), json!(1));
}
