//! What `hoap --version` tells: the commit, the features and the versions of the drivers. Without
//! git, or without the workspace's lock file, it tells less.

use std::env;
use std::path::Path;
use std::process::Command;

/// The drivers, each with the crate that uses it and the feature that brings it; none for what is
/// always built in.
const DRIVERS: [(Option<&str>, &str, &str); 10] = [
    (None, "hoap-sqlite", "rusqlite"),
    (Some("DUCKDB"), "hoap-duckdb", "duckdb"),
    (Some("POSTGRES"), "hoap-postgres", "tokio-postgres"),
    (Some("MONGODB"), "hoap-mongodb", "mongodb"),
    (Some("COUCHBASE"), "hoap-couchbase", "couchbase"),
    (Some("CASSANDRA"), "hoap-cassandra", "scylla"),
    (Some("DYNAMODB"), "hoap-dynamodb", "aws-sdk-dynamodb"),
    (Some("REDIS"), "hoap-redis", "redis"),
    (Some("ASTERIXDB"), "hoap-sqlpp", "reqwest"),
    (Some("COUCHBASE_ANALYTICS"), "hoap-sqlpp", "reqwest"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HOAP_COMMIT");
    let commit = env::var("HOAP_COMMIT").ok().or_else(commit).unwrap_or_default();
    println!("cargo::rustc-env=HOAP_COMMIT={commit}");
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let features = ["otlp", "parquet"].into_iter().filter(|feature| has(&feature.to_uppercase()));
    println!("cargo::rustc-env=HOAP_FEATURES={}", features.collect::<Vec<_>>().join(", "));
    let lock = Path::new("../../Cargo.lock");
    let text = std::fs::read_to_string(lock).unwrap_or_default();
    if !text.is_empty() {
        println!("cargo::rerun-if-changed={}", lock.display());
    }
    let mut drivers: Vec<String> = DRIVERS
        .iter()
        .filter(|(feature, ..)| feature.is_none_or(has))
        .map(|(_, user, driver)| format!("{driver} {}", locked(&text, user, driver)))
        .map(|driver| driver.trim_end().to_owned())
        .collect();
    drivers.dedup();
    println!("cargo::rustc-env=HOAP_DRIVERS={}", drivers.join(", "));
}

/// The commit of this source, where it is a git checkout of its own.
fn commit() -> Option<String> {
    let root = Path::new("../..").canonicalize().ok()?;
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root {
        return None;
    }
    // Grows by a line with every commit and checkout.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The version of a package in the lock file; of several the one that `user` depends on.
fn locked(lock: &str, user: &str, name: &str) -> String {
    let package = |name: &str| {
        let head = format!("name = \"{name}\"\n");
        lock.split("[[package]]\n").filter(move |package| package.starts_with(&head))
    };
    let version = |package: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix("version = \""));
        line.map(|line| line.trim_end_matches('"').to_owned())
    };
    // A name of which there are several has the version behind it.
    let several = format!("\"{name} ");
    let named = package(user).next().and_then(|user| {
        let line = user.lines().find_map(|line| line.trim().strip_prefix(&several))?;
        line.split(['"', ' ']).next().map(str::to_owned)
    });
    named.or_else(|| package(name).next().and_then(version)).unwrap_or_default()
}
