//! What is learned from samples is a workload file, and what it makes is like them.

use std::path::Path;

use hoap_data::random::Stream;
use hoap_own::file::Text;
use hoap_own::learn::{Learn, Learned, Origin, learn};
use hoap_own::plan::Plan;
use serde_json::{Map, Value, json};

/// Samples in files of a folder, which goes with it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    /// What is learned of collections, each with its file.
    fn learn(&self, samples: &[(&str, &str)], no_values: bool) -> Result<Learned, String> {
        let path = |file: &str| self.0.path().join(file);
        let of = |file| Origin::File(path(file));
        let samples = samples.iter().map(|(name, file)| ((*name).to_owned(), of(file)));
        let args = Learn { samples: samples.collect(), out: path("shop.toml"), no_values };
        let folder = self.0.path().display().to_string() + std::path::MAIN_SEPARATOR_STR;
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(learn(&args, &|| false)).map_err(|e| e.to_string().replace(&folder, ""))
    }
}

fn lines(documents: impl IntoIterator<Item = Value>) -> String {
    documents.into_iter().map(|document| document.to_string() + "\n").collect()
}

/// The plan of what was learned.
fn plan(learned: &Learned) -> Plan {
    let text = Text { path: "t.toml".into(), text: learned.text.clone() };
    let file = text.read().unwrap_or_else(|e| panic!("{e}\n{}", learned.text));
    text.at(Plan::new(&file, 1.0)).unwrap_or_else(|e| panic!("{e}\n{}", learned.text))
}

/// The documents that a plan makes of a collection.
fn made(plan: &Plan, collection: usize) -> Vec<Value> {
    let document = |n| {
        let mut text = Vec::new();
        plan.document(collection, &plan.place(collection, n), &mut text);
        serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{text:?}: {e}"))
    };
    (0..plan.collections[collection].count).map(document).collect()
}

