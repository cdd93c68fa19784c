//! Operations that fail, and secrets that must not be told.

use super::Place;

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
    let run = "run ycsb-c --target sqlite:t.db --warmup 100ms -p recordcount=50";
    let end = p.ok(&format!("{run} --clients 1,2 --duration 1s --out goes-on"));
    assert!(end.out.contains("What went wrong and when"), "{}", end.out);
    let record = p.json("goes-on/run.json");
    assert_eq!(record["configuration"]["on-error"], "continue");
    let events = record["events"].as_array().unwrap();
    assert_eq!(events.len(), 2, "one for each step: {events:#?}");
    for (event, step) in events.iter().zip(record["steps"].as_array().unwrap()) {
        assert_eq!((&event["step"], &event["side"]), (&step["number"], &"operations".into()));
        assert_eq!(event["what"], "broken promise");
        assert!(
            event["count"].as_u64()
                >= step["transactions"][0]["failures"]["broken promise"].as_u64()
        );
    }
    assert!(record.get("stopped_by").is_none());

    let stops =
        format!("{run} --clients 1,2 --duration 10m --on-error stop,conflict=continue --out ends");
    let end = p.fails(&stops, 3, &["--on-error", "user"]);
    assert!(end.out.contains("! the error that ended it: "), "{}", end.out);
    let record = p.json("ends/run.json");
    assert_eq!(record["steps"].as_array().unwrap().len(), 1);
    assert_eq!(record["partial"], "an error ended it in step 1 of 2");
    assert!(record["checks"].as_array().unwrap().len() >= 2, "the data was checked all the same");
    p.ok("report ends -o page.html");

    p.fails(&format!("{run} --on-error halt"), 2, &["continue or stop"]);
    p.fails(&format!("{run} --on-error lost=stop"), 2, &["the kinds are conflict,"]);
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
