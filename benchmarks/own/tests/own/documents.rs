//! The documents of workload files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hoap_own::file::Text;
use hoap_own::generate::order::{MOST_SORTED, Order, is_known};
use hoap_own::plan::Plan;
use hoap_own::workload::Workload;
use serde_json::Value;

/// The plan of a text at a scale.
fn plan(text: &str, scale: f64) -> Plan {
    let text = Text { path: "test.toml".into(), text: text.to_owned() };
    let file = text.read().unwrap_or_else(|e| panic!("{e}"));
    text.at(Plan::new(&file, scale)).unwrap_or_else(|e| panic!("{e}"))
}

/// A file of `examples/workloads`.
fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workloads");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn text(plan: &Plan, collection: usize, n: u64) -> String {
    let mut text = Vec::new();
    plan.document(collection, &plan.place(collection, n), &mut text);
    String::from_utf8(text).unwrap()
}

fn document(plan: &Plan, collection: &str, n: u64) -> Value {
    let text = text(plan, plan.collection(collection).unwrap(), n);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn all(plan: &Plan, collection: &str) -> Vec<Value> {
    let at = plan.collection(collection).unwrap();
    (0..plan.collections[at].count).map(|n| document(plan, collection, n)).collect()
}

fn key(plan: &Plan, collection: &str, n: u64) -> String {
    let at = plan.collection(collection).unwrap();
    let mut key = Vec::new();
    plan.key(at, &plan.place(at, n), &mut key);
    String::from_utf8(key).unwrap()
}

/// A file with a collection of these fields.
fn of(count: u64, fields: &str) -> Plan {
    plan(
        &format!("hoap = 1\n[collections.a]\ncount = {count}\n[collections.a.fields]\n{fields}"),
        1.0,
    )
}

/// A digest of all keys and documents of the examples: their bytes change with the data version alone.
#[test]
fn the_examples_have_their_bytes() {
    let digest = |name: &str, scale: f64| {
        let plan = plan(&example(name), scale);
        let mut all = String::new();
        for (at, collection) in plan.collections.iter().enumerate() {
            for n in 0..collection.count {
                all += &format!("{} {}\n", key(&plan, &collection.name, n), text(&plan, at, n));
            }
        }
        let hash = all.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        (all.len(), format!("{hash:016x}"))
    };
    let found = [("shop.toml", 0.004), ("telemetry.toml", 0.005), ("sessions.toml", 0.005)]
        .map(|(name, scale)| digest(name, scale));
    assert_eq!(
        found,
        [
            (414_705, "3595225b9032cd2c".to_owned()),
            (1_005_643, "e1f9ca85f5e3d7ce".to_owned()),
            (778_963, "7dd8e7b831b1b596".to_owned()),
        ]
    );
}

/// Totals are those of their lines, copies are what they copy, sizes and sums of children are those
/// of the children that there are.
#[test]
fn the_shop_is_consistent() {
    let plan = plan(&example("shop.toml"), 0.004);
    let products: BTreeMap<String, Value> =
        (0..40).map(|n| (key(&plan, "products", n), document(&plan, "products", n))).collect();
    let mut of_customer: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
    let mut last = String::new();
    for order in all(&plan, "orders") {
        let lines = order["lines"].as_array().unwrap();
        assert!((1..=5).contains(&lines.len()));
        for line in lines {
            let product = &products[line["product"].as_str().unwrap()];
            assert_eq!(
                (&line["price"], &line["category"]),
                (&product["price"], &product["category"])
            );
            assert_eq!(
                cents(&line["amount"]),
                cents(&line["price"]) * line["quantity"].as_i64().unwrap()
            );
        }
        assert_eq!(
            cents(&order["total"]),
            lines.iter().map(|line| cents(&line["amount"])).sum::<i64>()
        );
        let of = of_customer.entry(order["customer"].as_str().unwrap().to_owned()).or_default();
        *of = (of.0 + 1, of.1 + cents(&order["total"]));
        let at = order["at"].as_str().unwrap().to_owned();
        assert!(at > last, "{at} {last}");
        last = at;
    }
    assert!(last.starts_with("2024-12-3"), "{last}");
    let mut counts = BTreeMap::new();
    for n in 0..200 {
        let customer = document(&plan, "customers", n);
        let (placed, spent) =
            of_customer.get(&key(&plan, "customers", n)).copied().unwrap_or_default();
        assert_eq!((customer["placed"].as_u64(), cents(&customer["spent"])), (Some(placed), spent));
        *counts.entry(placed).or_insert(0) += 1;
    }
    // 200 parents over 13 numbers: 15 or 16 each.
    assert!(counts.len() == 13 && counts.values().all(|n| (15..=16).contains(n)), "{counts:?}");
}

#[test]
fn telemetry_and_sessions_are_what_their_files_say() {
    let telemetry = plan(&example("telemetry.toml"), 0.005);
    let devices = all(&telemetry, "devices");
    let mut units = BTreeSet::new();
    for device in &devices {
        let (model, unit) = (device["model"].as_str().unwrap(), device["unit"].as_str().unwrap());
        assert_eq!(unit == "F", model == "X9", "{device}");
        units.insert(unit.to_owned());
        assert_eq!(device["seen"], "2024-01-01T00:00:00.000Z");
    }
    let readings = all(&telemetry, "readings");
    assert_eq!((devices.len(), readings.len()), (10, 5000));
    for (n, reading) in readings.iter().enumerate() {
        let device: usize = reading["device"].as_str().unwrap().parse().unwrap();
        assert_eq!(reading["site"], devices[device]["site"]);
        assert_eq!(key(&telemetry, "readings", n as u64), format!("{device}:{:08}", n / 10));
        let place = reading["place"].as_array().unwrap();
        assert!(place[1].as_f64().unwrap() >= 47.0 && reading["raw"].as_str().unwrap().len() == 64);
    }
    let celsius: Vec<f64> = readings.iter().filter_map(|r| r["celsius"].as_f64()).collect();
    let mean = celsius.iter().sum::<f64>() / celsius.len() as f64;
    let sd =
        (celsius.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / celsius.len() as f64).sqrt();
    assert!((mean - 21.0).abs() < 0.4 && (sd - 6.0).abs() < 0.3, "{mean} {sd}");
    let missing = readings.len() - celsius.len();
    assert!((20..=90).contains(&missing), "{missing}");
    let faulty = readings.iter().filter(|r| !r["faults"].as_array().unwrap().is_empty()).count();
    assert!((60..=200).contains(&faulty), "{faulty}");

    let sessions = plan(&example("sessions.toml"), 0.005);
    let mut kinds = BTreeMap::new();
    for user in all(&sessions, "users") {
        let kind = user["kind"].as_str().unwrap().to_owned();
        assert_eq!(user.get("seats").is_some(), kind == "company", "{user}");
        *kinds.entry(kind).or_insert(0) += 1;
        assert!(
            user["prefs"].as_object().unwrap().len() <= 12
                && user["email"].as_str().unwrap().ends_with("@example.com")
        );
    }
    assert!((850..=950).contains(&kinds["person"]), "{kinds:?}");
    for session in all(&sessions, "sessions") {
        assert!(session["ends"].as_str() > session["opened"].as_str(), "{session}");
    }
}

/// A document is the same whatever part it is made in, and a new field changes no other.
#[test]
fn a_new_field_changes_no_other() {
    let fields = "x = { integer = \"0..1000000\" }\nz = { array = \"0..3\", of = { words = \"1\", null = 0.2 } }\n";
    let (before, after) = (
        of(50, fields),
        of(50, &format!("y = {{ text = \"5\" }}\n{fields}w = {{ boolean = 0.5, absent = 0.5 }}")),
    );
    for n in (0..50).rev() {
        let (before, after) = (document(&before, "a", n), document(&after, "a", n));
        assert_eq!((&before["x"], &before["z"]), (&after["x"], &after["z"]));
    }
}

/// Numbers of a range have both its ends, and shares are those of the file.
#[test]
fn values_lie_in_their_ranges_with_their_shares() {
    let plan = of(
        20_000,
        "i = { integer = \"-2..2\" }\nd = { decimal = \"-0.10..0.10\" }\nf = { number = \"-1..1\" }\n\
        v = { values = [\"a\", \"b\", 3], weights = [7, 2, 1] }\nb = { boolean = 0.3 }\n\
        q = { integer = \"0..2041\", dist = [[0, 0], [0.5, 1], [0.9, 6], [0.999, 180], [1, 2041]], absent = 0.188 }\n\
        z = { values = [\"0\", \"1\", \"2\", \"3\"], dist = \"zipfian\" }\nu = { integer = \"0..19999\", unique = true }\n\
        s = { words = \"1\", distinct = 7 }\nn = { ref = \"a\", dist = \"hotspot\", hot = 0.1, hits = 0.9 }\n\
        w = { date = \"2024-01-01..2024-01-02\", format = \"date\" }\ng = { after = \"i\", by = \"1..3\" }",
    );
    let documents = all(&plan, "a");
    let count = |name: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for document in &documents {
            *counts
                .entry(document.get(name).map_or("absent".into(), Value::to_string))
                .or_default() += 1;
        }
        counts
    };
    let near = |found: usize, share: f64| {
        let share_of = found as f64 / documents.len() as f64;
        assert!((share_of - share).abs() < 0.015, "{share_of}, not {share}");
    };
    let integers = count("i");
    assert!(
        integers.keys().eq(["-1", "-2", "0", "1", "2"])
            && integers.values().all(|n| n.abs_diff(4000) < 250)
    );
    let decimals = count("d");
    assert!(
        decimals.len() == 21 && decimals.contains_key("-0.1") && decimals.contains_key("0.1"),
        "{decimals:?}"
    );
    assert!(documents.iter().all(|d| d["f"].as_f64().unwrap().abs() <= 1.0));
    for (value, share) in [("\"a\"", 0.7), ("\"b\"", 0.2), ("3", 0.1)] {
        near(count("v")[value], share);
    }
    near(count("b")["true"], 0.3);
    near(count("q")["absent"], 0.188);
    let mut quantiles: Vec<u64> = documents.iter().filter_map(|d| d["q"].as_u64()).collect();
    quantiles.sort_unstable();
    let at = |share: f64| quantiles[(share * quantiles.len() as f64) as usize];
    assert!(
        at(0.1) == 0 && at(0.4) == 1 && at(0.7).abs_diff(3) <= 1 && at(0.95).abs_diff(94) <= 20,
        "{}",
        at(0.95)
    );
    let zipf = count("z");
    assert!(
        zipf["\"0\""] > zipf["\"1\""]
            && zipf["\"1\""] > zipf["\"2\""]
            && zipf["\"2\""] > zipf["\"3\""],
        "{zipf:?}"
    );
    assert_eq!((count("u").len(), count("s").len(), count("w").len()), (20_000, 7, 2));
    let mut hits: Vec<usize> = count("n").into_values().collect();
    hits.sort_unstable_by(|a, b| b.cmp(a));
    near(hits.iter().take(2000).sum(), 0.9);
    for document in &documents {
        let by = document["g"].as_i64().unwrap() - document["i"].as_i64().unwrap();
        assert!((1..=3).contains(&by));
    }
}

