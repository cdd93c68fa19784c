//! Operations on documents, each a command of its own.

use hoap_database::path::WHOLE;
use hoap_database::{
    Access, Bounds, Change, Condition, Database, Find, Index, Intent, Is, Last, Order, Patch,
    Patched, Session,
};
use hoap_workload::{Error, ErrorKind};
use serde_json::{Value, json};

use super::transactions::{add, append, cents, set};
use super::{COLLECTION, document, index, keys, load, session, wait};
use hoap_testing::errors::fails;

/// A client whose operations are each by itself.
pub struct Operator(Session);

/// A new client.
pub fn operator(target: &Database) -> Operator {
    Operator(wait(target.operations().unwrap().session()).unwrap())
}

impl Operator {
    /// The values at these paths.
    pub fn get(&mut self, key: &str, fields: &[&str]) -> Option<Vec<Value>> {
        wait(async {
            let mut each = self.0.begin(Access::Each).await?;
            each.get(COLLECTION, key, fields, Intent::Look).await
        })
        .unwrap()
    }

    fn whole(&mut self, key: &str) -> Value {
        self.get(key, &[WHOLE]).expect("the document is there").remove(0)
    }

    pub fn insert(&mut self, documents: &[(&str, &Value)]) -> Result<(), Error> {
        wait(async {
            let mut each = self.0.begin(Access::Each).await?;
            match documents {
                [(key, document)] => each.insert(COLLECTION, key, document).await,
                documents => each.insert_many(COLLECTION, documents).await,
            }
        })
    }

    pub fn put(&mut self, key: &str, document: &Value) -> Result<(), Error> {
        wait(async { self.0.begin(Access::Each).await?.put(COLLECTION, key, document).await })
    }

    pub fn patch(&mut self, key: &str, patches: &[Patch<'_>]) -> Result<Patched, Error> {
        self.patch_if(key, patches, &[])
    }

    pub fn patch_if(
        &mut self,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Result<Patched, Error> {
        wait(async {
            let mut each = self.0.begin(Access::Each).await?;
            each.patch_if(COLLECTION, key, patches, conditions).await
        })
    }

    pub fn delete(&mut self, key: &str) -> Result<bool, Error> {
        wait(async { self.0.begin(Access::Each).await?.delete(COLLECTION, key).await })
    }

    pub fn find(&mut self, find: Find<'_>) -> Vec<(String, Vec<Value>)> {
        wait(async { self.0.begin(Access::Each).await?.find(find).await }).unwrap()
    }
}

/// Whether values are equal where a number is what it is, however it is written.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| alike(x, y))
        }
        (Value::Object(x), Value::Object(y)) => {
            let same = |(name, x): (&String, &Value)| y.get(name).is_some_and(|y| alike(x, y));
            x.len() == y.len() && x.iter().all(same)
        }
        _ => a == b,
    }
}

#[track_caller]
fn assert_alike(found: &Value, expected: &Value, what: &str) {
    assert!(alike(found, expected), "{what}: {found} is not {expected}");
}

fn remove(path: &str) -> Patch<'_> {
    Patch { path, change: Change::Remove }
}

fn decimal(path: &str, units: i64, digits: u8) -> Patch<'_> {
    Patch { path, change: Change::AddDecimal { units, digits } }
}

pub fn each_operation_is_done_when_it_returns(target: &Database) {
    load(target, 2);
    let (mut one, mut other) = (operator(target), operator(target));
    assert_alike(&one.whole("1.1"), &document(1, 1), "as it was loaded");
    assert_eq!(one.get("1.9", &[WHOLE]), None);
    assert_eq!(one.get("1.9", &["o_id"]), None);
    assert_eq!(one.get("1.1", &[]), Some(vec![]));
    assert_eq!(one.get("1.1", &["absent"]), Some(vec![json!(null)]));
    one.insert(&[("1.3", &document(1, 3))]).unwrap();
    assert_alike(&other.whole("1.3"), &document(1, 3), "inserted");
    one.put("1.3", &document(1, 4)).unwrap();
    one.put("1.4", &json!({"o_w_id": 1, "only": "this"})).unwrap();
    assert_alike(&other.whole("1.3"), &document(1, 4), "put in the place of another");
    one.put("1.3", &json!({"o_w_id": 1, "s": "now of other fields"})).unwrap();
    assert_eq!(other.whole("1.3"), json!({"o_w_id": 1, "s": "now of other fields"}));
    assert_eq!(other.whole("1.4"), json!({"o_w_id": 1, "only": "this"}));
    assert!(one.delete("1.1").unwrap());
    assert_eq!(other.get("1.1", &[WHOLE]), None);
    assert!(keys(target, COLLECTION).iter().eq(["1.2", "1.3", "1.4"]));
    other.insert(&[("1.1", &json!({}))]).unwrap();
    assert_eq!(one.whole("1.1"), json!({}));
    let several = wait(async {
        let mut each = one.0.begin(Access::Each).await?;
        let keys = ["1.4", "9.9", "1.1"].map(String::from);
        each.get_many(COLLECTION, &keys, &["only"], Intent::Look).await
    });
    let row = |value: Value| Some(vec![value]);
    assert_eq!(several.unwrap(), [row(json!("this")), None, row(json!(null))]);
}

