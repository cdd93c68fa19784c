//! Records by key.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use hoap_database::engine::BoxedSession;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::{Batch, Database, KeyValueSession};
use hoap_workload::{ErrorKind, Result};
use serde_json::{Map, Value};

use super::{keys, wait};
use hoap_testing::errors::fails;

const FIELDS: u16 = 4;

/// One client.
pub type Client = KeyValueSession<BoxedSession>;

/// The table of the tests, with this many fields.
pub fn table(fields: u16) -> Table {
    let fields = (0..fields).map(|n| format!("field{n}")).collect();
    Table { name: "usertable".to_owned(), fields }
}

/// The values of a record as they are loaded.
fn loaded(key: &str) -> BTreeMap<u16, String> {
    (0..FIELDS).map(|field| (field, format!("{key} {field}"))).collect()
}

/// Creates the table and loads a record under each key.
pub fn load_records(target: &Database, keys: &[&str]) {
    let mut batch = Batch::default();
    for key in keys {
        let named = loaded(key).into_iter().map(|(n, v)| (format!("field{n}"), Value::from(v)));
        let document = Value::from(Map::from_iter(named)).to_string();
        batch.push(|to, text| {
            to.push_str(key);
            text.extend_from_slice(document.as_bytes());
        });
    }
    wait(async {
        let documents = target.documents().unwrap();
        documents.create(&["usertable"]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write("usertable", &batch, keys.len() as u64).await.unwrap();
        drop(bulk);
        documents.settle(&[]).await.unwrap();
    });
}

/// A new session on the table.
pub fn client(target: &Database) -> Client {
    wait(target.key_value().unwrap().session(&table(FIELDS))).unwrap()
}

/// A record of these fields.
pub fn record<V: AsRef<[u8]>>(fields: impl IntoIterator<Item = (u16, V)>) -> Record {
    let mut record = Record::default();
    for (field, value) in fields {
        record.push(field, |out| out.extend_from_slice(value.as_ref()));
    }
    record
}

fn map(record: &Record) -> BTreeMap<u16, String> {
    let text = |value: &[u8]| String::from_utf8(value.to_vec()).unwrap();
    let map: BTreeMap<_, _> = record.iter().map(|(field, value)| (field, text(value))).collect();
    assert_eq!(map.len(), record.len(), "a field came twice");
    map
}

/// What a read gives, `None` where there is no such key.
fn read(client: &mut Client, key: &str, fields: Fields) -> Option<BTreeMap<u16, String>> {
    // What a client gets is emptied first.
    let mut there = record([(9, "of the read before")]);
    let found = wait(client.read(key, fields, &mut there)).unwrap();
    assert!(found || there.is_empty());
    found.then(|| map(&there))
}

fn scan(
    client: &mut Client,
    start: &str,
    count: usize,
    fields: Fields,
) -> Vec<(String, BTreeMap<u16, String>)> {
    let mut scanned = Scanned::default();
    scanned.push("of the scan before");
    wait(client.scan(start, count, fields, &mut scanned)).unwrap();
    scanned.iter().map(|(key, record)| (key.to_owned(), map(record))).collect()
}

pub fn a_loaded_record_is_read_by_its_fields(target: &Database) {
    load_records(target, &["user1", "user2"]);
    let mut client = client(target);
    for key in ["user1", "user2", "user1"] {
        assert_eq!(read(&mut client, key, Fields::All), Some(loaded(key)));
        assert_eq!(read(&mut client, key, Fields::None), Some(BTreeMap::new()));
        for field in 0..FIELDS {
            let one = BTreeMap::from([(field, format!("{key} {field}"))]);
            assert_eq!(read(&mut client, key, Fields::One(field)), Some(one));
        }
    }
    for absent in ["", "user", "user3", "USER1", "user1 "] {
        for fields in [Fields::All, Fields::One(1), Fields::None] {
            assert_eq!(read(&mut client, absent, fields), None, "`{absent}`");
        }
    }
}

pub fn an_inserted_record_is_there_for_everyone(target: &Database) {
    load_records(target, &["user1"]);
    let (mut one, mut other) = (client(target), client(target));
    assert_eq!(read(&mut other, "user2", Fields::All), None);
    wait(one.insert("user2", &record([(0, "a"), (1, "b"), (2, "c"), (3, "d")]))).unwrap();
    // A record need not have every field.
    wait(one.insert("user3", &record([(2, "c"), (1, "b")]))).unwrap();
    wait(one.insert("user4", &Record::default())).unwrap();
    for client in [&mut one, &mut other] {
        let whole = ["a", "b", "c", "d"].map(String::from);
        assert_eq!(read(client, "user2", Fields::All), Some((0..).zip(whole).collect()));
        let part = BTreeMap::from([(1, "b".to_owned()), (2, "c".to_owned())]);
        assert_eq!(read(client, "user3", Fields::All), Some(part));
        assert_eq!(read(client, "user3", Fields::One(0)), Some(BTreeMap::new()));
        assert_eq!(read(client, "user4", Fields::All), Some(BTreeMap::new()));
        assert_eq!(read(client, "user1", Fields::All), Some(loaded("user1")));
    }
}

pub fn inserting_a_key_twice_is_a_duplicate(target: &Database) {
    load_records(target, &["user1"]);
    let mut client = client(target);
    let other = record([(0, "other")]);
    wait(client.insert("user2", &other)).unwrap();
    for key in ["user1", "user2"] {
        let e = wait(client.insert(key, &other)).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
        assert!(e.to_string().contains(key), "{e}");
    }
    assert_eq!(read(&mut client, "user1", Fields::All), Some(loaded("user1")));
    wait(client.insert("user3", &other)).unwrap();
}

pub fn one_insert_of_a_key_wins(target: &Database) {
    const CLIENTS: u16 = 4;
    load_records(target, &[]);
    let start = Barrier::new(CLIENTS.into());
    let race = |n: u16| {
        let mut client = client(target);
        start.wait();
        let inserted = wait(client.insert("user1", &record([(0, n.to_string())])));
        match inserted {
            Ok(()) => Some(n.to_string()),
            Err(e) => {
                assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
                None
            }
        }
    };
    let race = &race;
    let won: Vec<_> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..CLIENTS).map(|n| scope.spawn(move || race(n))).collect();
        racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
    });
    assert_eq!(won.len(), 1);
    let there = read(&mut client(target), "user1", Fields::All).unwrap();
    assert_eq!(there[&0], won[0]);
}