/// A hot document is hot for every ref to its collection.
#[test]
fn the_hot_set_is_the_same_for_all_refs() {
    let plan = of(
        1000,
        "x = { ref = \"a\", dist = \"zipfian\" }\ny = { ref = \"a\", dist = \"zipfian\" }",
    );
    let most = |name: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        all(&plan, "a").iter().for_each(|d| *counts.entry(d[name].to_string()).or_default() += 1);
        counts.into_iter().max_by_key(|(_, n)| *n).unwrap().0
    };
    assert_eq!(most("x"), most("y"));
}

/// Names and texts with quotes, control characters and other scripts are JSON all the same.
#[test]
fn any_text_is_json() {
    let plan = of(
        3,
        "\"a.b \\\"q\\\"\" = \"x\\n\\\"y\\\"\"\n'$é' = { pattern = 'ü\\{n}\"{c}' }\nc = { values = ['\"\\'] }\no = { fields = {} }",
    );
    let document = document(&plan, "a", 2);
    assert_eq!(document["a.b \"q\""], "x\n\"y\"");
    assert_eq!(
        (&document["$é"], &document["o"]),
        (&Value::from("ü\\2\"\"\\"), &serde_json::json!({}))
    );
}

/// The digest is that of the data: neither comments nor operations nor indexes change it.
#[test]
fn the_digest_is_that_of_the_data() {
    let digest = |text: &str| {
        let text = Text { path: "t.toml".into(), text: text.to_owned() };
        let file = text.read().unwrap();
        let plan = text.at(Plan::new(&file, 1.0)).unwrap();
        Workload::new(file, plan, 1.0).parameters()["digest"].to_string()
    };
    let first = digest("hoap = 1\n[collections.a]\ncount = 5\nfields.x = 1");
    for same in [
        "hoap = 1 # one\n[collections]\na = { count = 5, fields = { x = 1 } }",
        "hoap = 1\noperations = [{ name = \"r\", read = \"a\" }]\n[collections.a]\ncount = 5\nindexes.i = [\"x\"]\nfields.x = 1",
    ] {
        assert_eq!(digest(same), first, "{same}");
    }
    for other in ["count = 6\nfields.x = 1", "count = 5\nfields.x = 2", "count = 5\nfields.y = 1"] {
        assert_ne!(digest(&format!("hoap = 1\n[collections.a]\n{other}")), first, "{other}");
    }
    assert_ne!(digest("hoap = 1\nseed = 2\n[collections.a]\ncount = 5\nfields.x = 1"), first);
}

