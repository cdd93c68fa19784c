//! CH2++ at a rate, for a number of transactions, and in search of the highest rate.

use serde_json::Value;

use super::Place;

/// Enough for two clients of any machine, and far below what they do unhindered.
const RATE: f64 = 8.0;

fn count(step: &Value) -> u64 {
    step["transactions"].as_array().unwrap().iter().map(|o| o["count"].as_u64().unwrap()).sum()
}

#[test]
fn transactions_run_at_the_rate_that_was_asked_for_with_queries_beside_and_without() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db --tx-clients 2 --warmup 200ms";
    p.ok(&format!("{run} --query-clients 0,1 --rate {RATE},16 --duration 1s --out run"));
    let record = p.json("run/run.json");
    let steps = record["steps"].as_array().unwrap();
    let names: Vec<_> = steps.iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "0 tx, 1 query",
            "2 tx, 0 queries, 8/s",
            "2 tx, 1 query, 8/s",
            "2 tx, 0 queries, 16/s",
            "2 tx, 1 query, 16/s"
        ]
    );
    assert_eq!(steps[0]["rate_intended"], Value::Null);
    for (step, rate) in steps[1..].iter().zip([RATE, RATE, 2.0 * RATE, 2.0 * RATE]) {
        assert_eq!((&step["rate_intended"], &step["arrivals"]), (&rate.into(), &"constant".into()));
        let (due, seconds) = (step["intended_starts"].as_f64().unwrap(), &step["seconds"]);
        let expected = rate * seconds.as_f64().unwrap();
        assert!((due - expected).abs() <= 1.0 + 0.2 * expected, "{due} of {expected}: {step:#}");
        // Without the rate two clients do hundreds.
        assert!(count(step) <= due as u64 + 2, "{step:#}");
    }
    assert!(record["checks"].as_array().unwrap().iter().all(|c| c["verdict"] == "pass"));
    let configuration = &record["configuration"];
    assert_eq!(
        (&configuration["rate"], &configuration["max-rate"]),
        (&[8.0, 16.0].into(), &false.into())
    );

    // What runs beside queries at a rate is compared with what runs alone at that rate.
    p.ok("report run --csv tables -o page.html");
    let table = p.text("tables/interference.csv");
    for (line, step) in table.lines().skip(1).zip([&steps[1], &steps[3]]) {
        let tpm = step["tpm"].as_f64().unwrap();
        let alone = line.split(',').filter_map(|cell| cell.parse::<f64>().ok());
        assert!(alone.into_iter().any(|cell| (cell - tpm).abs() < 0.01), "no {tpm} in {table}");
    }

    p.ok(&format!(
        "{run} --query-clients 0 --rate 50 --arrivals poisson --duration 1s --out poisson"
    ));
    assert_eq!(p.json("poisson/run.json")["steps"][0]["arrivals"], "poisson");
}

#[test]
fn a_step_ends_with_its_transactions_and_queries_alone_with_their_time() {
    let p = Place::new();
    p.load("t.db");
    p.ok("run ch2pp --operational sqlite:t.db?synchronous=off --tx-clients 2 --query-clients 0 \
          --operations 150 --warmup 50ms --out run");
    let record = p.json("run/run.json");
    let failed = |o: &Value| {
        o["failures"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>()
    };
    let step = &record["steps"][0];
    let given_up: u64 = step["transactions"].as_array().unwrap().iter().map(failed).sum();
    assert_eq!(count(step) + given_up, 150, "{step:#}");
    assert_eq!(record["configuration"]["operations"], 150);
}

/// No response time holds the bound: the search goes down from what the closed loop did, and each
/// of its probes runs at its own rate, with the query client beside.
#[test]
fn a_search_probes_rates_of_transactions_with_the_queries_beside() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db?synchronous=off --tx-clients 2 --query-clients 1 \
               --duration 500ms --warmup 50ms --max-rate --sla p50=1us";
    let end = p.ok(&format!("{run} --probe-limit 1500ms --out run"));
    assert!(end.out.contains("No rate was found that holds"), "{}", end.out);
    let record = p.json("run/run.json");
    let probes = record["search"]["probes"].as_array().unwrap();
    let steps = record["steps"].as_array().unwrap();
    assert_eq!(probes.len() + 1, steps.len());
    assert!(!probes.is_empty() && steps[0]["rate_intended"].is_null(), "{steps:#?}");
    for (probe, step) in probes.iter().zip(&steps[1..]) {
        assert_eq!(step["rate_intended"], probe["rate"]);
        assert_eq!((&step["tx_clients"], &step["query_clients"]), (&2.into(), &1.into()));
        let due = step["intended_starts"].as_f64().unwrap();
        let expected = probe["rate"].as_f64().unwrap() * step["seconds"].as_f64().unwrap();
        assert!((due - expected).abs() <= 1.0 + 0.2 * expected, "{due} of {expected}: {step:#}");
    }
    let configuration = &record["configuration"];
    assert_eq!(configuration["sla"], Value::from(["p50=1 µs"].to_vec()));
}