pub fn an_update_sets_its_fields_and_keeps_the_others(target: &Database) {
    load_records(target, &["user1", "user2"]);
    let mut client = client(target);
    wait(client.insert("user3", &record([(0, "a")]))).unwrap();
    let mut expected = loaded("user1");
    for fields in [vec![2], vec![3, 0], vec![], vec![0, 1, 2, 3]] {
        let new = fields.iter().map(|f| (*f, format!("new {f} of {}", fields.len())));
        assert!(wait(client.update("user1", &record(new.clone()))).unwrap());
        expected.extend(new);
        assert_eq!(read(&mut client, "user1", Fields::All), Some(expected.clone()));
    }
    // A field that the record did not have yet.
    assert!(wait(client.update("user3", &record([(1, "b")]))).unwrap());
    let both = BTreeMap::from([(0, "a".to_owned()), (1, "b".to_owned())]);
    assert_eq!(read(&mut client, "user3", Fields::All), Some(both));
    // Nothing else changed, and no record was made.
    assert_eq!(read(&mut client, "user2", Fields::All), Some(loaded("user2")));
    for update in [record([(0, "x")]), Record::default()] {
        assert!(!wait(client.update("user4", &update)).unwrap());
    }
    assert_eq!(read(&mut client, "user4", Fields::None), None);
}

