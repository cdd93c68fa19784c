//! Which requests are sent, over which connections, and what one without an answer means.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Access, Change, Database, Patch};
use hoap_workload::{ErrorKind, Result};
use serde_json::{Value, json};

use crate::conformance::{COLLECTION, batch, client, record, session, wait};
use crate::open;
use crate::scripted::{connecting, endpoint, error, table};

/// A transaction that changes a document and inserts two.
fn three(target: &Database) -> Result<()> {
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await?;
        let add = Patch { path: "o_id", change: Change::AddInteger(1) };
        t.patch(COLLECTION, "1.1", &[add]).await?;
        t.insert(COLLECTION, "1.2", &json!({})).await?;
        t.insert(COLLECTION, "1.3", &json!({})).await?;
        t.commit().await
    })
}

/// A key that an insert wants is looked for by the commit. Where it is taken, and nothing else is
/// in the way, the transaction looks whether what it read is as it was.
#[test]
fn an_insert_reads_nothing_before_its_commit() {
    let taken = "ConditionalCheckFailed";
    let changed = "m2";
    for (reasons, version, end, looks) in [
        (None, "m1", None, 0),
        (Some(["None", taken, "None"]), "m1", Some((ErrorKind::Duplicate, "key 1.2 is there")), 1),
        (Some(["None", taken, taken]), "m1", Some((ErrorKind::Duplicate, "key 1.2 is there")), 1),
        (Some(["None", "None", taken]), changed, Some((ErrorKind::Conflict, "was changed")), 1),
        (Some([taken, taken, "None"]), "m1", Some((ErrorKind::Conflict, taken)), 0),
        (Some(["None", "TransactionConflict", taken]), "m1", Some((ErrorKind::Conflict, "")), 0),
        (Some(["None", "None", "ThrottlingError"]), "m1", Some((ErrorKind::Throttled, "")), 0),
    ] {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        let script = move |operation: &str, _: &Value| {
            let item = |version: &str| json!({"Item": {"_key": {"S": "1.1"}, "o_id": {"N": "1"}, "_v": {"S": version}}});
            match operation {
                "ListTables" => return (200, json!({"TableNames": []})),
                "DescribeTable" => return table(),
                "Scan" => return (200, json!({"Items": []})),
                _ => seen.lock().unwrap().push(operation.to_owned()),
            }
            match (operation, reasons) {
                ("GetItem", _) => (200, item("m1")),
                ("TransactGetItems", _) => (200, json!({"Responses": [item(version)]})),
                ("TransactWriteItems", Some(reasons)) => error(
                    "TransactionCanceledException",
                    &format!(
                        "Transaction cancelled, please refer cancellation reasons for specific \
                         reasons [{}]",
                        reasons.join(", ")
                    ),
                ),
                _ => (200, json!({})),
            }
        };
        let done = three(&open(&endpoint(script, "")));
        let mut wanted = vec!["GetItem", "TransactWriteItems"];
        wanted.extend((0..looks).map(|_| "TransactGetItems"));
        assert_eq!(*asked.lock().unwrap(), wanted, "{reasons:?}");
        match (done, end) {
            (Ok(()), None) => {}
            (Err(e), Some((kind, words))) => {
                assert_eq!(e.kind, kind, "{reasons:?}: {e}");
                assert!(e.to_string().contains(words), "{reasons:?}: {e}");
            }
            (done, end) => panic!("{reasons:?}: {done:?}, and not {end:?}"),
        }
    }
}

/// Nobody has looked for its key: the commit does.
#[test]
fn an_insert_that_is_deleted_again_is_a_condition_of_the_commit() {
    let script = |operation: &str, _: &Value| match operation {
        "ListTables" => (200, json!({"TableNames": []})),
        "Scan" => (200, json!({"Items": []})),
        "TransactWriteItems" => error("TransactionCanceledException", "[ConditionalCheckFailed]"),
        other => panic!("{other}"),
    };
    let mut session = session(&open(&endpoint(script, "")));
    let e = wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        t.insert(COLLECTION, "1.1", &json!({})).await.unwrap();
        assert!(t.delete(COLLECTION, "1.1").await.unwrap());
        t.commit().await.unwrap_err()
    });
    assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
}

/// Connecting costs more than most requests, with TLS above all.
#[test]
fn calls_outside_of_sessions_share_a_connection() {
    let connections = Arc::new(AtomicUsize::new(0));
    let script = |operation: &str, _: &Value| match operation {
        "ListTables" => (200, json!({"TableNames": []})),
        "DescribeTable" => table(),
        _ => (200, json!({})),
    };
    let target = open(&connecting(script, "", connections.clone()));
    let documents = target.documents().unwrap();
    wait(async {
        for _ in 0..5 {
            documents.note().await.unwrap();
            documents.set_note(None, &json!({})).await.unwrap();
            assert!(documents.any_exists(&[COLLECTION]).await.unwrap());
        }
    });
    // Two more where the driver was slow to take one back.
    let connections = connections.load(Ordering::SeqCst);
    assert!((1..=3).contains(&connections), "{connections} connections");
}

/// The limit is that on a request, which comes before the one on an answer. A batch of a load is
/// sent again by whoever resumes it.
#[test]
fn a_write_that_timed_out_is_ambiguous_and_a_read_and_a_batch_are_not() {
    let script = |operation: &str, body: &Value| match operation {
        "ListTables" => (200, json!({"TableNames": []})),
        "DescribeTable" => table(),
        "Scan" => (200, json!({"Items": []})),
        // Of the notes.
        "GetItem" if body["TableName"].as_str().unwrap().ends_with(".hoap.notes") => {
            (200, json!({}))
        }
        _ => loop {
            std::thread::park();
        },
    };
    let target = open(&endpoint(script, "request_timeout_ms=200"));
    let (mut records, mut transactions) = (client(&target), session(&target));
    let documents = target.documents().unwrap();
    let value = record([(0, "x")]);
    let mut there = Record::default();
    let kinds = wait(async {
        let mut t = transactions.begin(Access::Write).await.unwrap();
        t.insert(COLLECTION, "1.1", &json!({})).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        [
            ("commit", t.commit().await),
            ("insert", records.insert("user1", &value).await),
            ("update", records.update("user1", &value).await.map(drop)),
            ("delete", records.delete("user1").await.map(drop)),
            ("note", documents.set_note(None, &json!({})).await.map(drop)),
            ("read", records.read("user1", Fields::All, &mut there).await.map(drop)),
            ("batch", bulk.write(COLLECTION, &batch(1, [1]), 1).await),
        ]
        .map(|(what, done)| (what, done.unwrap_err().kind))
    });
    use ErrorKind::{Ambiguous, Timeout};
    let wanted = [
        ("commit", Ambiguous),
        ("insert", Ambiguous),
        ("update", Ambiguous),
        ("delete", Ambiguous),
        ("note", Ambiguous),
        ("read", Timeout),
        ("batch", Timeout),
    ];
    assert_eq!(kinds, wanted);
}