/// Whether a column holds a value of the JSON text. What has no column of its own is JSON text, and
/// what is missing is null.
fn holds(column: &hoap_files::Value, json: Option<&Value>) -> bool {
    use hoap_files::Value as Of;
    let json = json.unwrap_or(&Value::Null);
    match (column, json) {
        (Of::Null, json) => json.is_null(),
        (Of::Bool(whether), json) => json == whether,
        (Of::Signed(n), json) => json == n,
        (Of::Decimal(units, digits), json) => {
            let value = *units as f64 / 10f64.powi(i32::from(*digits));
            json.as_f64().is_some_and(|json| (json - value).abs() < 1e-9 * value.abs().max(1.0))
        }
        (Of::Number(value), json) => json.as_f64() == Some(*value),
        (Of::Instant(micros), Value::String(json)) => {
            let text = hoap_data::Timestamp::from_micros(*micros).to_string().replace(' ', "T");
            text.starts_with(json.replace(' ', "T").trim_end_matches('Z'))
        }
        (Of::Text(text), json) => {
            json == text || serde_json::from_str::<Value>(text).is_ok_and(|text| text == *json)
        }
        (Of::Object(fields), Value::Object(json)) => {
            fields.iter().all(|(name, column)| holds(column, json.get(name)))
        }
        (Of::List(columns), Value::Array(json)) => {
            columns.len() == json.len()
                && columns.iter().zip(json).all(|(column, json)| holds(column, Some(json)))
        }
        _ => false,
    }
}

