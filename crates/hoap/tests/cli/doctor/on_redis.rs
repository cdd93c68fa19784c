//! Redis: records by key alone.

use super::{broken, place, sound};

const SERVER: &str = "HOAP_TEST_REDIS";

#[test]
fn what_it_has_is_proved_and_what_it_has_not_is_said() {
    sound(&[&place(SERVER)], &[], &["loads", "documents", "records"], &["queries", "transactions"]);
}

#[test]
fn tls_on_a_port_without_it_is_told() {
    let url = place(SERVER).replacen("redis:", "rediss:", 1) + "&connect_timeout_ms=1000";
    broken(&[&url], &[], "connects", &["a Redis server without TLS answers"]);
}

#[test]
fn who_may_only_connect_is_told_so() {
    let url = place(SERVER).replacen("redis://", "redis://hoap_nothing@", 1);
    broken(&[&url], &[("REDISCLI_AUTH", "x")], "connects", &["permission"]);
}
