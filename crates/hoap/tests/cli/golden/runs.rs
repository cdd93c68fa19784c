//! A small run of every kind, and its folder and summary.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::files::{listing, queries, samples};
use super::held::Golden;
use super::json::normalise;
use super::place::{End, Place};
use super::rules::{self, Rule};
use super::terminal::{scrub_lines, terminal};

/// What is special about a run.
#[derive(Clone, Copy)]
struct Kind<'a> {
    /// Rules before those of every run.
    rules: &'a [&'a [Rule]],
    /// Remarks that this run has on every machine.
    surely: &'a [&'a str],
    /// Steps without transactions, whose queries find as many rows as ever.
    untouched: &'a [usize],
    /// Steps that it surely has; of the others there may be any number.
    steps: usize,
}

const PLAIN: Kind<'static> = Kind { rules: &[], surely: &[], untouched: &[], steps: 99 };

fn json(p: &Place, name: &str) -> Value {
    serde_json::from_str(&p.read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Holds a run's folder, from `out`, and what the terminal showed against the golden files.
fn pin(golden: &mut Golden, p: &Place, out: &str, end: &End, kind: Kind<'_>) {
    let shown = |text: &str| terminal(text, kind.surely, kind.steps < PLAIN.steps);
    golden.text(&format!("{out}/terminal.txt"), &scrub_lines(&end.transcript(shown)));
    pin_folder(golden, p, out, kind);
}

fn pin_folder(golden: &mut Golden, p: &Place, out: &str, kind: Kind<'_>) {
    let rules: Vec<&[Rule]> = kind.rules.iter().copied().chain([rules::RUN]).collect();
    golden
        .json(&format!("{out}/run.json"), &normalise(&json(p, &format!("{out}/run.json")), &rules));
    let text = samples(&p.read(&format!("{out}/samples.csv")), kind.steps);
    golden.text(&format!("{out}/samples.txt"), &text);
    let text = queries(&p.read(&format!("{out}/queries.csv")), kind.untouched);
    golden.text(&format!("{out}/queries.csv"), &text);
    golden.text(&format!("{out}/files.txt"), &listing(&p.path(out), kind.steps));
    let ledger = format!("{out}/ledger.json");
    if p.path(&ledger).exists() {
        golden.json(&ledger, &normalise(&json(p, &ledger), &[rules::LEDGER]));
    }
}

/// Loads, runs and pins.
fn run(test: &str, load: Option<&str>, line: &str, kind: Kind<'_>) {
    let p = Place::new();
    if let Some(load) = load {
        p.ok(&format!("load {load}"));
    }
    let end = p.ok(&format!("run {line} --out run"));
    pin(&mut Golden::of(test), &p, "run", &end, kind);
}

#[test]
fn ch2pp_with_queries() {
    run(
        "ch2pp",
        Some("ch2pp --target sqlite:t.db --scale-down 100"),
        "ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0,1 --loops 1 \
         --duration 1s --warmup 100ms",
        Kind { untouched: &[1], ..PLAIN },
    );
}

#[test]
fn ch2() {
    run(
        "ch2",
        Some("ch2 --target sqlite:t.db --scale-down 100"),
        "ch2 --operational sqlite:t.db --tx-clients 1 --query-clients 0 --duration 1s \
         --warmup 100ms --run-seed 7",
        PLAIN,
    );
}

#[test]
fn a_pair_and_its_freshness() {
    run(
        "pair",
        Some("ch2pp --target sqlite:t.db --scale-down 100"),
        "ch2pp --operational sqlite:t.db --analytical sqlite:./t.db --tx-clients 1 \
         --query-clients 0,1 --loops 1 --warmup-loops 0 --params random \
         --params-seed 3 --duration 1s --warmup 100ms --freshness-every 20ms --explain",
        Kind { untouched: &[1], ..PLAIN },
    );
}

#[test]
fn ycsb_of_a_number_of_operations() {
    run(
        "ycsb-a",
        Some("ycsb --target sqlite:t.db -p recordcount=200"),
        "ycsb-a --target sqlite:t.db -p recordcount=200 --operations 300 --clients 1 \
         --check-reads --warmup 0s",
        Kind { rules: &[rules::OPERATIONS], ..PLAIN },
    );
}

#[test]
fn ycsb_in_an_open_loop() {
    run(
        "open-loop",
        None,
        "ycsb-e --target null:?latency_us=1000 -p recordcount=200 --rate 50,100 --clients 4 \
         --duration 1s --warmup 100ms",
        PLAIN,
    );
}

#[test]
fn ycsb_at_a_rate_that_is_not_reached() {
    run(
        "overload",
        None,
        "ycsb-c --target null:?latency_us=20000 --clients 1 --duration 500ms --warmup 100ms \
         --rate 150 --arrivals poisson",
        Kind { rules: &[rules::SHORTFALL], surely: &["did not reach its rate"], ..PLAIN },
    );
}

#[test]
fn ycsb_on_a_database_that_stalls() {
    run(
        "stall",
        None,
        "ycsb-f --target null:?latency_us=1000&stall_ms=1500&stall_after_ms=600 --clients 1 \
         --duration 3s --warmup 50ms",
        Kind { rules: &[rules::STALL], surely: &["nothing succeeded for"], ..PLAIN },
    );
}

#[test]
fn a_search_for_the_highest_rate() {
    // No operation takes less than 20 ms: no rate holds, however the probes scatter.
    run(
        "max-rate",
        None,
        "ycsb-c --target null:?latency_us=20000 --clients 4 --duration 100ms --warmup 10ms \
         --max-rate --sla p50=1ms --probe-limit 1s",
        Kind { rules: &[rules::SEARCH], steps: 1, ..PLAIN },
    );
}

#[test]
fn pagination() {
    run(
        "pagination",
        Some("shop --customers 2000 --orders-per-customer 2 --target sqlite:t.db"),
        "pagination --target sqlite:t.db --operations 100 --clients 1 --warmup 0s --check-reads",
        Kind { rules: &[rules::OPERATIONS], ..PLAIN },
    );
}

#[test]
fn join() {
    run(
        "join",
        Some("shop --customers 2000 --orders-per-customer 2 --target sqlite:t.db"),
        "join --target sqlite:t.db --operations 100 --clients 1 --warmup 0s --check-reads \
         --variant two-phase",
        Kind { rules: &[rules::OPERATIONS], ..PLAIN },
    );
}

#[test]
fn repetitions() {
    let (p, mut golden) = (Place::new(), Golden::of("repeat"));
    let end = p
        .ok("run ycsb-c --target null:?latency_us=1000 --clients 1 --operations 100 --warmup 0s \
         --repeat 2 --out run");
    golden.text("run/terminal.txt", &end.transcript(|text| terminal(text, &[], false)));
    for out in ["run/01", "run/02"] {
        pin_folder(&mut golden, &p, out, Kind { rules: &[rules::OPERATIONS], ..PLAIN });
    }
}

/// All records were overwritten with what is no object, so that every read fails.
#[test]
fn a_run_that_an_error_ends() {
    let (p, mut golden) = (Place::new(), Golden::of("stopped"));
    p.ok("load ycsb --target sqlite:t.db -p recordcount=50");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    database.execute_batch("UPDATE usertable SET doc = jsonb('[1]')").unwrap();
    let end = p.run(
        "run ycsb-c --target sqlite:t.db --warmup 100ms -p recordcount=50 --clients 1,2 --check off \
         --duration 10m --on-error stop,conflict=continue --out run",
    );
    pin(&mut golden, &p, "run", &end, PLAIN);
}

#[test]
fn a_run_on_inconsistent_data() {
    let (p, mut golden) = (Place::new(), Golden::of("void"));
    p.ok("load ch2pp --target sqlite:t.db --scale-down 100");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let set = "UPDATE warehouse SET doc = jsonb_set(doc, '$.w_ytd', 1.5) WHERE key = '1'";
    database.execute_batch(set).unwrap();
    let end = p.run("run ch2pp --operational sqlite:t.db --out run");
    pin(&mut golden, &p, "run", &end, PLAIN);
}

#[test]
fn an_interrupted_run() {
    let (p, mut golden) = (Place::new(), Golden::of("interrupted"));
    p.ok("load ch2pp --target sqlite:t.db --scale-down 100");
    let line = "run ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0 \
                --duration 10m --warmup 100ms --out run";
    let child = p.command(line).spawn().unwrap();
    let begun = Instant::now();
    let samples = p.path("run/samples.csv");
    while !std::fs::read_to_string(&samples).is_ok_and(|text| text.contains("measured")) {
        assert!(begun.elapsed() < Duration::from_secs(120), "no sample was written");
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let end = End::of(line, child.wait_with_output().unwrap());
    pin(&mut golden, &p, "run", &end, PLAIN);
}

/// Two drivers that begin when both are surely ready, and what is made of their folders.
fn merged(test: &str, load: &str, run: &str) {
    let (p, mut golden) = (Place::new(), Golden::of(test));
    p.ok(&format!("load {load}"));
    let start = jiff::Timestamp::now() + Duration::from_secs(6);
    let start = start.strftime("%Y-%m-%dT%H:%M:%SZ");
    let lines =
        [1, 2].map(|n| format!("run {run} --start-at {start} --part {n}/2 --out driver-{n}"));
    // The merged run has its drivers in the order in which they started.
    let drivers = lines.each_ref().map(|line| {
        let driver = p.command(line).spawn().unwrap();
        let (begun, record) =
            (Instant::now(), line.rsplit(' ').next().unwrap().to_owned() + "/run.json");
        while !p.path(&record).exists() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        driver
    });
    for (driver, line) in drivers.into_iter().zip(&lines) {
        let end = End::of(line, driver.wait_with_output().unwrap());
        assert_eq!(end.code, 0, "{}{}", end.out, end.err);
    }
    pin_folder(&mut golden, &p, "driver-2", PLAIN);
    let end = p.ok("merge driver-1 driver-2 --operational sqlite:t.db -o whole");
    pin(&mut golden, &p, "whole", &end, PLAIN);
}

#[test]
fn drivers_of_ch2pp() {
    merged(
        "merged-ch2pp",
        "ch2pp --target sqlite:t.db --scale-down 100",
        "ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0 --duration 4s \
         --warmup 100ms",
    );
}

#[test]
fn drivers_of_ycsb() {
    merged(
        "merged-ycsb",
        "ycsb --target sqlite:t.db -p recordcount=200 -p fieldcount=2",
        "ycsb-d --target sqlite:t.db -p fieldcount=2 -p readproportion=0.3 \
         -p insertproportion=0.3 -p updateproportion=0.4 --check-reads --clients 1 --duration 4s \
         --warmup 100ms",
    );
}
