//! Analytical queries, in a text that every SQL dialect with `$name` parameters reads.

use std::time::{Duration, Instant};

use hoap_database::{Access, AnalyticalSession, Answer, Change, Database, Patch};
use hoap_workload::{Error, ErrorKind};
use serde_json::{Value, json};

use super::{COLLECTION, load, session, wait};

/// What the query tests need to know of a dialect.
struct Dialect {
    /// Runs for hours.
    endless: &'static str,
    /// Sum of `o_id` over the collection.
    sum: &'static str,
    /// A parameter that is not written `$name`, as the database's own texts would have it.
    unnamed: &'static str,
    /// Types, for `::type` after a parameter, of a whole number, a real one and a text; empty where
    /// values bring their types.
    types: [&'static str; 3],
}

fn dialect(target: &Database) -> Dialect {
    match target.analytics().unwrap().dialect() {
        "sqlite" => Dialect {
            endless: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                      SELECT count(*) AS c FROM n",
            sum: "SELECT sum(doc ->> '$.o_id') AS s FROM orders",
            unnamed: "SELECT ?",
            types: [""; 3],
        },
        "duckdb" => Dialect {
            endless: "SELECT count(*) AS c FROM range(1000000000) AS a, range(1000000000) AS b
                      WHERE a.range % 7 = b.range % 11",
            sum: "SELECT sum(o.o_id) AS s FROM orders AS o",
            unnamed: "SELECT ?",
            types: [""; 3],
        },
        "postgres" => Dialect {
            endless: "WITH RECURSIVE n(i) AS (SELECT 1::int8 UNION ALL SELECT i + 1 FROM n)
                      SELECT count(*) AS c FROM n",
            sum: "SELECT sum((doc ->> 'o_id')::int8) AS s FROM orders",
            unnamed: "SELECT $1",
            types: ["::int8", "::float8", "::text"],
        },
        "sqlpp" => Dialect {
            endless: "SELECT count(*) AS c
                      FROM range(1, 1000000000) AS a, range(1, 1000000000) AS b
                      WHERE a % 7 = b % 11",
            sum: "SELECT sum(o.o_id) AS s FROM orders AS o",
            unnamed: "SELECT ?",
            types: [""; 3],
        },
        other => panic!("no test queries in the dialect {other}"),
    }
}

fn stream(target: &Database) -> AnalyticalSession {
    wait(target.analytics().unwrap().session()).unwrap()
}

fn given(parameters: Value) -> Vec<(String, Value)> {
    parameters.as_object().unwrap().clone().into_iter().collect()
}

fn query(target: &Database, text: &str, parameters: Value) -> Result<Answer, Error> {
    wait(stream(target).query(text, &given(parameters)))
}

fn refused(target: &Database, text: &str, parameters: Value, word: &str) {
    let e = query(target, text, parameters).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{text}: {e}");
    assert!(e.to_string().contains(word), "{text}: {e}");
    assert!(!e.to_string().contains('\n'), "{e}");
}

pub fn parameters_must_match_the_text(target: &Database) {
    load(target, 1);
    let Dialect { unnamed, types: [int, ..], .. } = dialect(target);
    let text = format!("SELECT $b{int} - $a{int} AS d, $b{int} AS b");
    let answer = query(target, &text, json!({"a": 1, "b": 3})).unwrap();
    assert_eq!(answer.columns, ["d", "b"]);
    assert_eq!(answer.rows, [[json!(2), json!(3)]]);
    refused(target, "SELECT $a", json!({}), "$a has no value");
    refused(target, "SELECT $a", json!({"a": 1, "b": 2}), "no parameter $b");
    refused(target, "SELECT 1", json!({"a": 1}), "no parameter $a");
    refused(target, unnamed, json!({}), "not written $name");
    refused(target, "SELECT :a", json!({"a": 1}), "no parameter $a");
    refused(target, "SELECT $a", json!({"a": [1]}), "$a is no scalar");
    let twice = [("a".to_owned(), json!(1)), ("a".to_owned(), json!(2))];
    let e = wait(stream(target).query("SELECT $a", &twice)).unwrap_err();
    assert!(e.to_string().contains("$a is given twice"), "{e}");
}

pub fn parameters_keep_their_types(target: &Database) {
    load(target, 1);
    let values = json!({"i": 7, "r": 0.25, "s": "it's; -- \"x\"", "n": null, "big": i64::MAX});
    let [int, real, string] = dialect(target).types;
    let text = format!("SELECT $i{int}, $r{real}, $s{string}, $n{string}, $big{int}");
    let answer = query(target, &text, values).unwrap();
    let row = [json!(7), json!(0.25), json!("it's; -- \"x\""), json!(null), json!(i64::MAX)];
    assert_eq!(answer.rows, [row]);
}

pub fn a_query_is_one_statement_that_only_reads(target: &Database) {
    load(target, 2);
    refused(target, "SELECT 1; SELECT 2", json!({}), "");
    refused(target, "DELETE FROM orders", json!({}), "no query");
    refused(target, "DELETE FROM orders RETURNING key", json!({}), "no query");
    refused(target, "", json!({}), "no query");
    refused(target, "SELEC 1", json!({}), "syntax error");
    refused(target, "SELECT nothing\nFROM orders", json!({}), "nothing");
    // A last semicolon and comments are no second statement.
    let one = "-- the sum\nSELECT 1 AS one; -- done\n";
    assert_eq!(query(target, one, json!({})).unwrap().rows, [[json!(1)]]);
    let sum = query(target, dialect(target).sum, json!({})).unwrap();
    assert_eq!((sum.columns, sum.rows), (vec!["s".to_owned()], vec![vec![json!(3)]]));
}

pub fn a_query_reads_beside_a_writer(target: &Database) {
    load(target, 2);
    let sum = dialect(target).sum;
    let mut stream = stream(target);
    let mut session = session(target);
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        let patch = Patch { path: "o_id", change: Change::AddInteger(10) };
        t.patch(COLLECTION, "1.1", &[patch]).await.unwrap();
        let before = stream.query(sum, &[]).await.unwrap();
        assert_eq!(before.rows, [[json!(3)]], "what is not committed is not seen");
        t.commit().await.unwrap();
        let after = stream.query(sum, &[]).await.unwrap();
        assert_eq!(after.rows, [[json!(13)]], "what is committed is seen");
    });
}

