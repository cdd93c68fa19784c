//! A query that is asked to end while the server works on it.
//!
//! The driver has no call for that. The module gives up the answer, and the driver closes the
//! connection, since the answer would be taken for that of the next command; a server since 4.2
//! ends what it does for a connection that is closed. A query that stands between two parts of its
//! answer has its cursor removed.

use std::time::{Duration, Instant};

use hoap_workload::ErrorKind;
use mongodb::bson::doc;
use serde_json::json;

use super::Instead;
use super::tests::fresh_url;
use crate::conformance::{COLLECTION, load, wait};
use crate::open;

#[test]
fn a_query_that_is_cancelled_leaves_its_connection_and_the_stream_goes_on() {
    let (url, kept) = fresh_url();
    let target = open(&url);
    load(&target, 2);
    let text = json!({"collection": COLLECTION, "columns": ["n"], "pipeline": [
        {"$group": {"_id": null, "n": {"$sum": 1}}}, {"$project": {"_id": 0, "n": 1}}
    ]})
    .to_string();
    let mut stream = wait(target.analytics().unwrap().session()).unwrap();
    let cancel = stream.canceller().expect("queries can be interrupted");
    // Before any query it does nothing.
    cancel();
    assert_eq!(wait(stream.query(&text, &[])).unwrap().rows, [[json!(2)]]);
    let peer = &kept.peer();
    let namespace = format!("x.{COLLECTION}");
    let part = doc! {"ok": 1.0, "cursor": {"id": 77i64, "ns": namespace, "firstBatch": []}};
    for (round, first) in [None, Some(part)].into_iter().enumerate() {
        // At first the pipeline itself takes long, then the second part of its answer.
        match first {
            None => peer.next("aggregate", Instead::Hold),
            Some(part) => {
                peer.next("aggregate", Instead::Answer(part));
                peer.next("getMore", Instead::Hold);
            }
        }
        let start = Instant::now();
        let e = std::thread::scope(|scope| {
            let (stream, text) = (&mut stream, &text);
            let running = scope.spawn(move || wait(stream.query(text, &[])));
            while peer.held().0 <= round {
                assert!(!running.is_finished(), "it ended by itself");
                std::thread::sleep(Duration::from_millis(5));
            }
            cancel();
            running.join().unwrap().unwrap_err()
        });
        assert_eq!(e.kind, ErrorKind::Cancelled, "{e}");
        assert!(start.elapsed() < Duration::from_secs(10));
        // The server learns of it by the end of the connection.
        while peer.held().1 <= round {
            assert!(start.elapsed() < Duration::from_secs(10), "the connection stays");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(wait(stream.query(&text, &[])).unwrap().rows, [[json!(2)]], "it goes on");
    }
    drop(stream);
    cancel();
}
