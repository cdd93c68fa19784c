//! Answers that do not come within `answer_timeout_ms`.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use futures_util::future::{join, join5};
use hoap_database::key_value::{Fields, Record};
use hoap_database::shop::{Ask, JoinVariant};
use hoap_database::{Access, Change, Database, Intent, Patch};
use hoap_testing::lab::Lab;
use hoap_workload::{ErrorKind, Result};
use serde_json::json;

use super::{fresh, raw};
use crate::conformance::{
    COLLECTION, SHOP, batch, client, field, indexes, load, load_records, load_shop, record,
    session, wait,
};

const SET: [Patch; 1] = [Patch { path: "o_id", change: Change::AddInteger(10) }];

fn kind<T>(done: Result<T>) -> ErrorKind {
    let e = done.map(drop).unwrap_err();
    if matches!(e.kind, ErrorKind::Timeout | ErrorKind::Ambiguous) {
        assert!(e.to_string().contains("; look whether the server is alive"), "{e}");
    }
    e.kind
}

/// Every kind of session, in the middle of its work, and again when the server is back.
#[test]
fn a_server_that_falls_silent_ends_no_session() {
    use ErrorKind::{Ambiguous, Invalid, Timeout};
    let lab = Lab::start();
    // The pool's two connections are the transactions': the update waits for one and sends nothing.
    for (options, unanswered_update) in [("", Ambiguous), ("&pool=2", Timeout)] {
        let url = format!("{}?schema=public&sslmode=disable{options}", lab.url());
        let open = |url: &str| wait(hoap_postgres::open(url)).unwrap();
        let patient = open(&url);
        let all = [&[COLLECTION, "usertable"][..], &SHOP].concat();
        wait(patient.documents().unwrap().drop(&all)).unwrap();
        load(&patient, 3);
        load_records(&patient, &["user1", "user2"]);
        load_shop(&patient, &indexes());
        // More than a connection takes on a busy machine.
        let target = open(&format!("{url}&answer_timeout_ms=3000"));
        let documents = target.documents().unwrap();
        let (mut one, mut two) = (session(&target), session(&target));
        let (mut records, mut others) = (client(&target), client(&target));
        let mut pages = wait(target.pages().unwrap().session(Ask::Pages)).unwrap();
        let mut joins =
            wait(target.joins().unwrap().session(Ask::Joins(JoinVariant::Index))).unwrap();
        let mut bulk = wait(documents.bulk("1/1")).unwrap();
        let mut stream = wait(target.analytics().unwrap().session()).unwrap();
        let (mut there, mut keys, mut rows) = (Record::default(), Vec::new(), Vec::new());
        wait(async {
            let mut a = one.begin(Access::Write).await.unwrap();
            a.patch(COLLECTION, "1.1", &SET).await.unwrap();
            let mut b = two.begin(Access::Write).await.unwrap();
            b.patch(COLLECTION, "1.2", &SET).await.unwrap();
            let more = batch(1, [9]);
            let frozen = lab.freeze();
            let first = join5(
                a.get(COLLECTION, "1.1", &[], Intent::Look),
                records.read("user1", Fields::All, &mut there),
                pages.page("x", 0, 5, &mut keys),
                joins.join("x", "y", &mut rows),
                bulk.write(COLLECTION, &more, 9),
            );
            let value = record([(0, "late")]);
            let second = join5(
                b.commit(),
                others.update("user1", &value),
                stream.counters(COLLECTION, "o_id"),
                documents.note(),
                documents.any_exists(&[COLLECTION]),
            );
            let (first, second) = join(first, second).await;
            let first = [kind(first.0), kind(first.1), kind(first.2), kind(first.3), kind(first.4)];
            assert_eq!(first, [Timeout; 5]);
            let second =
                [kind(second.0), kind(second.1), kind(second.2), kind(second.3), kind(second.4)];
            assert_eq!(second, [Ambiguous, unanswered_update, Timeout, Timeout, Timeout]);
            assert_eq!(kind(a.get(COLLECTION, "1.1", &[], Intent::Look).await), Invalid);
            a.rollback().await.unwrap();
            // The next transaction begins with its first read, on a new connection that has no
            // answer either.
            assert_eq!(kind(one.begin(Access::Read).await.map(drop)), Timeout);
            drop(frozen);
            // No late answer is taken for another one: another record, page, join, document.
            assert!(records.read("user2", Fields::One(0), &mut there).await.unwrap());
            assert!(others.update("user2", &record([(0, "new")])).await.unwrap());
            assert!(records.read("user2", Fields::One(0), &mut there).await.unwrap());
            assert_eq!(there, record([(0, "new")]));
            pages.page("nowhere", 0, 5, &mut keys).await.unwrap();
            joins.join("nowhere", "y", &mut rows).await.unwrap();
            assert!(keys.is_empty() && rows.is_empty());
            assert_eq!(stream.counters(COLLECTION, "o_id").await.unwrap().len(), 3);
            assert_eq!(documents.note().await.unwrap(), None);
            assert!(documents.any_exists(&[COLLECTION]).await.unwrap());
            // No lock of the abandoned transaction is left, nor what it wrote.
            for session in [&mut one, &mut two] {
                let mut t = session.begin(Access::Write).await.unwrap();
                t.patch(COLLECTION, "1.1", &SET).await.unwrap();
                t.commit().await.unwrap();
            }
            assert_eq!(bulk.position(COLLECTION).await.unwrap(), 3);
            bulk.write(COLLECTION, &more, 4).await.unwrap();
        });
        assert_eq!(field(&patient, "1.1", "o_id"), json!(21));
        assert!([json!(2), json!(12)].contains(&field(&patient, "1.2", "o_id")));
        let text = "SELECT count(*) AS n FROM pg_stat_activity WHERE state LIKE 'idle in %'";
        let start = Instant::now();
        while wait(stream.query(text, &[])).unwrap().rows != [[json!(0)]] {
            assert!(start.elapsed() < Duration::from_secs(30), "a transaction is left open");
        }
    }
}

