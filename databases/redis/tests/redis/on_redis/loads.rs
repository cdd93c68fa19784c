//! The transactions of a load, and what they meet.

use std::time::Duration;

use hoap_database::{BulkWriter, Documents};
use hoap_testing::redis::Server;
use hoap_workload::ErrorKind;

use super::killed::bare;
use crate::conformance::{COLLECTION, batch, count, wait};
use crate::{Guard, as_user, of_kind, open, prefix, server, unavailable, with};

/// A writer of a collection that holds the orders 1 to 5.
fn begun(documents: Documents<'_>) -> BulkWriter {
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=5), 5).await.unwrap();
        bulk
    })
}

/// The server holds up all writes, so that another client's document comes between the look for it
/// and the end of the transaction.
#[test]
fn a_document_that_somebody_writes_meanwhile_refuses_the_batch() {
    let server = Server::start();
    let target = open(&server.url());
    let mut bulk = begun(target.documents().unwrap());
    let sixth = "hoap:orders:1.6";
    for (undone, kind) in [(true, ErrorKind::Conflict), (false, ErrorKind::Duplicate)] {
        let mut admin = bare(&server);
        let mut pause = redis::cmd("CLIENT");
        let (): () = pause.arg("PAUSE").arg(60_000).arg("WRITE").query(&mut admin).unwrap();
        let e = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut other = redis::pipe();
                other.cmd("HSET").arg(sixth).arg("x").arg("y");
                if undone {
                    other.cmd("DEL").arg(sixth);
                }
                let (): () = other.query(&mut bare(&server)).unwrap();
            });
            std::thread::sleep(Duration::from_millis(200));
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(400));
                let (): () = redis::cmd("CLIENT").arg("UNPAUSE").query(&mut admin).unwrap();
            });
            wait(bulk.write(COLLECTION, &batch(1, [7, 6]), 7)).unwrap_err()
        });
        of_kind(kind, &e, &[if undone { "somebody else wrote" } else { "1.6 is there already" }]);
        assert_eq!(wait(bulk.position(COLLECTION)).unwrap(), 5);
        assert_eq!(count(&target), 5);
    }
}

/// EXEC would write the documents and their progress, and fail at the keys.
#[test]
fn keys_of_another_type_refuse_the_first_batch() {
    let (url, prefix) = (server("HOAP_TEST_REDIS"), prefix());
    let mut admin = redis::Client::open(url.clone()).unwrap().get_connection().unwrap();
    let target = open(&with(&url, &format!("prefix={prefix}")));
    let _guard = Guard(target.clone());
    let documents = target.documents().unwrap();
    wait(documents.create(&[COLLECTION])).unwrap();
    let keys = format!("{prefix}.keys:{COLLECTION}");
    let (): () = redis::cmd("SET").arg(&keys).arg("x").query(&mut admin).unwrap();
    let mut bulk = wait(documents.bulk("1/1")).unwrap();
    for _ in 0..2 {
        let e = wait(bulk.write(COLLECTION, &batch(1, 1..=5), 5)).unwrap_err();
        assert!(e.to_string().contains("WRONGTYPE"), "{e}");
        assert_eq!(wait(bulk.position(COLLECTION)).unwrap(), 0);
        let document = redis::cmd("EXISTS").arg(format!("{prefix}:{COLLECTION}:1.1")).clone();
        assert_eq!(document.query::<i64>(&mut admin).unwrap(), 0);
    }
    let (): () = redis::cmd("DEL").arg(&keys).query(&mut admin).unwrap();
    wait(bulk.write(COLLECTION, &batch(1, 1..=5), 5)).unwrap();
    assert_eq!((wait(bulk.position(COLLECTION)).unwrap(), count(&target)), (5, 5));
}

/// A user who may do everything else. Without MULTI the server would write each document by itself.
#[test]
fn a_user_without_transactions_loads_nothing() {
    let (url, prefix) = (server("HOAP_TEST_REDIS"), prefix());
    let mut admin = redis::Client::open(url.clone()).unwrap().get_connection().unwrap();
    let user = format!("loader-{prefix}");
    let keys = format!("~{prefix}*");
    let rules = ["on", "nopass", &keys, "+@all", "-multi"];
    let (): () =
        redis::cmd("ACL").arg("SETUSER").arg(&user).arg(&rules[..]).query(&mut admin).unwrap();
    let target = open(&with(&as_user(&url, &format!("{user}:x")), &format!("prefix={prefix}")));
    let guard = Guard(target.clone());
    let documents = target.documents().unwrap();
    wait(documents.create(&[COLLECTION])).unwrap();
    let mut bulk = wait(documents.bulk("1/1")).unwrap();
    let e = wait(bulk.write(COLLECTION, &batch(1, 1..=5), 5)).unwrap_err();
    unavailable(&e, &["NOPERM", "+@transaction"]);
    assert_eq!((wait(bulk.position(COLLECTION)).unwrap(), count(&target)), (0, 0));
    drop(guard);
    let (): () = redis::cmd("ACL").arg("DELUSER").arg(&user).query(&mut admin).unwrap();
}

