//! Records, customers and orders: what is PostgreSQL's own.

use hoap_workload::capability::Target;
use hoap_workload::capability::key_value::{Fields, KeyValueSession, Record};
use hoap_workload::capability::shop::{Joins, Pages};
use hoap_workload::{Error, ErrorKind};

use super::{fresh, raw};
use crate::conformance::{client, indexes, load_records, load_shop, record, wait};

#[test]
fn what_json_cannot_hold_is_refused() {
    let (target, _schema) = fresh();
    load_records(&*target, &["user1"]);
    let mut client = client(&*target);
    let bad = record([(0, &b"fine"[..]), (1, &b"\xff"[..])]);
    for refused in
        [wait(client.insert("user2", &bad)), wait(client.update("user1", &bad)).map(drop)]
    {
        let e = refused.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains("field1 is not UTF-8"), "{e}");
    }
}

/// A table that another program filled with something else.
#[test]
fn what_is_no_record_is_a_broken_promise() {
    let (target, schema) = fresh();
    load_records(&*target, &[]);
    let text = format!(
        "INSERT INTO {}.usertable VALUES ('array', '[1]'), ('number', '{{\"field0\":7}}'),
         ('more', '{{\"id\":7,\"x\":{{\"y\":[]}},\"field1\":\"b\",\"field0\":null}}')",
        schema.name
    );
    wait(raw().batch_execute(&text)).unwrap();
    let mut client = client(&*target);
    let mut there = Record::default();
    let mut read = |key, fields| wait(client.read(key, fields, &mut there)).map(|_| there.clone());
    let broken = |e: Error, words: &str| {
        assert!(e.to_string().contains(words), "{e}");
        assert_eq!(e.kind, ErrorKind::Broken);
    };
    broken(read("array", Fields::All).unwrap_err(), "no object");
    broken(read("number", Fields::All).unwrap_err(), "field0 is no string");
    broken(read("number", Fields::One(0)).unwrap_err(), "no string");
    assert_eq!(read("more", Fields::All), Ok(record([(1, "b")])));
    assert_eq!(read("more", Fields::One(0)), Ok(Record::default()));
}

/// Without its index a search would read every customer: it is refused before the run.
#[test]
fn a_search_without_its_index_is_refused() {
    let (target, _schema) = fresh();
    let shop = &*target;
    load_shop(shop, &[]);
    let sessions = || {
        let joins = shop.variants().iter().map(|v| wait(Joins::session(shop, *v)).map(drop));
        joins.chain([wait(Pages::session(shop)).map(drop)]).collect::<Vec<_>>()
    };
    for refused in sessions() {
        let e = refused.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Missing, "{e}");
        assert!(e.to_string().contains("index is missing: PostgreSQL would seq scan on"), "{e}");
        assert!(e.to_string().contains("run `hoap load` first"), "{e}");
    }
    wait(shop.documents().unwrap().settle(&indexes())).unwrap();
    assert!(sessions().iter().all(Result::is_ok));
    let (empty, _schema) = fresh();
    let e = wait(Pages::session(&*empty)).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Missing, "{e}");
    assert!(e.to_string().contains("does not exist"), "{e}");
}
