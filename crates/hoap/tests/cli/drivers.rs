//! Several drivers of one run: their starts, their parts, their clocks.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::compare::two_drivers;
use super::{End, Place};

fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

/// Its clients are connected when it waits. A driver that does nothing for a second afterwards
/// begins late, and what it measured is no part of what the others did.
#[test]
fn a_driver_that_begins_late_is_void_and_not_merged() {
    let p = Place::new();
    let run = |n: u32, start| {
        let line = format!(
            "run ycsb-c --target null:?latency_us=1000 -p recordcount=100 --duration 1s --warmup 0s \
             --clients 2,{} --start-at {start} --part {n}/2 --out driver-{n}",
            n + 2
        );
        p.command(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let start = jiff::Timestamp::now() + Duration::from_secs(5);
    let (one, mut two) = (run(1, start), run(2, start));
    let mut told = BufReader::new(two.stderr.take().unwrap()).lines().map(Result::unwrap);
    let waits = told.find(|line| line.contains("waiting until")).expect("it never waited");
    assert!(waits.contains("its clients are connected"), "{waits}");
    signal(two.id(), "-STOP");
    while jiff::Timestamp::now() < start + Duration::from_secs(1) {
        std::thread::sleep(Duration::from_millis(50));
    }
    signal(two.id(), "-CONT");
    let told: Vec<String> = told.collect();
    assert_eq!(two.wait().unwrap().code(), Some(1), "{told:#?}");
    assert!(told.iter().any(|l| l.contains("check \"start\" failed")), "{told:#?}");
    let end = End::of(one.wait_with_output().unwrap());
    assert_eq!(end.code, 0, "{end:#?}");
    for (driver, late, verdict, steps) in [(1, 0.0..=0.25, "pass", 2), (2, 0.9..=60.0, "fail", 1)] {
        let record = p.json(&format!("driver-{driver}/run.json"));
        let first = &record["steps"][0]["start"];
        assert_eq!(first["at"], start.to_string());
        assert!(late.contains(&first["late_seconds"].as_f64().unwrap()), "{first}");
        assert_eq!(record["steps"].as_array().unwrap().len(), steps, "no step follows a late one");
        assert_eq!(record["steps"][1].get("start"), None);
        let check = record["checks"].as_array().unwrap().iter().find(|c| c["name"] == "start");
        assert_eq!(check.unwrap()["verdict"], verdict);
    }
    p.fails("merge driver-1 driver-2 -o out", 2, &["driver-2", "it began late", "start of step 1"]);
    assert!(!p.path("out").exists());
}

/// The starts are the same by clocks that differ by a minute: that the last write of another driver
/// is there is then not the database's fault.
#[test]
fn lost_writes_that_the_clocks_of_drivers_explain_are_told_so() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=20 -p fieldcount=1");
    let run = "run ycsb-a --target sqlite:t.db -p fieldcount=1 --duration 2s --warmup 100ms";
    two_drivers(&p, 4, run, "--clients");
    let joint = |out: &str| format!("merge driver-1 driver-2 --operational sqlite:t.db -o {out}");
    p.ok(&joint("whole"));
    let mut ledger = p.json("driver-2/ledger.json");
    for write in ledger["writes"].as_array_mut().unwrap() {
        for time in ["start", "end"] {
            write[time] = (write[time].as_u64().unwrap() + 60_000_000_000).into();
        }
    }
    p.write_ledger("driver-2", &ledger);
    p.fails(&joint("fast"), 1, &["check \"nothing lost: writes\" failed"]);
    let checks = p.json("fast/run.json")["checks"].to_string();
    assert!(checks.contains("drivers' CLOCKS differ"), "{checks}");
    // Between two writes of one key lie at most the seconds of the run.
    let apart = checks.split(" up to ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((56.0..=64.0).contains(&apart.parse::<f64>().unwrap()), "{checks}");

    // What no driver wrote is no matter of clocks.
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let gone = "DELETE FROM usertable WHERE key = (SELECT min(key) FROM usertable)";
    assert_eq!(database.execute(gone, []).unwrap(), 1);
    p.fails(&joint("lost"), 1, &["failed"]);
    assert!(!p.json("lost/run.json")["checks"].to_string().contains("CLOCKS"));
}

/// As a cluster hands one out: one file for what loads, runs and merges.
#[test]
fn one_file_names_the_database_for_every_command() {
    let p = Place::new();
    p.write("url.toml", "target = \"sqlite:t.db\"\noperational = \"sqlite:t.db\"\n");
    p.ok("load ycsb --config url.toml -p recordcount=50");
    two_drivers(&p, 4, "run ycsb-a --config url.toml --duration 1s --warmup 100ms", "--clients");
    p.ok("merge driver-1 driver-2 --config url.toml -o whole");
    let checks = p.json("whole/run.json")["checks"].to_string();
    assert!(checks.contains("nothing lost: writes") && !checks.contains("skip"), "{checks}");
    p.write("wrong.toml", "target = \"sqlite:t.db\"\ntargets = \"sqlite:t.db\"\n");
    p.fails("load ycsb --config wrong.toml", 2, &["unknown key \"targets\""]);
    p.write("wrong.toml", "[load.ycsb]\noperational = \"sqlite:t.db\"\n");
    p.fails("load ycsb --target sqlite:x.db --config wrong.toml", 2, &["unknown key \"operat"]);
}

#[test]
fn a_scheduler_names_the_part_and_a_part_goes_on_where_it_was() {
    let p = Place::new();
    let under = |set: &[(&str, &str)], line: &str| {
        let mut command = p.command(line);
        for name in ["JOB_COMPLETION_INDEX", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_ARRAY_TASK_ID"]
        {
            command.env_remove(name);
        }
        End::of(command.envs(set.iter().copied()).output().unwrap())
    };
    let load = "load ycsb --target sqlite:t.db -p recordcount=100 --part auto/2";
    let none = under(&[], load);
    let all = ["JOB_COMPLETION_INDEX", "SLURM_PROCID", "SLURM_ARRAY_TASK_ID"];
    assert!(none.code == 2 && all.iter().all(|name| none.err.contains(name)), "{none:#?}");
    let one = under(&[("JOB_COMPLETION_INDEX", "0")], load);
    assert!(one.err.contains("part 1/2, from JOB_COMPLETION_INDEX"), "{one:#?}");
    // Begun and not finished, as if it had been killed before its last word.
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let again = under(&[("JOB_COMPLETION_INDEX", "0")], load);
    assert!(again.code == 0 && again.out.contains("0 documents"), "{again:#?}");
    drop(database);
    p.fails(&load.replace("auto", "1"), 3, &["begun there already", "--resume"]);
    let two = under(&[("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")], load);
    assert!(two.code == 0 && two.err.contains("part 2/2, from SLURM_PROCID"), "{two:#?}");

    let start = jiff::Timestamp::now() + Duration::from_secs(2);
    let run = format!(
        "run ycsb-c --target sqlite:t.db --duration 300ms --warmup 0s --part auto/2 --start-at {start}"
    );
    let end = under(&[("SLURM_ARRAY_TASK_ID", "2")], &format!("{run} --out run"));
    assert!(end.code == 0 && end.err.contains("part 2/2, from SLURM_ARRAY_TASK_ID"), "{end:#?}");
    let flags = p.json("run/run.json")["configuration"].take();
    assert_eq!(
        (&flags["part"], &flags["part-from"]),
        (&"2/2".into(), &"SLURM_ARRAY_TASK_ID".into())
    );

    let files = "gen ycsb -p recordcount=10 --part auto/2 -o files";
    for _ in 0..2 {
        let end = under(&[("JOB_COMPLETION_INDEX", "1")], files);
        assert!(end.code == 0 && end.err.contains("part 2/2"), "{end:#?}");
    }
}
