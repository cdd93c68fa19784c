//! What a run is known by.

use serde_json::json;

use super::schema::valid;
use super::{End, Place};

const RUN: &str = "run ycsb-c --target null: -p recordcount=100 --operations 100 --warmup 0s";

#[test]
fn labels_come_from_flags_a_file_and_ci_and_are_shown_and_compared() {
    let p = Place::new();
    p.write("hoap.toml", "[run.label]\ntestbed = \"lab\"\ncommit = \"old\"\nrelease = 3\n");
    let line = format!("{RUN} --config hoap.toml --label commit=4f2a --out one");
    let mut command = p.command(&line);
    command.envs([("GITLAB_CI", "true"), ("CI_COMMIT_SHA", "ff"), ("CI_COMMIT_REF_NAME", "main")]);
    let end = End::of(command.output().unwrap());
    assert_eq!(end.code, 0, "{end:#?}");
    let record = p.json("one/run.json");
    valid(&record);
    let wanted = json!({"branch": "main", "commit": "4f2a", "release": "3", "testbed": "lab"});
    assert_eq!(record["labels"], wanted);
    assert!(end.out.contains("label commit"), "{end:#?}");

    p.ok(&format!("{RUN} --label commit=9c01 --by ada --out two"));
    assert_eq!(p.json("two/run.json")["labels"], json!({"by": "ada", "commit": "9c01"}));
    p.ok("report one two -o page.html");
    let page = p.text("page.html");
    assert!(page.contains("label commit") && page.contains("4f2a"), "the page has no labels");
    let end = p.ok("compare one two");
    assert!(end.out.contains("label commit") && end.out.contains("9c01"), "{end:#?}");
}

#[test]
fn what_no_record_has_is_refused_before_anything_is_written() {
    let p = Place::new();
    // What a run would write, and no command read.
    let many_labels: String = (0..65).map(|n| format!("--label k{n}=v ")).collect();
    let many_steps = format!("--clients 1{}", ",1".repeat(900));
    for (words, told) in [
        ("--label commit", "KEY=VALUE"),
        ("--label commit=", "1 to 200 characters"),
        ("--label a=1 --label a=2", "a is given twice"),
        ("--by ada --label by=bob", "by is given twice"),
        (&*many_labels, "65, more than 64"),
        (&*many_steps, "901 steps, more than 900"),
        ("--label on=postgres://me:hunter2@h/d", "shows its password"),
    ] {
        let end = p.run(&format!("{RUN} {} --out run", words.trim()));
        assert!(end.code == 2 && end.err.contains(told), "{words}: {end:#?}");
        assert!(!end.err.contains("hunter2") && !p.path("run").exists(), "{words}: {end:#?}");
    }
}
