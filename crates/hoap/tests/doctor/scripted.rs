//! Couchbase's services in scripts.
#![cfg(feature = "couchbase")]

use hoap_testing::couchbase::{PASSWORD, Service};

use super::{broken, sound};

#[test]
fn a_cluster_in_a_script_is_proved() {
    let service = Service::start();
    let url = service.place().replace("://", "://script@");
    let node = service.query_ports()[0];
    let quick = format!("{url}?connect_timeout_ms=700&query_nodes=127.0.0.1:{node}");
    let url = format!("{url}?kv_timeout_ms=60000&connect_timeout_ms=60000&txtimeout_ms=120000");
    let passed = ["loads", "documents", "transactions", "forced conflict", "clients", "records"];
    sound(&[&url], &[("CB_PASSWORD", PASSWORD)], &passed, &["queries"]);
    broken(&[&quick], &[("CB_PASSWORD", "wrong")], "connects", &["check the user, the password"]);
}
