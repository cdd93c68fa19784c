//! One database for the transactions and another for the queries. Two spellings of one SQLite file are a
//! pair whose second half is never behind.

use super::Place;

#[test]
fn a_pair_is_waited_for_before_and_after_and_its_freshness_is_on_record() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db --analytical sqlite:./t.db --tx-clients 2 \
               --query-clients 0,1 --duration 1s --warmup 100ms --freshness-every 20ms";
    let end = p.ok(&format!("{run} --out run"));
    let record = p.json("run/run.json");
    for step in record["steps"].as_array().unwrap() {
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
    assert!(record["warnings"].to_string().contains("one small document more"));
    assert_eq!(record["configuration"]["freshness"], true);
    assert!(end.out.contains("Freshness: age of the oldest"), "{}", end.out);
    assert!(end.out.contains("queries caught up  "), "{}", end.out);
    let widest = end.out.lines().map(|l| l.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest} columns:\n{}", end.out);
    p.ok("report run -o page.html");
    let page = String::from_utf8(p.read("page.html")).unwrap();
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
