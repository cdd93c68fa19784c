//! Every workload that Couchbase can run, as its users run it: on the cluster and the Analytics
//! service that are scripted for the tests of the `target` crate, and on a real cluster where
//! `HOAP_TEST_COUCHBASE` names one (`--ignored`).

mod hybrid;
mod shadow;

use hoap_testing::couchbase as cluster;
use hoap_testing::couchbase_analytics as analytics;
use hoap_testing::experiment::rehearse_with;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use cluster::{Act, PASSWORD, Service, USER};

/// A folder and a scope of a test's own.
struct Place {
    folder: tempfile::TempDir,
    url: String,
    /// Where it is not in the environment already.
    password: Option<&'static str>,
}

impl Place {
    /// On a scripted cluster.
    fn new(service: &Service, scope: &str) -> Place {
        // The machine may be busy with other tests.
        let patient = "kv_timeout_ms=60000&connect_timeout_ms=60000";
        let place = service.place().replace("://", &format!("://{USER}@"));
        let url = format!("{place}?scope={scope}&{patient}");
        Place { folder: tempfile::tempdir().unwrap(), url, password: Some(PASSWORD) }
    }

    fn on_couchbase(scope: &str) -> Place {
        let url = std::env::var("HOAP_TEST_COUCHBASE")
            .expect("set HOAP_TEST_COUCHBASE=couchbase://USER@HOST/BUCKET, and CB_PASSWORD");
        let joint = if url.contains('?') { '&' } else { '?' };
        let url = format!("{url}{joint}scope=cli-{scope}-{}", std::process::id());
        Place { folder: tempfile::tempdir().unwrap(), url, password: None }
    }

    /// Runs a command with these words after it.
    fn run_with(&self, line: &str, words: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hoap"));
        command.current_dir(self.folder.path()).args(line.split_whitespace()).args(words);
        if let Some(password) = self.password {
            command.env("CB_PASSWORD", password).env_remove("CB_USERNAME");
        }
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = format!("hoap {line}: {}{}", text(&output.stdout), text(&output.stderr));
        assert!(!told.contains(PASSWORD), "{told}");
        (output.status.code().unwrap_or(-1), told)
    }

    /// Runs a command on the operational database, which the option of this name names.
    fn run(&self, line: &str, option: &str) -> (i32, String) {
        self.run_with(line, &[option, &self.url])
    }

    fn ok(&self, line: &str) -> String {
        let (code, told) = self.run(line, "--target");
        assert_eq!(code, 0, "{told}");
        told
    }

    fn json(&self, path: &str) -> Value {
        let text = std::fs::read_to_string(self.folder.path().join(path)).unwrap();
        assert!(!text.contains(PASSWORD), "{path}");
        serde_json::from_str(&text).unwrap()
    }

    /// Runs a workload with reads checked: all operations are done, and every check passes.
    fn passes(&self, workload: &str, operations: u64) -> Value {
        self.ok(&format!(
            "run {workload} --operations {operations} --clients 3 --warmup 10ms --check-reads --out \
             {workload}"
        ));
        let record = self.json(&format!("{workload}/run.json"));
        assert_eq!(sum(&record, "count"), operations, "{workload}");
        all_pass(&record);
        record
    }
}

/// A number of all kinds of operations of all steps.
fn sum(record: &Value, name: &str) -> u64 {
    let steps = record["steps"].as_array().unwrap().iter();
    let kinds = steps.flat_map(|step| step["transactions"].as_array().unwrap());
    kinds.map(|kind| kind[name].as_u64().unwrap()).sum()
}

fn all_pass(record: &Value) {
    let checks = record["checks"].as_array().unwrap();
    assert!(!checks.is_empty());
    assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
}

fn ycsb(place: &Place) {
    // D and E insert: who comes after them needs a new table.
    for name in ["a", "b", "c", "f", "e-update", "d", "e"] {
        if ["a", "e"].contains(&name) {
            place.ok("load ycsb -p recordcount=300 --replace");
        }
        place.passes(&format!("ycsb-{name}"), 600);
    }
}

