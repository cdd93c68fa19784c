//! What the module and the driver send in transactions, and what they make of the answers.

use hoap_database::{Access, Change, Database, Intent, Patch};
use hoap_workload::{Error, ErrorKind};
use mongodb::bson::{Document, doc};
use serde_json::json;

use super::{Instead, Peer};
use crate::conformance::{COLLECTION, batch, count, field, load, session, transact, wait};
use crate::{Guard, open, own_database, server, with};

fn peer() -> Peer {
    Peer::new(&own_database(&server("HOAP_TEST_MONGO_WIRE")))
}

/// Ends a test: the driver kept to the protocol.
pub struct Kept(Peer, #[allow(dead_code)] Guard);

impl Kept {
    pub fn peer(&self) -> Peer {
        self.0.clone()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let violations = self.0.violations();
        assert!(violations.is_empty() || std::thread::panicking(), "{violations:?}");
    }
}

fn fresh() -> (Database, Kept) {
    let peer = peer();
    let target = open(&peer.url());
    (target.clone(), Kept(peer, Guard(target)))
}

/// The URL of a peer, and what ends the test.
pub fn fresh_url() -> (String, Kept) {
    let peer = peer();
    let target = open(&peer.url());
    (peer.url(), Kept(peer, Guard(target)))
}

crate::transaction_suite!(fresh);

fn add(path: &'static str, n: i64) -> Patch<'static> {
    Patch { path, change: Change::AddInteger(n) }
}

/// Patches one document in a transaction of its own.
fn patch(target: &Database) -> Result<(), Error> {
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await?;
        t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await?;
        t.patch(COLLECTION, "1.1", &[add("o_id", 1)]).await?;
        t.commit().await
    })
}

fn failure(code: i32, label: &str) -> Document {
    doc! {"ok": 0.0, "code": code, "codeName": "Scripted", "errmsg": "scripted", "errorLabels": [label]}
}

const TRANSIENT: &str = "TransientTransactionError";
const UNKNOWN: &str = "UnknownTransactionCommitResult";

#[test]
fn a_transaction_is_begun_with_its_concerns_and_committed_with_them() {
    let (target, kept) = fresh();
    load(&target, 1);
    kept.0.log();
    patch(&target).unwrap();
    let log = kept.0.log();
    let names: Vec<_> = log.iter().map(|c| c.get_str("name").unwrap()).collect();
    assert_eq!(names, ["find", "update", "commitTransaction"]);
    assert!(log[0].get_bool("startTransaction").unwrap());
    assert_eq!(log[0].get_document("readConcern").unwrap(), &doc! {"level": "snapshot"});
    assert_eq!(log[2].get_document("writeConcern").unwrap(), &doc! {"w": "majority"});
    let numbers: Vec<_> = log.iter().map(|c| c.get_i64("txnNumber").unwrap()).collect();
    assert!(numbers.iter().all(|n| *n == numbers[0]), "{numbers:?}");
    // The options say otherwise.
    let options = "transaction_read_concern=majority&transaction_write_concern=2";
    let other = open(&with(&kept.0.url(), options));
    patch(&other).unwrap();
    let log = kept.0.log();
    assert_eq!(log[0].get_document("readConcern").unwrap(), &doc! {"level": "majority"});
    assert_eq!(log[2].get_document("writeConcern").unwrap(), &doc! {"w": 2});
    assert_eq!(field(&target, "1.1", "o_id"), json!(3));
}

#[test]
fn a_reading_transaction_begins_with_its_first_read() {
    let (target, kept) = fresh();
    load(&target, 1);
    kept.0.log();
    transact(&target, Access::Read, async |t| {
        t.get(COLLECTION, "1.1", &["o_id"], Intent::Look).await.map(drop)
    })
    .unwrap();
    let log = kept.0.log();
    let names: Vec<_> = log.iter().map(|c| c.get_str("name").unwrap()).collect();
    assert_eq!(names, ["find", "commitTransaction"]);
    assert!(log[0].get_bool("startTransaction").unwrap());
    // One that reads nothing asks nothing.
    transact(&target, Access::Read, async |_| Ok(())).unwrap();
    assert!(kept.0.log().is_empty());
}

#[test]
fn a_query_is_explained_by_the_command_of_its_pipeline() {
    let (target, kept) = fresh();
    let answer = doc! {
        "ok": 1.0, "explainVersion": "1",
        "queryPlanner": {"winningPlan": {"stage": "COLLSCAN"}, "hash": mongodb::bson::oid::ObjectId::new()},
        "executionStats": {"executionTimeMillis": 7_i64},
    };
    kept.0.next("explain", Instead::Answer(answer));
    kept.0.log();
    let text = r#"{"collection": "orders", "columns": ["n"], "pipeline": [{"$match": {"o_id": {"$param": "o"}}}]}"#;
    let explained = wait(async {
        let mut session = target.analytics().unwrap().session().await.unwrap();
        session.explain(text, &[("o".to_owned(), json!(3))]).await.unwrap()
    });
    assert_eq!(explained.plan["queryPlanner"]["winningPlan"]["stage"], "COLLSCAN");
    assert!(explained.plan["queryPlanner"]["hash"].is_string(), "{}", explained.plan);
    assert_eq!(explained.plan.get("ok"), None);
    assert_eq!(explained.profile, json!({"executionTimeMillis": 7}));
}