/// Of a database that knows what it deletes.
pub fn each_delete_says_whether_it_was_there(target: &Database) {
    load(target, 1);
    let mut client = operator(target);
    assert!(client.delete("1.1").unwrap());
    assert!(!client.delete("1.1").unwrap());
    assert!(!client.delete("9.9").unwrap());
}

pub fn a_key_inserted_twice_alone_is_a_duplicate(target: &Database) {
    load(target, 1);
    let mut client = operator(target);
    let duplicate = client.insert(&[("1.1", &json!({"o_id": 99}))]);
    fails(duplicate, ErrorKind::Duplicate, &["insert orders 1.1"]);
    assert_alike(&client.whole("1.1"), &document(1, 1), "as it was loaded");
}

pub fn documents_are_inserted_together(target: &Database) {
    load(target, 1);
    let mut client = operator(target);
    let made: Vec<_> = (2..22).map(|o| (format!("1.{o}"), document(1, o))).collect();
    let all: Vec<(&str, &Value)> = made.iter().map(|(key, d)| (key.as_str(), d)).collect();
    client.insert(&all).unwrap();
    for (key, document) in &made {
        assert_alike(&client.whole(key), document, key);
    }
    assert_eq!(keys(target, COLLECTION).len(), 21);
    let (new, there) = (document(1, 50), document(1, 51));
    let duplicate = client.insert(&[("1.50", &new), ("1.1", &there)]);
    let told = fails(duplicate, ErrorKind::Duplicate, &[]).to_string();
    // Some tell which document it is.
    let tried = ["insert 2 orders into", "insert orders 1.1 into"];
    assert!(tried.iter().any(|words| told.starts_with(words)), "{told}");
    assert_alike(&client.whole("1.1"), &document(1, 1), "as it was loaded");
}

/// Values of all types, under names of all kinds.
fn values() -> Value {
    json!({
        "null": null, "yes": true, "no": false, "zero": 0, "minus": -7, "large": i64::MAX,
        "small": i64::MIN, "beyond": 9_007_199_254_740_993_i64, "decimal": 19.99, "minus_decimal": -0.01,
        "third": 1.0 / 3.0, "date": "2024-02-29T23:59:59.999Z", "day": "1940-01-01",
        "binary": "AP/+gA==", "empty": "", "number_text": "12", "quote": "it's \"so\" \\ / \n\t\u{1}",
        "unicode": "Grüße 雪 \u{1F600}", "nothing": [], "none": {},
        "list": [1, [2.5, {"a": null}], "x", {}], "object": {"b": -1, "a": {"c": [true], "d": {}}}
    })
}

pub fn every_value_comes_back_from_each_operation(target: &Database) {
    load(target, 0);
    let mut client = operator(target);
    let values = values();
    client.insert(&[("1.1", &values)]).unwrap();
    client.put("1.2", &json!({"old": "document"})).unwrap();
    client.put("1.2", &values).unwrap();
    client.put("1.3", &json!({"s": "of texts", "t": "alone"})).unwrap();
    assert_eq!(client.whole("1.3"), json!({"s": "of texts", "t": "alone"}));
    for key in ["1.1", "1.2"] {
        assert_alike(&client.whole(key), &values, key);
        for (name, value) in values.as_object().unwrap() {
            assert_alike(&client.get(key, &[name]).unwrap()[0], value, name);
        }
        let fields = ["object.a.c", "absent", "list[1][1].a", "list[1]", "list[9]", "zero", "zero"];
        let row = json!([[true], null, null, [2.5, {"a": null}], null, 0, 0]);
        assert_alike(&json!(client.get(key, &fields).unwrap()), &row, key);
    }
    // A field that is null is there.
    let whole = client.whole("1.1");
    assert_eq!((whole.get("null"), whole.get("absent")), (Some(&json!(null)), None));
}

