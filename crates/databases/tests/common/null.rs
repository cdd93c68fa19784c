//! Nothing keeps what it promises: it does nothing, and with options it does so slowly.

use std::time::{Duration, Instant};

use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::shop::{Ask, JoinRow, JoinVariant};
use hoap_database::{Batch, Database};
use hoap_databases::null::{self, Discarded, Null};
use hoap_testing::wait;
use hoap_workload::ErrorKind;
use serde_json::json;

fn engine(target: &Database) -> &Null {
    target.engine().unwrap()
}

fn table() -> Table {
    Table { name: "usertable".to_owned(), fields: vec!["field0".to_owned()] }
}

/// The result of an operation that ends at its first poll, without a runtime.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(done) => done,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn every_operation_succeeds_at_once_and_empties_its_buffers() {
    let target = null::open("null:").unwrap();
    let mut record = Record::default();
    record.push(0, |out| out.push(b'x'));
    let mut client = at_once(target.key_value().unwrap().session(&table())).unwrap();
    assert_eq!(at_once(client.insert("user1", &record)), Ok(()));
    assert_eq!(at_once(client.update("user1", &record)), Ok(true));
    assert_eq!(at_once(client.read("user1", Fields::All, &mut record)), Ok(true));
    assert!(record.is_empty());
    let mut scanned = Scanned::default();
    scanned.push("user1");
    assert_eq!(at_once(client.scan("user1", 9, Fields::None, &mut scanned)), Ok(()));
    assert!(scanned.is_empty());
    let mut pages = at_once(target.pages().unwrap().session(Ask::Pages)).unwrap();
    let mut keys = vec!["old".to_owned()];
    assert_eq!(at_once(pages.page("here", 1, 2, &mut keys)), Ok(()));
    let mut joins =
        at_once(target.joins().unwrap().session(Ask::Joins(JoinVariant::Hash))).unwrap();
    let mut rows = vec![JoinRow { month: "May".into(), zip: "1".into(), cents: 1 }];
    assert_eq!(at_once(joins.join("1", "May", &mut rows)), Ok(()));
    assert!(keys.is_empty() && rows.is_empty());
    assert_eq!(engine(&target).stall(), None);
}

#[test]
fn documents_are_counted_and_thrown_away() {
    let target = null::open("null:").unwrap();
    let clone = target.clone();
    let documents = clone.documents().unwrap();
    at_once(async {
        assert!(!documents.any_exists(&["usertable"]).await.unwrap());
        documents.create(&["usertable"]).await.unwrap();
        assert!(documents.any_exists(&["other", "usertable"]).await.unwrap());
        let mut batch = Batch::default();
        for key in ["a", "b", "c"] {
            batch.push(|to, text| {
                to.push_str(key);
                text.extend_from_slice(b"{\"x\":1}");
            });
        }
        let mut bulk = documents.bulk("1/2").await.unwrap();
        bulk.write("usertable", &batch, 3).await.unwrap();
        bulk.write("usertable", &batch, 6).await.unwrap();
        let mut again = documents.bulk("1/2").await.unwrap();
        assert_eq!(again.position("usertable").await.unwrap(), 6);
        assert_eq!(documents.bulk("2/2").await.unwrap().position("usertable").await.unwrap(), 0);
        assert!(documents.set_note(None, &json!(1)).await.unwrap());
        assert!(!documents.set_note(None, &json!(2)).await.unwrap());
        assert_eq!(documents.note().await.unwrap(), Some(json!(1)));
        let read = documents.scan("usertable", &[], &mut |_, _| Ok(())).await.unwrap_err();
        assert_eq!(read.kind, ErrorKind::Invalid, "{read}");
        assert_eq!(engine(&target).discarded(), Discarded { documents: 6, bytes: 42 });
        documents.drop(&["usertable"]).await.unwrap();
        assert!(!documents.any_exists(&["usertable"]).await.unwrap());
        assert_eq!(documents.note().await.unwrap(), None);
        assert_eq!(again.position("usertable").await.unwrap(), 0);
    });
}

#[test]
fn what_nothing_cannot_answer_is_not_applicable() {
    let target = null::open("null:").unwrap();
    let line = target.transactions().err().unwrap().to_string();
    assert_eq!(
        line,
        "document transactions on null:: not applicable, because it keeps no documents, and an \
         answer without them would be a lie"
    );
    assert!(target.analytics().is_err());
    assert!(!target.blocking());
}

#[test]
fn the_description_says_how_slow_it_is() {
    let url = "null:?latency_us=250&stall_ms=1000&stall_after_ms=3000";
    let description = null::open(url).unwrap().description();
    assert_eq!(description.url, url);
    for (name, value) in [("latency", "250 us"), ("stall", "1000 ms"), ("stall_after", "3000 ms")] {
        assert_eq!(description.settings[name], value);
    }
}

#[test]
fn a_wrong_url_names_what_is_wrong() {
    for (url, words) in [
        ("null:x", "`x`: null: takes no path"),
        ("null:?", "has no value"),
        ("null:?latency_us", "has no value"),
        ("null:?latency_us=-1", "from 0 to 60000000"),
        ("null:?stall_ms=1s", "not a whole number"),
        ("null:?stall=1", "the options are latency_us, stall_ms, stall_after_ms"),
    ] {
        let e = null::open(url).err().expect("it is refused");
        assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
        assert!(e.to_string().contains(words), "{url}: {e}");
    }
}

/// When a read began and ended.
async fn read(target: &Database) -> (Instant, Instant) {
    let mut client = target.key_value().unwrap().session(&table()).await.unwrap();
    let begin = Instant::now();
    assert!(client.read("user1", Fields::All, &mut Record::default()).await.unwrap());
    (begin, Instant::now())
}

#[test]
fn a_slow_operation_never_ends_early_and_lets_others_go_on() {
    let target = null::open("null:?latency_us=5500").unwrap();
    let latency = Duration::from_micros(5500);
    let start = Instant::now();
    wait(async {
        let (one, other) = futures_util::future::join(read(&target), read(&target)).await;
        for (begin, end) in [one, other] {
            assert!(end - begin >= latency);
        }
        // Both were under way at the same time.
        assert!(one.0.max(other.0) < one.1.min(other.1));
    });
    assert!(start.elapsed() >= latency);
}

#[test]
fn whoever_begins_in_the_stall_waits_for_its_end() {
    let target = null::open("null:?stall_ms=60&stall_after_ms=20").unwrap();
    wait(async {
        let (first, _) = read(&target).await;
        let stall = engine(&target).stall().unwrap();
        assert!(stall.start >= first + Duration::from_millis(20));
        assert_eq!(stall.end - stall.start, Duration::from_millis(60));
        tokio::time::sleep_until((stall.start + Duration::from_millis(5)).into()).await;
        // Clones and other sessions wait for the same end.
        let clone = target.clone();
        let both = futures_util::future::join(read(&target), read(&clone)).await;
        for (begin, end) in [both.0, both.1] {
            // A machine that stopped for so long proves nothing.
            if stall.contains(&begin) {
                assert!(end >= stall.end);
            }
        }
        tokio::time::sleep_until(stall.end.into()).await;
        assert_eq!(engine(&target).stall(), Some(stall));
    });
}
