//! SQLite for the transactions, and a DuckDB file that follows it for the queries.

use std::process::Stdio;

use hoap_testing::experiment::rehearse;

use super::{Place, all_pass, until};

const FOLLOWER: &str = "duckdb:c.duckdb?link=sqlite:t.db&threads=1";

/// Figure 10 and table 3 in the small: SQLite's rows, and DuckDB's columns.
#[test]
fn the_experiment_of_rows_and_columns_is_rehearsed() {
    let p = Place::new();
    for (label, target) in [("rows", "sqlite:r.db"), ("columns", "duckdb:c.duckdb")] {
        let both = [("--operational", target), ("--analytical", target)];
        let hoap = env!("CARGO_BIN_EXE_hoap");
        for run in rehearse(hoap, p.0.path(), "ch2pp-columns", label, &both) {
            assert!(run["load"]["stored"]["bytes"].as_u64().unwrap() > 0, "{label}");
        }
    }
    let page = p.text("ch2pp-columns/report.html");
    assert!(page.contains("Mean time of each query by configuration"));
    assert!(page.contains(">stored"), "the table of configurations has the stored sizes");
    // Queries alone have no transactions to be drawn, and one number of clients no line.
    assert!(!page.contains("(tpM) over time") && !page.contains("against transaction clients"));
}

/// A check of a run, by its name.
fn check<'a>(record: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    record["checks"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap()
}

#[test]
fn queries_follow_the_transactions_in_one_process() {
    let p = Place::new();
    p.load("t.db");
    let run = format!(
        "run ch2pp --operational sqlite:t.db --analytical {FOLLOWER} --tx-clients 2 \
         --query-clients 0,1 --duration 1s --warmup 100ms --freshness-every 20ms"
    );
    p.ok(&format!("{run} --out first"));
    // The second run goes on with the file of the first.
    p.ok(&format!("{run} --out second"));
    for folder in ["first", "second"] {
        let record = p.json(&format!("{folder}/run.json"));
        all_pass(&record);
        assert_eq!(check(&record, "queries caught up")["checked"], 2);
        for step in &record["steps"].as_array().unwrap()[1..] {
            assert!(step["freshness"]["probes"].as_u64().unwrap() > 3, "{step:#}");
            assert_eq!(step["freshness"]["failed"], 0, "{step:#}");
        }
        let settings = &record["analytical"]["settings"];
        assert_eq!(
            (&settings["link"], &settings["link_every_ms"]),
            (&"sqlite:t.db".into(), &"100".into())
        );
    }
    // The answers are those of the source, which nobody changes now.
    p.ok("query ch2pp --analytical sqlite:t.db --answers-out a");
    p.ok(&format!("query ch2pp --analytical {FOLLOWER} --answers-out b"));
    p.ok("answers compare a b");
    // A transaction on SQLite alone is logged all the same, and says so.
    p.ok("run ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0 --duration 200ms \
          --warmup 0s --out alone");
    let logged = &p.json("alone/run.json")["operational"]["settings"]["changes_logged_for"];
    assert!(logged.as_str().is_some_and(|path| path.ends_with("c.duckdb")), "{logged}");
}

/// The fault: another file takes the source over while a run goes on.
#[test]
fn a_link_that_ends_in_a_run_fails_its_check_with_the_reason() {
    let p = Place::new();
    p.load("t.db");
    let run = format!(
        "run ch2pp --operational sqlite:t.db --analytical {FOLLOWER} --tx-clients 1 \
         --query-clients 1 --duration 4s --warmup 100ms --catch-up-limit 5s --out run"
    );
    let child = p.command(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.unwrap();
    until("a run begins", || p.path("run").exists());
    p.ok("query ch2pp --analytical duckdb:second.duckdb?link=sqlite:t.db --queries 1");
    assert_eq!(child.wait().unwrap().code(), Some(1), "a check failed");
    let record = p.json("run/run.json");
    let check = check(&record, "queries caught up");
    assert_eq!(check["verdict"], "fail");
    let detail = check["detail"].as_str().unwrap();
    assert!(detail.contains("second.duckdb follows it now"), "{detail}");
}

#[test]
fn ingestion_through_the_link_is_measured() {
    let p = Place::new();
    let load =
        format!("load ch2pp --scale-down 50 --json --target sqlite:t.db --analytical {FOLLOWER}");
    for more in ["", " --replace"] {
        let end = p.ok(&format!("{load}{more}"));
        let result: serde_json::Value = serde_json::from_str(&end.out).unwrap();
        let ingestion = &result["ingestion"];
        assert!(ingestion["per_second"].as_f64().is_some_and(|rate| rate > 0.0), "{result:#}");
    }
    p.ok("query ch2pp --analytical sqlite:t.db --answers-out a");
    p.ok(&format!("query ch2pp --analytical {FOLLOWER} --answers-out b"));
    p.ok("answers compare a b");
}