/// Names as data has them.
const NAMES: [(&str, &str); 9] = [
    ("first.name", "'first.name'"),
    ("$price", "'$price'"),
    ("a b", "'a b'"),
    ("it's", "\"it's\""),
    ("say \"so\"", "'say \"so\"'"),
    ("back\\slash`tick", "'back\\slash`tick'"),
    ("Größe", "'Größe'"),
    ("a[0]", "'a[0]'"),
    ("7", "'7'"),
];

fn named() -> Value {
    let inner = NAMES.map(|(name, _)| (name.to_owned(), json!({ "x": name, name: 1 })));
    Value::Object(inner.into_iter().collect())
}

pub fn a_field_of_any_name_comes_back(target: &Database) {
    load(target, 0);
    let mut client = operator(target);
    let document = named();
    client.insert(&[("1.1", &document)]).unwrap();
    client.put("1.2", &document).unwrap();
    for key in ["1.1", "1.2"] {
        assert_alike(&client.whole(key), &document, key);
        for (name, path) in NAMES {
            let (text, number) = (format!("{path}.x"), format!("{path}.{path}"));
            let row = client.get(key, &[&text, &number, path]).unwrap();
            assert_alike(&json!(row), &json!([name, 1, {"x": name, name: 1}]), path);
        }
    }
}

/// Fields of the document itself.
pub fn each_patch_changes_members(target: &Database) {
    load(target, 2);
    let mut client = operator(target);
    let patches = [
        set("o_carrier_id", json!(-7)),
        set("o_words", json!("now a text")),
        set("o_new", json!({"x": [1, {}]})),
        add("o_id", -42),
        decimal("o_total", -1230, 2),
        append("o_orderline", json!({"ol_number": -2})),
        remove("o_open"),
        remove("absent"),
    ];
    assert_eq!(client.patch("1.1", &patches), Ok(Patched::Done));
    let mut expected = document(1, 1);
    expected["o_carrier_id"] = json!(-7);
    expected["o_words"] = json!("now a text");
    expected["o_new"] = json!({"x": [1, {}]});
    expected["o_id"] = json!(-41);
    expected["o_total"] = json!(0);
    expected["o_orderline"].as_array_mut().unwrap().push(json!({"ol_number": -2}));
    expected.as_object_mut().unwrap().shift_remove("o_open");
    assert_alike(&client.whole("1.1"), &expected, "patched");
    assert_alike(&client.whole("1.2"), &document(1, 2), "the other document");
    let again = [
        set("o_words", json!(["a list"])),
        append("o_new_list", json!(1)),
        decimal("o_total", 12_345, 4),
    ];
    assert_eq!(client.patch("1.1", &[again[0].clone(), again[2].clone()]), Ok(Patched::Done));
    let row = json!(client.get("1.1", &["o_words", "o_total"]).unwrap());
    assert_alike(&row, &json!([["a list"], 1.2345]), "patched again");
    let misfit = client.patch("1.1", &[set("o_id", json!(5)), again[1].clone()]);
    fails(misfit, ErrorKind::Broken, &["`o_new_list` is absent"]);
    assert_eq!(client.patch("9.9", &[set("o_id", json!(1))]), Ok(Patched::Missing));
    let touching = [set("o_words", json!([])), append("o_words", json!("x"))];
    fails(client.patch("1.1", &touching), ErrorKind::Invalid, &["one command cannot change"]);
    assert_eq!(client.get("1.1", &["o_id"]), Some(vec![json!(-41)]));
    assert_eq!(client.get("9.9", &[]), None);
}

/// Many clients add to one document: each addition is one step.
pub fn no_addition_is_lost(target: &Database) {
    const CLIENTS: i64 = 4;
    const TIMES: i64 = 25;
    load(target, 0);
    operator(target).put("1.1", &json!({"n": -10, "m": -0.5})).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(move || {
                let mut client = operator(target);
                for _ in 0..TIMES {
                    let patches = [add("n", 1), cents("m", 10)];
                    loop {
                        match client.patch("1.1", &patches) {
                            Err(e) if e.kind == ErrorKind::Conflict => {}
                            done => break assert_eq!(done, Ok(Patched::Done)),
                        }
                    }
                }
            });
        }
    });
    let row = json!(operator(target).get("1.1", &["n", "m"]).unwrap());
    assert_alike(&row, &json!([90, 9.5]), "added");
}

