//! Queries that are asked to end, and limits.

use std::time::{Duration, Instant};

use hoap_workload::ErrorKind;
use serde_json::{Value, json};

use super::server;
use crate::conformance::{COLLECTION, load, wait};
use crate::{Guard, open, own_database, with};

/// A product of the collection with itself, again and again: hours of work.
fn endless() -> String {
    let mut stages = Vec::new();
    for _ in 0..8 {
        stages.push(json!({"$lookup": {"from": COLLECTION, "pipeline": [], "as": "x"}}));
        stages.push(json!({"$unwind": "$x"}));
    }
    stages.push(json!({"$group": {"_id": null, "n": {"$sum": 1}}}));
    text(stages)
}

fn text(pipeline: Vec<Value>) -> String {
    json!({"collection": COLLECTION, "columns": ["n"], "pipeline": pipeline}).to_string()
}

#[test]
fn a_query_that_is_cancelled_ends_at_once_and_the_stream_goes_on() {
    let url = own_database(&server());
    let target = open(&with(&url, "query_timeout_ms=20000"));
    let _guard = Guard(target.clone());
    load(&target, 40);
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let cancel = stream.canceller().unwrap();
    let start = Instant::now();
    let e = std::thread::scope(|scope| {
        let running = scope.spawn(|| wait(stream.query(&endless(), &[])));
        std::thread::sleep(Duration::from_millis(500));
        assert!(!running.is_finished());
        cancel();
        running.join().unwrap().unwrap_err()
    });
    assert_eq!(e.kind, ErrorKind::Cancelled, "{e}");
    assert!(start.elapsed() < Duration::from_secs(10));
    let count = text(vec![json!({"$group": {"_id": null, "n": {"$sum": 1}}})]);
    assert_eq!(wait(stream.query(&count, &[])).unwrap().rows, [[json!(40)]]);
}

#[test]
fn a_query_beyond_its_limit_is_a_timeout() {
    let url = own_database(&server());
    let target = open(&with(&url, "query_timeout_ms=500"));
    let _guard = Guard(target.clone());
    load(&target, 40);
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let e = wait(stream.query(&endless(), &[])).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
}

#[test]
fn a_query_is_explained() {
    let url = own_database(&server());
    let target = open(&url);
    let _guard = Guard(target.clone());
    load(&target, 3);
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let explained = wait(stream.explain(&text(vec![json!({"$match": {"o_id": 1}})]), &[])).unwrap();
    assert!(explained.plan.to_string().contains("COLLSCAN"), "{}", explained.plan);
}
