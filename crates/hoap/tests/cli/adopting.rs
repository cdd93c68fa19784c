//! Data that another program imported is checked and adopted; ranges of a table are joined.

use rusqlite::Connection;
use serde_json::Value;

use super::{End, Place};

/// Benchmarks with the parameters of their data.
const DATA: [&str; 4] = [
    "ycsb -p recordcount=2500",
    "shop --customers 2000 --customers-per-zip 100",
    "ch2 --scale-down 100",
    "ch2pp --scale-down 100",
];

/// The documents of `data` in `t.db`, as another program leaves them: without a note, without
/// indexes, in a file of its own.
fn imported(p: &Place, data: &str) -> Connection {
    p.ok(&format!("load {data} --target sqlite:loaded.db"));
    let _ = std::fs::remove_file(p.path("t.db"));
    let file = Connection::open(p.path("t.db")).unwrap();
    let attach = format!("ATTACH '{}' AS loaded", p.path("loaded.db").display());
    file.execute_batch(&attach).unwrap();
    let tables = "SELECT name, sql FROM loaded.sqlite_schema WHERE type = 'table'
                  AND name NOT LIKE 'hoap%' AND name NOT LIKE 'sqlite%'";
    let tables: Vec<(String, String)> = {
        let mut tables = file.prepare(tables).unwrap();
        let rows = tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    for (name, sql) in tables {
        file.execute_batch(&format!("{sql}; INSERT INTO {name} SELECT * FROM loaded.{name}"))
            .unwrap();
    }
    file.execute_batch("DETACH loaded").unwrap();
    std::fs::remove_file(p.path("loaded.db")).unwrap();
    file
}

fn note(p: &Place) -> Value {
    let text = "SELECT value FROM hoap_note WHERE name = 'note'";
    let file = Connection::open(p.path("t.db")).unwrap();
    let text: String = file.query_row(text, [], |row| row.get(0)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn what_another_program_imported_is_adopted_and_used_as_a_load() {
    for data in DATA {
        for check in ["", "--check full"] {
            let p = Place::new();
            drop(imported(&p, data));
            let run = match data.split(' ').next().unwrap() {
                "ycsb" => "run ycsb-a --target",
                "shop" => "run join --target",
                ch2 => &format!("run {ch2} --tx-clients 1 --query-clients 0 --operational"),
            };
            let run = format!("{run} sqlite:t.db --operations 50 --warmup 0s --out run");
            p.fails(&run, 3, &["holds none", "hoap load"]);
            let end = p.ok(&format!("load {data} --target sqlite:t.db --adopt {check} --json"));
            let adopted = &end.value()["adopted"];
            let [documents, compared] =
                ["documents", "compared"].map(|name| adopted[name].as_u64().unwrap());
            assert_eq!(documents == compared, check == "--check full", "{adopted}");
            assert!(compared >= 1000, "{adopted}");
            p.ok(&run);
            let load = &p.json("run/run.json")["load"];
            assert!(load["documents"] == documents && load["seconds"] == 0.0, "{load}");
            // From then on it is what a load made.
            p.fails(&format!("load {data} --target sqlite:t.db --adopt"), 3, &["already"]);
            p.ok(&format!("load {data} --target sqlite:t.db --replace"));
        }
    }
}

#[test]
fn what_differs_is_named_and_nothing_is_written() {
    let one = |text: &str| format!("{text} WHERE key = (SELECT max(key) FROM usertable)");
    let changed = one("UPDATE usertable SET doc = jsonb_set(doc, '$.field3', 'x')");
    let removed = one("DELETE FROM usertable");
    let renamed = one("UPDATE usertable SET key = 'another'");
    let added = "INSERT INTO usertable VALUES ('another', jsonb('{}'))";
    let first = "UPDATE usertable SET doc = jsonb_set(doc, '$.field3', 'x')";
    let whole = "--check full";
    for (change, flags, says) in [
        (&*changed, whole, &["usertable user", "field3 is \"x\", it must be "][..]),
        (first, "", &["usertable user", "field3 is \"x\""]),
        (&removed, "", &["usertable has no document user"]),
        (&removed, whole, &["usertable has no document user"]),
        (&renamed, whole, &["usertable has no document user"]),
        (added, whole, &["usertable holds 501 documents, a load makes 500"]),
        ("", "--seed 2", &["usertable user", "is \""]),
        ("", "-p fieldcount=11", &["field10 is null"]),
        ("", "-p recordcount=501", &["usertable"]),
        ("DROP TABLE usertable", "", &["there is no collection usertable", "--adopt"]),
        ("CREATE TABLE thesis (title)", "", &["thesis", "another file"]),
        ("DROP TABLE usertable; CREATE TABLE usertable (key TEXT, doc BLOB)", "", &["usertable"]),
    ] {
        let p = Place::new();
        let file = imported(&p, "ycsb -p recordcount=500");
        file.execute_batch(change).unwrap();
        drop(file);
        let before = p.read("t.db");
        let mut line = format!("load ycsb --target sqlite:t.db --adopt {flags}");
        if !flags.contains("recordcount") {
            line += " -p recordcount=500";
        }
        p.fails(&line, 3, says);
        assert!(p.read("t.db") == before, "{change} {flags}");
    }
}

/// Ranges of a table come one after the other, loaded or imported, in any order.
#[test]
fn ranges_of_a_table_that_follow_each_other_are_joined() {
    let range = |start: u64, count: u64| {
        format!(
            "load ycsb --target sqlite:t.db -p recordcount=300 -p insertstart={start} \
             -p insertcount={count}"
        )
    };
    let p = Place::new();
    p.ok("load ycsb --target sqlite:whole.db -p recordcount=300");
    p.ok(&range(100, 100));
    p.fails(&range(250, 50), 3, &["follow each other", "--part I/N"]);
    p.ok(&range(200, 100));
    // What is there already is whole, and finishing it changes nothing.
    p.fails(&range(200, 100), 3, &["whole there already"]);
    p.ok(&format!("{} --resume", range(200, 100)));
    p.ok(&range(0, 100));
    let whole = note(&p);
    assert_eq!((&whole["data"]["start"], &whole["data"]["records"]), (&0.into(), &300.into()));
    let file = Connection::open(p.path("t.db")).unwrap();
    let attach = format!("ATTACH '{}' AS whole", p.path("whole.db").display());
    file.execute_batch(&attach).unwrap();
    let of = |schema: &str| -> (i64, i64) {
        let text = format!(
            "SELECT value ->> '$.load.documents', value ->> '$.load.bytes' FROM {schema}.hoap_note
             WHERE name = 'note'"
        );
        file.query_row(&text, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    };
    assert_eq!(of("main"), of("whole"));
    let differ = "SELECT count(*) FROM (SELECT key, doc FROM main.usertable
                  EXCEPT SELECT key, doc FROM whole.usertable)";
    assert_eq!(file.query_row(differ, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    // The last range comes from another program.
    let again = Place::new();
    drop(imported(&again, "ycsb -p recordcount=300 -p insertstart=0 -p insertcount=200"));
    let adopt = |start, count| again.ok(&format!("{} --adopt --check full", range(start, count)));
    adopt(0, 200);
    let attach = format!("ATTACH '{}' AS whole", p.path("whole.db").display());
    let file = Connection::open(again.path("t.db")).unwrap();
    file.execute_batch(&attach).unwrap();
    let rest = "INSERT INTO main.usertable SELECT * FROM whole.usertable
                WHERE key NOT IN (SELECT key FROM main.usertable)";
    assert_eq!(file.execute(rest, []).unwrap(), 100);
    drop(file);
    adopt(200, 100);
    for place in [&p, &again] {
        place
            .ok("run ycsb-a --target sqlite:t.db -p recordcount=300 --operations 100 --warmup 0s \
             --out run");
    }
    // A run has written: what follows would be no range of what was loaded.
    let more = "load ycsb --target sqlite:t.db -p recordcount=400 -p insertstart=300";
    p.fails(more, 3, &["before any run", "another file"]);
}

/// A range that is killed goes on where it was, and the ranges before it stay.
#[test]
fn a_range_that_is_interrupted_is_finished_and_another_has_to_wait() {
    let p = Place::new();
    let range = |start: u64| {
        format!(
            "load ycsb --target sqlite:t.db -p recordcount=40000 -p insertstart={start} \
             -p insertcount=20000 --load-clients 1"
        )
    };
    p.ok(&range(0));
    let rows = || -> i64 {
        let file = Connection::open(p.path("t.db")).unwrap();
        file.query_row("SELECT count(*) FROM usertable", [], |row| row.get(0)).unwrap()
    };
    let mut killed = p.spawn(&format!("{} --rate 20k", range(20_000)));
    super::until("some of the range is there", || {
        assert_eq!(killed.try_wait().unwrap(), None);
        rows() > 20_000
    });
    killed.kill().unwrap();
    End::of(killed.wait_with_output().unwrap());
    p.fails(&range(0), 3, &["start 20000, not 0", "--resume"]);
    p.fails("run ycsb-c --target sqlite:t.db --out run", 3, &["half-loaded", "--resume"]);
    p.ok(&format!("{} --resume", range(20_000)));
    assert_eq!(rows(), 40_000);
    assert_eq!(note(&p)["data"]["records"], 40_000);
}
