//! A run whose collection is gone before its end.

use std::path::Path;

use serde_json::Value;

use crate::until;

/// Waits until a run into this folder has measured for a tick.
pub fn until_measured(folder: &Path) {
    let samples = folder.join("samples.csv");
    let measured = || std::fs::read_to_string(&samples).is_ok_and(|t| t.contains("measured"));
    until("a sample is written", measured);
}

/// The kind of failure of a database that knows which collections it has.
#[allow(dead_code)]
pub const MISSING: &str = "missing";

/// The check after the run fails and names the collection, without having waited for it, and
/// operations failed as `kind` says; those on a collection that is missing, for no other reason,
/// except for at most `in_flight` that the server was answering when the collection went.
pub fn is_told(record: &Value, collection: &str, kind: &str, in_flight: u64) {
    let checks = record["checks"].as_array().unwrap();
    let failed = checks.iter().filter(|c| c["verdict"] == "fail");
    // The share of them that failed depends on when it went.
    let failed: Vec<&Value> = failed.filter(|c| c["name"] != "failures").collect();
    let [check] = failed[..] else { panic!("not one check failed: {checks:#?}") };
    assert_eq!((&check["when"], &check["name"]), (&"after the run".into(), &"nothing lost".into()));
    let detail = check["detail"].as_str().unwrap();
    assert!(detail.starts_with("the collection is gone: "), "{detail}");
    assert!(detail.contains(collection) && !detail.contains("hoap load"), "{detail}");
    let failures = |step: &Value| {
        let operations = step["transactions"].as_array().unwrap().clone();
        let failures = operations.into_iter().filter_map(|o| o["failures"].as_object().cloned());
        failures.flatten().map(|(kind, n)| (kind, n.as_u64().unwrap())).collect::<Vec<_>>()
    };
    let steps = record["steps"].as_array().unwrap();
    let failures: Vec<(String, u64)> = steps.iter().flat_map(failures).collect();
    assert!(failures.iter().any(|(k, _)| k == kind), "no {kind}: {failures:?}");
    let others = ["unavailable", "invalid", "broken"];
    let others = failures.iter().filter(|(k, _)| others.contains(&k.as_str())).map(|(_, n)| n);
    assert!(kind != MISSING || others.sum::<u64>() <= in_flight, "{:#}", record["events"]);
    // The limit of these runs is ten minutes.
    assert!(record["seconds"].as_f64().unwrap() < 120.0, "{}", record["seconds"]);
}
