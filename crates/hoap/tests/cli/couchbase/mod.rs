//! Every workload that Couchbase can run, as its users run it: on the cluster and the Analytics
//! service that are scripted for the tests of the `target` crate, and on a real cluster where
//! `HOAP_TEST_COUCHBASE` names one (`--ignored`).

mod hybrid;
mod shadow;

use hoap_suites::place::Own;
use hoap_testing::couchbase as cluster;
use hoap_testing::couchbase_analytics as analytics;
use hoap_testing::experiment::rehearse_with;
use hoap_testing::urls::with;
use serde_json::{Value, json};

use super::servers::{self, On, all_pass};
use cluster::{Act, PASSWORD, Service};

/// A scope of a scripted cluster.
fn on(service: &Service, scope: &str) -> On {
    // The machine may be busy with other tests.
    let patient = "kv_timeout_ms=60000&connect_timeout_ms=60000";
    On::at(Own { url: with(&service.url(), &format!("scope={scope}&{patient}")) })
}

/// A scope of a test's own on a real cluster.
fn on_couchbase() -> On {
    On::new("HOAP_TEST_COUCHBASE", "")
}

/// A number of all kinds of operations of all steps.
fn sum(record: &Value, name: &str) -> u64 {
    let steps = record["steps"].as_array().unwrap().iter();
    let kinds = steps.flat_map(|step| step["transactions"].as_array().unwrap());
    kinds.map(|kind| kind[name].as_u64().unwrap()).sum()
}

/// What the comparison reports ran: A by upsert, E by replace of whole documents, under their
/// names.
fn whole_documents(mut on: On) {
    let url = on.url.clone();
    for (workload, how) in
        [("ycsb-a", "upsert"), ("ycsb-e-update", "replace"), ("ycsb-f", "upsert")]
    {
        on.url = format!("{url}&updates={how}");
        on.ok("load ycsb -p recordcount=300 --replace");
        let record = on.passes(workload, 600);
        assert_eq!(record["benchmark"], workload);
        let url = record["operational"]["url"].as_str().unwrap();
        assert!(url.contains(&format!("updates={how}")), "{url}");
    }
}

fn shop(on: On) {
    on.ok("load shop --customers 1000 --orders-per-customer 1");
    on.passes("pagination", 100);
    for variant in ["index", "ansi", "hash"] {
        let run = format!("run join --check-reads --variant {variant} --operations 10");
        on.ok(&format!("{run} --warmup 10ms --out {variant}"));
        all_pass(&on.record(variant));
    }
    on.refused("run join --variant two-phase --operations 10", 2, &["index, ansi, hash"]);
}

const RUN: &str = "run ch2pp --tx-clients 4 --query-clients 0 --duration 3s --warmup 1ms \
                   --max-failures off --out run";

#[test]
fn every_ycsb_workload_passes() {
    let service = Service::start();
    servers::every_ycsb_workload_passes(on(&service, "ycsb"));
}

#[test]
fn updates_of_whole_documents_keep_the_workloads_name_and_lose_no_field() {
    let service = Service::start();
    whole_documents(on(&service, "whole"));
    let writes = service.0.writes.lock().unwrap();
    assert!(writes.contains(&0x01) && writes.contains(&0x03) && !writes.contains(&0xd1));
}

/// With the report's settings by name: A by upsert, E by replace, indexes replicated to all nodes.
#[test]
fn the_reports_experiments_are_rehearsed() {
    let service = Service::start();
    let on = on(&service, "rehearsed");
    let (url, folder) = (&*on.url, on.place.path(""));
    let writes = || std::mem::take(&mut *service.0.writes.lock().unwrap());
    for (name, code, runs) in [("nosql-2021-a", 0x01, 1), ("nosql-2021-e", 0x03, 2)] {
        writes();
        let (hoap, label) = (env!("CARGO_BIN_EXE_hoap"), "Couchbase, 4 nodes");
        let made = rehearse_with(
            hoap,
            &folder,
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
    shop(on(&service, "shop"));
}

/// Four clients on little data are in each other's way, and what the service breaks off is run
/// again.
#[test]
fn the_transactions_of_ch2pp_pass_their_checks_and_count_their_retries() {
    let service = Service::start();
    let on = on(&service, "ch2pp");
    on.ok("load ch2pp -w 1 --scale-down 100");
    on.ok("verify ch2pp");
    let error = |code: u64, message: &str, cause: Value| {
        let error = json!({"code": code, "msg": message, "cause": cause});
        Act::Answer(500, json!({"results": [], "errors": [error], "status": "fatal"}))
    };
    let conflict = json!({"retry": true, "rollback": true, "raise": "failed"});
    service.fault("COMMIT WORK", error(17010, "Transaction timeout", json!({"raise": "expired"})));
    service.fault("UPDATE `district`", error(17020, "write write conflict", conflict.clone()));
    service.fault("COMMIT WORK", error(17007, "Commit Transaction statement error", conflict));
    on.ok(RUN);
    let record = on.record("run");
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
    on.ok("verify ch2pp");
}

/// What cannot be known is not counted as done, and the checks take it either way.
#[test]
fn a_commit_whose_answer_is_lost_is_on_record_and_breaks_no_check() {
    let service = Service::start();
    let on = on(&service, "ch2");
    on.ok("load ch2 -w 1 --scale-down 100");
    for act in [Act::Cut, Act::CutAfter, Act::CutAfter] {
        service.fault("COMMIT WORK", act);
    }
    on.ok(&RUN.replace("ch2pp", "ch2"));
    let record = on.record("run");
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
    let on = on(&service, "other");
    on.refused("run ycsb-a --operations 10", 3, &["hoap load"]);
    assert_ne!(on.run("query ch2").code, 0);
    on.ok("load ch2 -w 1 --scale-down 100");
    on.refused("query ch2", 2, &["couchbase-analytics://"]);
    let with = |option: &str| format!("{}&{option}", on.url);
    for (url, word) in [
        (with("persistTo=1"), "durability=majority"),
        (with("replicate_to=1"), "durability=majority"),
        (with("durability=all"), "majority_and_persist"),
        (on.url.replace("scope=other", "scope=a`b"), "beginning with a letter"),
    ] {
        let end = on.run_with("verify ch2 --target", &[&url]);
        assert!(end.code == 2 && end.err.contains(word), "{end:#?}");
    }
}

#[test]
#[ignore = "wants a cluster: HOAP_TEST_COUCHBASE=couchbase://…, with CB_PASSWORD"]
fn every_workload_passes_on_couchbase() {
    servers::every_ycsb_workload_passes(on_couchbase());
    whole_documents(on_couchbase());
    shop(on_couchbase());
    let on = on_couchbase();
    on.ok("load ch2pp -w 1 --scale-down 20");
    on.ok("verify ch2pp");
    on.ok(RUN);
    on.ok("verify ch2pp");
}
