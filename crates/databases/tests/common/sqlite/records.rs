//! Records, customers and orders: what is SQLite's own.

use hoap_database::Access;
use hoap_database::key_value::{Fields, Record, Table};
use hoap_testing::errors::{fails, has};
use hoap_workload::ErrorKind;

use super::conformance::{self, client, load_records, session, table, wait};
use super::fresh;

hoap_suites::conformance_tests!(fresh:
    what_json_cannot_hold_is_refused,
    pages_without_their_index_are_refused,
    joins_without_their_indexes_are_refused,
);

/// A reader neither waits for a writer nor sees what it has not committed.
#[test]
fn reads_and_scans_do_not_wait_for_writers() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let mut writer = session(&target);
    let mut client = client(&target);
    wait(async {
        let mut open = writer.begin(Access::Write).await.unwrap();
        assert!(open.delete("usertable", "user1").await.unwrap());
        let mut there = Record::default();
        assert!(client.read("user1", Fields::All, &mut there).await.unwrap());
        assert_eq!(there.len(), 4);
        open.commit().await.unwrap();
        assert!(!client.read("user1", Fields::All, &mut there).await.unwrap());
    });
}

#[test]
fn names_that_are_no_fields_are_refused() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    for field in ["", "a.b", "a[0]", "a'", "ä", "1"] {
        let strange = Table { fields: vec![field.to_owned()], ..table(1) };
        fails(wait(target.key_value().unwrap().session(&strange)), ErrorKind::Invalid, &[]);
    }
}

/// A table that another program filled with something else.
#[test]
fn what_is_no_record_is_a_broken_promise() {
    let (target, guard) = fresh();
    conformance::what_is_no_record_is_a_broken_promise(&target, &|| {
        let other = rusqlite::Connection::open(guard.path().join("t.db")).unwrap();
        other
            .execute_batch(
                "INSERT INTO usertable VALUES ('array', jsonb('[1]')),
                 ('number', jsonb('{\"field0\":7}')),
                 ('more', jsonb('{\"id\":7,\"x\":{\"y\":[]},\"field1\":\"b\",\"field0\":null}')),
                 ('blob', x'ff')",
            )
            .unwrap();
    });
    let blob = wait(client(&target).read("blob", Fields::All, &mut Record::default()));
    has(blob.unwrap_err(), &["malformed JSON"]);
}
