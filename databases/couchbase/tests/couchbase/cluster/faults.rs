//! Services that refuse, lose connections, or do not answer.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_database::{Access, Change, Database, Intent, Patch};
use hoap_workload::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::cluster::conformance::{
    COLLECTION, batch, count, field, get, load, load_records, record, session, table, wait,
};
use crate::cluster::service::{Act, Service};
use crate::cluster::{open, patient, with};

fn refused(url: &str) -> Error {
    let e = wait(hoap_couchbase::open(url)).map(drop).unwrap_err();
    hoap_testing::errors::has(&e, &[]);
    e
}

fn error(code: u64, message: &str, cause: Value) -> Act {
    let error = json!({"code": code, "msg": message, "cause": cause});
    Act::Answer(500, json!({"results": [], "errors": [error], "status": "fatal"}))
}

/// Ends what a fault left under way, as its time limit would.
fn roll_all_back(service: &Service) {
    let mut store = service.0.store.lock().unwrap();
    let left: Vec<_> = store.txs.keys().cloned().collect();
    left.iter().for_each(|id| store.roll_back(id));
}

/// One transaction that changes a document, with its commit.
fn change(target: &Database) -> Result<(), Error> {
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await?;
        t.get(COLLECTION, "1.1", &["o_id"], Intent::Change).await?;
        let add = Patch { path: "o_id", change: Change::AddInteger(1) };
        t.patch(COLLECTION, "1.1", &[add]).await?;
        t.commit().await
    })
}

#[test]
fn a_wrong_password_and_a_missing_service_are_said_in_time() {
    let service = Service::start();
    let started = Instant::now();
    let quick = "connect_timeout_ms=700";
    let query = format!("query_nodes=127.0.0.1:{}&{quick}", service.query_ports()[0]);
    let e = refused(&with(&service.url_as("script", "another secret"), &query));
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("check the user, the password"), "{e}");
    let e = refused(&with(&service.url().replace("/bench", "/other"), &query));
    assert!(e.to_string().contains("there is no bucket other"), "{e}");
    let nobody =
        format!("couchbase://script:secret@127.0.0.1:1/bench?{quick}&query_nodes=127.0.0.1:2");
    let e = refused(&nobody);
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("no answer within 0.7 s"), "{e}");
    // A data service that speaks no TLS.
    let tls = with(&service.url().replace("couchbase:", "couchbases:"), &query);
    assert_eq!(refused(&tls).kind, ErrorKind::Unavailable);
    let e = refused(&with(&tls, "tls_ca=/nowhere.pem"));
    assert!(e.to_string().contains("/nowhere.pem"), "{e}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn conflicts_of_transactions_are_conflicts_wherever_they_arise() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load(&target, 1);
    let retry = json!({"retry": true, "rollback": true, "raise": "failed"});
    for (words, act) in [
        ("UPDATE `orders`", error(17010, "Transaction timeout", json!(null))),
        ("UPDATE `orders`", error(17015, "UPDATE cas mismatch for key: 1.1", json!(null))),
        ("UPDATE `orders`", error(17020, "Transaction staging error", retry.clone())),
        ("UPDATE `orders`", error(17004, "Transaction context error", json!(null))),
        ("UPDATE `orders`", error(12009, "DML Error: write write conflict", json!(null))),
        ("UPDATE `orders`", error(17020, "Transaction staging error", json!({"raise": "expired"}))),
        ("USE KEYS", error(17010, "Transaction timeout", json!(null))),
        ("COMMIT WORK", error(17010, "Transaction timeout", json!({"raise": "expired"}))),
        ("COMMIT WORK", error(17007, "Commit Transaction statement error", retry)),
        (
            "COMMIT WORK",
            error(17007, "Commit Transaction statement error: cas mismatch", json!(null)),
        ),
        (
            "COMMIT WORK",
            error(
                17007,
                "Commit Transaction statement error: Transaction timeout",
                json!({"raise": "expired", "retry": false, "rollback": false}),
            ),
        ),
        (
            "COMMIT WORK",
            error(
                17007,
                "Commit Transaction statement error: Duplicate Key for 'x': 1.1",
                json!(null),
            ),
        ),
    ] {
        service.fault(words, act.clone());
        let e = change(&target).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Conflict, "{act:?}: {e}");
        assert_eq!(field(&target, "1.1", "o_id"), json!(1), "{act:?}");
        roll_all_back(&service);
    }
    change(&target).unwrap();
    assert_eq!(field(&target, "1.1", "o_id"), json!(2));
}