/// Fields within others.
pub fn each_patch_changes_nested_fields(target: &Database) {
    load(target, 1);
    let mut client = operator(target);
    let patches = [
        set("o_name.first", json!({"x": [1, 2]})),
        set("o_words[1]", json!(null)),
        set("o_orderline[0].ol_delivery_d", json!("2021-01-01")),
        add("o_orderline[0].ol_number", 41),
    ];
    assert_eq!(client.patch("1.1", &patches), Ok(Patched::Done));
    assert_eq!(
        client.patch("1.1", &[append("o_name.first.x", json!(-3)), remove("o_name.last")]),
        Ok(Patched::Done)
    );
    let mut expected = document(1, 1);
    expected["o_name"] = json!({"first": {"x": [1, 2, -3]}});
    expected["o_words"][1] = json!(null);
    expected["o_orderline"][0]["ol_delivery_d"] = json!("2021-01-01");
    expected["o_orderline"][0]["ol_number"] = json!(42);
    assert_alike(&client.whole("1.1"), &expected, "patched");
    for (bad, word) in [
        (set("o_words[3]", json!(1)), "`o_words[3]` is absent"),
        (set("o_id.x", json!(1)), "`o_id` is integer"),
        (append("o_name.first", json!(1)), "`o_name.first` is object"),
    ] {
        fails(client.patch("1.1", &[set("o_new", json!(1)), bad]), ErrorKind::Broken, &[word]);
    }
    assert_alike(&client.whole("1.1"), &expected, "as it was");
}

/// Of a database whose updates can name them.
pub fn fields_of_any_name_are_patched(target: &Database) {
    load(target, 0);
    let mut client = operator(target);
    let mut expected = named();
    client.put("1.1", &expected).unwrap();
    for (name, path) in NAMES {
        let (text, number, gone) =
            (format!("{path}.x"), format!("{path}.{path}"), format!("{path}.gone"));
        let patches = [set(&text, json!(["new"])), add(&number, 1), remove(&gone)];
        let there = json!(1);
        let one = Condition { path: &number, is: Is::Equal(&there) };
        assert_eq!(client.patch_if("1.1", &patches, &[one]), Ok(Patched::Done), "{path}");
        assert_eq!(client.patch_if("1.1", &patches, &[one]), Ok(Patched::Refused), "{path}");
        expected[name]["x"] = json!(["new"]);
        expected[name][name] = json!(2);
    }
    assert_alike(&client.whole("1.1"), &expected, "patched");
}

pub fn a_condition_decides_whether_a_patch_is_made(target: &Database) {
    load(target, 0);
    let mut client = operator(target);
    let stored = json!({
        "status": "paid", "stock": 5, "price": -2.5, "open": true, "gone": null, "at": "2024-05-01",
        "list": ["paid"], "n": 0
    });
    client.put("1.1", &stored).unwrap();
    let within = |min: Option<Value>, max: Option<Value>| (min, max);
    let mut made = 0;
    for (path, equal, expected) in [
        ("status", json!("paid"), true),
        ("status", json!("shipped"), false),
        ("stock", json!(5), true),
        ("stock", json!(4), false),
        ("stock", json!("5"), false),
        ("price", json!(-2.5), true),
        ("open", json!(true), true),
        ("open", json!(false), false),
        ("gone", json!(null), true),
        ("absent", json!(null), true),
        ("status", json!(null), false),
        ("absent", json!(5), false),
        ("list", json!("paid"), false),
    ] {
        let condition = Condition { path, is: Is::Equal(&equal) };
        let wanted = if expected { Patched::Done } else { Patched::Refused };
        let done = client.patch_if("1.1", &[add("n", 1)], &[condition]);
        assert_eq!(done, Ok(wanted), "{path} = {equal}");
        made += i64::from(expected);
    }
    for (path, (min, max), expected) in [
        ("stock", within(Some(json!(5)), None), true),
        ("stock", within(Some(json!(6)), None), false),
        ("stock", within(None, Some(json!(5))), true),
        ("stock", within(Some(json!(-9.5)), Some(json!(4.5))), false),
        ("price", within(Some(json!(-3)), Some(json!(-2))), true),
        ("at", within(Some(json!("2024-05")), Some(json!("2024-06"))), true),
        ("at", within(Some(json!("2024-05-02")), None), false),
        ("at", within(None, Some(json!("2024-05-01"))), true),
        ("at", within(Some(json!(1)), None), false),
        ("stock", within(None, Some(json!("z"))), false),
        ("absent", within(None, Some(json!(9))), false),
        ("gone", within(None, Some(json!(9))), false),
    ] {
        let bounds = Bounds { min: min.as_ref(), max: max.as_ref() };
        let condition = Condition { path, is: Is::Within(bounds) };
        let wanted = if expected { Patched::Done } else { Patched::Refused };
        let done = client.patch_if("1.1", &[add("n", 1)], &[condition]);
        assert_eq!(done, Ok(wanted), "{path} in {bounds:?}");
        made += i64::from(expected);
    }
    // All must hold, and a document that is not there has none.
    let (paid, six) = (json!("paid"), json!(6));
    let both = [
        Condition { path: "status", is: Is::Equal(&paid) },
        Condition { path: "stock", is: Is::Equal(&six) },
    ];
    assert_eq!(client.patch_if("1.1", &[add("n", 1)], &both), Ok(Patched::Refused));
    assert_eq!(client.patch_if("1.2", &[add("n", 1)], &both), Ok(Patched::Missing));
    assert_eq!(client.get("1.1", &["n"]), Some(vec![json!(made)]));
    assert_eq!(client.get("1.2", &[]), None);
}

