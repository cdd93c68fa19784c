//! Experiments: the built-in ones rehearsed, a user's own, interruptions and what is refused.

use std::process::Stdio;

use serde_json::Value;

use super::{End, Place, gone};

/// Runs `hoap experiment run` with this configuration, whose label may have spaces.
fn run(p: &Place, label: &str, line: &str) -> End {
    let line = format!("experiment run {line}");
    End::of(p.command(&line).args(["--configuration", label]).output().unwrap())
}

const FIG8: &str = "ch2pp-fig8 --scale-down 1000 --out fig8";
const BOTH: &str = "--operational sqlite:a.db --analytical sqlite:a.db";

#[test]
fn experiments_are_listed_shown_and_planned() {
    let p = Place::new();
    let listed = p.ok("experiment list");
    assert!(listed.out.lines().all(|line| line.chars().count() <= 80), "{}", listed.out);
    let listed = p.ok("--json experiment list").value();
    assert_eq!(listed.as_array().unwrap().len(), 15);
    for experiment in listed.as_array().unwrap() {
        let name = experiment["name"].as_str().unwrap();
        let shown = p.ok(&format!("experiment show {name}"));
        assert!(shown.out.contains("[[configuration]]"), "{name}");
        // Every configuration's commands are ones that hoap takes.
        for label in experiment["configurations"].as_array().unwrap() {
            let label = label.as_str().unwrap();
            let hybrid = name.starts_with("ch2") || name == "frontier";
            let targets = match (hybrid, label.ends_with("0A")) {
                (true, true) => "--operational null:",
                (true, false) => "--operational null: --analytical null:",
                _ => "--target null:",
            };
            let end = run(&p, label, &format!("{name} {targets} --dry-run --json"));
            assert_eq!(end.code, 0, "{name}, {label}: {end:#?}");
            let stages = end.value()["stages"].clone();
            let documents: u64 =
                stages.as_array().unwrap().iter().filter_map(|s| s["documents"].as_u64()).sum();
            assert!(documents >= 5_000_000, "{name}, {label}: {stages}");
            assert!(stages.as_array().unwrap().iter().any(|s| s["steps"].as_u64() > Some(0)));
        }
    }
    let plan = run(&p, "4Q+4A", &format!("ch2pp-fig8 {BOTH} --dry-run")).out;
    // 1,000 warehouses of 199,011 documents, and 110,067 items, suppliers, nations and regions.
    assert!(plan.contains("199121067 documents") && plan.contains("9 steps"), "{plan}");
    assert!(plan.lines().all(|line| line.chars().count() <= 80), "{plan}");
    assert!(!p.path("fig8").exists() && !p.path("ch2pp-fig8").exists(), "nothing ran");
}