/// Values of which a codec, a statement or a comparison might think something of its own. The last
/// one may be refused.
const VALUES: [&str; 13] = [
    "",
    " ",
    "it's \"quoted\" \\ and \\\" / `so`",
    "ä€😀 \u{10ffff} e\u{301}",
    "\u{1}\t\r\n\u{8}\u{c}\u{1f}\u{7f}",
    "null",
    "12",
    "-1.50",
    "true",
    "{\"a\": [1]}",
    "$.field1 ?1 %s \\u0041",
    "\u{feff}\u{2028}",
    "\0 and \0",
];

/// Whether a record that is not there was found is for a database to say that reads before it
/// writes; see [`deleting_an_absent_record_finds_none`].
pub fn a_deleted_record_is_gone_for_everyone(target: &Database) {
    load_records(target, &["user1", "user2", "user3"]);
    let (mut one, mut other) = (client(target), client(target));
    wait(one.insert("user4", &record([(0, "a")]))).unwrap();
    for key in ["user2", "user4"] {
        assert!(wait(one.delete(key)).unwrap(), "{key}");
        for client in [&mut one, &mut other] {
            for fields in [Fields::All, Fields::One(1), Fields::None] {
                assert_eq!(read(client, key, fields), None, "{key}");
            }
        }
    }
    for key in ["user1", "user3"] {
        assert_eq!(read(&mut other, key, Fields::All), Some(loaded(key)));
    }
    // A key that was deleted is free.
    wait(other.insert("user2", &record([(1, "b")]))).unwrap();
    let second = BTreeMap::from([(1, "b".to_owned())]);
    assert_eq!(read(&mut one, "user2", Fields::All), Some(second));
    assert_eq!(keys(target, "usertable").len(), 3);
}

pub fn deleting_an_absent_record_finds_none(target: &Database) {
    load_records(target, &["user1"]);
    let mut client = client(target);
    for (key, there) in [("", false), ("user2", false), ("user1", true), ("user1", false)] {
        assert_eq!(wait(client.delete(key)).unwrap(), there, "`{key}`");
    }
}

pub fn values_and_keys_come_back_byte_for_byte(target: &Database) {
    load_records(target, &[]);
    let mut client = client(target);
    for (n, value) in VALUES.iter().enumerate() {
        let key = format!("user'\"ä{n} {}", value.trim());
        let before = VALUES[n / 2];
        match wait(client.insert(&key, &record([(0, *value), (1, before), (2, "x")]))) {
            Err(e) if value.contains('\0') && e.kind == ErrorKind::Invalid => {
                assert!(e.to_string().contains("U+0000"), "{e}");
                continue;
            }
            inserted => inserted.unwrap(),
        }
        assert!(wait(client.update(&key, &record([(1, *value)]))).unwrap());
        let expected =
            BTreeMap::from([(0, (*value).into()), (1, (*value).into()), (2, "x".into())]);
        assert_eq!(read(&mut client, &key, Fields::All).as_ref(), Some(&expected));
        assert_eq!(scan(&mut client, &key, 1, Fields::All), [(key.clone(), expected.clone())]);
        for field in [0, 1] {
            let one = BTreeMap::from([(field, (*value).to_owned())]);
            assert_eq!(read(&mut client, &key, Fields::One(field)), Some(one));
        }
    }
}

pub fn large_values_come_back(target: &Database) {
    load_records(target, &[]);
    let mut client = client(target);
    let large = |character: char| String::from_iter(std::iter::repeat_n(character, 1 << 20));
    wait(client.insert("user1", &record([(0, large('a')), (1, "small".into())]))).unwrap();
    for character in ['b', '"', '€'] {
        assert!(wait(client.update("user1", &record([(0, large(character))]))).unwrap());
        let there = read(&mut client, "user1", Fields::All).unwrap();
        assert!(there[&0] == large(character) && there[&1] == "small");
        assert!(read(&mut client, "user1", Fields::One(0)).unwrap()[&0] == large(character));
    }
}