/// One of many clients that compare and set wins each time: no two see the same value.
pub fn a_condition_and_its_patch_are_one_step(target: &Database) {
    const CLIENTS: usize = 4;
    const TIMES: i64 = 20;
    load(target, 0);
    operator(target).put("1.1", &json!({"version": 0})).unwrap();
    let won = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut client = operator(target);
                loop {
                    let version = client.get("1.1", &["version"]).unwrap().remove(0);
                    let n = version.as_i64().unwrap();
                    if n >= TIMES {
                        return;
                    }
                    let seen = Condition { path: "version", is: Is::Equal(&version) };
                    match client.patch_if("1.1", &[add("version", 1)], &[seen]) {
                        Ok(Patched::Done) => won.lock().unwrap().push(n),
                        Err(e) if e.kind != ErrorKind::Conflict => panic!("{e}"),
                        _ => {}
                    }
                }
            });
        }
    });
    let mut won = won.into_inner().unwrap();
    won.sort_unstable();
    assert_eq!(won, Vec::from_iter(0..TIMES));
}

/// The numbers of the documents that a search finds.
fn ids(found: &[(String, Vec<Value>)]) -> Vec<i64> {
    found.iter().map(|(_, row)| row[0].as_i64().unwrap()).collect()
}

pub fn a_search_follows_each_operation(target: &Database) {
    load(target, 4);
    let mut client = operator(target);
    let prefix = [json!(1), json!("L1")];
    let (index, fields) = (index(), ["o_id"]);
    let by = Find { fields: &fields, ..Find::by(&index, &prefix) };
    assert_eq!(ids(&client.find(by)), [1, 4]);
    client.insert(&[("1.7", &document(1, 7))]).unwrap();
    client.put("1.2", &document(1, 10)).unwrap();
    client.delete("1.4").unwrap();
    assert_eq!(ids(&client.find(by)), [1, 7, 10]);
    client.patch("1.1", &[add("o_id", 8)]).unwrap();
    assert_eq!(ids(&client.find(by)), [7, 9, 10]);
    let found = client.find(Find { fields: &[WHOLE], limit: Some(1), ..by });
    assert_alike(&found[0].1[0], &document(1, 7), "the whole document");
}

pub fn a_search_takes_a_range_and_an_order(target: &Database) {
    load(target, 30);
    let mut client = operator(target);
    client.put("1.a", &json!({"o_w_id": 1, "o_name": {"last": "L1"}, "o_id": "text"})).unwrap();
    client.put("1.b", &json!({"o_w_id": 1, "o_name": {"last": "L1"}, "o_id": null})).unwrap();
    client.put("1.c", &json!({"o_w_id": 1, "o_name": {"last": "L1"}})).unwrap();
    let (index, fields) = (index(), ["o_id"]);
    let mut find = |prefix: Value, [min, max]: [Value; 2], order, limit| {
        let prefix = prefix.as_array().unwrap();
        let bound = |value: &'static Value| (!value.is_null()).then_some(value);
        let [min, max] = [min, max].map(|value| &*Box::leak(Box::new(value)));
        let range = Some(Bounds { min: bound(min), max: bound(max) });
        let found =
            client.find(Find { range, order, limit, fields: &fields, ..Find::by(&index, prefix) });
        found.into_iter().map(|(_, mut row)| row.remove(0)).collect::<Vec<_>>()
    };
    use Order::{Ascending, Descending};
    let l1 = || json!([1, "L1"]);
    let open = Value::Null;
    assert_eq!(find(l1(), [json!(5), json!(13)], Ascending, None), [7, 10, 13]);
    assert_eq!(find(l1(), [json!(7), json!(13)], Descending, None), [13, 10, 7]);
    assert_eq!(find(l1(), [json!(7), json!(13)], Descending, Some(2)), [13, 10]);
    assert_eq!(find(l1(), [json!(22.5), open.clone()], Ascending, None), [25, 28]);
    assert_eq!(find(l1(), [open.clone(), json!(4)], Ascending, None), [1, 4]);
    assert_eq!(find(l1(), [open.clone(), json!(-4)], Ascending, None), [0i64; 0]);
    assert_eq!(find(l1(), [json!("a"), open.clone()], Ascending, None), ["text"]);
    assert_eq!(find(l1(), [open.clone(), json!("z")], Descending, None), ["text"]);
    assert_eq!(find(json!([1]), [json!("L2"), json!("L2")], Ascending, Some(2)), [2, 5]);
    assert_eq!(find(json!([1]), [json!("L1x"), json!("L3")], Descending, Some(2)), [29, 26]);
}

