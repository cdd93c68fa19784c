//! The lab's DocumentDB: MongoDB's protocol and dialect on PostgreSQL.

mod cancel;
mod conflicts;
mod faults;

use std::any::Any;

use hoap_database::Database;
use hoap_workload::ErrorKind;

use crate::conformance::{client, load_records, record, wait};
use crate::{Guard, fresh_on, open, own_database, refused, unavailable, with};

fn server() -> String {
    crate::server("HOAP_TEST_DOCUMENTDB")
}

fn fresh() -> (Database, Guard) {
    fresh_on(&server())
}

hoap_suites::document_tests!(fresh);
hoap_suites::transaction_tests!(fresh);
hoap_suites::key_value_tests!(fresh);
hoap_suites::shop_tests!(fresh);
hoap_suites::range_tests!(fresh);
hoap_suites::conformance_tests!(fresh:
    a_transaction_reads_ranges_of_keys,
    every_json_value_comes_back_as_it_went_in,
    a_snapshot_does_not_move,
    no_update_is_lost,
    pages_without_their_index_are_refused,
    joins_without_their_indexes_are_refused,
    counters_are_read_as_queries_see_them,
);

/// CH2 and CH2++: the effects of the transactions, and the checks, which hold after runs of many
/// clients.
mod ch2 {
    use super::*;

    fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
        let url = own_database(&server());
        (url.clone(), Box::new(Guard(open(&url))))
    }

    hoap_suites::ch2_tests!(super::fresh: checks, detection, tampering, transactions);
}

#[test]
fn it_is_described_as_what_it_is() {
    let target = open(&own_database(&server()));
    let described = target.description();
    assert_eq!(described.name, "DocumentDB");
    assert!(described.version.contains("PostgreSQL 15"), "{described:?}");
    let settings = &described.settings;
    assert_eq!(settings["version_told_by"], "the URL");
    assert_eq!(settings["deployment"], "a gateway over PostgreSQL");
    assert_eq!(settings["protocol"], "MongoDB's 7.0.0, wire version 21");
    assert_eq!(settings["transaction_isolation"], "REPEATABLE READ");
    assert_eq!(settings["transaction_write_concern"], "PostgreSQL's synchronous_commit");
    assert_eq!(settings["analytics_read_concern"], "local");
    assert_eq!(settings["tls"], "true");
    assert!(!described.url.contains("secret") && !described.url.contains("hoap:"), "{described:?}");
    let weaker = open(&with(&own_database(&server()), "transaction_read_concern=majority"));
    assert_eq!(weaker.description().settings["transaction_isolation"], "READ COMMITTED");
}

/// The engine repeats documents that were updated between two parts of an unsorted search.
#[test]
fn a_scan_after_updates_has_every_record_once() {
    const RECORDS: usize = 2000;
    let (target, _guard) = fresh();
    let keys: Vec<String> = (0..RECORDS).map(|n| format!("user{n:04}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    load_records(&target, &keys);
    let mut client = client(&target);
    for key in keys.iter().step_by(3) {
        wait(client.update(key, &record([(0, "changed")]))).unwrap();
    }
    assert!(crate::conformance::keys(&target, "usertable").iter().eq(keys));
}

#[test]
fn who_may_not_is_told_so() {
    let url = own_database(&server());
    let user = |name: &str| url.replacen("//hoap:", &format!("//{name}:"), 1);
    let e = refused(&url.replacen(":hoap-secret@", ":not-the-secret@", 1));
    unavailable(&e, &["MONGODB_PASSWORD"]);
    let reader = open(&user("hoap_read"));
    let e = wait(reader.documents().unwrap().create(&["orders"])).unwrap_err();
    unavailable(&e, &["list the collections", "grant this user readWrite"]);
    let plain = url.replacen("tls=true", "tls=false", 1);
    let e = refused(&plain);
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("'tlsCAFile' can't be set if tls=false"), "{e}");
    let (before, authority) = plain.split_once("&tlsCAFile=").unwrap();
    let after = authority.split_once('&').map_or("", |(_, after)| after);
    let e = refused(&format!("{before}&{after}"));
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
}
