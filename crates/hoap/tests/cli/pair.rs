//! One database for the transactions and another for the queries. Two spellings of one SQLite file
//! are a pair whose second half is never behind.

use serde_json::Value;

use super::{Place, remark};

#[test]
fn a_pair_is_waited_for_before_and_after_and_its_freshness_is_on_record() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db --analytical sqlite:./t.db --tx-clients 2 \
               --query-clients 0,1 --duration 1s --warmup 100ms --freshness-every 20ms";
    let end = p.ok(&format!("{run} --out run"));
    let record = p.json("run/run.json");
    let steps = record["steps"].as_array().unwrap();
    let clients = |step: &serde_json::Value| {
        (step["tx_clients"].as_u64().unwrap(), step["query_clients"].as_u64().unwrap())
    };
    assert_eq!(steps.iter().map(clients).collect::<Vec<_>>(), [(0, 1), (2, 0), (2, 1)]);
    assert_eq!(steps[0].get("freshness"), None, "nothing happens that a query could miss");
    for step in &steps[1..] {
        let freshness = &step["freshness"];
        assert!(freshness["probes"].as_u64().unwrap() > 3, "{freshness:#}");
        assert_eq!(freshness["failed"], 0);
        assert_eq!(freshness["all_seen"], freshness["probes"], "SQLite shows what is committed");
        assert_eq!(freshness["unseen"]["max_us"], 0);
        assert_eq!(freshness["every_seconds"], 0.02);
    }
    for moment in ["before_seconds", "after_seconds"] {
        assert!(record["catch_up"][moment].as_f64().is_some_and(|s| s < 60.0), "{moment}");
    }
    let checks = record["checks"].as_array().unwrap();
    let check = checks.iter().find(|c| c["name"] == "queries caught up").unwrap();
    assert_eq!((&check["verdict"], &check["checked"]), (&"pass".into(), &2.into()));
    assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
    assert!(remark(&record, "freshness-measured").is_some());
    assert_eq!(record["configuration"]["freshness"], true);
    let told = p.ok("show --full run").out;
    assert!(told.contains("Freshness: age of the oldest"), "{told}");
    let widest = end.out.lines().map(|l| l.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest} columns:\n{}", end.out);
    p.ok("report run -o page.html");
    let page = p.text("page.html");
    assert!(page.contains("freshness-section"));

    // The counters are in nobody's way, and the next run begins with its own.
    p.ok("verify ch2pp --target sqlite:t.db");
    p.ok(&format!("{run} --freshness off --out without"));
    let record = p.json("without/run.json");
    assert!(record["steps"].as_array().unwrap().iter().all(|s| s.get("freshness").is_none()));
    assert_eq!(record["catch_up"]["after_seconds"], serde_json::Value::Null);
    let alone = "run ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0 --duration 1s \
                 --warmup 100ms --freshness on --out alone";
    p.ok(alone);
    let record = p.json("alone/run.json");
    assert!(record["steps"][0]["freshness"]["probes"].as_u64().unwrap() > 0);
    assert_eq!(record.get("catch_up"), None, "there is nobody to catch up");
}

#[test]
fn a_second_database_that_does_not_follow_the_first_is_an_error_with_advice() {
    let p = Place::new();
    p.load("t.db");
    p.load("other.db");
    let run = "run ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 1 --duration 1s \
               --warmup 100ms --catch-up-limit 300ms --out run --analytical";
    let says = ["wait for sqlite:other.db to catch up: not within 0.3 s", "--freshness off"];
    p.fails(&format!("{run} sqlite:other.db"), 3, &says);
    assert!(!p.path("run").exists(), "nothing ran");
    p.ok(&format!("{run} sqlite:other.db --freshness off"));

    p.ok("load ch2pp --target sqlite:seed.db --scale-down 100 --seed 5");
    let says = ["wait for sqlite:seed.db to catch up: it holds other data", "seed 5, not 1"];
    p.fails(&format!("{run} sqlite:seed.db"), 2, &says);
    p.fails(&format!("{run} sqlite:none.db"), 3, &["it holds no data of hoap"]);
}