/// Over TLS, as a user with a password, into another database than the first.
#[test]
fn a_load_is_who_the_url_says_where_the_url_says() {
    let (url, ca) = (server("HOAP_TEST_REDIS_TLS"), server("HOAP_TEST_REDIS_CA"));
    let options = format!("tls_ca={ca}&prefix={}", prefix());
    let url = as_user(&url, "hoap_password:hoap%20secret") + "/3";
    let target = open(&with(&url, &options));
    let _guard = Guard(target.clone());
    begun(target.documents().unwrap());
    assert_eq!(count(&target), 5);
    // More than a batch, and a document that is larger than one.
    let documents = target.documents().unwrap();
    let mut bulk = wait(documents.bulk("1/1")).unwrap();
    let mut large = batch(1, 6..=300);
    large.push(|key, text| {
        key.push_str("1.301");
        text.extend_from_slice(format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20)).as_bytes());
    });
    wait(bulk.write(COLLECTION, &large, 301)).unwrap();
    assert_eq!(count(&target), 301);
    let settings = target.description().settings;
    assert!(settings["durability"].contains("second"), "{settings:?}");
}

/// The server is full, its replicas are not there, an administrator ends the connection, it says
/// nothing: the load ends, and goes on from its progress.
#[test]
fn a_load_that_failed_goes_on() {
    let server = Server::start();
    let target = open(&format!("{}?response_timeout_ms=60000&answer_timeout_ms=600", server.url()));
    let documents = target.documents().unwrap();
    let mut bulk = begun(documents);
    let limit = |bytes: &str| {
        let mut set = redis::cmd("CONFIG");
        let (): () = set.arg("SET").arg("maxmemory").arg(bytes).query(&mut bare(&server)).unwrap();
    };
    limit("1");
    unavailable(wait(bulk.write(COLLECTION, &batch(1, 6..=7), 7)).unwrap_err(), &["OOM"]);
    limit("0");
    assert_eq!((wait(bulk.position(COLLECTION)).unwrap(), count(&target)), (5, 5));
    wait(bulk.write(COLLECTION, &batch(1, 6..=7), 7)).unwrap();

    let mut kill = redis::cmd("CLIENT");
    let _: i64 = kill.arg("KILL").arg("TYPE").arg("normal").query(&mut bare(&server)).unwrap();
    let e = wait(bulk.write(COLLECTION, &batch(1, 8..=9), 9)).unwrap_err();
    assert!(matches!(e.kind, ErrorKind::Ambiguous | ErrorKind::Unavailable), "{e}");
    // The driver's connection, too.
    if wait(bulk.position(COLLECTION)).is_err() {
        assert_eq!(wait(bulk.position(COLLECTION)).unwrap(), 7);
    }
    wait(bulk.write(COLLECTION, &batch(1, 8..=9), 9)).unwrap();

    server.signal("STOP");
    let e = wait(bulk.write(COLLECTION, &batch(1, 10..=11), 11)).unwrap_err();
    of_kind(ErrorKind::Timeout, &e, &["2 documents into orders", "answer_timeout_ms"]);
    server.signal("CONT");
    assert_eq!(wait(bulk.position(COLLECTION)).unwrap(), 9);
    wait(bulk.write(COLLECTION, &batch(1, 10..=11), 11)).unwrap();
    assert_eq!((wait(bulk.position(COLLECTION)).unwrap(), count(&target)), (11, 11));

    let waiting = open(&format!("{}?wait_replicas=1&wait_timeout_ms=50", server.url()));
    let mut bulk = wait(waiting.documents().unwrap().bulk("1/1")).unwrap();
    let e = wait(bulk.write(COLLECTION, &batch(1, 12..=13), 13)).unwrap_err();
    of_kind(ErrorKind::Timeout, &e, &["after 50 ms 0 of 1 replicas"]);
    assert_eq!((wait(bulk.position(COLLECTION)).unwrap(), count(&target)), (13, 13));
}