/// It takes connections and says nothing at all, whatever it is asked.
#[test]
fn a_server_that_never_speaks_is_a_timeout_of_each_operation() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = silent.local_addr().unwrap();
    let url = format!("postgres://hoap@{place}/hoap?connect_timeout=0&answer_timeout_ms=200");
    let target: Database = wait(hoap_postgres::open(&url)).unwrap();
    let documents = target.documents().unwrap();
    let note = wait(documents.note()).unwrap_err();
    assert_eq!(note.kind, ErrorKind::Timeout);
    assert!(note.to_string().starts_with("read the note in postgres://127.0.0.1"), "{note}");
    assert!(note.to_string().contains("no answer within 200 ms"), "{note}");
    assert_eq!(kind(wait(documents.set_note(None, &json!(1)))), ErrorKind::Ambiguous);
    assert_eq!(kind(wait(documents.bulk("1/1")).map(drop)), ErrorKind::Timeout);
}

/// A write that waits for the pool's only connection has sent nothing, and a transaction neither.
#[test]
fn a_wait_for_a_connection_of_the_pool_is_a_timeout() {
    let (direct, schema) = fresh();
    load_records(&direct, &["user1", "user2"]);
    load(&direct, 1);
    let target = schema.open("&answer_timeout_ms=1000&pool=1");
    let (mut waiting, mut holding) = (client(&target), session(&target));
    let value = record([(0, "late")]);
    let mut other = session(&target);
    wait(async {
        let t = holding.begin(Access::Write).await.unwrap();
        let e = other.begin(Access::Write).await.map(drop).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
        let e = waiting.update("user1", &value).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
        assert!(e.to_string().contains("nothing was sent: no answer within 1000 ms"), "{e}");
        t.rollback().await.unwrap();
        // With a connection it is sent, and its outcome would be unknown.
        assert!(waiting.update("user1", &value).await.unwrap());
    });
}

/// A statement behind a lock: the server is asked to end it, and the transaction with it. The pool
/// goes on with another connection.
#[test]
fn what_waits_too_long_is_ended_in_the_server() {
    let (direct, schema) = fresh();
    load(&direct, 2);
    load_records(&direct, &["user1", "user2"]);
    let holder = raw();
    let name = &schema.name;
    let lock = format!(
        "BEGIN; SELECT 1 FROM {name}.orders WHERE key = '1.1' FOR UPDATE;
         SELECT 1 FROM {name}.usertable WHERE key = 'user1' FOR UPDATE"
    );
    wait(holder.batch_execute(&lock)).unwrap();
    for options in ["", "&pool=1"] {
        let target = schema.open(&format!("&answer_timeout_ms=2000{options}"));
        let mut impatient = session(&target);
        let mut records = client(&target);
        wait(async {
            let mut t = impatient.begin(Access::Write).await.unwrap();
            t.patch(COLLECTION, "1.2", &SET).await.unwrap();
            assert_eq!(kind(t.patch(COLLECTION, "1.1", &SET).await), ErrorKind::Timeout);
            drop(t);
            assert_eq!(
                kind(records.update("user1", &record([(0, "late")])).await),
                ErrorKind::Ambiguous
            );
            assert!(records.read("user2", Fields::All, &mut Record::default()).await.unwrap());
        });
        // The lock on 1.1 is still held, what waited for it is gone, and so is its lock on 1.2.
        let mut patient = session(&direct);
        wait(async {
            let mut t = patient.begin(Access::Write).await.unwrap();
            t.patch(COLLECTION, "1.2", &SET).await.unwrap();
            t.rollback().await.unwrap();
        });
    }
    wait(holder.batch_execute("ROLLBACK")).unwrap();
    // What waited does not go on now.
    assert_eq!(field(&direct, "1.1", "o_id"), json!(1));
    let mut there = Record::default();
    assert!(wait(client(&direct).read("user1", Fields::One(0), &mut there)).unwrap());
    assert_ne!(there, record([(0, "late")]));
}
