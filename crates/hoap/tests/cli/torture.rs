//! `hoap torture` on SQLite, which is part of the driver.

use super::tree::Mine;
use super::{Place, interrupted, remark, until};
use serde_json::Value;

/// A plan in which the driver is stopped and killed.
pub const PLAN: &str = r#"
title = "SQLite"
seed = 3
faults = 4
duration = "4s"
settle = "1s"
quiet = ["200ms", "500ms"]
runs-per-load = 9
durable = true
load = "ch2pp --scale-down 100 --replace --target {url}"
run = "ch2pp --operational {url} --tx-clients 2 --query-clients 0"
verify = "ch2pp --target {url}"
[server]
url = "echo sqlite:$FOLDER/t.db"
[[fault]]
kind = "kill-driver"
[[fault]]
kind = "pause-driver"
time = ["100ms", "300ms"]
"#;

const LINE: &str = "torture --plan plan.toml -o campaign";

fn runs(result: &Value) -> Vec<&Value> {
    result["runs"].as_array().unwrap().iter().collect()
}

fn faults(result: &Value) -> Vec<&str> {
    let kinds = |run: &&'_ Value| run["faults"].as_array().unwrap().len();
    let all: usize = runs(result).iter().map(kinds).sum();
    assert_eq!(result["summary"]["faults"], all);
    let all = result["runs"].as_array().unwrap().iter();
    let all = all.flat_map(|run| run["faults"].as_array().unwrap());
    all.map(|fault| fault["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_killed_driver_loses_nothing_and_a_campaign_that_is_done_only_prints() {
    let p = Place::new();
    p.write("plan.toml", PLAN);
    let mine = Mine::around(&p, &[]);
    let end = p.ok(LINE);
    mine.unchanged(LINE);
    assert!(end.out.contains("sound, not recounted"), "{end:#?}");
    let result = p.json("campaign/torture.json");
    let kinds = faults(&result);
    assert!(kinds.len() >= 4 && kinds.contains(&"kill-driver"), "{kinds:?}");
    for run in runs(&result) {
        assert_eq!(run["verdict"], "sound-not-recounted", "{run:#}");
        assert!(run["operations"].as_u64().unwrap() > 0);
        assert_eq!(run["folder"], Value::Null, "only bad runs are kept");
        let killed = run["faults"].as_array().unwrap().iter().any(|f| f["kind"] == "kill-driver");
        assert_eq!(run["exit"], if killed { -1 } else { 0 }, "{run:#}");
    }
    let page = std::fs::read_to_string(p.path("campaign/page.html")).unwrap();
    assert!(page.contains("<h1>Faults on purpose: SQLite</h1>") && page.contains("kill-driver"));
    assert_eq!(result["database"]["name"], "SQLite", "{result:#}");
    assert_eq!(result["command"][1], "torture");
    let again = p.ok(LINE);
    assert_eq!(again.out, end.out);
    assert_eq!(p.json("campaign/torture.json"), result);
    p.write("plan.toml", &PLAN.replace("seed = 3", "seed = 4"));
    p.fails(LINE, 2, &["another plan", "campaign"]);
}

/// A client that finds no history at all: what the killed driver had acknowledged is gone.
#[test]
fn what_another_client_does_not_find_is_a_loss_that_hoap_did_not_notice() {
    let p = Place::new();
    let recount =
        "[recount]\nby = \"nobody\"\norders = \"true\"\nneworder = \"true\"\nhistory = \"true\"\n";
    let plan = PLAN.replace("faults = 4", "faults = 1").replace("0ms\", \"500ms", "0ms\", \"900ms");
    p.write("plan.toml", &format!("{plan}weight = 0\n{recount}"));
    let end = p.fails(&format!("{LINE} --keep all"), 1, &["1 of 1 runs", "UNNOTICED", "runs/0001"]);
    assert!(end.out.contains("lost: found in 0 of 1 runs with loss"), "{end:#?}");
    let result = p.json("campaign/torture.json");
    let run = &result["runs"][0];
    assert_eq!((&run["verdict"], &run["exit"]), (&"loss-unnoticed".into(), &(-1).into()));
    assert_eq!(run["recount"]["lost"], run["recount"]["acknowledged"]);
    assert!(p.path("campaign/runs/0001/run.json").exists());
}

#[test]
fn one_page_shows_several_campaigns_and_says_what_is_none() {
    let p = Place::new();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/faults");
    let end = p.ok(&format!("torture report {kept}/redis.json async={kept}/postgres-async.json"));
    assert_eq!(end.out, "Page: torture.html\n");
    let page = std::fs::read_to_string(p.path("torture.html")).unwrap();
    assert!(page.contains("297 faults in 37 runs of 2 campaigns") && page.contains(">async</th>"));
    let end = p.ok(&format!("--json torture report {kept} -o all.html"));
    let result: Value = serde_json::from_str(&end.out).unwrap();
    assert_eq!(result["page"], "all.html");
    assert!(result["campaigns"].as_array().unwrap().len() >= 15, "{result}");
    let bad = remark(&result, "fault-run-bad").unwrap();
    assert!(bad["text"].as_str().unwrap().contains("FALSE ALARM"), "{result}");
    p.fails("torture report .", 2, &["no torture.json"]);
    p.fails("torture report gone", 2, &["gone", "No such file"]);
    p.fails("torture --plan x report y", 2, &["cannot be used"]);
    p.fails("torture --plan x", 2, &["--out"]);
}

#[test]
fn an_interrupted_campaign_leaves_no_process_and_continues() {
    let p = Place::new();
    p.write("plan.toml", PLAN);
    let running = p.spawn(LINE);
    let done = || match p.path("campaign/torture.json").exists() {
        true => p.json("campaign/torture.json")["runs"].as_array().map_or(0, Vec::len),
        false => 0,
    };
    let second = || done() > 0 && p.path("campaign/runs/0002.log").exists();
    until("a second run begins", second);
    interrupted(running);
    let place = p.path("campaign").canonicalize().unwrap().display().to_string();
    let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
    let left = processes.find(|process| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(&place)
    });
    assert!(left.is_none(), "{left:?}");

    let before = p.json("campaign/torture.json");
    p.ok(LINE);
    let after = p.json("campaign/torture.json");
    assert_eq!(after["started"], before["started"]);
    assert_eq!(after["runs"][0], before["runs"][0]);
    assert!(faults(&after).len() >= 4 && runs(&after).len() > runs(&before).len());
    let numbers: Vec<u64> = runs(&after).iter().map(|r| r["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_command_of_the_plan_that_fails_is_told_with_what_it_said() {
    let p = Place::new();
    p.write("plan.toml", &PLAN.replace("echo sqlite:$FOLDER/t.db", "echo no disk >&2; exit 7"));
    p.fails(LINE, 3, &["echo no disk", "exit code 7: no disk", "commands.log"]);
    p.write("plan.toml", &PLAN.replace("--tx-clients 2", "--tx-clients none"));
    p.fails(LINE, 3, &["run 1", "before its first fault", "none", "runs/0001.log"]);
    p.write("plan.toml", "title = 1");
    p.fails(LINE, 2, &["plan.toml", "title"]);
}
