//! Operations that fail, and secrets that must not be told.

use std::process::Stdio;
use std::time::Duration;

use super::{End, Place, gone};

/// A table whose records were all overwritten with something else.
fn broken_table() -> Place {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=50");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    database.execute_batch("UPDATE usertable SET doc = jsonb('[1]')").unwrap();
    p
}

#[test]
fn failures_are_counted_and_dated_or_end_the_run_as_told() {
    let p = broken_table();
    // The checks of the data would end it before the first read.
    let run = "run ycsb-c --target sqlite:t.db --warmup 100ms -p recordcount=50 --check off";
    let goes_on = format!("{run} --clients 1,2 --duration 1s --max-failures off --out goes-on");
    p.ok(&goes_on);
    let told = p.ok("show --full goes-on").out;
    assert!(told.contains("What went wrong and when"), "{told}");
    let record = p.json("goes-on/run.json");
    assert_eq!(record["configuration"]["on-error"], "continue");
    let events = record["events"].as_array().unwrap();
    assert_eq!(events.len(), 2, "one for each step: {events:#?}");
    for (event, step) in events.iter().zip(record["steps"].as_array().unwrap()) {
        assert_eq!((&event["step"], &event["side"]), (&step["number"], &"operations".into()));
        assert_eq!(event["what"], "broken");
        assert!(event["count"].as_u64() >= step["transactions"][0]["failures"]["broken"].as_u64());
    }
    assert!(record.get("stopped_by").is_none());

    let stops =
        format!("{run} --clients 1,2 --duration 10m --on-error stop,conflict=continue --out ends");
    let end = p.fails(&stops, 3, &["--on-error", "user"]);
    assert!(end.out.contains("! the error that ended it: "), "{}", end.out);
    let record = p.json("ends/run.json");
    assert_eq!(record["steps"].as_array().unwrap().len(), 1);
    assert_eq!(record["partial"], "an error ended it in step 1 of 2");
    p.ok("report ends -o page.html");

    p.fails(&format!("{run} --on-error halt"), 2, &["continue or stop"]);
    p.fails(&format!("{run} --on-error lost=stop"), 2, &["the kinds are conflict,"]);
}

/// Runs it, and drops a table from outside while operations are measured.
fn dropped_in(p: &Place, line: &str, out: &str, table: &str) -> End {
    let line = format!("{line} --out {out}");
    let running = p.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    gone::until_measured(&p.path(out));
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    database.busy_timeout(Duration::from_secs(60)).unwrap();
    database.execute_batch(&format!("DROP TABLE {table}")).unwrap();
    End::of(running.wait_with_output().unwrap())
}

#[test]
fn a_table_dropped_in_mid_run_is_lost_and_the_check_says_so_at_once() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=200");
    let run = "run ycsb-a --target sqlite:t.db --warmup 100ms --tick 100ms --recovery-limit 10m";
    let line = format!("{run} --clients 2 --duration 4s");
    let end = dropped_in(&p, &line, "ycsb", "usertable");
    assert_eq!(end.code, 1, "{end:#?}");
    let told = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the collection is gone: read usertable"), "{end:#?}");
    gone::is_told(&p.json("ycsb/run.json"), "usertable", gone::MISSING, 0);

    p.ok("load ch2pp --target sqlite:t.db --scale-down 100 --replace");
    let run =
        "run ch2pp --operational sqlite:t.db --warmup 100ms --tick 100ms --recovery-limit 10m";
    let line = format!("{run} --tx-clients 2 --query-clients 0 --duration 10m");
    let end = dropped_in(&p, &format!("{line} --on-error missing=stop"), "ch2pp", "orders");
    assert_eq!(end.code, 1, "{end:#?}");
    let record = p.json("ch2pp/run.json");
    gone::is_told(&record, "orders", gone::MISSING, 0);
    assert!(record["stopped_by"].as_str().unwrap().contains("no such table"));
}

#[test]
fn a_password_among_the_words_is_refused_and_one_in_the_file_is_never_told() {
    let p = Place::new();
    let commands = [
        "run ycsb-a --target",
        "run ch2pp --operational",
        "run ch2pp --operational sqlite:t.db --analytical",
        "load ch2pp --target",
        "verify ch2pp --target",
        "query ch2pp --analytical",
    ];
    let url = "postgres://me:hunter2@localhost:1/d";
    for command in commands {
        for line in [format!("{command} {url}"), format!("{command}={url}")] {
            let end = p.fails(&line, 2, &["--config", "me:***@localhost"]);
            assert!(!format!("{end:?}").contains("hunter2"), "{end:?}");
        }
    }
    p.fails("load ch2pp --target redis://h/?password=hunter2", 2, &["password=***"]);
    p.write("hoap.toml", &format!("target = \"{url}\"\nwarehouses = 1"));
    // This build may know the database or not: whatever it says, it does not say the password.
    let end = p.run("load ch2pp --config hoap.toml");
    assert!(end.code == 2 || end.code == 3, "{end:?}");
    assert!(!format!("{end:?}").contains("hunter2"), "{end:?}");
}