#[test]
fn a_rehearsal_runs_configuration_by_configuration_and_its_page_says_what_it_is() {
    let p = Place::new();
    let end = run(&p, "4Q+0A", &format!("{FIG8} --operational sqlite:a.db"));
    assert_eq!(end.code, 0, "{end:#?}");
    let end = run(&p, "4Q+4A", &format!("{FIG8} {BOTH} --loaded"));
    assert_eq!(end.code, 0, "{end:#?}");
    let record = p.json("fig8/4Q+4A/hybrid/run.json");
    let clients: Vec<(u64, u64)> = record["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["tx_clients"].as_u64().unwrap(), s["query_clients"].as_u64().unwrap()))
        .collect();
    assert_eq!(clients, [(0, 1), (1, 1)], "the queries alone, then beside transactions");

    let end = p.ok("experiment report fig8");
    let told = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in ["REHEARSAL", "divided by 1000", "missing: 8Q+4A: hybrid"] {
        assert!(told.contains(says), "no {says:?} in {told}");
    }
    let page = String::from_utf8(p.read("fig8/report.html")).unwrap();
    for says in ["REHEARSAL", "figures 8a, 8b and 9", "Otherwise than there", "4Q+0A", "table 2"] {
        assert!(page.contains(says), "no {says:?} on the page");
    }
    // Done is done.
    let again = run(&p, "4Q+4A", &format!("{FIG8} {BOTH}"));
    assert_eq!(again.code, 2, "{again:#?}");
    assert!(again.err.contains("it has begun already; go on with it by --resume"), "{again:#?}");
    let resumed = run(&p, "4Q+4A", &format!("{FIG8} {BOTH} --loaded --resume"));
    assert!(resumed.out.contains("0 stages done"), "{resumed:#?}");
}

/// A user's own: a load and three short runs.
const OWN: &str = r#"
title = "Reads by clients"
about = "Two of a kind."
targets = { target = "any" }
[[stage]]
name = "load"
command = "load"
benchmark = "ycsb"
flags = { target = "{target}", property = ["recordcount=300"] }
[[stage]]
name = "first"
command = "run"
benchmark = "ycsb-c"
flags = { target = "{target}", clients = [1, 2], duration = "300ms", warmup = "10ms" }
[[stage]]
name = "second"
command = "run"
benchmark = "ycsb-a"
flags = { target = "{target}", clients = [1], duration = "20s", warmup = "10ms" }
[[stage]]
name = "third"
command = "run"
benchmark = "ycsb-b"
flags = { target = "{target}", clients = [1], duration = "300ms", warmup = "10ms" }
[[configuration]]
label = "here"
about = "this machine"
"#;

#[test]
fn an_interrupted_one_goes_on_where_it_was_with_nothing_repeated_and_nothing_missing() {
    let p = Place::new();
    p.write("own.toml", OWN);
    let line = "experiment run own.toml --target sqlite:t.db --out e";
    let mut running = p.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    gone::until_measured(&p.path("e/here/second"));
    running.kill().unwrap();
    running.wait().unwrap();
    let first = p.read("e/here/first/run.json");
    let states = p.json("e/experiment.json")["configurations"]["here"]["stages"].clone();
    assert_eq!((&states["first"], &states["second"]), (&"done".into(), &"begun".into()));
    p.fails("experiment report nowhere", 2, &["nowhere", "name the folder of an experiment"]);

    // The second is long only to be interrupted.
    let end = p.fails(line, 2, &["go on with it by --resume"]);
    assert!(end.out.is_empty());
    let end = p.ok(&format!("{line} --resume"));
    assert!(end.out.contains("2 stages done"), "{end:#?}");
    assert_eq!(p.read("e/here/first/run.json"), first, "the first was not repeated");
    assert!(p.path("e/here/second.interrupted-1").exists(), "what was interrupted is kept");
    for name in ["second", "third"] {
        assert_eq!(p.json(&format!("e/here/{name}/run.json"))["partial"], Value::Null, "{name}");
    }
    p.ok("experiment report e -o page.html");

    // What it was begun with must be what it goes on with.
    for (change, says) in [
        ("--target sqlite:u.db", "begun on sqlite:t.db, and this is sqlite:u.db"),
        ("--target sqlite:t.db --scale-down 2", "--scale-down none, and this is 2"),
    ] {
        p.fails(&format!("experiment run own.toml --out e --resume {change}"), 2, &[says]);
    }
    p.write("own.toml", &OWN.replace("300ms", "400ms"));
    p.fails(&format!("{line} --resume"), 2, &["its file is not the one it was begun with"]);
    p.write("own.toml", OWN);
    let record = String::from_utf8(p.read("e/experiment.json")).unwrap();
    p.write("e/experiment.json", &record.replace(env!("CARGO_PKG_VERSION"), "0.0.1"));
    p.fails(&format!("{line} --resume"), 2, &["begun with hoap 0.0.1, and this is"]);
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let p = Place::new();
    p.write("own.toml", OWN);
    p.fails("experiment run fig8 --target null:", 2, &["there is none of this name"]);
    p.fails("experiment show fig8", 2, &["hoap experiment list"]);
    p.fails("experiment run none.toml --target null:", 2, &["read the experiment none.toml"]);
    p.fails("experiment run own.toml", 2, &["configuration here needs --target URL: any"]);
    p.fails("experiment run ch2pp-fig8", 2, &["name one with --configuration: 4Q+4A; 8Q+4A"]);
    for (from, to, says) in [
        ("title", "titel", "line 2: unknown field `titel`"),
        ("clients = [1, 2]", "clints = [1, 2]", "unknown key \"clints\""),
        ("\"300ms\"", "\"soon\"", "invalid value 'soon' for '--duration"),
        ("\"ycsb-b\"", "\"ycsb-z\"", "read the stage third"),
    ] {
        p.write("wrong.toml", &OWN.replacen(from, to, 1));
        p.fails("experiment run wrong.toml --target sqlite:t.db --out e", 2, &[says]);
        assert!(!p.path("e").exists() && !p.path("t.db").exists(), "{to}: something ran");
    }
}
