//! `hoap history`, and the script that keeps one in CI.

use std::process::Command;

use super::{End, Place};

/// A run of a commit on a database that takes so long for an answer.
fn run(p: &Place, n: usize, latency_us: usize) {
    let out = format!("runs/{n:02}");
    p.ok(&format!(
        "run ycsb-c --target null:?latency_us={latency_us} -p recordcount=100 --operations 20 \
         --warmup 0s --label commit=c{n:02} --out {out}"
    ));
}

/// A history of 16 runs, the last eight of them slower by far more than a busy machine adds by
/// chance.
fn slower(p: &Place) {
    (0..8).for_each(|n| run(p, n, 100));
    (8..16).for_each(|n| run(p, n, 20_000));
    let folders: Vec<String> = (0..16).map(|n| format!("runs/{n:02}")).collect();
    p.ok(&format!("history add {} --dir history", folders.join(" ")));
}

#[test]
fn a_slower_commit_fails_the_check_until_it_is_acknowledged() {
    let p = Place::new();
    let e = p.fails("history check --dir history", 2, &["history.ndjson"]);
    assert!(!p.path("history").exists(), "{e:#?}");
    slower(&p);
    p.fails("history add runs/03 --dir history", 2, &["there already, as runs/03"]);

    let end = p.fails("history check --dir history", 1, &["for the worse", "acknowledge"]);
    assert!(end.out.contains("p50 of READ: between c07 and c08, "), "{end:#?}");
    assert!(end.out.contains("16 runs, "), "{end:#?}");
    p.ok("history check --dir history --since c08");
    p.fails("history check --dir history --since c99", 2, &["no run has this label"]);
    let end = p.run("history check --dir history --json");
    let found: serde_json::Value = serde_json::from_str(&end.out).unwrap();
    let changes = found["changes"].as_array().unwrap();
    assert!(end.code == 1 && found["runs"] == 16 && changes.iter().all(|c| c["is_worse"] == true));
    assert!(changes.iter().any(|c| c["after"]["labels"]["commit"] == "c08"), "{end:#?}");

    p.ok("history show --dir history -o page.html");
    assert!(p.text("page.html").contains("between c07 and c08"));
    p.ok("history export --dir history --format otava -o otava.csv");
    assert_eq!(p.text("otava.csv").lines().count(), 17);
    p.ok("history export --dir history --format bencher -o bencher.json");
    p.write("mine.csv", "my table\n");
    p.fails("history export --dir history --format otava -o mine.csv", 2, &["stays"]);

    p.ok("history acknowledge c08 --dir history --reason slower-on-purpose --by ada");
    let end = p.ok("history check --dir history");
    assert!(end.out.contains("acknowledged by ada: slower-on-purpose"), "{end:#?}");
}

/// A history is of a branch that others write to: a spreadsheet evaluates nothing of it, and what is
/// too long, or no file, is refused.
#[test]
fn a_history_of_strangers_is_read_within_bounds() {
    let p = Place::new();
    p.ok("run ycsb-c --target null: -p recordcount=100 --operations 20 --warmup 0s --label commit==1+1 \
          --out run");
    p.ok("history add run --dir history");
    p.ok("history export --dir history --format otava -o otava.csv");
    assert!(p.text("otava.csv").contains(",\"'=1+1\","), "{}", p.text("otava.csv"));
    let whole = p.text("history/history.ndjson");
    let run = whole.lines().nth(1).unwrap();
    let mut of: serde_json::Value = serde_json::from_str(run).unwrap();
    let mut many = |n: usize| {
        of["run"] = format!("{n}").into();
        of["folders"] = serde_json::json!([]);
        format!("{of}\n")
    };
    let head = whole.lines().next().unwrap();
    let runs: String = (0..10_001).map(&mut many).collect();
    let values = format!(
        "{whole}{}\n",
        run.replacen("\"data\":{", &format!("\"data\":{{{}", "\"\":\"\",".repeat(3_000_000)), 1)
    );
    for (text, says) in
        [(format!("{head}\n{runs}"), "more than 10000 runs"), (values, "more than 3000000 values")]
    {
        p.write("history/history.ndjson", &text);
        for line in
            ["check --dir history", "show --dir history -o page.html", "add run --dir history"]
        {
            p.fails(&format!("history {line}"), 2, &["history.ndjson", says]);
        }
    }
    let value = whole.lines().nth(2).unwrap();
    p.write("history/history.ndjson", &format!("{whole}{value}\n"));
    p.fails("history check --dir history", 2, &["line 5", "this value twice"]);
    let series = |n: usize| value.replacen("1 client", &format!("{n} clients"), 1) + "\n";
    let many: String = (2..50_002).map(series).collect();
    p.write("history/history.ndjson", &format!("{whole}{many}"));
    p.ok("history check --dir history");
    p.fails("history show --dir history -o page.html", 2, &["50002 series, more than 50000"]);
    std::fs::remove_file(p.path("history/history.ndjson")).unwrap();
    std::fs::create_dir(p.path("history/history.ndjson")).unwrap();
    p.fails("history check --dir history", 2, &["not a regular file"]);
}

#[test]
fn the_script_of_the_action_keeps_a_history_and_fails_with_its_check() {
    let p = Place::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/action/history/keep");
    for n in 0..2 {
        run(&p, n, 100);
        let mut keep = Command::new(script);
        keep.args([&format!("runs/{n:02}"), "history"]).current_dir(p.path("."));
        let end = End::of(keep.env("HOAP", env!("CARGO_BIN_EXE_hoap")).output().unwrap());
        assert!(end.code == 0 && end.out.contains(&format!("{} run", n + 1)), "{end:#?}");
    }
    let checked = p.text("history/check.txt");
    assert!(checked.contains("2 runs") && checked.contains("too few"), "{checked}");
    assert!(p.text("history/index.html").contains("c01"));
}

mod on_chromium {
    use hoap_testing::browser::whole;

    use super::*;

    #[test]
    fn the_page_of_a_history_is_whole_at_every_width_and_in_the_dark() {
        let p = Place::new();
        slower(&p);
        p.ok("history show --dir history -o page.html");
        let html = p.text("page.html");
        for (width, dark) in [(1280, false), (390, true)] {
            whole(&html, width, dark);
        }
    }
}
