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
        "b against a: ops/s ",
        " over 2 steps, ",
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

#[test]
fn a_run_loads_its_databases_first() {
    let p = Place::new();
    let of = |more: &str| format!("{RUN} --target a=sqlite:a.db --target b=sqlite:b.db {more}");
    let plan = p.ok(&of("--load --dry-run"));
    assert!(plan.err.contains("300 documents") && plan.out.contains("3 times"), "{plan:#?}");
    assert!(!there(&p, "a.db"));
    let end = p.ok(&of("--load --repeat 1 --out both"));
    for told in ["load a, 1 of 2", "load b, 2 of 2", "300 documents, about"] {
        assert!(end.err.contains(told), "{told}: {end:#?}");
    }
    assert!(there(&p, "both/report.html"));
    // What is there is not written over.
    let said = ["nothing was run", "--load=", "whole there already"];
    p.fails(&of("--load --repeat 1 --out again"), 3, &said);
    assert!(!there(&p, "again"));
    let anew = p.ok(&of("--load=--replace --repeat 1 --out anew --json")).value();
    assert_eq!(anew["page"], "anew/report.html");
    // What cannot be run loads nothing.
    let late = "--target a=sqlite:a.db --target late=sqlite:late.db --load";
    p.fails(&format!("{RUN} {late} --out both"), 2, &["both", "not empty"]);
    p.fails(&format!("{RUN} {late} --export csv=a.csv"), 2, &["--export"]);
    assert!(!there(&p, "late.db"));
    let one = p.ok(&format!("{RUN} --target sqlite:one.db --load --out one"));
    assert!(one.err.contains("300 documents") && there(&p, "one/run.json"), "{one:#?}");
}

#[test]
fn what_no_server_tells_stands_beside_the_result() {
    let p = Place::new();
    p.ok(LOAD);
    p.write(
        "facts.toml",
        "where = \"zone 1\"\n[a]\ninstance = \"m7g.2xlarge\"\nmemory = \"1 KB\"\n\
         [b]\nprice = \"0.33 USD an hour\"\nwhere = \"zone 2\"\n",
    );
    let run = format!("{RUN} --target a=sqlite:a.db --server-facts facts.toml --repeat 1");
    let end = p.ok(&format!("{run} --target b=sqlite:b.db --out both"));
    let words = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "more than its memory of 1.00 kB; server m7g.2xlarge, memory 1 KB, zone 1, in the driver's",
        "less than its memory of ",
        "server price 0.33 USD an hour, zone 2, in the driver's process.",
    ] {
        assert!(words.contains(told), "{told}: {}", end.out);
    }
    let page = p.text("both/report.html");
    let promises = page.split("<table id=\"promises\">").nth(1).unwrap();
    assert!(promises.split("</table>").next().unwrap().contains("m7g.2xlarge"));
    // A name that is wrong is not silently without facts.
    p.write("facts.toml", "[A]\nwhere = \"zone 1\"\n");
    p.fails(&run, 2, &["facts.toml", "nothing of a: write a table [a]"]);
    for wrong in ["plase = \"x\"", "memory = 3", "where = "] {
        p.write("facts.toml", wrong);
        p.fails(&run, 2, &["facts.toml"]);
    }
}
