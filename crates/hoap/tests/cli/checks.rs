//! `hoap run ch2 --check`.

use std::time::Duration;

use serde_json::Value;

use super::compare::{driver_of_two, ends_well};
use super::{Place, remark};

const RUN: &str = "run ch2 --operational sqlite:t.db --tx-clients 2 --query-clients 0 --duration 500ms \
                   --warmup 100ms";

fn load(p: &Place) {
    // As `run` names the database: `load` takes that word too.
    p.ok("load ch2 --operational sqlite:t.db --scale-down 100 -w 2");
}

/// The checks of a run: when, name, verdict.
fn checks(record: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = record["checks"].as_array().unwrap().iter();
    all.map(|c| (text(&c["when"]), text(&c["name"]), text(&c["verdict"]))).collect()
}

fn skipped(record: &Value) -> Vec<String> {
    let skipped = checks(record).into_iter().filter(|(_, _, verdict)| verdict == "skip");
    skipped.map(|(_, name, _)| name).collect()
}

#[test]
fn a_run_says_how_much_of_the_data_it_checked() {
    let loaded = Place::new();
    load(&loaded);
    for (level, left_out, again) in [
        ("full", vec![], vec![]),
        (
            "database",
            vec!["other fields"],
            // Of what the run touched; what the database adds up of all decides them.
            vec!["condition 10", "condition 12", "stock counts", "customer counts", "other fields"],
        ),
        (
            "touched",
            vec!["other documents"],
            vec![
                "condition 10",
                "condition 12",
                "stock counts",
                "customer counts",
                "other documents",
            ],
        ),
        ("sample", vec!["conditions, nothing lost"], vec!["conditions, nothing lost"]),
        ("off", vec![], vec![]),
    ] {
        let p = Place::new();
        std::fs::copy(loaded.path("t.db"), p.path("t.db")).unwrap();
        for (out, wanted) in [("first", left_out), ("second", again)] {
            let end = p.ok(&format!("{RUN} --check {level} --out {out}"));
            let record = p.json(&format!("{out}/run.json"));
            assert_eq!(record["configuration"]["check"], level);
            assert_eq!(skipped(&record), wanted, "{level} {out}");
            assert!(checks(&record).iter().all(|(_, _, v)| v != "fail"), "{level} {out}");
            let off = level == "off";
            assert_eq!(end.err.contains(&format!("--check {level})")), !off, "{}", end.err);
            assert_eq!(remark(&record, "unchecked").is_some(), off);
            assert_eq!(end.out.contains("UNCHECKED"), off, "{}", end.out);
            p.ok(&format!("report {out} -o {out}.html"));
            let page = p.text(&format!("{out}.html"));
            assert_eq!(page.contains("UNCHECKED"), off);
        }
        // What a run did not read it counts all the same.
        let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
        let note: String =
            database.query_row("SELECT value FROM hoap_note", [], |row| row.get(0)).unwrap();
        assert!(note.contains("\"runs\":2"), "{note}");
        for check in ["", "--check full", "--check database"] {
            p.ok(&format!("verify ch2 --target sqlite:t.db {check}"));
        }
    }
}

