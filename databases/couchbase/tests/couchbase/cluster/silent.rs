//! Services that say nothing for longer than an operation may take.

use std::sync::atomic::Ordering;

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Access, Change, Intent, Patch, Session};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::json;

use crate::cluster::conformance::{
    COLLECTION, field, load, load_records, record, session, table, wait,
};
use crate::cluster::service::{Act, Service};
use crate::cluster::{open, patient, with};

/// A URL whose own limits are far away.
fn limited(service: &Service) -> String {
    with(&patient(&service.url()), "answer_timeout_ms=1500")
}

fn told(kind: ErrorKind, e: &Error, words: &str) {
    assert_eq!(e.kind, kind, "{e}");
    let line = e.to_string();
    assert!(line.starts_with(words) && line.contains("answer_timeout_ms"), "{line}");
}

fn add(n: i64) -> [Patch<'static>; 1] {
    [Patch { path: "o_id", change: Change::AddInteger(n) }]
}

/// One transaction of a client.
async fn change(session: &mut Session, n: i64) -> Result<()> {
    let mut t = session.begin(Access::Write).await?;
    t.patch(COLLECTION, "1.1", &add(n)).await?;
    t.get(COLLECTION, "1.2", &["o_id"], Intent::Look).await?;
    t.commit().await
}

/// A statement without an answer ends its transaction, whose changes are undone before the next one
/// of the same client begins.
#[test]
fn a_transaction_without_an_answer_ends_and_the_session_does_not() {
    let service = Service::start();
    let target = open(&limited(&service));
    load(&open(&patient(&service.url())), 2);
    let mut session = session(&target);
    let open_ones = || service.0.store.lock().unwrap().txs.len();
    wait(async {
        // Its statements are prepared.
        change(&mut session, 1).await.unwrap();
        service.fault("BEGIN WORK", Act::Hang);
        let e = change(&mut session, 10).await.unwrap_err();
        told(ErrorKind::Timeout, &e, "begin a transaction in couchbase:");
        service.fault("SELECT RAW", Act::Hang);
        let mut t = session.begin(Access::Write).await.unwrap();
        t.patch(COLLECTION, "1.1", &add(100)).await.unwrap();
        let e = t.get(COLLECTION, "1.2", &["o_id"], Intent::Look).await.unwrap_err();
        told(ErrorKind::Timeout, &e, "get orders 1.2 in couchbase:");
        let e = t.commit().await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        change(&mut session, 1000).await.unwrap();
        assert_eq!(open_ones(), 0);
        service.fault("COMMIT WORK", Act::Hang);
        let e = change(&mut session, 10000).await.unwrap_err();
        told(ErrorKind::Ambiguous, &e, "commit in couchbase:");
    });
    assert_eq!(field(&target, "1.1", "o_id"), json!(1002));
}

#[test]
fn a_record_without_an_answer_is_a_timeout_or_ambiguous_and_the_next_is_there() {
    let service = Service::start();
    load_records(&open(&patient(&service.url())), &["user1", "user2"]);
    let target = open(&limited(&service));
    let mut client = wait(target.key_value().unwrap().session(&table(4))).unwrap();
    let mut there = Record::default();
    // The driver looks the collection's number up before the first operation.
    assert!(wait(client.read("user1", Fields::All, &mut there)).unwrap());
    service.0.kv_hangs.store(true, Ordering::SeqCst);
    let e = wait(client.read("user1", Fields::All, &mut there)).unwrap_err();
    told(ErrorKind::Timeout, &e, "read usertable user1 in couchbase:");
    let e = wait(client.insert("user7", &record([(0, "a")]))).unwrap_err();
    told(ErrorKind::Ambiguous, &e, "insert usertable user7 in couchbase:");
    service.0.kv_hangs.store(false, Ordering::SeqCst);
    assert!(wait(client.read("user2", Fields::One(0), &mut there)).unwrap());
    assert_eq!(there, record([(0, "user2 0")]));
}
