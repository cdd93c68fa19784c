//! `hoap bundle` and `hoap audit`. What an audit finds in numbers is tested in its crate.

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

/// The runs of a bundle that repeat others, as `hoap audit --json` tells them.
fn reproduced(p: &Place, bundle: &str) -> Value {
    p.ok(&format!("audit {bundle} --json")).value()["reproduced"].take()
}

#[test]
fn a_rerun_loads_and_runs_the_same_with_another_seed_and_joins_the_bundle() {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=300 -p fieldcount=3 -p zeropadding=9 --seed 7");
    // Every flag whose record is not how it is typed.
    p.ok("run ycsb-b --target sqlite:t.db -p fieldcount=3 --clients 2,3 --rate 50 --sla p99=10s,max=1m \
          --duration 1s --warmup 10ms --max-failures 2% --warn-failures 10% --tick 20ms \
          --on-error broken=stop --check-reads --out run");
    p.ok("bundle run -o a.hoap --reason synchronous=as-it-is");
    // Whether it is as fast again, the machine decides.
    let end = p.run("audit a.hoap --rerun sqlite:again.db");
    let told = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in ["reproduced runs/02, ", "READ p99: ", "ops/s: ", "with the run seed"] {
        assert!(end.code <= 1 && told.contains(says), "{says}: {end:#?}");
    }
    assert!(end.err.contains("the data stays in sqlite:again.db"), "{end:#?}");
    let of = &reproduced(&p, "a.hoap")[0];
    assert_eq!((&of["at"], &of["of"]), (&"runs/02".into(), &serde_json::json!(["runs/01"])));
    let found = p.ok("audit a.hoap --json").value();
    let manifest = &found["manifest"];
    assert_eq!(manifest["runs"][1]["repeats"]["of"][0], "runs/01");
    assert_eq!(manifest["reasons"]["synchronous"], "as-it-is");
    assert!(manifest["files"]["runs/02/step-02.hlog"].is_object());

    // It is the same but for the seed and the place.
    let folder = std::fs::read_dir(p.path("runs")).unwrap().next().unwrap().unwrap().file_name();
    let again = p.json(&format!("runs/{}/run.json", folder.to_str().unwrap()));
    let run = p.json("run/run.json");
    assert_eq!((&run["data"], &run["benchmark"]), (&again["data"], &again["benchmark"]));
    let (mut one, mut other) = (run["configuration"].clone(), again["configuration"].clone());
    for flag in ["run-seed", "target"] {
        assert_ne!(one[flag].take(), other[flag].take(), "{flag}");
    }
    assert_eq!(one, other);

    // What is loaded once is not loaded over, and neither is a file of somebody else.
    p.write("mine.db", "my notes\n");
    let bytes = p.read("a.hoap");
    for (url, says) in [("sqlite:again.db", "--replace"), ("sqlite:mine.db", "mine.db")] {
        let end = p.run(&format!("audit a.hoap --rerun {url}"));
        assert!(end.code >= 2 && end.err.contains(says), "{url}: {end:#?}");
    }
    assert_eq!(p.text("mine.db"), "my notes\n");
    assert!(bytes == p.read("a.hoap"), "the bundle has changed");
}

#[test]
fn a_rerun_that_differs_by_much_says_so_and_fails_and_what_cannot_be_repeated_is_refused() {
    let p = Place::new();
    let run = |url: &str, out: &str| {
        p.ok(&format!(
            "run ycsb-c --target {url} -p recordcount=100 --rate 20 --duration 1s --warmup 0s --out {out}"
        ));
    };
    run("null:?latency_us=1000", "run");
    p.ok("bundle run -o a.hoap");
    p.ok("audit a.hoap --rerun null:?latency_us=2000");
    assert_eq!(reproduced(&p, "a.hoap")[0]["reproduced"], true);
    let says = ["a.hoap is not reproduced: runs/03 differs by much from runs/01 in ", "ops/s: "];
    // Too slow for its rate.
    p.fails("audit a.hoap --rerun null:?latency_us=300000", 1, &says);
    // It has joined the bundle, which contradicts nothing.
    let of = reproduced(&p, "a.hoap");
    assert_eq!((&of[0]["reproduced"], &of[1]["reproduced"]), (&true.into(), &false.into()));

    run("null:?latency_us=3000", "other");
    p.ok("bundle run other -o two.hoap");
    p.ok(&format!("bundle {} -o pair.hoap", golden!("hybrid-1")));
    p.ok(&format!("bundle {} -o driver.hoap", golden!("driver-1")));
    p.write("void/run.json", &p.text("run/run.json").replace("\"p99_us\": ", "\"p99_us\": 9"));
    for file in ["samples.csv", "queries.csv", "step-01.hlog"] {
        std::fs::copy(p.path("run").join(file), p.path("void").join(file)).unwrap();
    }
    p.ok("bundle void -o void.hoap");
    for (bundle, url, code, says) in [
        ("two", "null:", 2, "runs/01, runs/02 are not repetitions of one another"),
        ("a", "sqlite:new.db", 2, "its runs are on another database: null"),
        ("a", "oracle:x", 2, "no database has such a URL"),
        ("pair", "sqlite:new.db", 2, "its queries ran on another database"),
        ("driver", "sqlite:new.db", 2, "several drivers"),
        ("void", "null:", 1, "void.hoap is void"),
    ] {
        let before = p.read(&format!("{bundle}.hoap"));
        p.fails(&format!("audit {bundle}.hoap --rerun {url}"), code, &[says]);
        assert!(before == p.read(&format!("{bundle}.hoap")), "{bundle} has changed");
    }
    assert!(!p.path("new.db").exists());
}

