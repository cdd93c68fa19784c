//! Records, customers and orders: what is SQLite's own.

use hoap_workload::capability::key_value::{Fields, KeyValue, KeyValueSession, Record, Table};
use hoap_workload::capability::shop::{Joins, Pages};
use hoap_workload::capability::{Access, Target};
use hoap_workload::{Error, ErrorKind};

use super::conformance::{client, indexes, load_records, load_shop, record, session, table, wait};
use super::fresh;

/// A reader neither waits for a writer nor sees what it has not committed.
#[test]
fn reads_and_scans_do_not_wait_for_writers() {
    let (target, _guard) = fresh();
    load_records(&*target, &["user1"]);
    let mut writer = session(&*target);
    let mut client = client(&*target);
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
fn what_json_cannot_hold_is_refused() {
    let (target, _guard) = fresh();
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
    for field in ["", "a.b", "a[0]", "a'", "ä", "1"] {
        let strange = Table { fields: vec![field.to_owned()], ..table(1) };
        let e = wait(KeyValue::session(&*target, &strange)).map(drop).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    }
}

/// A table that another program filled with something else.
#[test]
fn what_is_no_record_is_a_broken_promise() {
    let (target, guard) = fresh();
    load_records(&*target, &[]);
    let other = rusqlite::Connection::open(guard.path().join("t.db")).unwrap();
    other
        .execute_batch(
            "INSERT INTO usertable VALUES ('array', jsonb('[1]')), ('number', jsonb('{\"field0\":7}')),
             ('more', jsonb('{\"id\":7,\"x\":{\"y\":[]},\"field1\":\"b\",\"field0\":null}')),
             ('blob', x'ff')",
        )
        .unwrap();
    let mut client = client(&*target);
    let mut there = Record::default();
    let mut read = |key, fields| wait(client.read(key, fields, &mut there)).map(|_| there.clone());
    let broken = |e: Error, words: &str| {
        assert!(e.to_string().contains(words), "{e}");
        assert!(!e.to_string().contains('\n'), "{e}");
        e.kind
    };
    let kind = broken(read("array", Fields::All).unwrap_err(), "no object");
    assert_eq!(kind, ErrorKind::Broken);
    let kind = broken(read("number", Fields::All).unwrap_err(), "field0 is no string");
    assert_eq!(kind, ErrorKind::Broken);
    let kind = broken(read("number", Fields::One(0)).unwrap_err(), "no string");
    assert_eq!(kind, ErrorKind::Broken);
    broken(read("blob", Fields::All).unwrap_err(), "malformed JSON");
    assert_eq!(read("more", Fields::All), Ok(record([(1, "b")])));
    assert_eq!(read("more", Fields::One(0)), Ok(Record::default()));
}

/// Without its index a search would read every customer: it is refused before the run.
#[test]
fn a_search_without_its_index_is_refused() {
    let (target, _guard) = fresh();
    let shop = &*target;
    load_shop(shop, &[]);
    let pages = || wait(Pages::session(shop)).map(drop);
    let joins = || {
        let joins = shop.variants().iter().map(|v| wait(Joins::session(shop, *v)).map(drop));
        joins.collect::<Vec<_>>()
    };
    for refused in joins().into_iter().chain([pages()]) {
        let e = refused.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Missing, "{e}");
        assert!(e.to_string().contains("no such index"), "{e}");
        assert!(e.to_string().contains("run `hoap load` first"), "{e}");
    }
    let settle = |indexes: &[_]| wait(shop.documents().unwrap().settle(indexes)).unwrap();
    // Without the one on the orders a join would read them all.
    settle(&indexes()[..2]);
    assert!(pages().is_ok());
    for refused in joins() {
        let e = refused.unwrap_err();
        assert!(e.to_string().contains("no such index: shop_orders_covering"), "{e}");
    }
    settle(&indexes());
    assert!(pages().is_ok() && joins().iter().all(Result::is_ok));
    let (empty, _guard) = fresh();
    load_records(&*empty, &[]);
    let e = wait(Pages::session(&*empty)).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Missing, "{e}");
    assert!(e.to_string().contains("no such table"), "{e}");
}
