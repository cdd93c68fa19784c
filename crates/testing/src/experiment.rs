//! Rehearsals of experiments.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Rehearses one configuration of an experiment on these targets (flag and URL) with this `hoap`,
/// makes its page, and expects that every run is whole and every check passes. Returns the runs.
pub fn rehearse(
    hoap: &str,
    folder: &Path,
    name: &str,
    label: &str,
    targets: &[(&str, &str)],
) -> Vec<Value> {
    rehearse_with(hoap, folder, name, label, targets, &[])
}

/// The same with these variables in the environment, such as a password.
pub fn rehearse_with(
    hoap: &str,
    folder: &Path,
    name: &str,
    label: &str,
    targets: &[(&str, &str)],
    environment: &[(&str, &str)],
) -> Vec<Value> {
    let run = |words: &[&str]| {
        let mut command = Command::new(hoap);
        command.current_dir(folder).args(words).envs(environment.iter().copied());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = format!("{words:?}: {}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{told}");
        told
    };
    let mut words = vec!["experiment", "run", name, "--configuration", label, "--out", name];
    words.extend(["--replace", "--scale-down", "100000"]);
    words.extend(targets.iter().flat_map(|(flag, url)| [*flag, *url]));
    run(&words);
    let told = run(&["experiment", "report", name]);
    assert!(told.contains("REHEARSAL"), "{told}");
    let runs = std::fs::read_dir(folder.join(name).join(label)).unwrap();
    let mut found = Vec::new();
    for path in runs.map(|run| run.unwrap().path()) {
        let text = std::fs::read(path.join("run.json")).unwrap();
        let record: Value = serde_json::from_slice(&text).unwrap();
        assert!(record["partial"].is_null(), "{}", record["partial"]);
        let checks = record["checks"].as_array().unwrap();
        assert!(checks.iter().all(|c| c["verdict"] != "fail"), "{checks:#?}");
        // Pages and joins have something to check only with --check-reads, and queries alone
        // nothing.
        let unchecked = ["pagination", "join"].map(Value::from).contains(&record["benchmark"])
            || record["configuration"]["tx-clients"] == serde_json::json!([0]);
        assert!(unchecked || !checks.is_empty(), "{name}, {label}");
        found.push(record);
    }
    assert!(!found.is_empty(), "{name}, {label}");
    found
}