pub fn many_fields_are_set_at_once(target: &Database) {
    const MANY: u16 = 1000;
    load_records(target, &[]);
    let mut client = wait(target.key_value().unwrap().session(&table(MANY))).unwrap();
    let version = |v: u16| (0..MANY).map(move |field| (field, format!("{field}.{v}")));
    wait(client.insert("user1", &record(version(0)))).unwrap();
    assert_eq!(read(&mut client, "user1", Fields::All), Some(version(0).collect()));
    assert!(wait(client.update("user1", &record(version(1)))).unwrap());
    assert_eq!(read(&mut client, "user1", Fields::All), Some(version(1).collect()));
}

pub fn a_scan_goes_on_from_its_start_in_the_order_of_the_keys(target: &Database) {
    let keys: Vec<String> = (0..60).map(|n| format!("user{:03}", n * 37 % 60 * 2)).collect();
    load_records(target, &keys.iter().map(String::as_str).collect::<Vec<_>>());
    let mut client = client(target);
    let sorted: Vec<String> = (0..60).map(|n| format!("user{:03}", n * 2)).collect();
    for (start, count, from) in [
        ("user000", 10, 0),
        ("user010", 1, 5),
        ("user011", 7, 6),
        ("", 100, 0),
        ("user100", 100, 50),
        ("user118", 2, 59),
        ("user119", 5, 60),
        ("zzz", 5, 60),
        ("user000", 0, 0),
        ("user000", usize::MAX, 0),
    ] {
        let found = scan(&mut client, start, count, Fields::All);
        let found: Vec<_> = found.iter().map(|(key, _)| key.as_str()).collect();
        let expected: Vec<_> = sorted[from..].iter().take(count).collect();
        assert_eq!(found, expected, "from {start}, {count} at most");
    }
    wait(client.insert("user051", &record([(0, "new")]))).unwrap();
    let found = scan(&mut client, "user050", 2, Fields::One(0));
    assert_eq!(found[1], ("user051".to_owned(), BTreeMap::from([(0, "new".to_owned())])));
}

pub fn a_scan_gives_the_fields_asked_for(target: &Database) {
    load_records(target, &["user1", "user2", "user3"]);
    let mut client = client(target);
    wait(client.insert("user4", &record([(1, "only")]))).unwrap();
    let all = scan(&mut client, "user2", 2, Fields::All);
    assert_eq!(all, ["user2", "user3"].map(|key| (key.to_owned(), loaded(key))));
    let one = scan(&mut client, "user3", 2, Fields::One(2));
    let third = ("user3".to_owned(), BTreeMap::from([(2, "user3 2".to_owned())]));
    assert_eq!(one, [third, ("user4".to_owned(), BTreeMap::new())]);
    let none = scan(&mut client, "user1", 9, Fields::None);
    let keys = ["user1", "user2", "user3", "user4"].map(|key| (key.to_owned(), BTreeMap::new()));
    assert_eq!(none, keys);
}

/// A conflict is no failure: the operation was not applied and runs again.
fn until_done<T>(mut operation: impl FnMut() -> Result<T>) -> T {
    loop {
        match operation() {
            Err(e) if e.kind == ErrorKind::Conflict => continue,
            done => return done.unwrap(),
        }
    }
}

pub fn no_field_is_lost_among_many_writers(target: &Database) {
    const UPDATES: u16 = 100;
    load_records(target, &["user1"]);
    std::thread::scope(|scope| {
        for field in 0..FIELDS {
            scope.spawn(move || {
                let mut client = client(target);
                for n in 1..=UPDATES {
                    let new = record([(field, n.to_string())]);
                    assert!(until_done(|| wait(client.update("user1", &new))));
                    // Nobody else writes this field.
                    let there = until_done(|| {
                        let mut there = Record::default();
                        wait(client.read("user1", Fields::One(field), &mut there))
                            .map(|_| map(&there))
                    });
                    assert_eq!(there, BTreeMap::from([(field, n.to_string())]));
                }
            });
        }
    });
    let last = (0..FIELDS).map(|field| (field, UPDATES.to_string())).collect();
    assert_eq!(read(&mut client(target), "user1", Fields::All), Some(last));
}

