//! Document transactions.

use hoap_database::{Access, Change, Database, Find, Index, Intent, Order, Patch};
use hoap_workload::{Error, ErrorKind};
use serde_json::{Value, json};

use super::{COLLECTION, count, document, field, get, index, load, session, transact, wait};

pub(super) fn set(path: &str, value: Value) -> Patch<'_> {
    Patch { path, change: Change::Set(value) }
}

pub(super) fn add(path: &str, n: i64) -> Patch<'_> {
    Patch { path, change: Change::AddInteger(n) }
}

pub(super) fn cents(path: &str, n: i64) -> Patch<'_> {
    Patch { path, change: Change::cents(n) }
}

pub(super) fn append(path: &str, value: Value) -> Patch<'_> {
    Patch { path, change: Change::Append(value) }
}

pub(super) fn patch(target: &Database, key: &str, patches: &[Patch<'_>]) -> Result<(), Error> {
    transact(target, Access::Write, async |t| t.patch(COLLECTION, key, patches).await)
}

pub(super) fn insert(target: &Database, key: &str, document: &Value) -> Result<(), Error> {
    transact(target, Access::Write, async |t| t.insert(COLLECTION, key, document).await)
}

pub fn every_json_value_comes_back_as_it_went_in(target: &Database) {
    json_values_come_back(target, true);
}

/// But for whole numbers, which may lose the zero after their point.
pub fn every_json_value_comes_back_equal(target: &Database) {
    json_values_come_back(target, false);
}

fn json_values_come_back(target: &Database, zeros: bool) {
    load(target, 0);
    let values = json!({
        "null": null, "yes": true, "no": false, "zero": 0, "one": 1, "minus": -7,
        "large": i64::MAX, "small": i64::MIN, "real": 0.1, "third": 1.0 / 3.0, "money": 300000.0,
        "sum": 0.1 + 0.2, "empty": "", "number_text": "12", "quote": "it's \"so\" \\ / \n\t\u{1}",
        "unicode": "Grüße 雪 \u{1F600}", "nothing": [], "list": [1, [2.5, {"a": null}], "x"],
        "object": {"b": 1, "a": {"c": [true]}}, "none": {}
    });
    insert(target, "1.1", &values).unwrap();
    // Set writes the same values as insert.
    insert(target, "1.2", &json!({})).unwrap();
    let names = values.as_object().unwrap();
    let patches: Vec<_> = names.iter().map(|(k, v)| set(k, v.clone())).collect();
    patch(target, "1.2", &patches).unwrap();
    let as_stored = |value: &Value| match value.as_f64() {
        Some(x) if !zeros && x.fract() == 0.0 && value.is_f64() => json!(x as i64),
        _ => value.clone(),
    };
    for (name, value) in names {
        for key in ["1.1", "1.2"] {
            assert_eq!(as_stored(&field(target, key, name)), as_stored(value), "{name}");
        }
    }
    let fields = ["object.a.c", "absent", "list[1][1].a", "list[1]", "list[9]", "one", "one"];
    let row = json!([[true], null, null, [2.5, {"a": null}], null, 1, 1]);
    assert_eq!(json!(get(target, "1.1", &fields).unwrap()), row);
    assert_eq!(get(target, "1.1", &[]), Some(vec![]));
    assert_eq!(get(target, "1.3", &["one"]), None);
}

pub fn reading_many_keeps_the_order_of_the_keys(target: &Database) {
    load(target, 5);
    let keys = ["1.4", "9.9", "1.1", "1.4"].map(String::from);
    let rows = transact(target, Access::Read, async |t| {
        t.get_many(COLLECTION, &keys, &["o_id"], Intent::Look).await
    });
    let ids = [Some(4), None, Some(1), Some(4)].map(|o| o.map(|o| vec![json!(o)]));
    assert_eq!(rows.unwrap(), ids);
    let none = transact(target, Access::Read, async |t| {
        t.get_many(COLLECTION, &[], &["o_id"], Intent::Look).await
    });
    assert_eq!(none.unwrap(), []);
}

pub fn finding_follows_the_index(target: &Database) {
    load(target, 30);
    insert(target, "2.1", &document(2, 1)).unwrap();
    insert(target, "1.0", &json!({"o_w_id": 1, "o_name": {}, "o_id": 0})).unwrap();
    let find = |prefix: Value, order, limit: Option<usize>| {
        let found = transact(target, Access::Read, async |t| {
            let prefix = prefix.as_array().unwrap();
            t.find(Find { order, limit, fields: &["o_id"], ..Find::by(&index(), prefix) }).await
        });
        let found = found.unwrap().into_iter().map(|(key, row)| {
            let id = row[0].as_i64().unwrap();
            assert!(key.ends_with(&format!(".{id}")), "{key} {id}");
            id
        });
        found.collect::<Vec<_>>()
    };
    use Order::{Ascending, Descending};
    assert_eq!(find(json!([1, "L1"]), Ascending, None), [1, 4, 7, 10, 13, 16, 19, 22, 25, 28]);
    assert_eq!(find(json!([1, "L1"]), Ascending, Some(2)), [1, 4]);
    assert_eq!(find(json!([1, "L1"]), Descending, Some(2)), [28, 25]);
    assert_eq!(find(json!([1, "L1"]), Ascending, Some(0)), [0i64; 0]);
    assert_eq!(find(json!([1, "L1", 7]), Ascending, None), [7]);
    assert_eq!(find(json!([1, "L9"]), Ascending, None), [0i64; 0]);
    assert_eq!(find(json!([1, null]), Ascending, None), [0]);
    assert_eq!(find(json!([2]), Ascending, None), [1]);
    assert_eq!(find(json!([1]), Descending, Some(3)), [29, 26, 23], "by last name, then by id");
    assert_eq!(find(json!([]), Descending, Some(2)), [1, 29]);
    assert_eq!(find(json!([1]), Ascending, None).len(), 31);
    let too_many = transact(target, Access::Read, async |t| {
        let prefix = [json!(1), json!("L1"), json!(1), json!(1)];
        t.find(Find { order: Ascending, ..Find::by(&index(), &prefix) }).await
    });
    assert_eq!(too_many.unwrap_err().kind, ErrorKind::Invalid);
}

pub fn inserting_twice_is_a_duplicate(target: &Database) {
    load(target, 1);
    let e = insert(target, "1.1", &json!({"o_id": 99})).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
    assert!(e.to_string().contains("insert orders 1.1"), "{e}");
    assert_eq!(field(target, "1.1", "o_id"), json!(1));
}

pub fn patches_change_what_they_name(target: &Database) {
    load(target, 2);
    let patches = [
        set("o_carrier_id", json!(7)),
        set("o_name.first", json!({"x": [1, 2]})),
        set("o_words[1]", json!(null)),
        set("o_orderline[0].ol_delivery_d", json!("2021-01-01 00:00:00.000000")),
        set("o_new", json!(true)),
        add("o_id", 41),
        cents("o_total", 1),
        append("o_orderline", json!({"ol_number": 2})),
    ];
    patch(target, "1.1", &patches).unwrap();
    let mut d = document(1, 1);
    d["o_carrier_id"] = json!(7);
    d["o_name"]["first"] = json!({"x": [1, 2]});
    d["o_words"][1] = json!(null);
    d["o_orderline"][0]["ol_delivery_d"] = json!("2021-01-01 00:00:00.000000");
    d["o_orderline"].as_array_mut().unwrap().push(json!({"ol_number": 2}));
    d["o_new"] = json!(true);
    d["o_id"] = json!(42);
    d["o_total"] = json!(12.31);
    for (name, value) in d.as_object().unwrap() {
        assert_eq!(&field(target, "1.1", name), value, "{name}");
    }
    for (name, value) in document(1, 2).as_object().unwrap() {
        assert_eq!(&field(target, "1.2", name), value, "the other document's {name}");
    }
    patch(target, "1.1", &[]).unwrap();
    // The index follows.
    let found = transact(target, Access::Read, async |t| {
        let prefix = [json!(1), json!("L1"), json!(42)];
        t.find(Find::by(&index(), &prefix)).await
    });
    assert_eq!(found.unwrap(), [("1.1".to_owned(), vec![])]);
}

pub fn patches_apply_in_their_order(target: &Database) {
    load(target, 1);
    let patches = [
        add("o_id", 1),
        add("o_id", 1),
        set("o_words", json!([])),
        append("o_words", json!("x")),
        append("o_words", json!("y")),
        set("o_words[0]", json!("z")),
    ];
    patch(target, "1.1", &patches).unwrap();
    assert_eq!(field(target, "1.1", "o_id"), json!(3));
    assert_eq!(field(target, "1.1", "o_words"), json!(["z", "y"]));
}

pub fn money_stays_exact_to_the_cent(target: &Database) {
    load(target, 0);
    for (start, steps) in [
        (json!(0.0), vec![1; 100]),
        (json!(-10.0), vec![29, -28, 1999, -1]),
        (json!(300000), vec![1, 10, 100, 500_000]),
        (json!(999999999.99), vec![1, -1, 7, 333_333]),
        (json!(50000.005e0), vec![]),
        (json!(1.1), vec![220, -330, 110]),
    ] {
        let key = format!("m.{start}");
        insert(target, &key, &json!({ "m": start })).unwrap();
        let mut cents_expected = (start.as_f64().unwrap() * 100.0).round() as i64;
        // To open a session for each step would take most of the time.
        let mut session = session(target);
        for step in steps {
            let stored = wait(async {
                let mut t = session.begin(Access::Write).await.unwrap();
                t.patch(COLLECTION, &key, &[cents("m", step)]).await.unwrap();
                t.commit().await.unwrap();
                let mut t = session.begin(Access::Read).await.unwrap();
                let row = t.get(COLLECTION, &key, &["m"], Intent::Look).await.unwrap();
                t.commit().await.unwrap();
                row.unwrap()[0].as_f64().unwrap()
            });
            cents_expected += step;
            assert_eq!(stored, cents_expected as f64 / 100.0, "{start} + {step} cents");
            assert!(stored.to_string().split('.').nth(1).is_none_or(|d| d.len() <= 2), "{stored}");
        }
    }
}

pub fn a_patch_that_does_not_fit_breaks_and_changes_nothing(target: &Database) {
    load(target, 1);
    insert(target, "1.2", &json!({"max": i64::MAX})).unwrap();
    for (key, bad, word) in [
        ("9.9", add("o_id", 1), "no such key"),
        ("9.9", set("o_id", json!(1)), "no such key"),
        ("1.1", add("o_total", 1), "`o_total` is real"),
        ("1.1", add("o_open", 1), "`o_open` is true"),
        ("1.1", add("o_name.last", 1), "`o_name.last` is text"),
        ("1.1", add("absent", 1), "`absent` is absent"),
        ("1.1", cents("o_carrier_id", 1), "`o_carrier_id` is null"),
        ("1.1", append("o_id", json!(1)), "`o_id` is integer"),
        ("1.1", append("absent", json!(1)), "`absent` is absent"),
        ("1.1", set("o_words[3]", json!(1)), "`o_words[3]` is absent"),
        ("1.1", set("o_id.x", json!(1)), "`o_id` is integer"),
        ("1.2", add("max", 1), "64 bits"),
    ] {
        let e = patch(target, key, &[set("o_new", json!(1)), bad.clone()]).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Broken, "{bad:?}: {e}");
        assert!(e.to_string().contains(&format!("patch orders {key}")), "{e}");
        assert!(e.to_string().contains(word), "{bad:?}: {e}");
    }
    assert_eq!(get(target, "1.1", &["o_new"]), Some(vec![json!(null)]));
    assert_eq!(field(target, "1.2", "max"), json!(i64::MAX));
    for (name, value) in document(1, 1).as_object().unwrap() {
        assert_eq!(&field(target, "1.1", name), value, "{name}");
    }
}

