//! One node.

use std::collections::BTreeMap;

use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_database::shop::{Ask, JoinVariant};
use hoap_database::{Batch, Database, Documents};
use hoap_testing::errors::fails;
use hoap_workload::ErrorKind;
use serde_json::json;

use crate::conformance::{
    client, load_records, record, table, wait, what_others_made_is_left_alone,
};
use crate::{Guard, admin, cql, fresh_with, ring};

mod refusals;
mod users;

fn fresh() -> (Database, Guard) {
    fresh_with("")
}

fn documents(target: &Database) -> Documents<'_> {
    target.documents().unwrap()
}

hoap_suites::document_tests!(fresh);
hoap_suites::plain_operation_tests!(fresh);
hoap_suites::conformance_tests!(fresh:
    a_loaded_record_is_read_by_its_fields,
    an_inserted_record_is_there_for_everyone,
    a_deleted_record_is_gone_for_everyone,
    values_and_keys_come_back_byte_for_byte,
    large_values_come_back,
    many_fields_are_set_at_once,
    no_field_is_lost_among_many_writers,
    a_record_is_read_whole,
    fields_and_tables_that_are_not_there_are_refused,
    every_join_sums_to_the_cent,
    a_join_of_nothing_is_empty,
    joins_without_their_indexes_are_refused,
    a_batch_written_again_is_written_once,
);

/// With lightweight transactions.
mod lightweight {
    fn fresh() -> (hoap_database::Database, crate::Guard) {
        crate::fresh_with("&lwt=true")
    }

    hoap_suites::variant_tests!(fresh: lightweight);
}

fn read(session: &mut crate::conformance::Client, key: &str) -> Option<Record> {
    let mut there = Record::default();
    wait(session.read(key, Fields::All, &mut there)).unwrap().then_some(there)
}

