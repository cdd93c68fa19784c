//! DocumentDB.

use super::{BOTH_SIDES, broken, place, sound};

const SERVER: &str = "HOAP_TEST_DOCUMENTDB";
const PASSWORD: (&str, &str) = ("MONGODB_PASSWORD", "hoap-secret");

#[test]
fn a_sound_server_is_proved() {
    let url = format!("{}&query_timeout_ms=120000", place(SERVER));
    sound(&[&url], &[PASSWORD], &BOTH_SIDES, &[]);
}

/// Another read concern is READ COMMITTED there.
#[test]
fn an_isolation_that_loses_updates_is_found() {
    let url = format!("{}&transaction_read_concern=majority", place(SERVER));
    broken(&[&url], &[PASSWORD], "forced conflict", &["an update was lost", "isolation level"]);
}

#[test]
fn a_connection_without_the_tls_that_the_server_wants_is_told() {
    let url = place(SERVER);
    let (base, _) = url.split_once('?').unwrap();
    let url = format!("{base}?tls=false&serverSelectionTimeoutMS=2000");
    broken(&[&url], &[PASSWORD], "connects", &["TLS"]);
}

#[test]
fn who_may_only_read_is_told_so() {
    let url = place(SERVER).replacen("//hoap@", "//hoap_read@", 1);
    broken(&[&url], &[PASSWORD], "connects", &["grant this user readWrite"]);
}

#[test]
fn a_wrong_password_is_told_and_not_shown() {
    let wrong = ("MONGODB_PASSWORD", "no secret of it");
    broken(&[&place(SERVER)], &[wrong], "connects", &["check the user"]);
}