pub fn deleting_says_whether_it_was_there(target: &Database) {
    load(target, 2);
    let delete = |key: &str| {
        transact(target, Access::Write, async |t| t.delete(COLLECTION, key).await).unwrap()
    };
    assert!(delete("1.1"));
    assert!(!delete("1.1"));
    assert_eq!(get(target, "1.1", &["o_id"]), None);
    assert_eq!(count(target), 1);
    insert(target, "1.1", &document(1, 1)).unwrap();
    assert_eq!(count(target), 2);
}

/// Changes one document in each way and adds and removes one.
async fn change_everything(t: &mut hoap_database::Transaction<'_>) {
    t.patch(COLLECTION, "1.1", &[add("o_id", 100), append("o_words", json!("d"))]).await.unwrap();
    t.insert(COLLECTION, "7.7", &document(7, 7)).await.unwrap();
    assert!(t.delete(COLLECTION, "1.2").await.unwrap());
}

fn nothing_changed(target: &Database) {
    assert_eq!(field(target, "1.1", "o_id"), json!(1));
    assert_eq!(field(target, "1.1", "o_words"), json!(["a", "b", "c"]));
    assert_eq!(get(target, "7.7", &[]), None);
    assert_eq!(field(target, "1.2", "o_id"), json!(2));
}