#[test]
fn a_commit_that_nobody_knows_of_is_ambiguous() {
    let service = Service::start();
    let target = open(&with(&service.url(), "query_timeout_ms=300"));
    load(&target, 1);
    for (act, applied) in [
        (Act::Cut, false),
        (Act::CutAfter, true),
        (error(17019, "Commit was ambiguous", json!({"raise": "commit_ambiguous"})), false),
        (error(17010, "Transaction timeout: commit ambiguous", json!(null)), false),
        (Act::Hang, false),
    ] {
        let before = field(&target, "1.1", "o_id").as_i64().unwrap();
        service.fault("COMMIT WORK", act.clone());
        let e = change(&target).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Ambiguous, "{act:?}: {e}");
        let after = field(&target, "1.1", "o_id").as_i64().unwrap();
        assert_eq!(after - before, i64::from(applied), "{act:?}");
        roll_all_back(&service);
    }
}

/// 17018: committed, and tidying up after it failed.
#[test]
fn a_commit_that_is_done_but_for_tidying_up_is_done() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load(&target, 1);
    let cause = json!({"raise": "failed_post_commit"});
    service.fault("COMMIT WORK", error(17018, "Failed post commit", cause));
    change(&target).unwrap();
}

#[test]
fn a_transaction_that_expires_is_a_conflict_and_changes_nothing() {
    let service = Service::start();
    let target = open(&with(&service.url(), "txtimeout_ms=1000"));
    load(&target, 1);
    let mut session = session(&target);
    let ended = wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        let set = Patch { path: "o_id", change: Change::Set(json!(9)) };
        t.patch(COLLECTION, "1.1", &[set]).await?;
        tokio::time::sleep(Duration::from_millis(1200)).await;
        t.commit().await
    });
    let e = ended.unwrap_err();
    assert_eq!(e.kind, ErrorKind::Conflict, "{e}");
    assert!(e.to_string().contains("Transaction timeout"), "{e}");
    assert_eq!(field(&target, "1.1", "o_id"), json!(1));
}

#[test]
fn a_lost_connection_before_the_commit_is_no_ambiguity() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load(&target, 1);
    for words in ["UPDATE `orders`", "BEGIN WORK"] {
        service.fault(words, Act::Cut);
        let e = change(&target).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    }
    assert_eq!(get(&target, "1.1", &["o_id"]), Some(vec![json!(1)]));
}

#[test]
fn a_client_whose_node_is_gone_goes_to_the_next_one() {
    let service = Service::start();
    load(&open(&patient(&service.url())), 1);
    // Opening takes the first turn, and the session the second.
    let nodes = format!("query_nodes=127.0.0.1:{},127.0.0.1:1", service.query_ports()[0]);
    let target = open(&with(&patient(&service.url()), &nodes));
    let mut session = session(&target);
    let mut begin = || wait(async { session.begin(Access::Read).await?.commit().await });
    let e = begin().unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("check the host and the port"), "{e}");
    begin().unwrap();
    begin().unwrap();
}