#[test]
fn columns_hold_what_the_json_holds() {
    let odd = "hoap = 1\n[collections.a]\ncount = 300\n[collections.a.fields]\n\
        o = { fields = { x = { integer = \"1..3\", null = 0.5 } }, absent = 0.3 }\nl = { array = \"0..2\", of = { boolean = 0.5 }, null = 0.3 }\n\
        m = { variants = [{ share = 1, integer = \"-5..5\" }, { share = 1, words = \"1\" }] }\nt = [1, \"a\"]\n\
        d = { date = \"2024-01-01..2024-02-01\", format = \"space\" }\ne = { date = \"2024-01-01..2024-02-01\", format = \"date\" }\n\
        s = { date = \"2024-01-01..2024-02-01\", format = \"seconds\", absent = 0.5 }\nn = { number = \"-1..1\" }\nh = { words = \"1\", hidden = true }\n\
        g = { given = \"n\", when = { x = 1 }, else = { words = \"1\" } }\na = { absent = 1 }\nc = { copy = \"o.x\" }\n\
        nested = { array = \"0..2\", of = { array = \"0..2\", of.fields.q = { decimal = \"-1.00..1.00\", null = 0.4 } } }";
    let texts =
        [example("shop.toml"), example("telemetry.toml"), example("sessions.toml"), odd.to_owned()];
    for (number, text) in texts.into_iter().enumerate() {
        let text = Text { path: "t.toml".into(), text };
        let file = text.read().unwrap_or_else(|e| panic!("{e}"));
        let scale = if number == 3 { 1.0 } else { 0.002 };
        let plan = text.at(Plan::new(&file, scale)).unwrap_or_else(|e| panic!("{e}"));
        let workload: &'static Workload = Box::leak(Box::new(Workload::new(file, plan, scale)));
        for (at, collection) in workload.plan.collections.iter().enumerate() {
            for n in 0..collection.count.min(300) {
                let mut json = document(&workload.plan, &collection.name, n);
                json["_id"] = key(&workload.plan, &collection.name, n).into();
                let columns = hoap_files::document(&workload, at, n);
                assert!(holds(&columns, Some(&json)), "{}: {columns:?} {json}", collection.name);
                let hoap_files::Value::Object(columns) = columns else { panic!("no object") };
                let names: BTreeSet<&String> = columns.iter().map(|(name, _)| name).collect();
                let missing = json.as_object().unwrap().keys().find(|name| !names.contains(name));
                assert_eq!(missing, None, "{}", collection.name);
            }
        }
    }
}