/// What the comparison reports ran: A by upsert, E by replace of whole documents, under their
/// names.
fn whole_documents(place: &Place) {
    for (workload, how) in
        [("ycsb-a", "upsert"), ("ycsb-e-update", "replace"), ("ycsb-f", "upsert")]
    {
        let whole = Place {
            url: format!("{}&updates={how}", place.url),
            folder: tempfile::tempdir().unwrap(),
            ..*place
        };
        whole.ok("load ycsb -p recordcount=300 --replace");
        let record = whole.passes(workload, 600);
        assert_eq!(record["benchmark"], workload);
        let url = record["operational"]["url"].as_str().unwrap();
        assert!(url.contains(&format!("updates={how}")), "{url}");
    }
}

fn shop(place: &Place) {
    place.ok("load shop --customers 1000 --orders-per-customer 1");
    place.passes("pagination", 100);
    for variant in ["index", "ansi", "hash"] {
        let run = format!("run join --check-reads --variant {variant} --operations 10");
        place.ok(&format!("{run} --warmup 10ms --out {variant}"));
        all_pass(&place.json(&format!("{variant}/run.json")));
    }
    let run = "run join --variant two-phase --operations 10 --out two-phase";
    let (code, told) = place.run(run, "--target");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("index, ansi, hash"), "{told}");
}

const RUN: &str = "run ch2pp --tx-clients 4 --query-clients 0 --duration 3s --warmup 1ms \
                   --max-failures off --out run";

#[test]
fn every_ycsb_workload_passes() {
    let service = Service::start();
    ycsb(&Place::new(&service, "ycsb"));
}

#[test]
fn updates_of_whole_documents_keep_the_workloads_name_and_lose_no_field() {
    let service = Service::start();
    whole_documents(&Place::new(&service, "whole"));
    let writes = service.0.writes.lock().unwrap();
    assert!(writes.contains(&0x01) && writes.contains(&0x03) && !writes.contains(&0xd1));
}

/// With the report's settings by name: A by upsert, E by replace, indexes replicated to all nodes.
#[test]
fn the_reports_experiments_are_rehearsed() {
    let service = Service::start();
    let place = Place::new(&service, "rehearsed");
    let (url, folder) = (&*place.url, place.folder.path());
    let writes = || std::mem::take(&mut *service.0.writes.lock().unwrap());
    for (name, code, runs) in [("nosql-2021-a", 0x01, 1), ("nosql-2021-e", 0x03, 2)] {
        writes();
        let (hoap, label) = (env!("CARGO_BIN_EXE_hoap"), "Couchbase, 4 nodes");
        let made = rehearse_with(
            hoap,
            folder,
            name,
            label,
            &[("--target", url)],
            &[("CB_PASSWORD", PASSWORD)],
        );
        assert_eq!(made.len(), runs, "{name}");
        for run in made {
            let url = run["operational"]["url"].as_str().unwrap();
            assert!(url.contains("durability=none") && !url.contains("preset"), "{url}");
            assert!(run["benchmark"].as_str().unwrap().starts_with("ycsb-"), "{name}");
        }
        let writes = writes();
        assert!(writes.contains(&code) && !writes.contains(&0xd1), "{name}: {writes:?}");
    }
    let indexes = service.seen("CREATE PRIMARY INDEX");
    assert!(indexes.iter().any(|(_, text, _)| text.contains("\"num_replica\": 3")), "{indexes:?}");
    let page = std::fs::read_to_string(folder.join("nosql-2021-e/report.html")).unwrap();
    assert!(page.contains("preset nosql-2021: section 3.2"), "the page says what was set");
}

#[test]
fn pages_and_joins_are_right_in_every_variant() {
    let service = Service::start();
    shop(&Place::new(&service, "shop"));
}