/// What Cassandra does: it writes without looking.
#[test]
fn an_insert_replaces_and_an_update_makes_the_record() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let mut session = client(&target);
    wait(session.insert("user1", &record([(0, "other")]))).unwrap();
    // The fields that the insert does not have stay: it writes columns, not rows.
    let there = read(&mut session, "user1").unwrap();
    let fields: BTreeMap<_, _> = there.iter().collect();
    assert_eq!((fields[&0], fields[&1]), (&b"other"[..], &b"user1 1"[..]));
    assert!(wait(session.update("user2", &record([(1, "made")]))).unwrap());
    assert_eq!(read(&mut session, "user2"), Some(record([(1, "made")])));
    let many = record([(3, "three"), (1, "one")]);
    assert!(wait(session.update("user2", &many)).unwrap());
    assert_eq!(read(&mut session, "user2"), Some(record([(1, "one"), (3, "three")])));
    // Without a field there is nothing to write: then it looks.
    assert!(wait(session.update("user2", &Record::default())).unwrap());
    assert!(!wait(session.update("user3", &Record::default())).unwrap());
    assert_eq!(read(&mut session, "user3"), None);
    let e = wait(session.insert("", &record([(0, "x")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(!wait(session.update("", &record([(0, "x")]))).unwrap());
}

#[test]
fn a_scan_goes_on_from_its_start_in_the_order_of_the_tokens() {
    let (target, guard) = fresh();
    let keys: Vec<String> = (0..60).map(|n| format!("user{n:03}")).collect();
    load_records(&target, &keys.iter().map(String::as_str).collect::<Vec<_>>());
    let ring = ring::keys(admin(), &guard.keyspace, "usertable");
    assert_eq!(ring.len(), 60);
    assert!(!ring.is_sorted(), "tokens are no order of the keys");
    let mut session = client(&target);
    let mut scanned = Scanned::default();
    for (at, start) in ring.iter().enumerate() {
        for count in [0, 1, 7, 100, usize::MAX] {
            wait(session.scan(start, count, Fields::All, &mut scanned)).unwrap();
            let found: Vec<_> = scanned.iter().map(|(key, _)| key).collect();
            let expected: Vec<_> = ring[at..].iter().take(count).collect();
            assert_eq!(found, expected, "from {start}, {count} at most");
            for (key, there) in scanned.iter() {
                let values = (0..4).map(|n| (n, format!("{key} {n}")));
                assert_eq!(*there, record(values));
            }
        }
    }
    let first = &ring[0];
    wait(session.scan(first, 3, Fields::One(2), &mut scanned)).unwrap();
    for (key, there) in scanned.iter() {
        assert_eq!(*there, record([(2, format!("{key} 2"))]));
    }
    wait(session.scan(first, 3, Fields::None, &mut scanned)).unwrap();
    assert_eq!(scanned.len(), 3);
    assert!(scanned.iter().all(|(_, there)| there.is_empty()));
    // From a key that is not there: what has a token as large as its, or a larger one.
    wait(session.scan("nobody", 100, Fields::None, &mut scanned)).unwrap();
    let found: Vec<_> = scanned.iter().map(|(key, _)| key.to_owned()).collect();
    assert_eq!(found, ring[ring.len() - found.len()..]);
}

/// More than a page of the driver.
#[test]
fn a_long_scan_takes_several_pages() {
    let (target, guard) = fresh();
    let keys: Vec<String> = (0..12_000).map(|n| format!("user{n}")).collect();
    load_records(&target, &keys.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(crate::conformance::keys(&target, "usertable").len(), 12_000);
    let first = ring::first(admin(), &guard.keyspace, "usertable");
    let mut scanned = Scanned::default();
    wait(client(&target).scan(&first, 11_000, Fields::One(0), &mut scanned)).unwrap();
    assert_eq!(scanned.len(), 11_000);
}

/// A record of strings is a row of columns, another document JSON; one collection may hold both.
#[test]
fn records_are_columns_and_documents_are_json() {
    let (target, guard) = fresh();
    let documents = documents(&target);
    let all = [
        ("a", json!({"first": "Ada", "last": "L"})),
        ("b", json!({"first": "Bo", "age": 7, "at": {"zip": "1"}})),
        ("c", json!({})),
    ];
    let mut batch = Batch::default();
    for (key, document) in &all {
        batch.push(|to, text| {
            to.push_str(key);
            text.extend_from_slice(document.to_string().as_bytes());
        });
    }
    wait(async {
        documents.create(&["people"]).await.unwrap();
        documents.bulk("1/1").await.unwrap().write("people", &batch, 3).await.unwrap();
    });
    let mut seen = BTreeMap::new();
    let mut each = |key: &str, row| {
        seen.insert(key.to_owned(), row);
        Ok(())
    };
    let fields = ["first", "last", "at.zip", "age"];
    wait(documents.scan("people", &fields, &mut each)).unwrap();
    assert_eq!(seen["a"], [json!("Ada"), json!("L"), json!(null), json!(null)]);
    assert_eq!(seen["b"], [json!("Bo"), json!(null), json!("1"), json!(7)]);
    assert_eq!(seen["c"], vec![json!(null); 4]);
    let text = format!("SELECT y_id, first, last FROM {}.people WHERE y_id = 'a'", guard.keyspace);
    let rows = wait(admin().query_unpaged(text, ())).unwrap().into_rows_result().unwrap();
    let row = rows.single_row::<(String, String, String)>().unwrap();
    assert_eq!(row, ("a".into(), "Ada".into(), "L".into()));
}

/// The table that YCSB's documentation has its users make.
#[test]
fn a_table_made_for_ycsb_is_used_as_it_is() {
    let (target, guard) = fresh();
    let keyspace = &guard.keyspace;
    cql(
        admin(),
        &format!(
            "CREATE KEYSPACE {keyspace} WITH replication = {{'class': 'SimpleStrategy', \
             'replication_factor': 1}}"
        ),
    );
    cql(
        admin(),
        &format!(
            "CREATE TABLE {keyspace}.usertable (y_id varchar PRIMARY KEY, field0 varchar, field1 \
             varchar, field2 varchar, field3 varchar)"
        ),
    );
    let insert = format!("INSERT INTO {keyspace}.usertable (y_id, field0) VALUES ('user1', 'x')");
    cql(admin(), &insert);
    let mut session = client(&target);
    assert_eq!(read(&mut session, "user1"), Some(record([(0, "x")])));
    assert!(wait(documents(&target).any_exists(&["usertable"])).unwrap());
    // A table with another key is somebody else's.
    cql(admin(), &format!("CREATE TABLE {keyspace}.item (id int PRIMARY KEY, x varchar)"));
    what_others_made_is_left_alone(&target, "item", "name another keyspace");
}

#[test]
fn joins_that_it_does_not_have_are_refused() {
    let (target, _guard) = fresh();
    for variant in [JoinVariant::Index, JoinVariant::TwoPhase, JoinVariant::Lookup] {
        fails(wait(target.joins().unwrap().session(Ask::Joins(variant))), ErrorKind::Invalid, &[]);
    }
}

#[test]
fn what_it_does_not_have_is_said_with_the_reason() {
    let (target, _guard) = fresh();
    let no = target.transactions().map(drop).unwrap_err().to_string();
    assert!(no.starts_with("document transactions on Cassandra: not applicable, because"), "{no}");
    let no = target.analytics().map(drop).unwrap_err().to_string();
    assert!(no.contains("without joins"), "{no}");
    let any = wait(hoap_databases::open(&target.description().url)).unwrap();
    let no = any.pages().map(drop).unwrap_err().to_string();
    assert!(no.contains("no OFFSET"), "{no}");
    let scheme = hoap_databases::known().find(|s| s.names.contains(&"cassandra")).unwrap();
    assert!(scheme.built_in());
    assert!(scheme.capabilities().map(|what| what.name()).eq([
        "documents",
        "key-value",
        "scans",
        "join",
        "operations"
    ]));
    assert!(target.documents().is_ok() && target.key_value().unwrap().scans() == Ok(()));
    assert_eq!(target.joins().unwrap().variants(), [JoinVariant::JoiningTable]);
    assert!(!target.blocking());
}

/// Clients that connect at once share a session of the driver and the columns that they make.
#[test]
fn clients_connect_at_the_same_time() {
    let (target, _guard) = fresh();
    load_records(&target, &[]);
    std::thread::scope(|scope| {
        for n in 0..4u16 {
            let target = &target;
            scope.spawn(move || {
                // A runtime of its own, as the worker threads of a run have.
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.unwrap().block_on(async {
                    let table = table(4);
                    let mut session = target.key_value().unwrap().session(&table).await.unwrap();
                    let mut other = target.key_value().unwrap().session(&table).await.unwrap();
                    let key = format!("user{n}");
                    session.insert(&key, &record([(n, "x")])).await.unwrap();
                    let mut there = Record::default();
                    assert!(other.read(&key, Fields::One(n), &mut there).await.unwrap());
                    assert_eq!(there, record([(n, "x")]));
                });
            });
        }
    });
    let mut session = client(&target);
    assert!((0..4).all(|n| read(&mut session, &format!("user{n}")).is_some()));
}