pub fn a_transaction_reads_its_own_writes(target: &Database) {
    load(target, 3);
    transact(target, Access::Write, async |t| {
        change_everything(t).await;
        let keys = ["1.1", "1.2", "7.7"].map(String::from);
        let rows = t.get_many(COLLECTION, &keys, &["o_id"], Intent::Change).await?;
        assert_eq!(rows, [Some(vec![json!(101)]), None, Some(vec![json!(7)])]);
        let prefix = [json!(1)];
        let found = t
            .find(Find { fields: &["o_id"], intent: Intent::Change, ..Find::by(&index(), &prefix) })
            .await?;
        let ids: Vec<_> = found.iter().map(|(_, row)| row[0].clone()).collect();
        assert_eq!(ids, [json!(3), json!(101)]);
        Ok(())
    })
    .unwrap();
}

pub fn a_rollback_undoes_everything(target: &Database) {
    load(target, 3);
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        change_everything(&mut t).await;
        t.rollback().await.unwrap();
    });
    nothing_changed(target);
    // The same session goes on.
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        t.patch(COLLECTION, "1.1", &[add("o_id", 1)]).await.unwrap();
        t.commit().await.unwrap();
        session.begin(Access::Read).await.unwrap().rollback().await.unwrap();
    });
    assert_eq!(field(target, "1.1", "o_id"), json!(2));
}