/// What a trigger in the database saw written, transaction after transaction: SQLite has one writer
/// at a time.
fn written(p: &Place) -> Vec<String> {
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let mut rows = database.prepare("SELECT what FROM written ORDER BY rowid").unwrap();
    let rows = rows.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    database.execute("DELETE FROM written", []).unwrap();
    rows
}

/// Else a pair would do a document write more per transaction than its own baseline.
#[test]
fn every_step_of_a_run_writes_alike_and_runs_that_write_otherwise_are_told_apart() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db --tx-clients 2 --query-clients 0,1 --duration 500ms \
               --warmup 100ms --freshness-every 20ms";
    p.ok(&format!("{run} --freshness on --out on"));
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    database.execute("CREATE TABLE written (what TEXT NOT NULL)", []).unwrap();
    // Each transaction that writes does one of the first three, and none does two.
    for (what, table) in [
        ("INSERT", "orders"),
        ("INSERT", "history"),
        ("DELETE", "neworder"),
        ("UPDATE", "freshness"),
    ] {
        let insert = format!("INSERT INTO written VALUES ('{table}')");
        let trigger =
            format!("CREATE TRIGGER {table}_{what} AFTER {what} ON {table} BEGIN {insert}; END");
        database.execute_batch(&trigger).unwrap();
    }
    drop(database);

    p.ok(&format!("{run} --analytical sqlite:./t.db --out pair"));
    let record = p.json("pair/run.json");
    let steps: Vec<(&str, bool)> = record["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["name"].as_str().unwrap(), s["tpm"].as_f64().is_some_and(|tpm| tpm > 0.0)))
        .collect();
    assert_eq!(
        steps,
        [("0 tx, 1 query", false), ("2 tx, 0 queries", true), ("2 tx, 1 query", true)]
    );
    let all = written(&p);
    let (mark, all) = all.split_first().unwrap();
    assert_eq!(mark, "freshness", "what the second database was waited for with");
    assert!(all.len() > 20, "{}", all.len());
    for transaction in all.chunks(2) {
        assert!(
            transaction[0] != "freshness" && transaction[1..] == ["freshness"],
            "{transaction:?}"
        );
    }

    // On one database, with the defaults: the benchmark's writes and no other.
    p.ok(&format!("{run} --out baseline"));
    let all = written(&p);
    assert!(all.len() > 10 && all.iter().all(|table| table != "freshness"), "{}", all.len());
    for (out, on) in [("pair", true), ("baseline", false)] {
        assert_eq!(p.json(&format!("{out}/run.json"))["configuration"]["freshness"], on);
    }

    let says =
        ["freshness is on (every 20ms) here and off there", "writes updates one document more"];
    p.fails("compare baseline pair", 2, &says);
    p.fails("report X=baseline X=pair -o page.html", 2, &says);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "! freshness is off in baseline, on (every 20ms) in pair: where it is on, every transaction \
                that writes updates one document more than the benchmark asks for";
    let told = p.ok("report baseline pair -o page.html").out;
    assert!(flat(&told).starts_with(line), "{told}");
    assert!(p.text("page.html").contains(&line[2..]));
    let json = p.ok("report baseline pair -o page.html --json").value();
    let differs = |json: &Value| {
        let remark = remark(json, "freshness-differs").unwrap();
        remark["text"].as_str().unwrap().starts_with(&line[2..])
    };
    assert!(differs(&json), "{json:#}");
    p.write(
        "prices.toml",
        "name = 'T'\nsource = 'a test'\nregion = 'here'\ncurrency = 'EUR'\ndate = '2026'\n\
         hours-per-month = 700\n[[item]]\nwhat = 'node'\nprice = 2\nunit = 'node'\nper = 'hour'\n",
    );
    let prices = "price baseline pair --prices prices.toml --nodes 1";
    assert!(flat(&p.ok(prices).out).starts_with(line));
    let json = p.ok(&format!("{prices} --json")).value();
    assert!(differs(&json[0]), "{json:#}");

    // The same on both sides, and they compare.
    p.ok("compare on pair");
    p.ok("report X=on X=pair -o page.html");
    let told = p.ok("report on pair -o page.html").out;
    assert!(!told.contains('!'), "{told}");
}