/// Pages of every size put together are the whole, in both orders.
pub fn a_search_goes_on_behind_the_last_one(target: &Database) {
    load(target, 10);
    let mut client = operator(target);
    // Several of one value, whose order the keys decide; of some the field is not there.
    for (key, o) in [("1.x", 4), ("1.w", 4), ("1.y", 7)] {
        client.insert(&[(key, &document(1, o))]).unwrap();
    }
    for key in ["1.m", "1.n", "1.o"] {
        let absent = json!({"o_w_id": 1, "o_name": {"last": "L1"}});
        client.insert(&[(key, &absent)]).unwrap();
    }
    let index = index();
    for (prefix, fields, range) in [
        (json!([1, "L1"]), &["o_id"][..], None),
        (json!([1]), &["o_name.last", "o_id"], None),
        (json!([1, "L1"]), &["o_id"], Some([json!(2), json!(7)])),
        (json!([1, "L1", 4]), &[], None),
    ] {
        let prefix = prefix.as_array().unwrap();
        for order in [Order::Ascending, Order::Descending] {
            let bounds = range.as_ref().map(|[a, b]| Bounds { min: Some(a), max: Some(b) });
            let find = Find { order, fields, range: bounds, ..Find::by(&index, prefix) };
            let whole = client.find(Find { pages: Some(None), ..find });
            assert!(whole.len() >= 3, "{prefix:?}");
            for size in [1, 2, 5] {
                let (mut paged, mut last): (Vec<(String, Vec<Value>)>, _) = (Vec::new(), None);
                loop {
                    let page = client.find(Find { pages: Some(last), limit: Some(size), ..find });
                    let ended = page.len() < size;
                    paged.extend(page);
                    assert!(paged.len() <= whole.len(), "{prefix:?} {order:?} {size}");
                    if ended {
                        break;
                    }
                    let (key, values) = paged.last().unwrap();
                    let kept = (key.clone(), values.clone());
                    let (key, values) = &*Box::leak(Box::new(kept));
                    last = Some(Last { values, key });
                }
                assert_eq!(paged, whole, "{prefix:?} {order:?} in pages of {size}");
            }
        }
    }
}

/// Keys whose order is that of their bytes: as texts, so that of numbers only if they have zeros
/// before, capitals before the others, and all of ASCII before the rest.
const KEYS: [&str; 17] = [
    "1", "10", "100", "11", "2", "9", "90", "B", "a", "a b", "a:0009", "a:0010", "a:0100", "ab",
    "b", "z\u{e9}", "\u{96ea}",
];

/// What a search by keys finds of these documents: their keys in order, each with its number.
fn by_keys(
    client: &mut Operator,
    [min, max]: [Option<&str>; 2],
    (order, limit): (Order, Option<usize>),
) -> Vec<(String, i64)> {
    let keys = Index::keys(COLLECTION);
    let [min, max] = [min, max].map(|bound| bound.map(Value::from));
    let range =
        (min.is_some() || max.is_some()).then_some(Bounds { min: min.as_ref(), max: max.as_ref() });
    let find = Find { range, order, limit, fields: &["n"], ..Find::by(&keys, &[]) };
    let found = client.find(find).into_iter();
    found.map(|(key, row)| (key, row[0].as_i64().unwrap())).collect()
}

