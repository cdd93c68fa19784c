//! One node.

mod files;

use hoap_database::{Answer, Database};
use hoap_testing::errors::missing;
use hoap_workload::ErrorKind;
use serde_json::{Value, json};

use crate::conformance::{COLLECTION, batch, count, document, index, load, wait};
use crate::{Guard, place};

fn fresh() -> (Database, Guard) {
    crate::fresh("HOAP_TEST_ASTERIXDB", "?query_timeout_ms=60000")
}

hoap_suites::document_tests!(fresh);
crate::query_tests!(fresh);
hoap_suites::conformance_tests!(fresh: a_batch_written_again_is_written_once);

fn ask(target: &Database, text: &str, given: &[(String, Value)]) -> hoap_workload::Result<Answer> {
    wait(async { target.analytics().unwrap().session().await?.query(text, given).await })
}

#[test]
fn what_a_service_refuses_of_a_batch_is_no_progress() {
    let (target, _guard) = fresh();
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, [4, 5, 6, 6]), 6).await.unwrap();
        let mut broken = batch(1, [7]);
        broken.push(|key, text| {
            key.push('y');
            text.extend_from_slice(b"{\"a\":}");
        });
        let e = bulk.write(COLLECTION, &broken, 8).await.unwrap_err();
        assert_ne!(e.kind, ErrorKind::Ambiguous, "{e}");
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 6, "no progress without documents");
        missing(bulk.write("nowhere", &batch(1, [1]), 1).await.unwrap_err(), &["hoap load"]);
    });
    assert!((3..=4).contains(&count(&target)));
}

#[test]
fn documents_come_back_as_they_went_in() {
    let (target, _guard) = fresh();
    load(&target, 2);
    let fields = ["o_id", "o_total", "o_name", "o_carrier_id", "o_open", "o_words[2]", "nothing.x"];
    let mut seen = Vec::new();
    let mut each = |key: &str, row: Vec<Value>| {
        seen.push((key.to_owned(), row));
        Ok(())
    };
    wait(target.documents().unwrap().scan(COLLECTION, &fields, &mut each)).unwrap();
    seen.sort_by(|a, b| a.0.cmp(&b.0));
    let d = document(1, 2);
    let expected = json!([2, 12.3, d["o_name"], null, true, "c", null]);
    assert_eq!(seen[1], ("1.2".to_owned(), expected.as_array().unwrap().clone()));
}

#[test]
fn a_query_is_one_statement_that_only_reads() {
    let (target, _guard) = fresh();
    load(&target, 2);
    for (text, word) in [
        ("SELECT 1; SELECT 2", "multiple statements"),
        ("DELETE FROM orders", "no query"),
        ("UPSERT INTO orders ({\"hoap_key\": \"x\"})", "no query"),
        ("DROP DATASET orders", "no query"),
        ("", "no query"),
        ("-- nothing", "no query"),
        ("SELEC 1", "Syntax error"),
        ("SELECT nothing\nFROM orders, orders AS b", "nothing"),
        ("SELECT VALUE 1", "not an object"),
    ] {
        let e = ask(&target, text, &[]).unwrap_err();
        let invalid = matches!(e.kind, ErrorKind::Invalid | ErrorKind::Broken);
        assert!(invalid && e.to_string().contains(word), "{text}: {e}");
        assert!(!e.to_string().contains('\n'), "{e}");
    }
    let one = ask(&target, "-- one\nSELECT 1 AS one; -- done\n", &[]).unwrap();
    assert_eq!(one.rows, [[json!(1)]]);
    let answer = ask(
        &target,
        "SELECT o.o_id AS a, o.nothing AS b, o.o_open AS c, o.o_words AS d
        FROM orders AS o WHERE o.o_id = $o",
        &[("o".into(), json!(2))],
    )
    .unwrap();
    assert_eq!(answer.columns, ["a", "b", "c", "d"]);
    assert_eq!(answer.rows, [[json!(2), json!(null), json!(1), json!("[\"a\",\"b\",\"c\"]")]]);
    let empty = ask(&target, "SELECT o.o_id AS a, 1 AS b FROM orders AS o WHERE false", &[]);
    let empty = empty.unwrap();
    assert_eq!((empty.columns.len(), empty.rows.len()), (2, 0), "an empty answer has columns");
    assert_eq!(count(&target), 2);
    let counters = wait(async {
        let mut session = target.analytics().unwrap().session().await.unwrap();
        let e = session.counters("a b", "o_id").await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        session.counters(COLLECTION, "o_id").await.unwrap()
    });
    let mut counters = counters;
    counters.sort();
    assert_eq!(counters, [("1.1".to_owned(), 1), ("1.2".to_owned(), 2)]);
}

#[test]
fn limits_end_a_query_with_their_reason() {
    let endless = "SELECT count(*) AS c FROM range(1, 1000000000) AS a, \
                   range(1, 1000000000) AS b WHERE a % 7 = b % 11";
    let (target, _guard) = crate::fresh("HOAP_TEST_ASTERIXDB", "?query_timeout_ms=500");
    let e = ask(&target, endless, &[]).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
    let (target, _guard) = crate::fresh("HOAP_TEST_ASTERIXDB", "?max_result_mb=1");
    let large = "SELECT repeat('x', 1000) AS x FROM range(1, 3000) AS r";
    let e = ask(&target, large, &[]).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("larger than 1 MB") && e.to_string().contains("max_result_mb"));
}

