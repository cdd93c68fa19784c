//! Several databases by one command.

use std::path::Path;

use super::Place;

const LOAD: &str = "load ycsb -p recordcount=300 --target a=sqlite:a.db --target b=sqlite:b.db";
const RUN: &str = "run ycsb-a -p recordcount=300 --clients 1,2 --operations 200 --warmup 0s";

fn there(p: &Place, path: &str) -> bool {
    Path::new(&p.path(path)).exists()
}

#[test]
fn databases_take_turns_and_stand_side_by_side() {
    let p = Place::new();
    p.ok(LOAD);
    let databases = "--target a=sqlite:a.db --target b=sqlite:b.db?synchronous=off";
    let end = p.ok(&format!("{RUN} {databases} --out all"));
    for line in [
        "YCSB A on a, b: 3 runs each, by turns",
        "× a (95 %)",
        "a: SQLite",
        "durability a commit is on disk when",
        "durability commits may be lost",
        "b against a: ops/s × ",
        " at 2 clients.",
        "all/report.html",
    ] {
        let words = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(line), "{line}: {}", end.out);
    }
    assert!(end.out.lines().all(|line| line.chars().count() <= 80), "{}", end.out);
    // Each second time in the other order.
    let turns = end.err.lines().filter_map(|line| line.strip_prefix("run "));
    let turns: Vec<&str> = turns.collect();
    let wanted =
        ["1 of 3 on a", "1 of 3 on b", "2 of 3 on b", "2 of 3 on a", "3 of 3 on a", "3 of 3 on b"];
    assert_eq!(turns, wanted);
    for folder in ["all/a/01", "all/a/03", "all/b/02"] {
        assert!(there(&p, &format!("{folder}/run.json")), "{folder}");
    }
    let page = p.text("all/report.html");
    assert!(page.contains("sqlite:a.db") && page.contains("sqlite:b.db"));
    // Their folders are as those of repetitions.
    p.ok("compare all/a all/b");
    let value = p.ok(&format!("{RUN} {databases} --repeat 1 --out once --json")).value();
    assert_eq!(value["page"], "once/report.html");
    assert_eq!(value["comparison"]["baseline"]["runs"].as_array().unwrap().len(), 1);
    assert!(!there(&p, "once/a/02"));
}

#[test]
fn a_file_names_several_and_a_name_of_one_is_nothing_more() {
    let p = Place::new();
    p.ok(LOAD);
    p.write("both.toml", "target = [\"a=sqlite:a.db\", \"b=sqlite:b.db\"]\n");
    p.ok(&format!("{RUN} --config both.toml --repeat 1 --out both"));
    assert!(there(&p, "both/b/01/run.json"));
    p.ok(&format!("{RUN} --target one=sqlite:a.db --out one"));
    assert!(there(&p, "one/run.json"));
    let plan = p.ok(&format!("{RUN} --config both.toml --dry-run"));
    assert!(plan.out.contains("3 times") && plan.err.contains("of 2 databases"), "{plan:#?}");
}

#[test]
fn what_is_of_one_database_is_refused_with_several_before_any_is_opened() {
    let p = Place::new();
    let run = format!("{RUN} --target a=sqlite:a.db --target b=sqlite:b.db");
    for (flag, name) in [
        ("--metrics 127.0.0.1:0", "--metrics"),
        ("--export csv=out.csv", "--export"),
        ("--start-at 2100-01-01T00:00:00Z", "--start-at"),
    ] {
        p.fails(&format!("{run} {flag}"), 2, &[&format!("with {name}, which is of one")]);
    }
    p.fails(&format!("{RUN} --target sqlite:a.db --target sqlite:b.db"), 2, &["called sqlite"]);
    p.fails("verify ch2pp --target sqlite:a.db --target sqlite:b.db", 2, &["--target"]);
    // The name hides no password.
    let secret = format!("{RUN} --target a=postgres://me:topsecret@h/d --target b=sqlite:b.db");
    let end = p.fails(&secret, 2, &["shows its password"]);
    assert!(!end.err.contains("topsecret"), "{end:#?}");
    assert!(!there(&p, "a.db") && !there(&p, "runs"));
}

/// What was measured before a run that failed stays, and no comparison is made of it.
#[test]
fn a_run_that_fails_ends_them() {
    let p = Place::new();
    p.ok(LOAD);
    let databases = "--target a=sqlite:a.db --target b=sqlite:missing.db";
    let end = p.fails(&format!("{RUN} {databases} --out all"), 3, &["missing.db"]);
    assert!(!end.out.contains("×"), "{end:#?}");
    assert!(there(&p, "all/a/01/run.json") && !there(&p, "all/report.html"));
}
