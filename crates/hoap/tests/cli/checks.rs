//! `hoap run ch2 --check`.

use serde_json::Value;

use super::Place;
use super::compare::two_drivers;

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
    for (level, left_out, again) in [
        ("full", vec![], vec![]),
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
        ("off", vec!["data"], vec!["data"]),
    ] {
        let p = Place::new();
        load(&p);
        for (out, wanted) in [("first", left_out), ("second", again)] {
            let end = p.ok(&format!("{RUN} --check {level} --out {out}"));
            let record = p.json(&format!("{out}/run.json"));
            assert_eq!(record["configuration"]["check"], level);
            assert_eq!(skipped(&record), wanted, "{level} {out}");
            assert!(checks(&record).iter().all(|(_, _, v)| v != "fail"), "{level} {out}");
            let off = level == "off";
            assert_eq!(end.err.contains(&format!("--check {level})")), !off, "{}", end.err);
            assert_eq!(end.out.contains("UNCHECKED"), off, "{}", end.out);
            p.ok(&format!("report {out} -o {out}.html"));
            let page = String::from_utf8(p.read(&format!("{out}.html"))).unwrap();
            assert_eq!(page.contains("UNCHECKED"), off);
        }
        // What a run did not read it counts all the same.
        let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
        let note: String =
            database.query_row("SELECT value FROM hoap_note", [], |row| row.get(0)).unwrap();
        assert!(note.contains("\"runs\":2"), "{note}");
        p.ok("verify ch2 --target sqlite:t.db");
    }
}

/// A small data set is read as a whole where nobody says how much.
#[test]
fn the_default_is_on_record() {
    let p = Place::new();
    load(&p);
    p.ok(&format!("{RUN} --out run"));
    assert_eq!(p.json("run/run.json")["configuration"]["check"], "full");
    p.fails(&format!("{RUN} --check some"), 2, &["full", "touched", "sample", "off"]);
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
    let p = Place::new();
    load(&p);
    let run = "run ch2 --operational sqlite:t.db --query-clients 0 --duration 3s --warmup 100ms \
               --check touched";
    two_drivers(&p, 5, run, "--tx-clients");
    let joint = |out: &str| format!("merge driver-1 driver-2 --operational sqlite:t.db -o {out}");
    p.ok(&joint("whole"));
    let record = p.json("whole/run.json");
    assert!(checks(&record).iter().all(|(_, _, verdict)| verdict != "fail"), "{record:#}");
    let has = |name: &str| checks(&record).iter().any(|c| c.1.contains(name) && c.2 == "pass");
    assert!(has("nothing lost: NewOrder") && has("condition 12"), "{:#?}", checks(&record));

    let ledger = p.json("driver-2/ledger.json");
    let order = &ledger["ledger"]["orders"][0];
    let key = format!("{}.{}.{}", order[0], order[1], order[2]);
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    assert_eq!(database.execute("DELETE FROM orders WHERE key = ?1", [&key]).unwrap(), 1);
    p.fails(&joint("lost"), 1, &["failed", "VOID"]);
    assert!(p.json("lost/run.json")["checks"].to_string().contains(&format!("orders {key} was")));
    // A ledger that names what cannot be is no cause to give up.
    let mut odd = ledger;
    odd["ledger"]["orders"][0][0] = 0.into();
    odd["ledger"]["deliveries"].as_array_mut().unwrap().push(serde_json::json!([0, 11, 0, 7]));
    p.write("driver-2/ledger.json", &odd.to_string());
    p.fails(&joint("odd"), 1, &["failed", "VOID"]);
}