#[test]
fn settings_of_a_query_are_taken() {
    let options = "?sort_memory_mb=16&join_memory_mb=16&group_memory_mb=16&parallelism=2";
    let (target, _guard) = crate::fresh("HOAP_TEST_ASTERIXDB", options);
    load(&target, 3);
    let sum = ask(&target, "SELECT sum(o.o_id) AS s FROM orders AS o", &[]).unwrap();
    assert_eq!(sum.rows, [[json!(6)]]);
    let description = target.description();
    assert_eq!(description.settings["join_memory_mb"], "16");
    assert_eq!(description.version, "0.9.8");
}

#[test]
fn all_indexes_are_made_where_they_are_asked_for() {
    let (target, _guard) = crate::fresh("HOAP_TEST_ASTERIXDB", "?indexes=all");
    load(&target, 3);
    wait(target.documents().unwrap().settle(&[index()])).unwrap();
    let dataverse = target.description().url;
    let dataverse = dataverse.rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    let text = "SELECT i.IndexName AS n FROM Metadata.`Index` AS i WHERE i.DataverseName = $d \
                AND NOT i.IsPrimary";
    let answer = ask(&target, text, &[("d".into(), json!(dataverse))]).unwrap();
    assert_eq!(answer.rows, [[json!("orders_by_customer")]]);
}

#[test]
fn what_it_does_not_have_is_said_with_the_reason() {
    let url = place("HOAP_TEST_ASTERIXDB");
    let target = crate::open(&url);
    let no = target.transactions().map(drop).unwrap_err().to_string();
    assert!(no.starts_with("document transactions on AsterixDB: not applicable, because"), "{no}");
    let no = target.key_value().map(drop).unwrap_err().to_string();
    assert!(no.contains("records by key on AsterixDB"), "{no}");
    let scheme = hoap_databases::known().find(|s| s.names.contains(&"asterixdb")).unwrap();
    assert!(scheme.capabilities().map(|what| what.name()).eq([
        "documents",
        "analytics",
        "pagination",
        "join"
    ]));
}

#[test]
fn a_server_that_is_not_there_or_is_another_is_told() {
    let open = |url: &str| wait(hoap_asterixdb::open(url)).map(drop).unwrap_err();
    let e = open("asterixdb://127.0.0.1:1/x");
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("check the host and the port"), "{e}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answering = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).unwrap();
        let page = "HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\n\r\n<html>";
        stream.write_all(page.as_bytes()).unwrap();
    });
    let e = open(&format!("asterixdb://127.0.0.1:{port}/x"));
    answering.join().unwrap();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("is it AsterixDB?"), "{e}");
}

#[test]
fn a_query_is_explained_with_its_plan_and_its_profile() {
    let (target, _guard) = fresh();
    load(&target, 2);
    let explained = wait(async {
        let mut session = target.analytics().unwrap().session().await.unwrap();
        session.explain("SELECT sum(o.o_id) AS s FROM orders AS o", &[]).await.unwrap()
    });
    assert!(explained.plan.to_string().contains("aggregate"), "{}", explained.plan);
    assert!(explained.profile.to_string().contains("joblets"), "{}", explained.profile);
}

#[test]
fn warnings_of_a_query_are_kept_until_the_next_one() {
    let (target, _guard) = fresh();
    load(&target, 1);
    wait(async {
        let mut session = target.analytics().unwrap().session().await.unwrap();
        session.query("SELECT 1 + o.o_name AS x FROM orders AS o", &[]).await.unwrap();
        let warnings = session.warnings();
        assert!(warnings.len() == 1 && warnings[0].contains("Type mismatch"), "{warnings:?}");
        session.query("SELECT 1 AS x", &[]).await.unwrap();
        assert_eq!(session.warnings(), [""; 0]);
    });
}

/// What nobody waits for any more is no burden to the cluster.
#[test]
fn a_query_that_is_given_up_ends_in_the_cluster() {
    let (target, _guard) = fresh();
    load(&target, 1);
    let endless = "SELECT count(*) AS given_up
                   FROM range(1, 1000000000) AS a, range(1, 1000000000) AS b
                   WHERE a % 7 = b % 11";
    let running = || {
        let text = "SELECT count(*) AS c FROM active_requests() AS r
                    WHERE r.statement LIKE '%given_up%' AND r.statement NOT LIKE '%active_req%'";
        ask(&target, text, &[]).unwrap().rows[0][0].as_u64().unwrap()
    };
    wait(async {
        let mut session = target.analytics().unwrap().session().await.unwrap();
        let limit = std::time::Duration::from_secs(2);
        tokio::time::timeout(limit, session.query(endless, &[])).await.unwrap_err();
    });
    let given_up = std::time::Instant::now();
    while running() > 0 {
        assert!(given_up.elapsed().as_secs() < 20, "it goes on");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