#[test]
fn a_service_that_is_not_ready_or_refuses_says_so() {
    let service = Service::start();
    let target = open(&with(&service.url(), "query_timeout_ms=300"));
    load(&target, 1);
    for (act, kind, word) in [
        (
            Act::Answer(503, json!({"errors": [{"code": 1181, "msg": "Service is not ready"}]})),
            ErrorKind::Unavailable,
            "not ready",
        ),
        (
            Act::Answer(
                401,
                json!({"errors": [{"code": 13014, "msg": "User does not have credentials"}]}),
            ),
            ErrorKind::Unavailable,
            "credentials",
        ),
        (Act::Hang, ErrorKind::Timeout, "no answer within"),
        (
            error(17097, "Transactions are not supported in Community Edition", json!(null)),
            ErrorKind::Unavailable,
            "Community",
        ),
        (error(1201, "Request queue full", json!(null)), ErrorKind::Throttled, "fewer clients"),
        (error(17021, "Transaction queue is full", json!(null)), ErrorKind::Throttled, "queue"),
        (
            error(17096, "Transaction client initialization error", json!(null)),
            ErrorKind::Unavailable,
            "wait",
        ),
    ] {
        service.fault("BEGIN WORK", act.clone());
        let e = change(&target).unwrap_err();
        assert!(e.to_string().contains(word), "{e}");
        assert_eq!(e.kind, kind, "{act:?}: {e}");
    }
}

#[test]
fn key_value_operations_fail_by_kind() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    load_records(&target, &["user1"]);
    let mut client = wait(target.key_value().unwrap().session(&table(4))).unwrap();
    let update = record([(1, "b")]);
    let refuse = |status: u16| service.0.kv_refuses.lock().unwrap().insert("user1".into(), status);
    for (status, kind) in [
        (0x86, ErrorKind::Throttled),   // temporary failure
        (0x09, ErrorKind::Conflict),    // locked
        (0xa2, ErrorKind::Conflict),    // a synchronous write is under way
        (0xa3, ErrorKind::Ambiguous),   // a synchronous write of unknown outcome
        (0xa1, ErrorKind::Unavailable), // too few replicas
        (0x24, ErrorKind::Unavailable), // no rights
    ] {
        refuse(status);
        let e = wait(client.update("user1", &update)).unwrap_err();
        assert_eq!(e.kind, kind, "{status:#x}: {e}");
        assert!(
            e.to_string().starts_with("update usertable user1 in couchbase://127.0.0.1"),
            "{e}"
        );
    }
    refuse(0x86);
    let e = wait(client.read("user1", Fields::All, &mut Record::default())).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Throttled, "{e}");
    // No answer: what was to be read is a timeout, what was to be written is not known.
    let quick = open(&with(&service.url(), "kv_timeout_ms=400&connect_timeout_ms=60000"));
    let mut impatient = wait(quick.key_value().unwrap().session(&table(4))).unwrap();
    // The driver looks the collection's number up before the first operation.
    let _ = wait(impatient.read("user1", Fields::All, &mut Record::default()));
    service.0.kv_hangs.store(true, Ordering::SeqCst);
    let e = wait(impatient.read("user1", Fields::All, &mut Record::default())).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
    let e = wait(impatient.insert("user7", &update)).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    service.0.kv_hangs.store(false, Ordering::SeqCst);
    assert!(wait(client.read("user1", Fields::All, &mut Record::default())).unwrap());
    service.fault("ORDER BY META(d).id", Act::Cut);
    let e = wait(client.scan("user0", 1, Fields::None, &mut Scanned::default())).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
}

/// What an overloaded node refuses a load sends again, the progress too; any other refusal is the
/// load's end.
#[test]
fn a_load_waits_for_a_node_that_is_overloaded() {
    let service = Service::start();
    let target = open(&patient(&service.url()));
    let documents = target.documents().unwrap();
    let refuse = |status: u16, keys: &[&str]| {
        let keys = keys.iter().map(|key| ((*key).to_owned(), status));
        service.0.kv_refuses.lock().unwrap().extend(keys);
    };
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        // Temporary failure.
        refuse(0x86, &["1.1", "1.3", "load:1/1:orders"]);
        bulk.write(COLLECTION, &batch(1, 1..=5), 5).await.unwrap();
        assert!(service.0.kv_refuses.lock().unwrap().is_empty());
        refuse(0x86, &["load:1/1:orders"]);
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 5);
        // No rights.
        refuse(0x24, &["1.6"]);
        let e = bulk.write(COLLECTION, &batch(1, [6]), 6).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    });
    assert_eq!(count(&target), 5);
}
