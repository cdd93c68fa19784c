//! Redis and Valkey do what every database must do, and what their module promises.
//!
//! The servers are those of the lab: `eval "$(lab/env)"`.

mod on_redis;
mod on_redis_cluster;
mod on_valkey;
mod scripted;

use conformance::wait;
use hoap_database::Database;
use hoap_suites::conformance;
use hoap_suites::place::Emptied as Guard;
use hoap_testing::errors::{has, missing, of_kind, unavailable};
use hoap_testing::urls::{as_user, own, own_name as prefix, server, with};
use hoap_workload::Error;

fn open(url: &str) -> Database {
    wait(hoap_redis::open(url)).unwrap()
}

fn refused(url: &str) -> Error {
    let e = wait(hoap_redis::open(url)).map(drop).unwrap_err();
    has(&e, &[]);
    e
}

/// A target with a prefix of its own on the server of a variable.
fn fresh(variable: &str, options: &str) -> (Database, Guard) {
    let target = open(&with(&own(&server(variable)), options));
    (target.clone(), Guard(target))
}