/// Four clients on little data are in each other's way, and what the service breaks off is run
/// again.
#[test]
fn the_transactions_of_ch2pp_pass_their_checks_and_count_their_retries() {
    let service = Service::start();
    let place = Place::new(&service, "ch2pp");
    place.ok("load ch2pp -w 1 --scale-down 100");
    place.ok("verify ch2pp");
    let error = |code: u64, message: &str, cause: Value| {
        let error = json!({"code": code, "msg": message, "cause": cause});
        Act::Answer(500, json!({"results": [], "errors": [error], "status": "fatal"}))
    };
    let conflict = json!({"retry": true, "rollback": true, "raise": "failed"});
    service.fault("COMMIT WORK", error(17010, "Transaction timeout", json!({"raise": "expired"})));
    service.fault("UPDATE `district`", error(17020, "write write conflict", conflict.clone()));
    service.fault("COMMIT WORK", error(17007, "Commit Transaction statement error", conflict));
    let (code, told) = place.run(RUN, "--operational");
    assert_eq!(code, 0, "{told}");
    let record = place.json("run/run.json");
    all_pass(&record);
    let names = record["checks"].to_string();
    assert!(names.contains("nothing lost: NewOrder") && names.contains("nothing added"), "{names}");
    for kind in record["steps"][0]["transactions"].as_array().unwrap() {
        // Who is in another's way too often gives up, and is counted.
        let failures = kind["failures"].as_object().unwrap();
        assert!(failures.keys().all(|failure| failure == "conflict"), "{kind}");
    }
    assert!(sum(&record, "count") > 0, "{record:#}");
    assert!(sum(&record, "retries") >= 3, "{record:#}");
    assert!(service.0.faults.lock().unwrap().is_empty(), "every fault was met");
    assert_eq!(record["operational"]["settings"]["query_nodes"], "2");
    let nodes: std::collections::BTreeSet<_> =
        service.seen("BEGIN WORK").into_iter().map(|(node, ..)| node).collect();
    assert_eq!(nodes.len(), 2, "transactions are spread over both query nodes");
    place.ok("verify ch2pp");
}

/// What cannot be known is not counted as done, and the checks take it either way.
#[test]
fn a_commit_whose_answer_is_lost_is_on_record_and_breaks_no_check() {
    let service = Service::start();
    let place = Place::new(&service, "ch2");
    place.ok("load ch2 -w 1 --scale-down 100");
    for act in [Act::Cut, Act::CutAfter, Act::CutAfter] {
        service.fault("COMMIT WORK", act);
    }
    let (code, told) = place.run(&RUN.replace("ch2pp", "ch2"), "--operational");
    assert_eq!(code, 0, "{told}");
    let record = place.json("run/run.json");
    all_pass(&record);
    // Events include the failures of the warm-up.
    let events = record["events"].as_array().unwrap();
    let ambiguous = events.iter().filter(|event| event["what"] == "ambiguous");
    let ambiguous: u64 = ambiguous.map(|event| event["count"].as_u64().unwrap()).sum();
    assert_eq!(ambiguous, 3, "{events:#?}");
    assert!(service.0.faults.lock().unwrap().is_empty(), "every fault was met");
}

#[test]
fn what_it_has_not_and_what_is_not_there_is_said_before_anything_runs() {
    let service = Service::start();
    let place = Place::new(&service, "other");
    let (code, told) = place.run("run ycsb-a --operations 10", "--target");
    assert_eq!(code, 3, "{told}");
    assert!(told.contains("hoap load"), "{told}");
    let (code, told) = place.run("query ch2", "--analytical");
    assert_ne!(code, 0, "{told}");
    place.ok("load ch2 -w 1 --scale-down 100");
    let (code, told) = place.run("query ch2", "--analytical");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("couchbase-analytics://"), "{told}");
    let with = |option: &str| format!("{}&{option}", place.url);
    for (url, word) in [
        (with("persistTo=1"), "durability=majority"),
        (with("replicate_to=1"), "durability=majority"),
        (with("durability=all"), "majority_and_persist"),
        (place.url.replace("scope=other", "scope=a`b"), "beginning with a letter"),
    ] {
        let (code, told) = place.run_with("verify ch2 --target", &[&url]);
        assert_eq!(code, 2, "{told}");
        assert!(told.contains(word), "{told}");
    }
}

#[test]
#[ignore = "wants a cluster: HOAP_TEST_COUCHBASE=couchbase://…, with CB_PASSWORD"]
fn every_workload_passes_on_couchbase() {
    ycsb(&Place::on_couchbase("ycsb"));
    whole_documents(&Place::on_couchbase("whole"));
    shop(&Place::on_couchbase("shop"));
    let place = Place::on_couchbase("ch2pp");
    place.ok("load ch2pp -w 1 --scale-down 20");
    place.ok("verify ch2pp");
    let (code, told) = place.run(RUN, "--operational");
    assert_eq!(code, 0, "{told}");
    place.ok("verify ch2pp");
}