#[test]
fn answers_are_held_against_those_on_record_and_each_other() {
    let p = Place::new();
    let run = |db: &str, out: &str| {
        p.ok(&format!(
            "run ch2 --operational sqlite:{db} --tx-clients 0 --query-clients 1 --loops 1 \
             --warmup-loops 0 --params check --keep-answers --out {out}"
        ));
    };
    p.ok("load ch2 --target sqlite:t.db --scale-down 100");
    run("t.db", "run");
    p.ok("bundle run -o a.hoap");
    // Whether it is as fast again, the machine decides.
    let end = p.run("audit a.hoap --rerun sqlite:again.db");
    assert!(end.code <= 1 && end.out.contains("1 query, Q22: "), "{end:#?}");
    let found = p.ok("audit a.hoap --json").value();
    assert_eq!(found["reproduced"][0]["at"], "runs/02");
    assert!(found["manifest"]["files"]["runs/02/answers/q22.json"].is_object());
    // A run on data that others wrote to has other answers, and says so.
    p.ok("run ch2 --operational sqlite:t.db --tx-clients 2 --query-clients 0 --duration 300ms \
          --warmup 0s --out wrote");
    run("t.db", "later");
    assert_eq!(p.json("later/run.json")["load"]["runs_before"], 1);
    p.ok("bundle later -o later.hoap");
    p.ok("audit later.hoap");

    // Its digests are made again.
    let honest = p.text("run/answers/q01.json");
    let row = honest.lines().find(|line| line.starts_with('[')).unwrap().to_owned();
    p.write("run/answers/q01.json", &honest.replacen(&row, &row.replacen(']', "9]", 1), 1));
    p.ok("bundle run -o a.hoap");
    p.fails("audit a.hoap", 1, &["runs/01/answers/q01.json", "Q01", "digest"]);
    p.write("run/answers/q01.json", &honest);
    let executions = p.text("run/queries.csv");
    let line = executions.lines().find(|line| line.contains(",Q01,")).unwrap();
    let mut fields: Vec<&str> = line.split(',').collect();
    let at = executions.lines().next().unwrap().split(',').position(|name| name == "rows").unwrap();
    fields[at] = "99";
    p.write("run/queries.csv", &executions.replace(line, &fields.join(",")));
    p.ok("bundle run -o a.hoap");
    p.fails("audit a.hoap", 1, &["runs/01/queries.csv, step 1, Q01", "rows is 99"]);

    // Of data without a record each is held against the first.
    p.ok("load ch2 --target sqlite:other.db --scale-down 50");
    run("other.db", "one");
    run("other.db", "two");
    p.ok("bundle one two -o b.hoap");
    p.ok("audit b.hoap");
    let honest = p.text("two/answers/q01.json");
    let row = honest.lines().find(|line| line.starts_with('[')).unwrap().to_owned();
    p.write("two/answers/q01.json", &honest.replacen(&row, &row.replacen(']', "9]", 1), 1));
    p.ok("bundle one two -o b.hoap");
    let says = ["runs/02/answers/q01.json: it is another answer than runs/01/answers/q01.json"];
    p.fails("audit b.hoap", 1, &says);
}

/// By `deploy/registry/build`, which needs Python and tar.
#[test]
#[cfg(target_os = "linux")]
fn a_registry_is_pages_of_what_is_not_void() {
    let p = Place::new();
    p.ok("run ycsb-c --target null: -p recordcount=9 --operations 99 --warmup 0s --label by=me --out run");
    std::fs::create_dir(p.path("entries")).unwrap();
    p.ok("bundle run -o entries/good.hoap");
    let build = |site: &str| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/registry/build");
        let mut build = std::process::Command::new(script);
        build.current_dir(p.path(".")).env("HOAP", env!("CARGO_BIN_EXE_hoap"));
        End::of(build.args(["entries", site]).output().unwrap())
    };
    let end = build("one");
    assert_eq!(end.code, 0, "{end:#?}");
    let index = p.text("one/index.html");
    for says in ["good/index.html", "YCSB C", "rehearsal", ">me<", "published-ch2pp-2025", " ops/s"]
    {
        assert!(index.contains(says), "{says}: {index}");
    }
    assert!(p.text("one/good/index.html").contains("YCSB C"));
    assert!(p.text("one/published-ch2pp-2025/index.html").contains("106.85 queries/h"));
    assert_eq!(p.json("one/good/audit.json")["division"], "rehearsal");
    assert!(p.read("one/good/good.hoap") == p.read("entries/good.hoap"));

    let mut run = p.json("run/run.json");
    run["steps"][0]["transactions"][0]["count"] = 999.into();
    p.write("run/run.json", &run.to_string());
    p.ok("bundle run -o entries/void.hoap");
    let end = build("two");
    assert!(end.code == 1 && end.err.contains("void.hoap: not published"), "{end:#?}");
    let index = p.text("two/index.html");
    assert!(index.contains("good/index.html") && !index.contains("void"), "{index}");
}
