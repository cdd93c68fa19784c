//! The gateway, or PostgreSQL behind it, killed under load.

use std::time::Duration;

use hoap_testing::lab::Lab;
use hoap_workload::ErrorKind::{Ambiguous, Conflict, Timeout, Unavailable};

use crate::conformance::every_acknowledged_commit_outlives;
use crate::{open, with};

fn outlives(process: usize) {
    // The gateway gives up before its client does: otherwise it may apply an operation without its
    // transaction.
    let lab = Lab::with("documentdb", &[("LAB_DOCUMENTDB_COMMAND_SECONDS", "3")]);
    let target = open(&with(&lab.url(), "serverSelectionTimeoutMS=2000"));
    let kinds = [Unavailable, Ambiguous, Conflict, Timeout];
    every_acknowledged_commit_outlives(&target, &kinds, false, &|| {
        lab.kill_process(process);
        std::thread::sleep(Duration::from_millis(500));
        lab.up();
    });
}

#[test]
fn every_acknowledged_commit_outlives_postgresql() {
    outlives(1);
}

#[test]
fn every_acknowledged_commit_outlives_the_gateway() {
    outlives(2);
}
