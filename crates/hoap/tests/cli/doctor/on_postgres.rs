//! PostgreSQL, and its replica.

use hoap_suites::place::Own;
use hoap_testing::urls::server;
use hoap_testing::wire::{End, Wire};

use super::{BOTH_SIDES, broken, place, sound};

const SERVER: &str = "HOAP_TEST_POSTGRES";

#[test]
fn a_sound_server_is_proved() {
    sound(&[&place(SERVER)], &[], &BOTH_SIDES, &[]);
}

#[test]
fn who_may_not_connect_is_told_so() {
    let url = place(SERVER).replacen("//hoap@", "//hoap_nothing@", 1);
    broken(&[&url], &[], "connects", &["permission denied", "grant"]);
}

#[test]
fn a_wrong_password_is_told_and_not_shown() {
    let url = place(SERVER).replacen("//hoap@", "//hoap_password@", 1);
    broken(&[&url], &[("PGPASSWORD", "a wrong secret")], "connects", &["password", "PGPASSWORD"]);
}

#[test]
fn a_proxy_that_drops_connections_is_told() {
    let url = place(SERVER);
    let (_, rest) = url.split_once('@').unwrap();
    let server = rest.split('/').next().unwrap();
    let wire = Wire::ending(server, End::Bytes(30_000));
    let through = url.replacen(server, &wire.address().to_string(), 1);
    let end = super::hoap(&[&through], &[]);
    assert_eq!(end.code, 1, "{end:#?}");
    assert!(end.err.contains("connection") || end.err.contains("closed"), "{end:#?}");
    // It could not remove what it left.
    drop(Own { url });
}

mod on_postgres_replica {
    use super::*;

    #[test]
    fn a_replica_alone_is_read_only() {
        let url = place("HOAP_TEST_POSTGRES_REPLICA");
        broken(&[&url], &[], "loads", &["read-only"]);
    }

    #[test]
    fn a_pair_is_proved_together() {
        let primary = place(SERVER);
        let replica = primary.replacen(&server(SERVER), &server("HOAP_TEST_POSTGRES_REPLICA"), 1);
        let passed = [&BOTH_SIDES[..], &["second database"]].concat();
        sound(&[&primary, "--analytical", &replica], &[], &passed, &[]);
    }
}