pub fn a_drop_undoes_everything(target: &Database) {
    load(target, 3);
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        change_everything(&mut t).await;
        drop(t);
        let mut t = session.begin(Access::Read).await.unwrap();
        assert_eq!(t.get(COLLECTION, "7.7", &[], Intent::Look).await.unwrap(), None);
    });
    nothing_changed(target);
    drop(session);
    nothing_changed(target);
}

pub fn a_commit_shows_everything(target: &Database) {
    load(target, 3);
    transact(target, Access::Write, async |t| {
        change_everything(t).await;
        Ok(())
    })
    .unwrap();
    assert_eq!(field(target, "1.1", "o_id"), json!(101));
    assert_eq!(field(target, "1.1", "o_words"), json!(["a", "b", "c", "d"]));
    assert_eq!(field(target, "7.7", "o_id"), json!(7));
    assert_eq!(get(target, "1.2", &[]), None);
}

pub fn a_duplicate_leaves_the_transaction_usable(target: &Database) {
    load(target, 1);
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        t.patch(COLLECTION, "1.1", &[add("o_id", 1)]).await.unwrap();
        let e = t.insert(COLLECTION, "1.1", &json!({})).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Duplicate);
        t.rollback().await.unwrap();
    });
    assert_eq!(field(target, "1.1", "o_id"), json!(1));
}

pub fn a_reading_transaction_refuses_to_write(target: &Database) {
    load(target, 2);
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Read).await.unwrap();
        let insert = t.insert(COLLECTION, "5.5", &json!({})).await;
        let patch = t.patch(COLLECTION, "1.1", &[add("o_id", 1)]).await;
        let delete = t.delete(COLLECTION, "1.1").await.map(drop);
        for refused in [insert, patch, delete] {
            assert_eq!(refused.unwrap_err().kind, ErrorKind::Invalid);
        }
        t.commit().await.unwrap();
    });
    assert_eq!(count(target), 2);
}

pub fn bad_names_are_refused_before_the_database_sees_them(target: &Database) {
    load(target, 1);
    let bad = "orders\"; DROP TABLE orders; --";
    let path = "o_id') FROM orders; --";
    let index = Index::new("orders_by_customer", COLLECTION, &[path]);
    let kind = |done: Result<(), Error>| done.unwrap_err().kind;
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        let look = Intent::Look;
        assert_eq!(kind(t.get(bad, "1.1", &[], look).await.map(drop)), ErrorKind::Invalid);
        assert_eq!(
            kind(t.get(COLLECTION, "1.1", &[path], look).await.map(drop)),
            ErrorKind::Invalid
        );
        let found = t.find(Find { intent: look, ..Find::by(&index, &[json!(1)]) }).await;
        assert_eq!(kind(found.map(drop)), ErrorKind::Invalid);
        assert_eq!(kind(t.insert(bad, "1.1", &json!({})).await), ErrorKind::Invalid);
        let patched = t.patch(COLLECTION, "1.1", &[set("o_id'", json!(1))]).await;
        assert_eq!(kind(patched), ErrorKind::Invalid);
        assert_eq!(kind(t.delete(bad, "1.1").await.map(drop)), ErrorKind::Invalid);
        // A key is a value: whatever it holds, it is only ever compared.
        let key = "'; DROP TABLE orders; --";
        assert_eq!(t.get(COLLECTION, key, &["o_id"], look).await.unwrap(), None);
        t.rollback().await.unwrap();
        let documents = target.documents().unwrap();
        assert_eq!(kind(documents.create(&[bad]).await), ErrorKind::Invalid);
        assert_eq!(kind(documents.drop(&[bad]).await), ErrorKind::Invalid);
    });
    assert_eq!(count(target), 1);
}
