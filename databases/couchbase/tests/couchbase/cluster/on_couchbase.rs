//! The suite against a real cluster. No lab has one, so it is ignored unless asked for: one test after
//! the other, as a cluster makes and drops few collections at a time.

use hoap_database::Database;

use crate::cluster::{Guard, open, scope, with};

fn fresh() -> (Database, Guard) {
    let url = std::env::var("HOAP_TEST_COUCHBASE")
        .expect("set HOAP_TEST_COUCHBASE=couchbase://USER@HOST/BUCKET, and CB_PASSWORD");
    let target = open(&with(&url, &format!("scope={}", scope())));
    (target.clone(), Guard(target))
}

crate::every_promise!({#[ignore = "wants a cluster: HOAP_TEST_COUCHBASE"]} fresh);
