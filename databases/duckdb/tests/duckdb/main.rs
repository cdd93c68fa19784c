//! DuckDB does what its module promises, in both layouts.

mod link;
mod refused;
mod typed;

use hoap_database::shop::Ask;
use hoap_database::{Batch, Database, Row};
use hoap_duckdb::open;
use hoap_suites::conformance::{
    COLLECTION, a_query_ends_at_its_time_limit, batch, count, indexes, load, load_shop, wait,
};
use hoap_workload::ErrorKind;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A new file with these options.
fn place(options: &str) -> (Database, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let target = open(&url(&folder, options)).unwrap();
    (target, folder)
}

fn url(folder: &TempDir, options: &str) -> String {
    format!("duckdb:{}{options}", folder.path().join("t.duckdb").display())
}

/// What is DuckDB's own and holds in both layouts, beside tests of the common suite.
macro_rules! suite {
    ($layout:ident, $options:literal: $($tests:item)*) => {
        mod $layout {
            use super::*;

            fn fresh() -> (Database, TempDir) {
                place($options)
            }

            $($tests)*

            #[test]
            fn documents_of_any_shape_come_back() {
                documents_come_back(fresh());
            }

            #[test]
            fn a_query_is_one_statement_that_only_reads() {
                one_statement(fresh());
            }

            #[test]
            fn an_interrupted_load_keeps_documents_and_progress_together() {
                interrupted(fresh());
            }
        }
    };
}

suite!(columns, "?threads=2":
    hoap_suites::document_tests!(fresh);
    hoap_suites::conformance_tests!(fresh:
        parameters_must_match_the_text,
        parameters_keep_their_types,
        a_query_can_be_cancelled,
        a_query_is_explained,
    );
    hoap_suites::shop_tests!(fresh);
);
suite!(json, "?layout=json&threads=2": hoap_suites::variant_tests!(fresh: layout););

/// A batch of documents whose keys are their numbers, from `first` on.
fn texts(first: usize, documents: &[&str]) -> Batch {
    let mut batch = Batch::default();
    for (n, document) in documents.iter().enumerate() {
        batch.push(|key, text| {
            key.push_str(&(first + n).to_string());
            text.extend_from_slice(document.as_bytes());
        });
    }
    batch
}

fn scan(target: &Database, collection: &str, fields: &[&str]) -> Vec<(String, Row)> {
    let mut seen = Vec::new();
    let mut each = |key: &str, row: Row| {
        seen.push((key.to_owned(), row));
        Ok(())
    };
    wait(target.documents().unwrap().scan(collection, fields, &mut each)).unwrap();
    seen.sort_by(|a, b| a.0.cmp(&b.0));
    seen
}