/// A key tells its document, loaded or new, whatever its pieces; what is no key tells none.
#[test]
fn a_key_tells_its_number() {
    let text = r#"hoap = 1
        [collections]
        n = { count = 50 }
        padded = { count = 50, key = "x{n:3}y" }
        hash = { count = 50, key = "{hash}" }
        uuid = { count = 50, key = "u-{uuid}" }
        object = { count = 50, key = "{objectid}" }
        mixed = { count = "0..5", per = "n", key = "{parent}:{seq:4}" }
        rounds = { count = "0..5", per = "uuid", arrange = "rounds", key = "{seq}/{parent}" }
        deep = { count = "2", per = "rounds", arrange = "grouped", key = "{parent}/{seq}" }"#;
    let plan = plan(&text.replace("count =", "fields.a = 1, count ="), 1.0);
    let place = |collection: usize, n: u64| plan.place(collection, n);
    for (at, of) in plan.collections.iter().enumerate() {
        for n in (0..of.count).chain(of.count..of.count + 120) {
            let key = key(&plan, &of.name, n);
            assert_eq!(plan.number(at, &key, &place), Some(n), "{} {key}", of.name);
            for wrong in [format!("{key}x"), format!("0{key}"), key[..key.len() - 1].to_owned()] {
                let found = plan.number(at, &wrong, &place);
                let is = found.map(|n| self::key(&plan, &of.name, n));
                assert!(is.is_none() || is == Some(wrong.clone()), "{} {wrong}: {is:?}", of.name);
            }
        }
    }
}

/// The order of keys is that of their bytes, whatever they are made of, and so is the place of any
/// text among them.
#[test]
fn the_order_of_keys_is_that_of_their_bytes() {
    for (collection, count) in [
        ("", 1234),
        ("key = \"user{n:6}\"", 1234),
        ("key = \"{n:2}\"", 1234),
        ("key = \"{n}x\"", 1234),
        ("key = \"user{n}\"", 10),
        ("key = \"{n:3}-x\"", 1000),
        ("key = \"a{hash}\"", 1234),
        ("key = \"{uuid}\"", 1234),
        ("key = \"{objectid}\"", 1234),
        ("key = \"{parent}:{seq:3}\"\nper = \"p\"\narrange = \"rounds\"", 0),
        ("key = \"{parent}.{seq}\"\nper = \"p\"", 0),
    ] {
        let count = if count == 0 { "\"0..15\"".to_owned() } else { count.to_string() };
        let file = format!(
            "hoap = 1\n[collections.a]\ncount = {count}\n{collection}\nfields.x = 1\n\
             [collections.p]\ncount = 150\nfields.x = 1"
        );
        let plan = plan(&file, 1.0);
        let at = plan.collection("a").unwrap();
        let mut keys: Vec<String> =
            (0..plan.collections[at].count).map(|n| key(&plan, "a", n)).collect();
        keys.sort();
        let order = Order::of(&plan, at).unwrap();
        let in_order = (0..).map_while(|place| order.number(place));
        assert!(in_order.map(|n| key(&plan, "a", n)).eq(keys.iter().cloned()), "{collection}");
        let others = ["", "0", "11", "user", "user5", "user000700", "7x", "5.1", "\u{10ffff}"];
        for start in keys.iter().map(String::as_str).chain(others) {
            let place = keys.partition_point(|key| **key < *start) as u64;
            assert_eq!(order.from(&plan, start), place, "{collection}: {start}");
        }
    }
}

/// Of any number of documents, if the number tells it.
#[test]
fn the_order_of_many_keys_is_told_by_numbers_or_not_at_all() {
    let count = MOST_SORTED + 1;
    for (key, known) in [("{n}", true), ("k{n:9}", true), ("{objectid}", true), ("{n}-", false)] {
        let file =
            format!("hoap = 1\n[collections.a]\ncount = {count}\nkey = \"{key}\"\nfields.x = 1");
        let plan = plan(&file, 1.0);
        assert_eq!((is_known(&plan, 0), Order::of(&plan, 0).is_some()), (known, known), "{key}");
    }
}