#[test]
fn what_is_labelled_transient_is_a_conflict_and_runs_again() {
    let (target, kept) = fresh();
    load(&target, 1);
    for command in ["find", "update", "commitTransaction"] {
        kept.0.next(command, Instead::Answer(failure(112, TRANSIENT)));
        let e = patch(&target).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Conflict, "{command}: {e}");
        if command == "commitTransaction" {
            // What the peer left open the server would have aborted.
            kept.0.forget();
        }
    }
    assert_eq!(field(&target, "1.1", "o_id"), json!(1), "nothing was applied");
    patch(&target).unwrap();
    assert_eq!(field(&target, "1.1", "o_id"), json!(2));
}

#[test]
fn a_connection_lost_within_a_transaction_is_a_conflict() {
    let (target, kept) = fresh();
    load(&target, 1);
    kept.0.next("update", Instead::Close);
    let e = patch(&target).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    patch(&target).unwrap();
    assert_eq!(field(&target, "1.1", "o_id"), json!(2));
}

#[test]
fn a_commit_of_unknown_result_is_sent_again_and_applied_once() {
    let (target, kept) = fresh();
    load(&target, 1);
    // The commit instead of which the peer closes the connection is not in its log.
    for (n, (instead, logged)) in [
        (Instead::Answer(failure(91, UNKNOWN)), 2),
        (Instead::AnswerAfter(failure(64, UNKNOWN)), 2),
        (Instead::Close, 1),
        (Instead::CloseAfter, 2),
    ]
    .into_iter()
    .enumerate()
    {
        kept.0.log();
        kept.0.next("commitTransaction", instead);
        patch(&target).unwrap();
        let log = kept.0.log();
        let commits = log.iter().filter(|c| c.get_str("name").unwrap() == "commitTransaction");
        assert_eq!(commits.count(), logged, "{log:?}");
        assert_eq!(field(&target, "1.1", "o_id"), json!(2 + n as i64));
    }
}

#[test]
fn a_commit_that_stays_unknown_is_ambiguous() {
    let peer = peer();
    let target = open(&with(&peer.url(), "commit_timeout_ms=300"));
    let _kept = Kept(peer.clone(), Guard(target.clone()));
    load(&target, 1);
    for _ in 0..200 {
        peer.next("commitTransaction", Instead::Answer(failure(91, UNKNOWN)));
    }
    let e = patch(&target).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    peer.forget();
}

#[test]
fn an_error_without_a_label_is_no_conflict() {
    let (target, kept) = fresh();
    load(&target, 1);
    kept.0.next(
        "update",
        Instead::Answer(
            doc! {"ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": "not authorized"},
        ),
    );
    let e = patch(&target).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("readWrite"), "{e}");
}

/// What a load does that was killed between a batch and its progress, and goes on.
#[test]
fn a_batch_that_is_there_already_is_replaced_in_few_round_trips() {
    let (target, kept) = fresh();
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=200), 200).await.unwrap();
        kept.0.asked();
        bulk.write(COLLECTION, &batch(1, 1..=300), 300).await.unwrap();
    });
    assert_eq!(kept.0.asked(), ["insert", "delete", "insert", "update"]);
    assert_eq!(count(&target), 300);
}

#[test]
fn the_stored_size_is_unknown_where_there_is_no_command_for_it_and_else_an_error() {
    let (target, kept) = fresh();
    load(&target, 1);
    let said = |code: i32| Instead::Answer(failure(code, "none"));
    for (instead, kind) in [
        (said(59), None),                         // CommandNotFound
        (said(115), None),                        // CommandNotSupported
        (said(323), None),                        // APIStrictError
        (said(13), Some(ErrorKind::Unavailable)), // Unauthorized
        (said(50), Some(ErrorKind::Timeout)),     // MaxTimeMSExpired
        (Instead::Close, Some(ErrorKind::Unavailable)),
    ] {
        kept.0.next("collStats", instead.clone());
        let stored = wait(target.documents().unwrap().stored(&[COLLECTION]));
        match (stored, kind) {
            (Ok(Err(no)), None) => assert!(no.to_string().contains("it has no collStats"), "{no}"),
            (Err(e), Some(kind)) => {
                assert_eq!(e.kind, kind, "{instead:?}: {e}");
                assert!(e.to_string().starts_with("read the stored size of"), "{e}");
            }
            (stored, _) => panic!("{instead:?}: {stored:?}"),
        }
    }
}
