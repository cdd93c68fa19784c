//! Runs that break a bound: too many failures, or too long response times.

use serde_json::Value;

use super::{End, Place};

/// One place of the record of an operation of the first step.
fn operation<'a>(record: &'a Value, kind: &str) -> &'a Value {
    let all = record["steps"][0]["transactions"].as_array().unwrap();
    all.iter().find(|operation| operation["kind"] == kind).unwrap()
}

fn check<'a>(record: &'a Value, name: &str) -> Option<&'a Value> {
    record["checks"].as_array().unwrap().iter().find(|check| check["name"] == name)
}

/// A run that failed ends with 1 and says of what. Its numbers are there and marked.
fn fails(p: &Place, line: &str, out: &str, says: &[&str]) -> (End, Value) {
    let end = p.fails(&format!("{line} --out {out}"), 1, says);
    assert!(end.out.contains("\n! FAILED: check "), "{end:#?}");
    let record = p.json(&format!("{out}/run.json"));
    let page = format!("{out}.html");
    p.ok(&format!("report {out} -o {page}"));
    let page = std::fs::read_to_string(p.path(&page)).unwrap();
    assert!(page.contains("<strong>FAILED</strong>") && !page.contains("<s>"), "{line}");
    (end, record)
}

/// A trigger of SQLite that breaks off every such statement.
fn abort(p: &Place, statement: &str, table: &str) {
    let trigger = format!(
        "CREATE TRIGGER refuse_{table} BEFORE {statement} ON {table} \
         BEGIN SELECT RAISE(ABORT, 'not today'); END"
    );
    rusqlite::Connection::open(p.path("t.db")).unwrap().execute_batch(&trigger).unwrap();
}

/// TPC-C 2.4.1.4: a NewOrder that rolls back as it must is executed, and no failure. Where none
/// commits there is no throughput (5.4).
#[test]
fn new_orders_of_which_none_commits_fail_the_run_and_are_no_tpm() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db?synchronous=off --tx-clients 1 --query-clients 0 \
               --operations 400 --warmup 1ms --check touched";
    p.ok(&format!("{run} --out whole"));
    let record = p.json("whole/run.json");
    assert!(operation(&record, "NewOrder")["rolled_back"].as_u64() > Some(0), "{record:#}");
    assert!(record["steps"][0]["tpm"].as_f64() > Some(0.0) && check(&record, "failures").is_none());

    abort(&p, "INSERT", "orders");
    let says = ["FAILED", "check \"failures\" failed", "NewOrder: none of"];
    let (end, record) = fails(&p, run, "broken", &says);
    let said = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("no NewOrder committed"), "{end:#?}");
    let new_order = operation(&record, "NewOrder");
    assert!(new_order["rolled_back"].as_u64() > Some(0), "{new_order:#}");
    assert_eq!(record["steps"][0]["tpm"], Value::Null);
    let failed: Vec<_> =
        record["checks"].as_array().unwrap().iter().filter(|c| c["verdict"] == "fail").collect();
    assert!(failed.len() == 1 && failed[0]["name"] == "failures", "{failed:#?}");

    p.ok(&format!("{run} --max-failures off --out off"));
    let record = p.json("off/run.json");
    assert_eq!(record["configuration"]["max-failures"], "off");
    assert!(record["steps"][0]["tpm"].is_null() && check(&record, "failures").is_none());
}

#[test]
fn updates_of_which_all_fail_fail_the_run_and_its_stage_and_have_no_percentiles() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=50");
    abort(&p, "UPDATE", "usertable");
    let run = "run ycsb-a --target sqlite:t.db -p recordcount=50 --operations 200 --warmup 1ms";
    let says = ["check \"failures\" failed", "UPDATE: all ", " failed in step 1 (1 client)"];
    let (_, record) = fails(&p, run, "a", &says);
    assert!(record["steps"][0]["transactions"][0]["count"].as_u64() > Some(0), "READs: {record:#}");
    let csv = p.ok("show a --format csv --table operations").out;
    let (head, rows): (&str, Vec<&str>) =
        (csv.lines().next().unwrap(), csv.lines().skip(1).collect());
    let at = head.split(',').position(|column| column.starts_with("p50")).unwrap();
    for row in rows {
        let p50 = row.split(',').nth(at).unwrap();
        assert_eq!(p50.is_empty(), row.contains("UPDATE"), "{csv}");
    }
    // It stands in a comparison, which says what it is of.
    let compared = p.ok("compare a a");
    assert!(compared.out.contains("a: FAILED: check \"failures\" failed"), "{compared:#?}");
    // It breaks every bound, on whichever side it is.
    let gate = "--fail-if ops>99x:sure --fail-if failures>99x";
    let end = p.fails(&format!("compare a a {gate} --format junit -o gate.xml"), 1, &["2 of 2"]);
    let said = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("BROKEN a: FAILED: check \"failures\" failed"), "{said}");
    let xml = p.text("gate.xml");
    assert!(xml.contains("broken: a run is void or failed") && xml.contains("FAILED: "), "{xml}");

    p.ok(&format!("{run} --max-failures off --out off"));
    p.write(
        "own.toml",
        "title = 't'\nabout = 'a'\ntargets = { target = 'any' }\n\
         [[stage]]\nname = 'a'\ncommand = 'run'\nbenchmark = 'ycsb-a'\n\
         flags = { target = '{target}', property = ['recordcount=50'], operations = 200, warmup = '1ms' }\n\
         [[configuration]]\nlabel = 'here'\nabout = 'a'\n",
    );
    let end = p.fails("experiment run own.toml --target sqlite:t.db --out e", 1, &["UPDATE: all "]);
    assert!(!end.out.contains("stage done"), "{end:#?}");
    assert_eq!(p.json("e/experiment.json")["configurations"]["here"]["stages"]["a"], "begun");
}

/// A bound is judged at a rate as in a closed loop, and a broken one fails the run.
#[test]
fn a_bound_on_response_times_is_judged_in_every_step() {
    let p = Place::new();
    let ycsb = "run ycsb-c --target null:?latency_us=2000 -p recordcount=100 --clients 1,2";
    for (out, pace) in [("closed", "--operations 100"), ("open", "--rate 50 --duration 500ms")] {
        let says = ["FAILED", "check \"response times\" failed", "READ: p50 is ", "in step 2"];
        fails(&p, &format!("{ycsb} --warmup 1ms {pace} --sla p50=1ms,max=1m"), out, &says);
    }
    let end = p.ok(&format!("{ycsb} --warmup 1ms --operations 100 --sla p50=1m --out held"));
    assert!(end.err.contains("; 1 check passed"), "{end:#?}");
    assert_eq!(check(&p.json("held/run.json"), "response times").unwrap()["verdict"], "pass");
    // What holds so far in too few operations is not proven.
    p.ok(&format!("{ycsb} --warmup 1ms --operations 100 --sla p99=1m --out few"));
    let record = p.json("few/run.json");
    let few = check(&record, "response times").unwrap();
    assert_eq!(few["verdict"], "skip");
    assert!(few["detail"].as_str().unwrap().contains("READ: 10"), "{few:#}");
    // Operations that do not begin in time are in no percentile.
    let run = "run ycsb-c --target null:?latency_us=20000 -p recordcount=100 --rate 1000";
    let run = format!("{run} --duration 300ms --warmup 1ms --sla p50=1m");
    fails(&p, &run, "short", &["the rate does not hold: "]);

    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db?synchronous=off --tx-clients 1 --query-clients 0 \
               --operations 50 --warmup 1ms --check off --sla p50=1us";
    fails(&p, run, "ch2pp", &["Payment: p50 is "]);
}