/// The database computes the conditions of all documents, says so, and sees what a run did not
/// touch. What another wrote is seen before a run and by `verify`.
#[test]
fn the_database_computes_the_conditions_of_what_no_run_touched() {
    let p = Place::new();
    load(&p);
    p.ok(&format!("{RUN} --check database --out run"));
    let record = p.json("run/run.json");
    let by_the_database = |when: &str| -> Vec<String> {
        let here = checks(&record).into_iter().filter(|(at, _, verdict)| {
            assert_ne!(verdict, "fail");
            at == when
        });
        let names = here
            .filter_map(|(_, name, _)| name.strip_suffix(", by the database").map(str::to_owned));
        names.collect()
    };
    let (before, after) = (by_the_database("before the run"), by_the_database("after the run"));
    assert_eq!(before.len(), 15);
    assert!((1..=12).all(|n| before.contains(&format!("condition {n}"))), "{before:?}");
    assert_eq!(after[..15], before);
    assert_eq!(after[15..], ["nothing added"]);

    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let set = |balance: &str| {
        let text = format!("UPDATE customer SET doc = jsonb_set(doc, '$.c_balance', {balance})");
        let changed = database.execute(&format!("{text} WHERE key = '2.9.30'"), []);
        assert_eq!(changed.unwrap(), 1);
    };
    set("77.25");
    let end = p.fails("verify ch2 --target sqlite:t.db --check database --json", 1, &["failed"]);
    let told = "district 2.9: c_balance is not delivered - paid in 1, such as 2.9.30";
    assert!(end.out.contains(told), "{}", end.out);
    assert!(end.out.contains("condition 12, by the database"), "{}", end.out);
    p.fails(&format!("{RUN} --check database --out not"), 1, &["by the database"]);
    // A field of another type is no pass.
    set("'77'");
    let told = ["add up customer", "2.9.30", "--check full"];
    let end = p.run("verify ch2 --target sqlite:t.db --check database");
    assert!(end.code != 0 && told.iter().all(|word| end.err.contains(word)), "{end:#?}");
    // There are two ways to check without a run's ledger.
    p.fails("verify ch2 --target sqlite:t.db --check touched", 2, &["full", "database"]);
}

/// A small data set is read as a whole where nobody says how much.
#[test]
fn the_default_is_on_record() {
    let p = Place::new();
    load(&p);
    p.ok(&format!("{RUN} --out run"));
    assert_eq!(p.json("run/run.json")["configuration"]["check"], "full");
    p.fails(&format!("{RUN} --check some"), 2, &["full", "database", "touched", "sample", "off"]);
}

/// A run on data that another program changed does not begin, and says what it found.
#[test]
fn counters_that_are_not_as_loaded_end_a_run_before_it_begins() {
    let p = Place::new();
    load(&p);
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    assert_eq!(database.execute("DELETE FROM neworder WHERE key = '2.3.22'", []).unwrap(), 1);
    for level in ["touched", "sample"] {
        let line = format!("{RUN} --check {level} --out {level}");
        p.fails(&line, 1, &["check \"counters\" failed"]);
        let record = p.json(&format!("{level}/run.json"));
        let found = record["checks"].to_string();
        assert!(found.contains("district 2.3: undelivered orders 23 to 30"), "{found}");
        assert!(record["partial"].is_string() && record["steps"] == serde_json::json!([]));
    }
    // It is not read, so it is not known.
    p.ok(&format!("{RUN} --check off --out off"));
}

/// Several drivers: the first looked at the counters for all, and the joint check goes by its
/// level.
#[test]
fn what_drivers_touched_is_checked_together() {
    checked_together("touched", "condition 12");
}

/// Of all documents the database tells the first what was there before, and whoever joins them what
/// is there now.
#[test]
fn what_drivers_did_is_checked_together_by_the_database() {
    checked_together("database", "nothing added, by the database");
}

