//! Repetitions, comparisons and merged runs at the command line.

use std::process::{Child, Stdio};
use std::time::Duration;

use super::{End, Place, all_pass, gone, interrupted, remark};

/// A run against a database that takes so long for everything.
fn run(latency_us: u32, more: &str) -> String {
    format!(
        "run ycsb-c --target null:?latency_us={latency_us} --clients 2 --duration 300ms \
         --warmup 10ms {more}"
    )
}

#[test]
fn repetitions_are_runs_of_their_own() {
    let p = Place::new();
    let end = p.ok(&run(1_000, "--repeat 3 --out fast"));
    assert!(end.out.contains("3 runs") && end.out.contains("hoap compare"), "{}", end.out);
    let seeds: Vec<_> = (1..=3)
        .map(|n| {
            let record = p.json(&format!("fast/0{n}/run.json"));
            assert_eq!(record["repetition"], serde_json::json!({ "number": n, "of": 3 }));
            record["configuration"]["run-seed"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(seeds, [1, 2, 3]);
    let value = p.ok(&run(50_000, "--repeat 3 --out slow --json")).value();
    assert_eq!(value["runs"].as_array().unwrap().len(), 3);
    let value = p.ok("compare fast slow --json").value();
    let lines = value["comparisons"][0]["lines"].as_array().unwrap();
    let ops = lines.iter().find(|l| l["metric"] == "ops").unwrap();
    assert!(ops["ratio"].as_f64().unwrap() < 1.0, "{ops:#}");
    assert_eq!(ops["baseline"]["basis"]["runs"], 3);
}

/// Folders of known speeds, which no busy machine makes alike.
#[test]
fn a_gate_says_what_is_broken_and_what_is_not_proven() {
    let p = Place::new();
    for (name, speed) in [("fast", 1.0), ("slow", 0.5)] {
        for seed in 1..=3 {
            let folder = hoap_testing::runs::plain::folder("ycsb-c", seed, speed);
            folder.write(&p.path(name).join(format!("{seed:02}")));
        }
    }
    let end = p.fails("compare fast slow --fail-if ops<-5%", 1, &["1 of 1 bound broken"]);
    assert!(end.out.contains("BROKEN") && end.out.contains("worse"), "{}", end.out);
    assert!(end.out.lines().all(|l| l.chars().count() <= 80), "{}", end.out);
    p.ok("compare slow fast --fail-if ops<-5% --fail-if p99>10%");
    p.ok("compare --baseline fast fast fast --fail-if ops<-50%");
    let line = "compare fast slow --fail-if ops<-5% --format junit --out gate.xml";
    let end = p.fails(line, 1, &["1 of 1 bound broken"]);
    assert!(end.out.contains("BROKEN"), "plain text beside the file: {}", end.out);
    let xml = p.text("gate.xml");
    assert!(xml.starts_with("<?xml") && xml.contains("<failure"), "{xml}");
    let end = p.ok("compare fast/01 slow/01 --format markdown");
    assert!(end.out.contains("| ops/s |") && end.out.contains("one run a side"), "{}", end.out);
    // Of one run a side a bound is neither held nor broken, however far it is crossed.
    for gate in ["ops<-5%", "ops<-99%", "ops>5%"] {
        let line = format!("compare fast/01 slow/01 --fail-if {gate} --format junit -o one.xml");
        let end = p.fails(&line, 4, &["1 of 1 bound not proven"]);
        let said = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("NOT PROVEN") && said.contains("repeat both sides"), "{said}");
        let xml = p.text("one.xml");
        assert!(xml.contains("<skipped message=\"not proven in 5 of 5 lines\""), "{xml}");
        assert!(!xml.contains("<failure"), "{xml}");
    }
    // What is broken goes before what is not proven.
    let line = "compare fast/01 slow/01 --fail-if ops<-5% --fail-if ops<-5%:point";
    p.fails(line, 1, &["1 of 2 bounds broken, 1 not proven"]);
}

#[test]
fn comparisons_that_cannot_be_made_are_refused() {
    let p = Place::new();
    p.ok(&run(1_000, "--out one"));
    p.ok("run ycsb-b --target null: --operations 100 --warmup 10ms --out other");
    p.fails("compare one", 2, &["two runs"]);
    p.fails("compare one nowhere", 2, &["nowhere"]);
    p.fails("compare one other", 2, &["other", "benchmark is ycsb-b"]);
    p.fails("compare one one --fail-if tpm<-5%", 2, &["tpm<-5%"]);
    p.fails("compare one one --fail-if tpm", 2, &["tpm<-5%", "--help"]);
    p.fails("compare one one --fail-if speed<-5%", 2, &["no metric", "p99"]);
    p.fails("compare one one --relevant 1", 2, &["such as 1%"]);
    p.fails("compare one one --out no/such/file", 3, &["no/such/file"]);
    p.write("newer/run.json", "{\"format\": 99, \"hoap\": \"9.0\"}");
    p.fails("compare one newer", 2, &["newer/run.json", "format 99"]);
    let whole = p.text("one/run.json");
    p.write("cut/run.json", &whole[..whole.len() / 2]);
    p.fails("compare cut one", 2, &["cut/run.json"]);
    p.fails("report cut one -o page.html", 2, &["cut/run.json"]);
    p.fails("merge one other -o out", 2, &["other", "benchmark"]);
    p.fails("merge one -o out", 2, &["--help"]);
    p.fails("merge one newer -o out", 2, &["newer/run.json"]);
    assert!(!p.path("out").exists());
}

#[test]
fn what_cannot_be_repeated_is_refused_before_it_begins() {
    let p = Place::new();
    p.fails(&run(1_000, "--repeat 0"), 2, &["--repeat"]);
    p.fails(&run(1_000, "--repeat 2 --start-at 2100-01-01T00:00:00Z"), 2, &["--start-at"]);
    p.fails(&run(1_000, "--start-at 2020-01-01T00:00:00Z --out x"), 2, &["has passed"]);
    p.fails(&run(1_000, "--start-at soon"), 2, &["--start-at"]);
    p.fails(&run(1_000, "--part 1/2"), 2, &["--start-at"]);
    p.ok("load ycsb --target sqlite:t.db -p recordcount=100");
    let d = "run ycsb-d --target sqlite:t.db --operations 10 --out x";
    p.fails(&format!("{d} --repeat 2"), 2, &["ycsb-d", "inserts"]);
    p.write("there/file", "");
    p.fails(&run(1_000, "--repeat 2 --out there"), 2, &["there", "not empty"]);
    assert!(!p.path("x").exists());
}

/// A writing benchmark repeats on the data that it left, and says so.
#[test]
fn repetitions_of_ch2_say_what_they_began_on() {
    let p = Place::new();
    p.load("t.db");
    p.ok("run ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0 --duration 300ms \
          --warmup 10ms --repeat 2 --out runs");
    let repeated = |n: u32| remark(&p.json(&format!("runs/0{n}/run.json")), "repeated").is_some();
    assert!(!repeated(1) && repeated(2));
    for n in [1, 2] {
        let record = p.json(&format!("runs/0{n}/run.json"));
        all_pass(&record);
    }
}

#[test]
fn ctrl_c_ends_the_repetition_and_begins_no_other() {
    let p = Place::new();
    let line = "run ycsb-c --target null:?latency_us=1000 --duration 10m --repeat 5 --out runs";
    let child = p.spawn(line);
    gone::until_measured(&p.path("runs/01"));
    interrupted(child);
    assert!(p.json("runs/01/run.json")["partial"].as_str().unwrap().contains("interrupted"));
    assert!(!p.path("runs/02").exists());
}

/// Two drivers, in driver-1 and driver-2, with one client and with two, that begin so many seconds
/// from now, which is time enough for both to look at the data.
pub fn two_drivers(p: &Place, seconds: u64, run: &str, clients: &str) {
    let start = jiff::Timestamp::now() + Duration::from_secs(seconds);
    let drivers = [1, 2].map(|n| driver_of_two(p, n, start, run, clients));
    drivers.into_iter().for_each(ends_well);
}

/// A driver of two that begins at this time. Driver 1 has one client, driver 2 two.
pub fn driver_of_two(p: &Place, n: u32, start: jiff::Timestamp, run: &str, clients: &str) -> Child {
    let line = format!("{run} {clients} {n} --start-at {start} --part {n}/2 --out driver-{n}");
    p.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end of a driver, which measured something.
pub fn ends_well(driver: Child) {
    let end = End::of(driver.wait_with_output().unwrap());
    assert_eq!(end.code, 0, "{end:#?}");
}

#[test]
fn drivers_that_start_together_make_one_run() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=100");
    two_drivers(&p, 4, "run ycsb-b --target sqlite:t.db --duration 2s --warmup 100ms", "--clients");
    let end = p.ok("merge driver-1 driver-2 -o whole");
    assert!(end.out.contains("3 clients"), "{}", end.out);
    let [one, two, whole] =
        ["driver-1", "driver-2", "whole"].map(|run| p.json(&format!("{run}/run.json")));
    let count = |record: &serde_json::Value| {
        let operations = record["steps"][0]["transactions"].as_array().unwrap();
        operations.iter().map(|o| o["count"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(count(&whole), count(&one) + count(&two));
    assert!(count(&one) > 0 && count(&two) > 0);
    let seeds = [&one, &two].map(|r| r["configuration"]["run-seed"].as_u64().unwrap());
    assert_eq!(seeds, [1, 1], "the run's");
    // Others wrote too: what is in the table says nothing of one driver's writes.
    let skipped = |record: &serde_json::Value| {
        let checks = record["checks"].as_array().unwrap();
        let after = |c: &&serde_json::Value| c["when"].as_str().unwrap().starts_with("after");
        let mut left = checks.iter().filter(after).filter(|c| c["name"] != "start").peekable();
        left.peek().is_some() && left.all(|c| c["verdict"] == "skip")
    };
    assert!(skipped(&one) && skipped(&whole), "{:#}", whole["checks"]);
    p.ok("report whole -o page.html");
    p.fails("merge driver-1 driver-1 -o twice", 2, &["same run"]);
}

/// Drivers that insert take turns in the numbers of new records, and their ledgers are one
/// afterwards.
#[test]
fn what_all_drivers_of_ycsb_wrote_is_held_against_the_table() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=200 -p fieldcount=2");
    let run = "run ycsb-d --target sqlite:t.db -p fieldcount=2 -p readproportion=0.3 -p insertproportion=0.3 \
               -p updateproportion=0.4 --check-reads --duration 2s --warmup 100ms";
    two_drivers(&p, 4, run, "--clients");
    let inserted =
        [1, 2].map(|n| p.json(&format!("driver-{n}/ledger.json"))["inserted"].as_u64().unwrap());
    assert!(inserted.iter().all(|&n| n > 0), "{inserted:?}");
    let joint = |out: &str| format!("merge driver-1 driver-2 --operational sqlite:t.db -o {out}");
    p.ok(&joint("whole"));
    let record = p.json("whole/run.json");
    let checks = record["checks"].as_array().unwrap();
    assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
    let checked = |name: &str| {
        let mut after = checks.iter().filter(|c| c["when"] == "after the run");
        let one = after.find(|c| c["name"] == name).unwrap();
        one["checked"].as_u64().unwrap()
    };
    assert_eq!(checked("record count"), 200 + inserted[0] + inserted[1]);
    assert!(checked("nothing lost: writes") > 0);

    // The records that the second driver remembers go missing. Together the drivers look for fewer.
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    for write in p.json("driver-2/ledger.json")["writes"].as_array().unwrap() {
        let key = write["key"].as_str().unwrap();
        database.execute("DELETE FROM usertable WHERE key = ?1", [key]).unwrap();
    }
    p.fails(&joint("lost"), 1, &["check \"record count\" failed", "VOID"]);
    let checks = p.json("lost/run.json")["checks"].to_string();
    assert!(checks.contains("records found") && checks.contains("is not there"), "{checks}");
}

/// The ledgers of several drivers are one when they are held against the database.
#[test]
fn what_all_drivers_saw_acknowledged_is_held_against_the_database() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db --analytical sqlite:./t.db --query-clients 0 --duration 4s \
               --warmup 100ms";
    two_drivers(&p, 5, run, "--tx-clients");
    for driver in [1, 2] {
        let record = p.json(&format!("driver-{driver}/run.json"));
        assert!(record["steps"][0]["freshness"]["probes"].as_u64().unwrap() > 0);
        let all = record["steps"][0]["transactions"].to_string();
        assert!(!all.contains("\"broken\""), "a driver took the other's counters away: {all}");
    }
    let joint = |out: &str| format!("merge driver-1 driver-2 --operational sqlite:t.db -o {out}");
    p.ok(&joint("whole"));
    let record = p.json("whole/run.json");
    let checks = record["checks"].as_array().unwrap();
    // One looked for all before they began.
    let before = |driver: u32| {
        let mut record = p.json(&format!("driver-{driver}/run.json"));
        let checks = record["checks"].take();
        let before = |c: &&serde_json::Value| c["when"] == "before the run";
        checks.as_array().unwrap().iter().filter(before).cloned().collect::<Vec<_>>()
    };
    assert!(before(1).len() > 10 && before(1).iter().all(|c| c["verdict"] == "pass"));
    let [left] = &before(2)[..] else { panic!("{:?}", before(2)) };
    assert_eq!(
        (&left["verdict"], &left["name"]),
        (&"skip".into(), &"indexes, conditions, counts".into())
    );
    let named = |name: &str| {
        let of = |c: &&serde_json::Value| c["name"].as_str().unwrap().contains(name);
        checks.iter().filter(of).filter(|c| c["when"] == "after the run").collect::<Vec<_>>()
    };
    for name in [
        "nothing lost: NewOrder",
        "nothing lost: Payment",
        "nothing lost: Delivery",
        "nothing added",
        "nothing changed",
        "stock counts",
        "customer counts",
    ] {
        let found = named(name);
        assert_eq!(found.len(), 1, "{name}: {checks:#?}");
        assert!(found[0]["checked"].as_u64().unwrap() > 0);
    }
    assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
    // Each driver's probe judged its own commits.
    assert_eq!(record["steps"][0].get("freshness"), None);
    assert!(remark(&record, "freshness-not-merged").is_some());
    p.ok("merge driver-1 driver-2 -o blind");
    assert!(p.json("blind/run.json")["checks"].to_string().contains("--operational"));
    // What a driver left out for another reason is still left out.
    let mut driver = p.json("driver-1/run.json");
    let left_out = serde_json::json!({
        "when": "after the run", "name": "queries caught up", "compares": "commits with what queries see",
        "verdict": "skip", "checked": 4, "detail": "interrupted"
    });
    driver["checks"].as_array_mut().unwrap().push(left_out);
    std::fs::write(p.path("driver-1/run.json"), driver.to_string()).unwrap();
    p.ok(&joint("skipped"));
    let record = p.json("skipped/run.json");
    let skipped = record["checks"].as_array().unwrap().iter().filter(|c| c["verdict"] == "skip");
    assert_eq!(skipped.map(|c| &c["name"]).collect::<Vec<_>>(), ["queries caught up"]);

    // One order of the second driver goes missing.
    let ledger = p.json("driver-2/ledger.json");
    let order = &ledger["ledger"]["orders"][0];
    let key = format!("{}.{}.{}", order[0], order[1], order[2]);
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    assert_eq!(database.execute("DELETE FROM orders WHERE key = ?1", [&key]).unwrap(), 1);
    p.fails(&joint("lost"), 1, &["failed", "VOID"]);
    assert!(p.json("lost/run.json")["checks"].to_string().contains(&format!("orders {key} was")));

    p.ok("run ycsb-c --target null: --clients 1 --duration 200ms --warmup 0s --out ycsb");
    // Whether they belong together comes before any look at the database.
    let other = "merge ycsb driver-2 --operational sqlite:none.db -o x";
    p.fails(other, 2, &["merge driver-2 with ycsb", "benchmark"]);
    p.ok("load ch2pp --target sqlite:other.db --scale-down 100 --seed 5");
    let other = "merge driver-1 driver-2 --operational sqlite:other.db -o x";
    p.fails(other, 2, &["sqlite:other.db", "another data set"]);
    // The ledger of another driver in its place, whose writes would be looked for twice.
    std::fs::copy(p.path("driver-2/ledger.json"), p.path("driver-1/ledger.json")).unwrap();
    p.fails(&joint("x"), 2, &["driver-1/ledger.json: it is not the ledger that the run"]);
    std::fs::remove_file(p.path("driver-1/ledger.json")).unwrap();
    p.fails(&joint("x"), 2, &["driver-1/ledger.json", "--part"]);
}
