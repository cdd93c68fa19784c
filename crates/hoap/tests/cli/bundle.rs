//! `hoap bundle` and `hoap audit`. What an audit finds is tested in its crate.

use serde_json::Value;

use super::{End, Place};

/// A golden run folder as an argument.
macro_rules! golden {
    ($name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/golden/folders/", $name)
    };
}

#[test]
fn a_bundle_of_runs_is_the_same_twice_and_its_audit_names_what_was_doctored() {
    let p = Place::new();
    p.ok("run ycsb-a --target null: -p recordcount=100 --operations 500 --warmup 0s --out run");
    let runs = format!("run {} {}", golden!("hybrid-1"), golden!("repeated-1"));
    let line =
        format!("bundle {runs} --reason synchronous=as-it-is --prices couchbase-cloud-2020 -o");
    let end = p.ok(&format!("{line} a.hoap"));
    assert!(end.out.contains("4 runs") && end.out.contains("SHA-256: "), "{end:#?}");
    p.ok(&format!("{line} b.hoap"));
    let bytes = |name: &str| std::fs::read(p.path(name)).unwrap();
    assert!(bytes("a.hoap") == bytes("b.hoap"), "two bundles of the same folders differ");

    let end = p.ok("audit a.hoap");
    assert!(end.out.contains("rehearsal") && end.err.contains("verdict: rehearsal"), "{end:#?}");
    let end = p.ok("audit a.hoap --json");
    let found: Value = serde_json::from_str(&end.out).unwrap();
    assert_eq!(
        (&found["division"], &found["runs"][1]["name"]),
        (&"rehearsal".into(), &"hybrid-1".into())
    );
    let files = found["manifest"]["files"].as_object().unwrap();
    for name in ["runs/01/step-01.hlog", "runs/04/run.json", "texts/02/q22.sql"] {
        assert!(files.contains_key(name), "{name} in {:?}", files.keys().collect::<Vec<_>>());
    }
    assert!(files.contains_key("prices/couchbase-cloud-2020.toml"));
    assert_eq!(found["manifest"]["reasons"]["synchronous"], "as-it-is");

    // A doctored folder makes a bundle whose digests all agree.
    let mut run = p.json("run/run.json");
    run["steps"][0]["transactions"][0]["latency"]["p99_us"] = 99_999.into();
    p.write("run/run.json", &run.to_string());
    p.ok("bundle run -o a.hoap");
    let end =
        p.fails("audit a.hoap", 1, &["a.hoap is void", "latency.p99_us is 99999, made again"]);
    assert!(end.out.contains("runs/01/run.json, step 1, "), "{end:#?}");
}

#[test]
fn nothing_but_a_bundle_is_replaced_or_audited_and_none_holds_a_password() {
    let p = Place::new();
    p.write("mine.hoap", "my notes\n");
    p.fails(&format!("bundle {} -o mine.hoap", golden!("open")), 2, &["stays"]);
    p.fails("audit mine.hoap", 2, &["mine.hoap", "begin"]);
    p.fails("audit none.hoap", 2, &["read none.hoap"]);
    p.fails("bundle . -o a.hoap", 2, &[]);
    p.fails(&format!("bundle {} --reason fsync -o a.hoap", golden!("open")), 2, &["SETTING=TEXT"]);
    // Whatever text a folder has it in.
    std::fs::create_dir(p.path("run")).unwrap();
    for entry in std::fs::read_dir(golden!("open")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, p.path("run").join(path.file_name().unwrap())).unwrap();
    }
    let honest = p.text("run/run.json");
    for (from, to) in [
        ("null:?latency_us=2000", "postgres://me:hunter2@db/d?a=2000"),
        (
            "\"remarks\":[]",
            "\"stopped_by\":\"connect to redis://:hunter2@h:1: refused\",\"remarks\":[]",
        ),
        ("null:?latency_us=2000", "mongodb://db/d?password=hunter2&a=2000"),
    ] {
        assert!(honest.contains(from), "{from}");
        p.write("run/run.json", &honest.replacen(from, to, 1));
        let end: End = p.fails("bundle run -o a.hoap", 2, &["runs/01/run.json", "password"]);
        assert!(!end.err.contains("hunter2") && !p.path("a.hoap").exists(), "{to}: {end:#?}");
    }
    p.write("run/run.json", &honest.replace("null:?latency_us=2000", "postgres://me:***@db/d?a=1"));
    p.ok("bundle run -o a.hoap");
}
