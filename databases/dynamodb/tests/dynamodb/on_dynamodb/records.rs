//! Records by key, where the suite asks for what DynamoDB has not: keys in their order, large
//! items.

use std::collections::BTreeSet;

use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_workload::ErrorKind;

use super::fresh;
use crate::conformance::{client, load_records, record, wait};

hoap_suites::conformance_tests!(fresh:
    a_loaded_record_is_read_by_its_fields,
    an_inserted_record_is_there_for_everyone,
    a_deleted_record_is_gone_for_everyone,
    deleting_an_absent_record_finds_none,
    inserting_a_key_twice_is_a_duplicate,
    one_insert_of_a_key_wins,
    an_update_sets_its_fields_and_keeps_the_others,
    values_and_keys_come_back_byte_for_byte,
    many_fields_are_set_at_once,
    no_field_is_lost_among_many_writers,
    a_record_is_read_whole,
    fields_and_tables_that_are_not_there_are_refused,
    operations_on_a_table_that_is_gone_are_missing,
);

fn keys(client: &mut crate::conformance::Client, start: &str, count: usize) -> Vec<String> {
    let mut scanned = Scanned::default();
    wait(client.scan(start, count, Fields::None, &mut scanned)).unwrap();
    scanned.iter().map(|(key, _)| key.to_owned()).collect()
}

/// The order is that of a hash: the same for every scan.
#[test]
fn a_scan_begins_at_its_key_and_goes_on_in_the_order_of_the_table() {
    let (target, _guard) = fresh();
    let all: Vec<String> = (0..60).map(|n| format!("user{n:03}")).collect();
    load_records(&target, &all.iter().map(String::as_str).collect::<Vec<_>>());
    let mut client = client(&target);
    let order = keys(&mut client, "", 100);
    assert_eq!(order.iter().collect::<BTreeSet<_>>(), all.iter().collect());
    for (at, start) in order.iter().enumerate() {
        for count in [0, 1, 7, 60, usize::MAX] {
            let expected: Vec<_> = order[at..].iter().take(count).collect();
            let found = keys(&mut client, start, count);
            assert!(found.iter().eq(expected), "{count} from {start}: {found:?}");
        }
    }
    // Every record comes with the fields asked for.
    let mut scanned = Scanned::default();
    for (fields, many) in [(Fields::All, 4), (Fields::One(2), 1), (Fields::None, 0)] {
        wait(client.scan(&order[50], 100, fields, &mut scanned)).unwrap();
        assert_eq!(scanned.len(), 10);
        for (key, record) in scanned.iter() {
            assert_eq!(record.len(), many, "{key}");
            for (number, value) in record.iter() {
                assert_eq!(value, format!("{key} {number}").as_bytes());
            }
        }
    }
}

#[test]
fn a_record_may_have_400_kb_and_no_more() {
    let (target, _guard) = fresh();
    load_records(&target, &[]);
    let mut client = client(&target);
    let large = |bytes: usize| record([(0, "x".repeat(bytes)), (1, "small".into())]);
    wait(client.insert("user1", &large(380 << 10))).unwrap();
    assert!(wait(client.update("user1", &large(390 << 10))).unwrap());
    for e in [
        wait(client.update("user1", &large(1 << 20))).map(drop).unwrap_err(),
        wait(client.insert("user2", &large(1 << 20))).unwrap_err(),
    ] {
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains("400 KB"), "{e}");
    }
    let mut there = Record::default();
    assert!(wait(client.read("user1", Fields::One(0), &mut there)).unwrap());
    assert_eq!(there.iter().next().unwrap().1.len(), 390 << 10);
    assert!(!wait(client.read("user2", Fields::None, &mut there)).unwrap());
}

#[test]
fn keys_that_no_item_can_have_are_absent_and_cannot_be_inserted() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let mut client = client(&target);
    let long = "k".repeat(3000);
    for key in ["", long.as_str()] {
        assert!(!wait(client.read(key, Fields::All, &mut Record::default())).unwrap());
        assert!(!wait(client.update(key, &record([(0, "x")]))).unwrap());
        let e = wait(client.insert(key, &record([(0, "x")]))).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    }
    assert_eq!(keys(&mut client, "", 10), ["user1"]);
}