/// Each batch has values that the columns so far have no room for.
fn documents_come_back((target, _folder): (Database, TempDir)) {
    let batches: [&[&str]; 6] = [
        &[r#"{}"#, r#"{"a": null, "l": [], "o": {}}"#],
        &[r#"{"a": 1, "b": "x\ty \u00e4 'q' \"", "l": [1, 2], "o": {"x": 1}}"#],
        &[r#"{"a": 0.5, "l": [2.5, null], "o": {"y": {"z": [true]}, "x": -3}}"#],
        &[r#"{"o": null, "l": null, "a": 9007199254740993, "Q r": {"s.t": 1}}"#],
        &[r#"{"a": [1], "b": 18446744073709551615, "l": {"not": "a list"}}"#],
        &[r#"{"o": {"y": {"z": ["text"]}}, "n": [[1], [[]]], "m": [{"a": 1}, {"b": 2}]}"#],
    ];
    let fields = ["a", "b", "l", "o", "o.y.z", "m", "n[1]", "m[0].a", "nothing.x[3]"];
    wait(async {
        let documents = target.documents().unwrap();
        documents.create(&["c"]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        let mut written = 0;
        for texts in batches.map(|documents| (documents.len(), documents)) {
            let batch = self::texts(written, texts.1);
            written += texts.0;
            bulk.write("c", &batch, written as u64).await.unwrap();
        }
        for bad in [r#"[1]"#, r#"{"a": }"#, r#"{"a": 1} x"#, r#"{"A": 1}"#, r#"{"hoap_key": 1}"#] {
            let e = bulk.write("c", &self::texts(99, &[r#"{"a": 1}"#, bad]), 99).await.unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{bad}: {e}");
            assert!(!e.to_string().contains('\n'), "{e}");
        }
        assert_eq!(bulk.position("c").await.unwrap(), written as u64);
        let e = bulk.write("nowhere", &self::texts(1, &["{}"]), 1).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Missing, "{e}");
    });
    let seen = scan(&target, "c", &fields);
    let all = batches.concat();
    assert_eq!(seen.len(), all.len());
    for ((key, row), text) in seen.iter().zip(&all) {
        let document: Value = serde_json::from_str(text).unwrap();
        for (field, found) in fields.iter().zip(row) {
            let pointer = field.replace(['.', '['], "/").replace(']', "");
            let expected = document.pointer(&format!("/{pointer}")).unwrap_or(&Value::Null);
            assert!(same(expected, found), "{key}, {field}: {expected} became {found}");
        }
    }
}

/// Whether a value is the same: an object has, beside its own fields, nulls where others have one,
/// and a number may have become a double of the same value.
fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let all = expected.keys().chain(found.keys());
            let get = |of: &serde_json::Map<String, Value>, name: &String| {
                of.get(name).cloned().unwrap_or_default()
            };
            all.into_iter().all(|name| same(&get(expected, name), &get(found, name)))
        }
        (Value::Array(expected), Value::Array(found)) => {
            let mut pairs = expected.iter().zip(found);
            expected.len() == found.len() && pairs.all(|(a, b)| same(a, b))
        }
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => expected == found,
    }
}

fn one_statement((target, _folder): (Database, TempDir)) {
    load(&target, 2);
    let ask = |text: &str| {
        wait(async { target.analytics().unwrap().session().await?.query(text, &[]).await })
    };
    for (text, word) in [
        ("SELECT 1; SELECT 2", "several statements"),
        ("DROP TABLE hoap_note; SELECT 1", "no query"),
        ("DELETE FROM orders", "no query"),
        ("DELETE FROM orders RETURNING hoap_key", "no query"),
        ("COPY orders TO 'x.csv'", "no query"),
        ("SET threads = 1", "no query"),
        ("", "no query"),
        ("-- nothing", "no query"),
        ("SELEC 1", "syntax error"),
        ("SELECT nothing\nFROM orders", "nothing"),
    ] {
        let e = ask(text).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{text}: {e}");
        assert!(e.to_string().contains(word) && !e.to_string().contains('\n'), "{text}: {e}");
    }
    let one = ask("-- one\nSELECT 1 AS one; -- done\n").unwrap();
    assert_eq!(one.rows, [[json!(1)]]);
    let rows =
        ask("SELECT o.o_id, sum(o.o_id) OVER () AS s, o.o_open, o.o_words, o.o_total * 2 AS t,
                o.o_name.last, CAST(1.25 AS DECIMAL(9, 2)) AS d
         FROM orders AS o WHERE o.o_id = 2");
    let words = json!(r#"["a","b","c"]"#);
    let expected = [json!(2), json!(2), json!(1), words, json!(24.6), json!("L2"), json!(1.25)];
    assert_eq!(rows.unwrap().rows, [expected]);
    let empty = ask("SELECT o.o_id AS a, 1 AS b FROM orders AS o WHERE false").unwrap();
    assert_eq!((empty.columns.len(), empty.rows.len()), (2, 0), "an empty answer has columns");
    assert_eq!(count(&target), 2);
    let counters = wait(async {
        let mut session = target.analytics().unwrap().session().await.unwrap();
        session.counters(COLLECTION, "o_id").await.unwrap()
    });
    assert_eq!(counters, [("1.1".to_owned(), 1), ("1.2".to_owned(), 2)]);
}

fn interrupted((target, folder): (Database, TempDir)) {
    let documents = target.documents().unwrap();
    let copy = tempfile::tempdir().unwrap();
    wait(async {
        documents.create(&[COLLECTION, "item"]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=5), 5).await.unwrap();
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 5);
        bulk.write(COLLECTION, &batch(1, 6..=9), 9).await.unwrap();
        // As a process that ends here leaves it.
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
        }
    });
    assert_eq!(count(&target), 9, "what was dropped is committed");
    let options = target.description().url.split_once('?').map(|(_, o)| o.to_owned()).unwrap();
    let left = open(&url(&copy, &format!("?{options}"))).unwrap();
    assert_eq!(count(&left), 5);
    wait(async {
        let mut resumed = left.documents().unwrap().bulk("1/1").await.unwrap();
        assert_eq!(resumed.position(COLLECTION).await.unwrap(), 5);
        resumed.write(COLLECTION, &batch(1, 6..=7), 7).await.unwrap();
        resumed.finish().await.unwrap();
    });
    assert_eq!(count(&left), 7);
}

#[test]
fn a_query_has_the_limit_of_the_url_and_other_targets_of_the_file_theirs() {
    let (target, folder) = place("?query_timeout_ms=50");
    let other = open(&url(&folder, "?query_timeout_ms=60000")).unwrap();
    a_query_ends_at_its_time_limit(&target);
    let asked = async { other.analytics().unwrap().session().await?.query("SELECT 1", &[]).await };
    assert_eq!(wait(asked).unwrap().rows, [[json!(1)]]);
}

#[test]
fn a_memory_limit_that_is_too_small_is_one_line_with_advice() {
    let (target, _folder) = place("?memory_limit_mb=16&threads=1&temp_directory=/dev/null/x");
    load(&target, 3);
    let text = "SELECT count(DISTINCT a.range) FROM range(30000000) AS a";
    let asked = async { target.analytics().unwrap().session().await?.query(text, &[]).await };
    let e = wait(asked).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(!e.to_string().contains('\n') && e.advice.is_some(), "{e:?}");
    assert_eq!(count(&target), 3);
}

#[test]
fn settings_are_those_in_force() {
    let (target, _folder) = place("?memory_limit_mb=512&threads=2&layout=json");
    assert_eq!(target.description().settings["layout"], "json");
    load(&target, 1);
    let description = target.description();
    assert!(description.version.starts_with("1."), "{}", description.version);
    let settings = &description.settings;
    assert_eq!((&*settings["threads"], &*settings["memory_limit"]), ("2", "512.0 MiB"));
    assert_eq!(settings["access_mode"], "read_write");
}

#[test]
fn what_it_lacks_is_refused_by_name() {
    let (target, _folder) = place("");
    let e = target.transactions().map(drop).unwrap_err();
    assert!(e.to_string().starts_with("document transactions on DuckDB: not applicable"), "{e}");
    let e = target.key_value().map(drop).unwrap_err();
    assert!(e.to_string().starts_with("records by key on DuckDB: not applicable"), "{e}");
}

#[test]
fn pages_of_customers_that_are_not_there_are_missing() {
    let (target, _folder) = place("");
    let e = wait(target.pages().unwrap().session(Ask::Pages)).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Missing, "{e}");
    load_shop(&target, &indexes());
    wait(target.pages().unwrap().session(Ask::Pages)).unwrap();
}