/// Every range of keys, in both orders and with every limit, is what these documents have in it.
pub fn a_range_of_keys_is_in_the_order_of_their_bytes(target: &Database) {
    load(target, 0);
    let mut client = operator(target);
    assert!(by_keys(&mut client, [None, None], (Order::Ascending, Some(9))).is_empty());
    // Loaded in another order.
    let place = |n: usize| (KEYS[n * 5 % KEYS.len()], json!({"n": n, "text": "x".repeat(n)}));
    let made: Vec<(&str, Value)> = (0..KEYS.len()).map(place).collect();
    for (key, document) in &made {
        client.insert(&[(*key, document)]).unwrap();
    }
    let mut there: Vec<(String, i64)> =
        made.iter().zip(0..).map(|((key, _), n)| ((*key).to_owned(), n)).collect();
    there.sort();
    assert!(there.iter().map(|(key, _)| key).eq(KEYS.iter()), "{there:?}");
    let starts = KEYS.into_iter().chain(["", "0", "99", "a:", "a:00095", "zz", "\u{10ffff}"]);
    for min in starts.map(Some).chain([None]) {
        for max in [None, Some("a:0010")] {
            for limit in [Some(1), Some(2), Some(7), Some(100), None] {
                for order in [Order::Ascending, Order::Descending] {
                    let is_in = |(key, _): &&(String, i64)| {
                        min.is_none_or(|min| &**key >= min) && max.is_none_or(|max| &**key <= max)
                    };
                    let mut wanted: Vec<_> = there.iter().filter(is_in).cloned().collect();
                    if order == Order::Descending {
                        wanted.reverse();
                    }
                    wanted.truncate(limit.unwrap_or(usize::MAX));
                    let found = by_keys(&mut client, [min, max], (order, limit));
                    assert_eq!(found, wanted, "{min:?} to {max:?}, {order:?}, {limit:?}");
                }
            }
        }
    }
}

/// Documents that come, go and change are in a range of keys, or not, at once; pages of it put
/// together are the whole.
pub fn a_range_of_keys_follows_each_operation(target: &Database) {
    load(target, 30);
    let mut client = operator(target);
    let ids = |client: &mut Operator, min: &str, limit: usize| {
        let (keys, min) = (Index::keys(COLLECTION), json!(min));
        let range = Some(Bounds { min: Some(&min), max: None });
        let fields = ["o_id"];
        let find = Find { range, limit: Some(limit), fields: &fields, ..Find::by(&keys, &[]) };
        ids(&client.find(find))
    };
    assert_eq!(ids(&mut client, "1.10", 3), [10, 11, 12]);
    assert_eq!(ids(&mut client, "1.29", 5), [29, 3, 30, 4, 5]);
    client.delete("1.3").unwrap();
    assert_eq!(ids(&mut client, "1.29", 3), [29, 30, 4]);
    client.insert(&[("1.295", &document(1, 295)), ("1.31", &document(1, 31))]).unwrap();
    client.put("1.3", &document(1, 300)).unwrap();
    client.put("1.30", &document(1, 301)).unwrap();
    assert_eq!(ids(&mut client, "1.29", 6), [29, 295, 300, 301, 31, 4]);
    assert_eq!(ids(&mut client, "1.9", 6), [9]);
    assert!(ids(&mut client, "2", 6).is_empty());
    let keys = Index::keys(COLLECTION);
    for order in [Order::Ascending, Order::Descending] {
        let find = Find { order, fields: &[WHOLE], ..Find::by(&keys, &[]) };
        let whole = client.find(find);
        assert_eq!(whole.len(), 32);
        let mut paged: Vec<(String, Vec<Value>)> = Vec::new();
        loop {
            let last = paged.last().map(|(key, _)| key.clone());
            let last = last.as_deref().map(|key| Last { values: &[], key });
            let page = client.find(Find { pages: Some(last), limit: Some(5), ..find });
            let is_end = page.len() < 5;
            paged.extend(page);
            assert!(paged.len() <= whole.len(), "{order:?}");
            if is_end {
                break;
            }
        }
        assert_eq!(paged, whole, "{order:?}");
    }
    let (number, min) = (json!(1), json!("1"));
    for bad in [
        Find { range: Some(Bounds { min: Some(&number), max: None }), ..Find::by(&keys, &[]) },
        Find { range: Some(Bounds { min: Some(&min), max: None }), ..Find::by(&keys, &[json!(1)]) },
    ] {
        let found = wait(async { client.0.begin(Access::Each).await?.find(bad).await });
        fails(found.map(drop), ErrorKind::Invalid, &["find in orders by key in"]);
    }
}

/// A transaction sees what it has itself done to a range of keys, and nobody else does before.
pub fn a_transaction_reads_ranges_of_keys(target: &Database) {
    load(target, 3);
    let (mut one, mut other) = (session(target), operator(target));
    let keys = Index::keys(COLLECTION);
    let all = Find::by(&keys, &[]);
    let of = |found: Vec<(String, Vec<Value>)>| -> Vec<String> {
        found.into_iter().map(|(key, _)| key).collect()
    };
    let own = wait(async {
        let mut transaction = one.begin(Access::Write).await?;
        transaction.delete(COLLECTION, "1.2").await?;
        transaction.insert(COLLECTION, "1.25", &document(1, 25)).await?;
        let own = transaction.find(all).await?;
        let others = other.0.begin(Access::Each).await?.find(all).await?;
        transaction.rollback().await?;
        Ok::<_, Error>([own, others])
    });
    assert_eq!(own.unwrap().map(of), [vec!["1.1", "1.25", "1.3"], vec!["1.1", "1.2", "1.3"]]);
    assert_eq!(of(other.find(all)), ["1.1", "1.2", "1.3"]);
}

