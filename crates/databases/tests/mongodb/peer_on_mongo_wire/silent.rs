//! Answers that do not come within `answer_timeout_ms`.

use std::time::{Duration, Instant};

use hoap_workload::capability::key_value::{Fields, KeyValueSession, Record};
use hoap_workload::capability::{Access, Change, Intent, Patch, Target};
use hoap_workload::{ErrorKind, Result};
use serde_json::json;

use super::Instead;
use super::tests::fresh_url;
use crate::conformance::{COLLECTION, client, field, load, load_records, record, session, wait};
use crate::{open, with};

const ADD: [Patch; 1] = [Patch { path: "o_id", change: Change::AddInteger(10) }];

fn kind<T>(done: Result<T>) -> ErrorKind {
    let e = done.map(drop).unwrap_err();
    assert!(e.to_string().contains("no answer within 2000 ms; look whether"), "{e}");
    e.kind
}

#[test]
fn a_server_that_falls_silent_ends_no_session() {
    use ErrorKind::{Ambiguous, Timeout};
    let (url, kept) = fresh_url();
    let target = open(&with(&url, "answer_timeout_ms=2000"));
    let patient = open(&url);
    load(&patient, 2);
    load_records(&patient, &["user1", "user2"]);
    let peer = &kept.peer();
    let mut session = session(&target);
    let mut records = client(&target);
    let mut there = Record::default();
    let look = Intent::Look;
    wait(async {
        // Within a transaction: it is over, aborted in the background, and in nobody's way.
        let mut t = session.begin(Access::Write).await.unwrap();
        t.patch(COLLECTION, "1.1", &ADD).await.unwrap();
        peer.next("find", Instead::Hold);
        assert_eq!(kind(t.get(COLLECTION, "1.1", &["o_id"], look).await), Timeout);
        let e = t.get(COLLECTION, "1.1", &["o_id"], look).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        t.rollback().await.unwrap();
        let mut t = session.begin(Access::Write).await.unwrap();
        let row = t.get(COLLECTION, "1.1", &["o_id"], look).await.unwrap();
        assert_eq!(row, Some(vec![json!(1)]));
        t.commit().await.unwrap();
        // At the begin, which takes the snapshot.
        peer.next("find", Instead::Hold);
        assert_eq!(kind(session.begin(Access::Read).await.map(drop)), Timeout);
        let mut t = session.begin(Access::Read).await.unwrap();
        assert!(t.get(COLLECTION, "1.2", &[], look).await.unwrap().is_some());
        t.commit().await.unwrap();
        // At the commit, whose own limit is longer.
        let mut t = session.begin(Access::Write).await.unwrap();
        t.patch(COLLECTION, "1.1", &ADD).await.unwrap();
        peer.next("commitTransaction", Instead::Hold);
        assert_eq!(kind(t.commit().await), Ambiguous);
        peer.forget();
        // Outside of transactions. No late answer is taken for another one.
        peer.next("find", Instead::Hold);
        assert_eq!(kind(records.read("user1", Fields::All, &mut there).await), Timeout);
        peer.next("update", Instead::Hold);
        assert_eq!(kind(records.update("user1", &record([(0, "a")])).await), Ambiguous);
        assert!(records.update("user2", &record([(0, "b")])).await.unwrap());
        assert!(records.read("user2", Fields::One(0), &mut there).await.unwrap());
        assert_eq!(there, record([(0, "b")]));
        let documents = target.documents().unwrap();
        peer.next("find", Instead::Hold);
        assert_eq!(kind(documents.note().await), Timeout);
        assert_eq!(documents.note().await.unwrap(), None);
    });
    // Every connection on which an answer did not come is closed.
    let start = Instant::now();
    while peer.held() != (6, 6) {
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", peer.held());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(field(&patient, "1.1", "o_id"), json!(1));
}