pub fn a_query_can_be_cancelled(target: &Database) {
    load(target, 1);
    let mut stream = stream(target);
    let cancel = stream.canceller().expect("queries can be interrupted");
    // Before any query it does nothing.
    cancel();
    assert_eq!(wait(stream.query("SELECT 1", &[])).unwrap().rows, [[json!(1)]]);
    let start = Instant::now();
    let e = std::thread::scope(|scope| {
        let endless = dialect(target).endless;
        let stream = &mut stream;
        let running = scope.spawn(move || wait(stream.query(endless, &[])));
        while !running.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            cancel();
        }
        running.join().unwrap().unwrap_err()
    });
    assert_eq!(e.kind, ErrorKind::Cancelled, "{e}");
    assert!(start.elapsed() < Duration::from_secs(10));
    // The session goes on.
    assert_eq!(wait(stream.query("SELECT 1", &[])).unwrap().rows, [[json!(1)]]);
    drop(stream);
    cancel();
}

/// For a target whose queries have a limit of less than a second.
pub fn a_query_ends_at_its_time_limit(target: &Database) {
    load(target, 1);
    let mut stream = stream(target);
    let start = Instant::now();
    for _ in 0..2 {
        let e = wait(stream.query(dialect(target).endless, &[])).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
        assert!(e.to_string().contains("raise query_timeout_ms"), "{e}");
        // The session goes on.
        assert_eq!(wait(stream.query("SELECT 1", &[])).unwrap().rows, [[json!(1)]]);
    }
    assert!(start.elapsed() < Duration::from_secs(10));
}

pub fn a_query_is_explained(target: &Database) {
    load(target, 3);
    let Dialect { sum, types: [int, ..], .. } = dialect(target);
    let mut stream = stream(target);
    let text = format!("{sum} WHERE 1 = $one{int}");
    let plan = |e: hoap_database::Explained| e.plan;
    let explained = wait(stream.explain(&text, &given(json!({"one": 1})))).map(plan).unwrap();
    let steps =
        explained.as_object().map_or(0, |o| o.len()) + explained.as_array().map_or(0, Vec::len);
    assert!(steps > 0, "{explained}");
    for (text, given) in [(&*text, given(json!({}))), ("DELETE FROM orders", vec![])] {
        let e = wait(stream.explain(text, &given)).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{text}: {e}");
    }
    // The session goes on, and nothing was changed.
    assert_eq!(wait(stream.query(sum, &[])).unwrap().rows, [[json!(6)]]);
}

pub fn counters_are_read_as_queries_see_them(target: &Database) {
    load(target, 3);
    let mut stream = stream(target);
    let mut session = session(target);
    let sorted = |mut counters: Vec<(String, i64)>| {
        counters.sort();
        counters
    };
    let loaded = [("1.1".to_owned(), 1), ("1.2".to_owned(), 2), ("1.3".to_owned(), 3)];
    wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        let patch = Patch { path: "o_id", change: Change::AddInteger(10) };
        t.patch(COLLECTION, "1.1", &[patch]).await.unwrap();
        let before = stream.counters(COLLECTION, "o_id").await.unwrap();
        assert_eq!(sorted(before), loaded, "what is not committed is not seen");
        t.commit().await.unwrap();
        let after = sorted(stream.counters(COLLECTION, "o_id").await.unwrap());
        assert_eq!(after[0], ("1.1".to_owned(), 11), "what is committed is seen");
        let e = stream.counters("a b", "o_id").await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    });
}