#[test]
fn what_does_not_go_together_is_a_usage_error() {
    let p = Place::new();
    let run = "run ch2pp --operational sqlite:none.db --out run";
    for (flags, says) in [
        ("--loops 1 --max-rate --sla p99=1s", "--max-rate"),
        ("--loops 1 --operations 5", "--operations"),
        ("--think-times --rate 5", "--rate"),
        ("--think-times --max-rate --sla p99=1s", "--max-rate"),
        ("--rate 5 --max-rate --sla p99=1s", "--max-rate"),
        ("--operations 5 --duration 5s", "--duration"),
        ("--max-rate", "--sla"),
        ("--probe-limit 5s", "--max-rate"),
        ("--rate 0", "above 0"),
        ("--tx-clients 0 --rate 5", "--tx-clients"),
        ("--tx-clients 0 --operations 5", "--tx-clients"),
        ("--tx-clients 0 --sla p99=1s", "--tx-clients"),
    ] {
        p.fails(&format!("{run} {flags}"), 2, &[says]);
    }
    assert!(!p.path("run").exists());
}

#[test]
fn a_frontier_chooses_its_steps_and_is_drawn() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db --warmup 100ms --duration 500ms";
    let end =
        p.ok(&format!("{run} --frontier=4,2 --loops 1 --warmup-loops 0 --repeat 2 --out run"));
    assert!(end.out.contains("frontier         area ratio"), "{}", end.out);
    let record = p.json("run/01/run.json");
    assert!(record["checks"].as_array().unwrap().iter().all(|c| c["verdict"] == "pass"));
    let configuration = &record["configuration"];
    assert_eq!(
        (&configuration["frontier"], &configuration["tx-clients"]),
        (&"4,2".into(), &Value::Null)
    );
    let steps = record["steps"].as_array().unwrap();
    let clients = |side: &str| steps.iter().map(|s| s[side].as_u64().unwrap()).collect::<Vec<_>>();
    let (tx, queries) = (clients("tx_clients"), clients("query_clients"));
    assert_eq!((tx[0], queries[0]), (1, 0), "transactions alone come first");
    assert!(tx.iter().all(|n| *n <= 4) && queries.iter().all(|n| *n <= 2), "{tx:?} {queries:?}");
    let both = tx.iter().zip(&queries).filter(|(tx, queries)| **tx > 0 && **queries > 0);
    assert!((1..=8).contains(&both.count()) && steps.len() <= 25, "{tx:?} {queries:?}");

    p.ok("report run --csv tables -o page.html");
    let page = p.text("page.html");
    assert!(page.contains("mean of 2 runs; 95 % interval"), "the ratio has an interval");
    // Each step that is on the frontier is not exceeded in both by another one.
    let table = p.text("tables/frontier-steps.csv");
    assert!(table.lines().filter(|line| line.contains("on it")).count() >= 4, "{table}");

    for wrong in ["--frontier=4", "--frontier=0,1", "--frontier=4,2 --tx-clients 3"] {
        assert_eq!(p.run(&format!("{run} {wrong} --out wrong")).code, 2, "{wrong}");
    }
}

#[test]
fn a_warm_up_ends_at_a_level_or_says_that_there_was_none() {
    let p = Place::new();
    let run = "run ycsb-c --target null: --clients 1 --tick 10ms --duration 100ms";
    p.ok(&format!("{run} --warmup auto --out run"));
    let record = p.json("run/run.json");
    assert_eq!(record["configuration"]["warmup"], "auto:300s");
    let step = &record["steps"][0];
    assert_eq!(step["warmup_settled"], true);
    assert!((0.1..300.0).contains(&step["warmup_seconds"].as_f64().unwrap()), "{step:#}");
    assert_eq!(step.get("level"), None, "ten ticks are not judged");

    let end = p.ok(&format!("{run} --warmup auto:50ms --out short"));
    let record = p.json("short/run.json");
    assert_eq!(record["steps"][0]["warmup_settled"], false);
    assert!(end.out.contains("did not become steady"), "{}", end.out);
    let plan = p.ok(&format!("{run} --warmup auto --dry-run --out dry"));
    assert!(plan.out.contains("at most 5 min 0 s of warm-up"), "{}", plan.out);
}