/// Every file that people have is read, or refused by one line with its name and its line.
#[test]
fn samples_of_all_kinds_are_read_or_refused_by_one_line() {
    let cases: &[(&str, &[u8], Result<&str, &str>)] = &[
        ("a.ndjson", b"{\"x\":1}\n{\"x\":2}\n", Ok("x = { integer = \"1..2\" }")),
        ("a.json", b" [{\"x\":true},\n{\"x\":true}]", Ok("x = { boolean = 1 }")),
        ("pretty.json", b"{\n \"x\": 1\n}\n{\n \"x\": 1\n}", Ok("x = { integer = \"1..1\" }")),
        ("bom.json", b"\xef\xbb\xbf{\"x\":1}", Ok("count = 1\n")),
        ("a.csv", b"x,y z\n1,a\n,\"b,\nc\"\n", Ok("x = { integer = \"1..1\", absent = 0.5 }")),
        ("a.tsv", b"x\ty\n1.50\t007\n", Ok("x = { decimal = \"1.5..1.5\" }")),
        ("cut.ndjson", b"{\"x\":1}\n{\"x\":", Ok("count = 1\n")),
        ("cut.json", b"[{\"x\":1},{\"x\":", Ok("count = 1\n")),
        ("null.json", b"{\"x\":null}{}", Ok("x = { absent = 0.5, null = 0.5 }")),
        ("big.json", b"{\"x\":9007199254740993}", Ok("\"9007199254740993..9007199254740993\"")),
        ("huge.json", b"{\"x\":18446744073709551615}", Ok("x = { number = ")),
        ("names.json", br#"{"a.b":1,"$c":{"d e":2},"":3}"#, Ok("\"$c\".fields = { \"d e\" = ")),
        ("mixed.json", br#"{"x":1}{"x":"a"}{"x":[{"y":1}]}{"x":{}}"#, Ok("share = 1, integer = ")),
        (
            "oid.json",
            br#"{"_id":{"$oid":"65a1b2c3d4e5f60718293a4b"}}"#,
            Ok("_id = { text = \"24\""),
        ),
        ("place.json", b"{\"x\":[1.5,2.5]}{\"x\":[1.5,2.5]}", Ok("x = [{ decimal = ")),
        ("empty.json", b"", Err("learn a from empty.json: it has no documents")),
        ("space.ndjson", b" \n\n", Err("it has no documents")),
        ("none.json", b"[]", Err("it has no documents")),
        ("bytes.json", b"{\"x\":1}\n{\"x\":\"\xff\"}", Err("bytes.json:2: invalid unicode")),
        ("bytes.csv", b"x\n1\n\xff\n", Err("bytes.csv:3: this is not UTF-8: save it as UTF-8")),
        ("cells.csv", b"x,y\n1,2\n3\n", Err("cells.csv:3: this line has 1 cells")),
        ("wide.json", b"\xff\xfe{\0", Err("wide.json:1: this is UTF-16: save it as UTF-8")),
        (
            "number.ndjson",
            b"{\"x\":1}\n7\n",
            Err("number.ndjson:2: invalid type: integer `7`, expected a document"),
        ),
        (
            "array.json",
            b"[{},\n[]]",
            Err("array.json:2: invalid type: sequence, expected a document"),
        ),
        ("comma.ndjson", b"\n{\"x\":1}\n{\"x\" 1}\n", Err("comma.ndjson:3: expected `:`")),
        ("missing.json", b"", Err("it has no documents")),
        ("a.parquet", b"PAR1", Err("read a.parquet")),
    ];
    let p = Place::new();
    for (name, bytes, expected) in cases {
        p.write(name, bytes);
        match (p.learn(&[("a", name)], false), expected) {
            (Ok(learned), Ok(says)) => {
                assert!(learned.text.contains(says), "{name}: {}", learned.text);
                assert_eq!(name.contains("cut"), learned.table.contains("is cut off"), "{name}");
                assert!(
                    learned
                        .table
                        .lines()
                        .all(|line| line.chars().count() <= 80 || line.starts_with("not kept"))
                );
                made(&plan(&learned), 0);
            }
            (Err(e), Err(says)) => {
                assert!(e.contains(says) && e.lines().count() == 1, "{name}: {e}")
            }
            (found, _) => panic!("{name}: {found:?}, not {expected:?}"),
        }
    }
    assert!(
        p.learn(&[("a", "nowhere.json")], false).unwrap_err().starts_with("read nowhere.json: ")
    );
}

/// A random value: of any type, with any name, so many levels deep.
fn value(random: &mut Stream, depth: u64) -> Value {
    const TEXTS: [&str; 8] = [
        "",
        "a",
        "é\"\\\n",
        "2024-01-31",
        "2024-01-31T12:00:00Z",
        "{n}",
        "x'y",
        "65a1b2c3d4e5f60718293a4b",
    ];
    let text = |random: &mut Stream| TEXTS[(random.next_u64() % 8) as usize].to_owned();
    match random.next_u64() % if depth == 0 { 7 } else { 10 } {
        0 => Value::Null,
        1 => random.chance(0.5).into(),
        2 => (random.next_u64() as i64 >> (random.next_u64() % 64)).into(),
        3 => random.next_u64().into(),
        4 => (random.unit() * 10f64.powi((random.next_u64() % 40) as i32 - 20)).into(),
        5 => ((random.unit() * 1000.0).round() / 100.0).into(),
        6 => text(random).into(),
        7 => (0..random.next_u64() % 4).map(|_| value(random, depth - 1)).collect(),
        _ => object(random, depth - 1),
    }
}

fn object(random: &mut Stream, depth: u64) -> Value {
    const NAMES: [&str; 12] =
        ["a", "n", "key", "_id", "seq", "index", "fields", "a.b", "$x", "", "x'y", "share"];
    let mut members = Map::new();
    for _ in 0..random.next_u64() % 8 {
        let name = match random.next_u64() % 16 {
            at if at < 12 => NAMES[at as usize].to_owned(),
            _ => format!("k{}", random.next_u64() % 60),
        };
        members.insert(name, value(random, depth));
    }
    Value::Object(members)
}

/// A document is held as a whole. Small ones that nest, and files without an end, cost neither
/// memory nor time.
#[test]
fn documents_are_held_within_bounds() {
    let p = Place::new();
    let cases = [
        (
            "objects.json",
            format!("{}1{}", "{\"x\":".repeat(100), "}".repeat(100)),
            Err("has 100 levels; learn of"),
        ),
        (
            "values.json",
            format!("{{\"x\":[{}1]}}", "[],".repeat(1_600_000)),
            Err("more than 1500000 values"),
        ),
        ("cells.csv", ",".repeat(1_600_000), Err("more than 1500000 values")),
        ("last.ndjson", lines((0..3000).map(|n| json!({"x": i64::MAX - n}))), Ok("x.integer = ")),
        ("first.ndjson", lines((0..3000).map(|n| json!({"x": i64::MIN + n}))), Ok("x.integer = ")),
    ];
    for (name, text, expected) in cases {
        p.write(name, text);
        match (p.learn(&[("a", name)], false), expected) {
            (Ok(learned), Ok(says)) => {
                assert!(learned.text.contains(says), "{name}: {}", learned.text);
                made(&plan(&learned), 0);
            }
            (Err(e), Err(says)) => assert!(e.contains(says), "{name}: {e}"),
            (found, _) => panic!("{name}: {found:?}, not {expected:?}"),
        }
    }
    #[cfg(unix)]
    for name in ["endless.csv", "endless.tsv"] {
        std::os::unix::fs::symlink("/dev/zero", p.0.path().join(name)).unwrap();
        let e = p.learn(&[("a", name)], false).unwrap_err();
        assert!(e.contains("a document has more than 67108864 bytes"), "{name}: {e}");
    }
}

/// What learn writes always parses and makes documents, with and without values.
#[test]
fn what_is_learned_of_any_documents_is_a_workload_file() {
    let p = Place::new();
    for round in 0..60u64 {
        let mut random = Stream::new(round, &[]);
        let count = [1, 3, 40, 300][(round % 4) as usize];
        let depth = 1 + round % 9;
        p.write("a.json", lines((0..count).map(|_| object(&mut random, depth))));
        p.write(
            "b.json",
            lines((0..count).map(|n| json!({"_id": n, "a": format!("a{n}"), "a_id": n / 3}))),
        );
        for no_values in [false, true] {
            let learned = p.learn(&[("a", "a.json"), ("b", "b.json")], no_values);
            let learned = learned.unwrap_or_else(|e| panic!("{round}: {e}"));
            assert_eq!(made(&plan(&learned), 0).len(), count, "{round}");
        }
    }
}

/// However deep arrays and objects are in each other, memory and time grow with the levels alone.
#[test]
fn deep_documents_are_learned_as_fast_as_flat_ones() {
    let p = Place::new();
    let mut value = json!("t");
    let documents = (0..50).map(|n| {
        value = match n % 2 {
            0 => json!([{"b": value}, 1, "x"]),
            _ => json!({"a": [[value, 1], [2, 3]]}),
        };
        json!({"x": value})
    });
    p.write("deep.json", lines(documents));
    let learned = p.learn(&[("a", "deep.json")], false).unwrap();
    assert_eq!(made(&plan(&learned), 0).len(), 50);
    assert!(learned.text.len() < 100_000, "{} bytes", learned.text.len());
}

/// Of a sample that a file made, types, shares and sizes are learned, and who refers to whom.
#[test]
fn what_is_made_is_like_the_sample() {
    let p = Place::new();
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workloads/shop.toml"),
    );
    let text = Text { path: "shop.toml".into(), text: text.unwrap() };
    let plan_of = text.at(Plan::new(&text.read().unwrap(), 0.05)).unwrap();
    let names = ["products", "customers", "orders"];
    for (at, name) in names.iter().enumerate() {
        let mut all = made(&plan_of, at);
        for (n, document) in all.iter_mut().enumerate() {
            let mut key = Vec::new();
            plan_of.key(at, &plan_of.place(at, n as u64), &mut key);
            document["_id"] = String::from_utf8(key).unwrap().into();
        }
        p.write(&format!("{name}.ndjson"), lines(all));
    }
    let files = names.map(|name| (name, format!("{name}.ndjson")));
    let samples: Vec<(&str, &str)> =
        files.iter().map(|(name, file)| (*name, file.as_str())).collect();
    let learned = p.learn(&samples, false).unwrap();
    for says in [
        "per = \"customers\"",
        "customer = { ref = \"parent\" }",
        "lines.of.fields.product = { ref = \"products\", dist = \"zipfian\" }",
        "status = { values = [\"shipped\", ",
        "indexes.by_customer = [\"customer\"]",
        "{ name = \"orders-by-customer\", weight = 20, find = \"orders\", where = [\"customer\"], limit = 10 }",
    ] {
        assert!(learned.text.contains(says), "{says}: {}", learned.text);
    }
    for of in learned.json["collections"].as_array().unwrap() {
        let number = |value: &Value| value.as_f64().unwrap();
        let (bytes, documents) = (&of["mean_bytes"], &of["documents"]);
        let near = |pair: &Value, by: f64| (number(&pair[1]) / number(&pair[0]) - 1.0).abs() < by;
        assert!(near(bytes, 0.05) && near(documents, 0.05), "{of}");
        assert!(number(&of["greatest_difference_of_shares"]) < 0.05, "{of}\n{}", learned.table);
    }
}

/// Without values no text and no number of the sample is in the file.
#[test]
fn without_values_none_is_written() {
    let p = Place::new();
    let document = |n: u64| {
        json!({
            "secret": format!("secret-{}", n % 3), "salary": 73_219 + 17 * (n % 700), "ratio": 0.123_4 + n as f64,
            "constant": 4_711, "born": format!("1971-03-{:02}", 11 + n % 17), "of": {format!("name{}", n % 40): 3_377},
            "tags": ["hidden"], "id": format!("KEY-{n:05}"), "number": 881_234 + n, "lat": [48.137_1, -11.575_5],
        })
    };
    p.write("a.json", lines((0..800).map(document)));
    let values = [
        "ecret-", "73219", "0.1234", "4711", "1971-03", "name1", "3377", "hidden", "KEY", "881234",
        "48.1", "11.57",
    ];
    let with = p.learn(&[("a", "a.json")], false).unwrap().text;
    assert!(values.iter().all(|value| with.contains(value)), "{with}");
    let without = p.learn(&[("a", "a.json")], true).unwrap();
    let found: Vec<_> = values.iter().filter(|value| without.text.contains(**value)).collect();
    assert!(found.is_empty(), "{found:?}: {}", without.text);
    made(&plan(&without), 0);
}

/// Fields of a thousand names stay fields, and names that are data become a map.
#[test]
fn many_names_are_fields_or_data() {
    let p = Place::new();
    let wide: Map<String, Value> = (0..1000).map(|n| (format!("f{n}"), json!(n))).collect();
    p.write("wide.json", lines((0..30).map(|_| Value::Object(wide.clone()))));
    let learned = p.learn(&[("a", "wide.json")], false).unwrap();
    assert_eq!(made(&plan(&learned), 0)[7], Value::Object(wide));
    let map = |n: u64| json!({"by": {format!("u{}", n % 50): {"x": n}, format!("u{}", n * 7 % 50): {"x": 1}}});
    p.write("map.json", lines((0..400).map(map)));
    let learned = p.learn(&[("a", "map.json")], false).unwrap();
    assert!(
        learned.text.contains("by.map = \"1..") && learned.text.contains("by.of.fields.x"),
        "{}",
        learned.text
    );
}