/// Two drivers, and a check that passes.
fn checked_together(level: &str, check: &str) {
    let p = Place::new();
    load(&p);
    let run = "run ch2 --operational sqlite:t.db --query-clients 0 --duration 1s --warmup 100ms";
    let run = format!("{run} --check {level}");
    let start = jiff::Timestamp::now() + Duration::from_secs(6);
    let driver = |n| driver_of_two(&p, n, start, &run, "--tx-clients");
    // The first driver finds that the run was counted, and the data as it was loaded.
    let two = driver(2);
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let counted = || {
        let value = "SELECT value FROM hoap_note WHERE name = 'note'";
        let note: String = database.query_row(value, [], |row| row.get(0)).unwrap();
        serde_json::from_str::<Value>(&note).unwrap()["runs"] == 1
    };
    while !counted() {
        assert!(jiff::Timestamp::now() < start, "driver 2 never counted its run");
        std::thread::sleep(Duration::from_millis(10));
    }
    [driver(1), two].into_iter().for_each(ends_well);
    let joint = |out: &str| format!("merge driver-1 driver-2 --operational sqlite:t.db -o {out}");
    p.ok(&joint("whole"));
    let record = p.json("whole/run.json");
    assert!(checks(&record).iter().all(|(_, _, verdict)| verdict != "fail"), "{record:#}");
    let has = |name: &str| checks(&record).iter().any(|c| c.1.contains(name) && c.2 == "pass");
    assert!(has("nothing lost: NewOrder") && has(check), "{:#?}", checks(&record));
    one_tpc_c(&p, &record, &joint("other"));

    let ledger = p.json("driver-2/ledger.json");
    let order = &ledger["ledger"]["orders"][0];
    let key = format!("{}.{}.{}", order[0], order[1], order[2]);
    assert_eq!(database.execute("DELETE FROM orders WHERE key = ?1", [&key]).unwrap(), 1);
    p.fails(&joint("lost"), 1, &["failed", "VOID"]);
    assert!(p.json("lost/run.json")["checks"].to_string().contains(&format!("orders {key} was")));
    // A ledger that names what cannot be is no cause to give up.
    let mut odd = ledger;
    odd["ledger"]["orders"][0][0] = 0.into();
    odd["ledger"]["deliveries"].as_array_mut().unwrap().push(serde_json::json!([0, 11, 0, 7]));
    p.write_ledger("driver-2", &odd);
    p.fails(&joint("odd"), 1, &["failed", "VOID"]);
}

