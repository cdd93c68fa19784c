//! Queries of workload files: asked alone, by operations, and by query clients of one database or of
//! the pair.

use crate::own::place;

/// What the query of the example asks of an ordered answer, with a text in a file.
const MORE: &str = "\n[queries.statuses]\nabout = \"orders of each status\"\ncolumns = [\"status\", \"n\"]\n\
    order = \"-n\"\nexpect = \"3\"\nfile = \"q/{dialect}/statuses.sql\"\n";

#[test]
fn queries_are_asked_and_their_answers_compare() {
    let p = place();
    p.write("shop.toml", &(p.text("shop.toml") + MORE));
    p.fails(
        "query shop.toml --target sqlite:a.db",
        2,
        &["shop.toml:", "read q/sqlite/statuses.sql"],
    );
    let text =
        "SELECT doc ->> '$.status' AS status, count(*) AS n FROM orders GROUP BY 1 ORDER BY 2 DESC";
    std::fs::create_dir_all(p.path("q/sqlite")).unwrap();
    p.write("q/sqlite/statuses.sql", text);
    for of in ["a", "b"] {
        p.ok(&format!("load shop.toml --scale 0.01 --target sqlite:{of}.db"));
        let line = format!("query shop.toml --target sqlite:{of}.db --answers-out {of} --json");
        let asked = p.ok(&line).value();
        let queries = asked["queries"].as_array().unwrap();
        assert_eq!((&queries[0]["query"], &queries[0]["rows"]), (&"revenue".into(), &5.into()));
        assert_eq!((&queries[1]["query"], &queries[1]["rows"]), (&"statuses".into(), &3.into()));
        assert!(asked["power_seconds"].as_f64().unwrap() > 0.0, "{asked}");
    }
    let compared = p.ok("answers compare a b").out;
    assert!(
        compared.contains("revenue  equal") && compared.contains("statuses  equal"),
        "{compared}"
    );
    let database = rusqlite::Connection::open(p.path("b.db")).unwrap();
    let lost = "DELETE FROM orders WHERE key = (SELECT key FROM orders ORDER BY doc ->> '$.at' DESC LIMIT 1)";
    assert_eq!(database.execute(lost, []).unwrap(), 1);
    p.ok("query shop.toml --target sqlite:b.db --answers-out b");
    let end = p.fails("answers compare a b", 1, &["2 of 2 answers not equal"]);
    assert!(end.out.contains("statuses  differ"), "{end:#?}");
    database.execute("DELETE FROM orders WHERE doc ->> '$.status' = 'paid'", []).unwrap();
    let end = p.fails("query shop.toml --target sqlite:b.db", 1, &["1 of 2 queries"]);
    assert!(end.told().contains("2 rows came back, not 3"), "{end:#?}");
    // What no database of this kind has is refused before anything is opened.
    for (line, says) in [
        (
            "query shop.toml --target duckdb:x.duckdb",
            &["ask statuses of shop", "no text in duckdb", "text.duckdb"][..],
        ),
        ("query shop.toml --target redis://127.0.0.1:1", &["analytical queries", "not applicable"]),
        ("query sessions.toml --target sqlite:a.db", &["it has none"]),
        ("run sessions.toml --target sqlite:x.db --query-clients 1", &["it has no queries"]),
        (
            "run shop.toml --target redis://127.0.0.1:1 --clients 0 --query-clients 1",
            &["analytical queries", "not applicable"],
        ),
        (
            "run shop.toml --target sqlite:x.db --query-clients 1 --tx-clients 0 --part 1/2 --start-at 2100-01-01T00:00:00Z",
            &["no common queries"],
        ),
    ] {
        p.fails(line, 2, says);
    }
    assert!(!p.path("x.db").exists() && !p.path("x.duckdb").exists());
    p.fails("query telemetry.toml --target sqlite:a.db", 3, &["name shop, not telemetry"]);
}