/// What a database does not offer it refuses with its reason, before anything is asked.
pub fn operations_that_are_not_offered_are_refused(target: &Database) {
    use hoap_database::What;
    load(target, 1);
    let mut client = operator(target);
    let kind = |done: Result<(), Error>| done.unwrap_err().kind;
    if target.has(What::Transactions).is_err() {
        let begun = wait(client.0.begin(Access::Write)).map(drop);
        fails(begun, ErrorKind::Invalid, &["not applicable, because"]);
    }
    if target.has(What::Patches).is_err() {
        let patched = client.patch("1.1", &[add("o_id", 1)]).map(drop);
        assert_eq!(kind(patched), ErrorKind::Invalid);
    }
    if target.has(What::NestedPatches).is_err() {
        let patched = client.patch("1.1", &[set("o_name.last", json!("x"))]).map(drop);
        assert_eq!(kind(patched), ErrorKind::Invalid);
    }
    if target.has(What::Finds).is_err() {
        let (index, prefix) = (index(), [json!(1)]);
        let found = wait(async {
            let mut each = client.0.begin(Access::Each).await?;
            each.find(Find::by(&index, &prefix)).await
        });
        assert_eq!(kind(found.map(drop)), ErrorKind::Invalid);
    }
    if target.has(What::Ranges).is_err() {
        let keys = Index::keys(COLLECTION);
        let found = wait(async {
            client.0.begin(Access::Each).await?.find(Find::by(&keys, &[])).await.map(drop)
        });
        fails(found, ErrorKind::Invalid, &["order of their keys", "not applicable, because"]);
    }
    assert_alike(&client.whole("1.1"), &document(1, 1), "as it was loaded");
}

/// Each operation is one message of the client, which `sent` counts on the way of the target to its
/// server. `load` was called before.
pub fn each_operation_is_one_round_trip(target: &Database, sent: &dyn Fn() -> usize) {
    use hoap_database::What;
    let mut client = operator(target);
    let whole = document(1, 1);
    let mut next = 100;
    let mut key = || {
        next += 1;
        format!("2.{next}")
    };
    let mut once = |what: &str, operation: &mut dyn FnMut(&mut Operator, [String; 3])| {
        let mut count = || {
            let (keys, before) = ([key(), key(), key()], sent());
            operation(&mut client, keys);
            sent() - before
        };
        // What is looked up or prepared first is there then.
        count();
        assert_eq!((0..5).map(|_| count()).min(), Some(1), "{what}");
    };
    once("read", &mut |client, _| assert!(client.get("1.1", &["o_id", "o_name"]).is_some()));
    once("read whole", &mut |client, _| assert!(client.get("1.1", &[WHOLE]).is_some()));
    once("put", &mut |client, _| client.put("1.1", &whole).unwrap());
    once("insert", &mut |client, [a, ..]| client.insert(&[(&a, &whole)]).unwrap());
    once("insert several", &mut |client, [a, b, c]| {
        client.insert(&[(&a, &whole), (&b, &whole), (&c, &whole)]).unwrap();
    });
    once("delete", &mut |client, _| {
        client.delete("1.1").unwrap();
    });
    client.put("1.1", &whole).unwrap();
    let mut once = |what: &str, operation: &mut dyn FnMut(&mut Operator)| {
        let mut count = || {
            let before = sent();
            operation(&mut client);
            sent() - before
        };
        count();
        assert_eq!((0..5).map(|_| count()).min(), Some(1), "{what}");
    };
    let open = json!(true);
    let condition = [Condition { path: "o_open", is: Is::Equal(&open) }];
    let patches = [add("o_id", 1), cents("o_total", 1), set("o_carrier_id", json!("x"))];
    once("patch", &mut |client| {
        assert_eq!(client.patch_if("1.1", &patches, &condition), Ok(Patched::Done));
    });
    if target.has(What::Finds).is_ok() {
        let (index, prefix) = (index(), [json!(1)]);
        let find = Find { limit: Some(2), fields: &["o_id"], ..Find::by(&index, &prefix) };
        once("find", &mut |client| assert!(!client.find(find).is_empty()));
        let keys = Index::keys(COLLECTION);
        let find = Find { limit: Some(2), fields: &["o_id"], ..Find::by(&keys, &[]) };
        once("find by keys", &mut |client| assert_eq!(client.find(find).len(), 2));
    }
}