/// What two drivers ran is one TPC-C: with one C (2.1.6.1), and audited as a whole (9.2).
fn one_tpc_c(p: &Place, whole: &Value, merge: &str) {
    let mut driver = [1, 2].map(|n| p.json(&format!("driver-{n}/run.json")));
    let nurand = |run: &Value| run["constants"]["nurand"].clone();
    assert!(nurand(whole)["c_id"].is_u64(), "{whole:#}");
    assert_eq!([nurand(&driver[0]), nurand(&driver[1])], [nurand(whole), nurand(whole)]);
    let lines = |run: &Value| run["audit"].as_array().unwrap().clone();
    let names = |run| lines(run).into_iter().map(|line| line["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(whole), names(&driver[0]));
    let tallies = [1, 2].map(|n| p.json(&format!("driver-{n}/ledger.json"))["tally"].clone());
    let sum = |of: fn(&Value) -> &Value| {
        tallies.iter().map(|tally| of(tally).as_f64().unwrap()).sum::<f64>()
    };
    let average = sum(|tally| &tally["lines"]) / sum(|tally| &tally["executed"][0]);
    let line = lines(whole).into_iter().find(|line| line["name"] == "lines per order").unwrap();
    assert_eq!(line["seen"], format!("{average:.2}"), "{tallies:?}");
    let as_it_was = driver[1].to_string();
    driver[1]["constants"]["nurand"]["c_id"] = 1_024.into();
    p.write("driver-2/run.json", &driver[1].to_string());
    p.fails(merge, 2, &["driver-2", "NURand constants", "1024"]);
    p.write("driver-2/run.json", &as_it_was);
}

/// What each level sees of customers that are not as they were loaded. There are so few that the
/// sample has all.
#[test]
fn a_shop_that_is_not_as_loaded_is_seen_at_each_level() {
    let loaded = Place::new();
    loaded.ok("load shop --customers 1000 --customers-per-zip 10 --orders-per-customer 1 --target sqlite:s.db");
    let (all, full): (&[&str], &[&str]) = (&LEVELS, &["full"]);
    // All but one, so that any sample has them.
    let first = "WHERE key < (SELECT max(key) FROM shop_customer)";
    let set = |what: &str| format!("UPDATE shop_customer SET doc = {what} {first}");
    let of_another = "(SELECT doc FROM shop_customer ORDER BY key DESC LIMIT 1)";
    for (what, tampering, seen) in [
        ("nothing", "SELECT 1".to_owned(), &[][..]),
        ("lost", format!("DELETE FROM shop_customer {first}"), all),
        ("stale", set("jsonb_set(doc, '$.linear_score', -1)"), all),
        ("of another", set(of_another), all),
        ("truncated", set("jsonb_set(doc, '$.email', substr(doc ->> '$.email', 2))"), all),
        ("short of a field", set("jsonb_remove(doc, '$.dob')"), all),
        ("short of a nested field", set("jsonb_remove(doc, '$.address.zip')"), all),
        ("null for a field", set("jsonb_set(doc, '$.dob', NULL)"), all),
        ("with an extra field", set("jsonb_set(doc, '$.more', NULL)"), all),
        ("of another type", set("jsonb_set(doc, '$.linear_score', '1')"), all),
        (
            "doubled",
            format!("INSERT INTO shop_customer (key, doc) VALUES ('customer:x', {of_another})"),
            full,
        ),
    ] {
        tampered(&loaded, "run pagination --target sqlite:s.db", (what, &tampering), seen);
    }
}

/// The levels that look at the data.
const LEVELS: [&str; 3] = ["full", "touched", "sample"];

/// Runs on loaded data that was tampered with, at each level: those fail that see it, and no others.
/// Returns which checks failed at each.
fn tampered(
    loaded: &Place,
    run: &str,
    (what, tampering): (&str, &str),
    seen: &[&str],
) -> Vec<Vec<String>> {
    let (p, name) = (Place::new(), &run[run.find("sqlite:").unwrap() + 7..]);
    std::fs::copy(loaded.path(name), p.path(name)).unwrap();
    let database = rusqlite::Connection::open(p.path(name)).unwrap();
    database.execute_batch(tampering).unwrap();
    let at_level = |level: &str| {
        let line = format!("{run} --operations 5 --warmup 0s --check {level} --out {level}");
        match seen.contains(&level) {
            true => drop(p.fails(&line, 1, &["check \"", "failed"])),
            false => drop(p.ok(&line)),
        }
        let record = p.json(&format!("{level}/run.json"));
        let failed = checks(&record).into_iter().filter(|(_, _, verdict)| verdict == "fail");
        let failed: Vec<String> = failed.map(|(_, name, _)| name).collect();
        assert_eq!(!failed.is_empty(), seen.contains(&level), "{what} at {level}: {record:#}");
        failed
    };
    LEVELS.map(at_level).into()
}

/// What each level sees of records that are not as they were loaded. There are so few that the sample
/// has all.
#[test]
fn a_table_that_is_not_as_loaded_is_seen_at_each_level() {
    let loaded = Place::new();
    loaded.ok("load ycsb --target sqlite:y.db -p recordcount=200 -p fieldcount=2");
    let all: &[&str] = &LEVELS;
    let last = "WHERE key = (SELECT max(key) FROM usertable)";
    let set = |what: &str| format!("UPDATE usertable SET doc = jsonb_set(doc, {what}) {last}");
    for (what, tampering, seen) in [
        ("nothing", "SELECT 1".to_owned(), &[][..]),
        ("lost", format!("DELETE FROM usertable {last}"), all),
        ("under another key", format!("UPDATE usertable SET key = 'user1' {last}"), all),
        ("null for a field", set("'$.field1', NULL"), all),
        ("of another type", set("'$.field1', 5"), all),
        ("of another value", set("'$.field1', 'x'"), all),
        // YCSB's client asks for its fields by name.
        ("with an extra field", set("'$.more', 'x'"), &[]),
    ] {
        let failed = tampered(&loaded, "run ycsb-c --target sqlite:y.db", (what, &tampering), seen);
        for (level, failed) in LEVELS.into_iter().zip(failed) {
            let by_count = level == "full" && ["lost", "under another key"].contains(&what);
            let counted = failed.iter().any(|name| name == "record count");
            assert_eq!(counted, by_count, "{what} at {level}: {failed:?}");
        }
    }
}