/// Readers beside writers of all fields never see one version's field beside another's.
pub fn a_record_is_read_whole(target: &Database) {
    const UPDATES: u16 = 200;
    load_records(target, &["user1"]);
    let version = |v: u16| record((0..FIELDS).map(move |field| (field, format!("v{v}"))));
    let mut writer = client(target);
    until_done(|| wait(writer.update("user1", &version(0))));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut client, mut reads) = (client(target), 0);
            while !done.load(Ordering::Relaxed) || reads == 0 {
                let there = read(&mut client, "user1", Fields::All).unwrap();
                assert!(there.values().all(|value| *value == there[&0]), "{there:?}");
                reads += 1;
            }
        });
        for v in 1..=UPDATES {
            until_done(|| wait(writer.update("user1", &version(v))));
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
}

/// Of a database that keeps records as JSON.
pub fn what_json_cannot_hold_is_refused(target: &Database) {
    load_records(target, &["user1"]);
    let mut client = client(target);
    let bad = record([(0, &b"fine"[..]), (1, &b"\xff"[..])]);
    let done = [wait(client.insert("user2", &bad)), wait(client.update("user1", &bad)).map(drop)];
    for refused in done {
        fails(refused, ErrorKind::Invalid, &["field1 is not UTF-8"]);
    }
}

/// What is no record, under these keys: an array, a number in the place of a field, and a record
/// among other members.
pub fn what_is_no_record_is_a_broken_promise(target: &Database, make: &dyn Fn()) {
    load_records(target, &[]);
    make();
    let mut client = client(target);
    let mut there = Record::default();
    let mut read = |key, fields| wait(client.read(key, fields, &mut there)).map(|_| there.clone());
    fails(read("array", Fields::All), ErrorKind::Broken, &["no object"]);
    fails(read("number", Fields::All), ErrorKind::Broken, &["field0 is no string"]);
    fails(read("number", Fields::One(0)), ErrorKind::Broken, &["no string"]);
    assert_eq!(read("more", Fields::All), Ok(record([(1, "b")])));
    assert_eq!(read("more", Fields::One(0)), Ok(Record::default()));
}

/// Of a database that knows which tables it has.
pub fn operations_on_a_table_that_is_gone_are_missing(target: &Database) {
    load_records(target, &["user1"]);
    let mut session = client(target);
    let mut found = Record::default();
    assert!(wait(session.read("user1", Fields::All, &mut found)).unwrap());
    wait(target.documents().unwrap().drop(&[&table(1).name])).unwrap();
    let done = [
        wait(session.read("user1", Fields::All, &mut found)).map(drop),
        wait(session.update("user1", &record([(0, "x")]))).map(drop),
        wait(session.insert("user2", &record([(0, "x")]))),
        wait(session.scan("user0", 5, Fields::All, &mut Scanned::default())),
    ];
    for done in done {
        let e = done.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Missing, "{e}");
    }
}

pub fn fields_and_tables_that_are_not_there_are_refused(target: &Database) {
    load_records(target, &["user1"]);
    let mut client = client(target);
    let mut there = Record::default();
    let unknown = record([(0, "x"), (FIELDS, "y")]);
    for refused in [
        wait(client.read("user1", Fields::One(FIELDS), &mut there)).map(drop),
        wait(client.scan("user1", 1, Fields::One(FIELDS), &mut Scanned::default())),
        wait(client.insert("user2", &unknown)),
        wait(client.update("user1", &unknown)).map(drop),
    ] {
        let e = refused.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(!e.to_string().contains('\n'), "{e}");
    }
    assert_eq!(read(&mut client, "user1", Fields::All), Some(loaded("user1")));
    let key_value = target.key_value().unwrap();
    let refused = |table: &Table| wait(key_value.session(table)).map(drop).unwrap_err();
    let absent = Table { name: "absent".to_owned(), ..table(1) };
    assert_eq!(refused(&absent).kind, ErrorKind::Missing, "{}", refused(&absent));
    for name in ["", "a b", "a\"b", "a;b"] {
        let e = refused(&Table { name: name.to_owned(), ..table(1) });
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    }
}