/// Queries beside operations, as operations of the mix and by query clients; and what is recorded is
/// made again by the audit.
#[test]
fn queries_run_beside_operations() {
    let p = place();
    let ask = "\n  { name = \"ask\", weight = 20, query = \"revenue\" },\n]\n";
    let text = p.text("shop.toml").replacen("\n]\n", ask, 1);
    p.write("shop.toml", &text);
    p.ok("load shop.toml --scale 0.01 --target sqlite:s.db");
    let run = p.ok(
        "run shop.toml --operational sqlite:s.db --tx-clients 2 --query-clients 0,1 --duration 400ms \
         --warmup 0s --check-reads --json --out r",
    );
    let run = run.value()["run"].take();
    let steps = run["steps"].as_array().unwrap();
    let names: Vec<&str> = steps.iter().map(|step| step["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["0 tx, 1 query", "2 clients", "2 tx, 1 query"]);
    for step in steps {
        let asked = step["query_clients"] == 1;
        assert_eq!(step["queries"].as_array().unwrap().len(), usize::from(asked));
        assert_eq!(step["queries_per_hour"].is_null(), !asked, "{step}");
        assert!(step["tpm"].is_null());
        let of = step["transactions"].as_array().unwrap();
        assert!(of.iter().all(|o| o["failures"].as_object().unwrap().is_empty()), "{of:#?}");
        let ask = of.iter().find(|o| o["kind"] == "ask");
        assert_eq!(ask.is_some_and(|o| o["count"].as_u64() > Some(0)), step["tx_clients"] == 2);
    }
    assert_eq!(run["configuration"]["properties"]["queries"].as_str().unwrap().len(), 32);
    let checks = run["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
    let shown = p.ok("show r --full").out;
    for says in ["Operations alone", "Operations + queries", "ops/s ratio", "QpH"] {
        assert!(shown.contains(says), "{says}: {shown}");
    }
    assert!(!shown.contains("tpM") && !shown.contains("NewOrder"), "{shown}");
    p.ok("report r -o r.html");
    assert!(p.text("r.html").contains("Power is the geometric mean of the 1 mean times"));
    p.ok("bundle r -o r.hoap");
    let audited = p.run("audit r.hoap");
    assert!(!audited.told().contains("VOID"), "{audited:#?}");
}

/// Queries alone need no operations and no check of documents.
#[test]
fn a_file_of_queries_alone_runs() {
    let p = place();
    let text = p.text("telemetry.toml");
    let (head, rest) = text.split_once("operations = [").unwrap();
    let (_, rest) = rest.split_once("\n]\n").unwrap();
    p.write("telemetry.toml", &format!("{head}{rest}"));
    p.ok("load telemetry.toml --scale 0.005 --target sqlite:t.db");
    let run = p.ok(
        "run telemetry.toml --target sqlite:t.db --clients 0 --query-clients 2 --duration 100ms \
         --warmup 0s --json",
    );
    let run = run.value()["run"].take();
    assert_eq!(run["steps"][0]["queries"][0]["kind"], "hottest-sites");
    assert!(run["steps"][0]["queries"][0]["count"].as_u64() > Some(0), "{run}");
    p.fails("run telemetry.toml --target sqlite:t.db", 2, &["no operation has a weight"]);
}

/// SQLite for the operations, and DuckDB's columns, which follow them, for the queries.
#[cfg(feature = "duckdb")]
#[test]
fn queries_run_on_the_database_that_follows() {
    let p = place();
    p.ok("load shop.toml --scale 0.01 --target sqlite:s.db");
    let run = p.ok(
        "run shop.toml --operational sqlite:s.db --analytical duckdb:c.duckdb?link=sqlite:s.db&threads=1 \
         --tx-clients 1 --duration 500ms --warmup 0s --json",
    );
    let run = run.value()["run"].take();
    assert_eq!(run["steps"].as_array().unwrap().len(), 3);
    assert!(run["analytical"]["url"].as_str().unwrap().starts_with("duckdb:"));
    for step in run["steps"].as_array().unwrap() {
        let of = step["queries"].as_array().unwrap();
        assert!(of.iter().all(|q| q["failed"] == 0 && q["count"].as_u64() > Some(0)), "{of:#?}");
    }
    p.ok("load telemetry.toml --scale 0.005 --target sqlite:t.db");
    p.fails(
        "run shop.toml --target sqlite:s.db --analytical sqlite:t.db",
        2,
        &["it holds other data than the operational one"],
    );
}
