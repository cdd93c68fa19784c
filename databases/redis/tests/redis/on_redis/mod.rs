//! One server.

use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_database::shop::JoinVariant;
use hoap_database::{Batch, Database, Documents};
use hoap_workload::ErrorKind;

use crate::conformance::{
    COLLECTION, SHOP, batch, client, count, indexes, keys, load_records, load_shop, record, table,
    wait,
};
use crate::{Guard, missing, open, prefix, server, with};

fn fresh() -> (Database, Guard) {
    crate::fresh("HOAP_TEST_REDIS", "response_timeout_ms=20000")
}

mod batches;
mod killed;
mod loads;
mod refusals;
mod silent;

// A database without document transactions has the rest of the suite.
hoap_suites::document_tests!(fresh);
hoap_suites::key_value_tests!(fresh);
hoap_suites::shop_tests!(fresh);
hoap_suites::plain_operation_tests!(fresh);
hoap_suites::patch_tests!(fresh);
hoap_suites::range_tests!(fresh);
hoap_suites::conformance_tests!(fresh:
    pages_without_their_index_are_refused,
    joins_without_their_indexes_are_refused,
    each_delete_says_whether_it_was_there,
);

/// Clients of a thread that share a connection do what those with one of their own do.
mod shared_connections {
    use hoap_database::Database;

    fn fresh() -> (Database, crate::Guard) {
        crate::fresh("HOAP_TEST_REDIS", "pipeline=3")
    }

    hoap_suites::variant_tests!(fresh: shared_connection);
}

fn documents(target: &Database) -> Documents<'_> {
    target.documents().unwrap()
}

#[test]
fn a_batch_is_all_or_nothing_and_so_is_its_progress_without_transactions_too() {
    let (target, _guard) = fresh();
    let documents = documents(&target);
    let twice = |keys: [i64; 2]| batch(1, keys);
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=5), 5).await.unwrap();
        // The last document is there already, or is in the batch twice.
        for bad in [batch(1, [6, 7, 5]), twice([6, 6])] {
            let e = bulk.write(COLLECTION, &bad, 8).await.unwrap_err();
            assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
            assert_eq!(bulk.position(COLLECTION).await.unwrap(), 5);
        }
        let mut bad = batch(1, [6]);
        bad.push(|key, text| {
            key.push('x');
            text.extend_from_slice(b"[1]");
        });
        let e = bulk.write(COLLECTION, &bad, 8).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains("document x: it is no JSON object"), "{e}");
    });
    assert_eq!(count(&target), 5);
    wait(async {
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, [6, 7]), 7).await.unwrap();
        bulk.write(COLLECTION, &batch(1, []), 9).await.unwrap();
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 9);
    });
    assert_eq!(count(&target), 7);
}

/// A field that another client of the server sees as YCSB's binding would have written it.
#[test]
fn records_are_hashes_and_their_keys_are_in_a_sorted_set() {
    let prefix = prefix();
    let url = server("HOAP_TEST_REDIS");
    let target = open(&with(&url, &format!("prefix={prefix}")));
    let _guard = Guard(target.clone());
    load_records(&target, &["user1"]);
    wait(client(&target).insert("user2", &record([(0, "a")]))).unwrap();
    let mut other = redis::Client::open(url).unwrap().get_connection().unwrap();
    let mut ask = |words: &str| -> Vec<String> {
        let mut words = words.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        command.arg(words.collect::<Vec<_>>());
        command.query(&mut other).unwrap()
    };
    assert_eq!(
        ask(&format!("HMGET {prefix}:usertable:user1 field0 field3")),
        ["user1 0", "user1 3"]
    );
    assert_eq!(ask(&format!("HGETALL {prefix}:usertable:user2")), ["field0", "a"]);
    assert_eq!(ask(&format!("ZRANGE {prefix}.keys:usertable 0 -1")), ["user1", "user2"]);
}

#[test]
fn removing_leaves_nothing_behind() {
    let prefix = prefix();
    let url = server("HOAP_TEST_REDIS");
    let target = open(&with(&url, &format!("prefix={prefix}")));
    load_records(&target, &["user1", "user2"]);
    load_shop(&target, &indexes());
    wait(client(&target).insert("user3", &Record::default())).unwrap();
    let mut other = redis::Client::open(url).unwrap().get_connection().unwrap();
    let mut keys = || -> Vec<String> {
        redis::cmd("KEYS").arg(format!("{prefix}*")).query(&mut other).unwrap()
    };
    assert!(keys().len() > 100);
    wait(documents(&target).drop(&[&["usertable"][..], &SHOP].concat())).unwrap();
    assert_eq!(keys(), [""; 0]);
}

#[test]
fn a_key_whose_record_is_lost_is_not_counted() {
    let prefix = prefix();
    let url = server("HOAP_TEST_REDIS");
    let target = open(&with(&url, &format!("prefix={prefix}")));
    let _guard = Guard(target.clone());
    load_records(&target, &["user1", "user2", "user3"]);
    let mut other = redis::Client::open(url).unwrap().get_connection().unwrap();
    let lost = format!("{prefix}:usertable:user2");
    let (): () = redis::cmd("DEL").arg(lost).query(&mut other).unwrap();
    assert!(keys(&target, "usertable").iter().eq(["user1", "user3"]));
    let mut scanned = Scanned::default();
    wait(client(&target).scan("user1", 3, Fields::All, &mut scanned)).unwrap();
    assert_eq!(scanned.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["user1", "user3"]);
}

#[test]
fn what_it_does_not_have_is_said_with_the_reason() {
    let (target, _guard) = fresh();
    let no = target.transactions().map(drop).unwrap_err().to_string();
    assert!(no.starts_with("document transactions on Redis: not applicable, because"), "{no}");
    let no = target.analytics().map(drop).unwrap_err().to_string();
    assert!(no.contains("no language"), "{no}");
    let scheme = hoap_databases::known().find(|s| s.names.contains(&"redis")).unwrap();
    assert!(scheme.built_in());
    assert!(scheme.capabilities().map(|what| what.name()).eq([
        "documents",
        "key-value",
        "scans",
        "pagination",
        "join",
        "operations",
        "patches",
        "ranges"
    ]));
    assert!(target.documents().is_ok() && target.key_value().unwrap().scans() == Ok(()));
    assert_eq!(target.joins().unwrap().variants()[0], JoinVariant::TwoPhase);
    assert!(!target.blocking());
}

/// Keys of the prefix that hold something else.
#[test]
fn what_is_not_ours_is_a_broken_promise() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let url = target.description().url;
    let prefix = url.split("prefix=").nth(1).unwrap().split('&').next().unwrap();
    let mut other =
        redis::Client::open(server("HOAP_TEST_REDIS")).unwrap().get_connection().unwrap();
    let key = format!("{prefix}:usertable:user2");
    let (): () = redis::cmd("SET").arg(&key).arg("x").query(&mut other).unwrap();
    let mut session = client(&target);
    let e = wait(session.read("user2", Fields::All, &mut Record::default())).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Broken, "{e}");
    assert!(e.to_string().contains("WRONGTYPE") && e.to_string().contains("prefix"), "{e}");
    let (): () = redis::cmd("DEL").arg(&key).query(&mut other).unwrap();
    let strange = Batch::default();
    let mut bulk = wait(documents(&target).bulk("1/1")).unwrap();
    let e = wait(bulk.write("nowhere", &strange, 1)).unwrap_err();
    missing(&e, &["no collection nowhere", "hoap load"]);
    assert_eq!(wait(target.key_value().unwrap().session(&table(1))).map(drop), Ok(()));
}
