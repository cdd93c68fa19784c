//! What a request without an answer means.

use hoap_workload::ErrorKind;
use hoap_workload::capability::key_value::{Fields, KeyValueSession, Record};
use hoap_workload::capability::{Access, Target};
use serde_json::{Value, json};

use crate::conformance::{COLLECTION, batch, client, record, session, wait};
use crate::open;
use crate::scripted::{endpoint, table};

/// The limit is that on a request, which comes before the one on an answer. A batch of a load is
/// sent again by whoever resumes it.
#[test]
fn a_write_that_timed_out_is_ambiguous_and_a_read_and_a_batch_are_not() {
    let script = |operation: &str, body: &Value| match operation {
        "ListTables" => (200, json!({"TableNames": []})),
        "DescribeTable" => table(),
        "Scan" => (200, json!({"Items": []})),
        // Of the notes, and of the key that a transaction inserts.
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
