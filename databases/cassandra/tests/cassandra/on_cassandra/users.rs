//! A cluster that wants a user and a password.

use hoap_database::key_value::{Fields, Record};
use hoap_testing::lab::Lab;
use hoap_testing::urls::as_user;

use crate::conformance::{client, load_records, record, wait};
use crate::{cql, has, open, refused, unavailable};

#[test]
fn who_may_not_enter_is_told_what_to_do() {
    let lab = Lab::with("cassandra", &[("LAB_CASSANDRA_AUTH", "1")]);
    let url = lab.url();
    let of = |user: &str| as_user(&url, user);
    unavailable(refused(&url), &["user's name and password", "CASSANDRA_PASSWORD"]);
    for user in ["cassandra:secret", "nobody:secret"] {
        unavailable(refused(&of(user)), &["connect to cassandra://127", "CASSANDRA_PASSWORD"]);
    }
    let admin = of("cassandra:cassandra");
    let target = open(&admin);
    load_records(&target, &["user1"]);
    // A user who may read, and may not write.
    let hosts = url.trim_start_matches("cassandra://").split('/').next().unwrap();
    let driver = scylla::client::session_builder::SessionBuilder::new()
        .known_node(hosts)
        .user("cassandra", "cassandra");
    let driver = wait(driver.build()).unwrap();
    cql(&driver, "CREATE ROLE reader WITH LOGIN = true AND PASSWORD = 'it is secret'");
    cql(&driver, "GRANT SELECT ON KEYSPACE hoap TO reader");
    let reader = open(&of("reader:it%20is%20secret"));
    let mut session = client(&reader);
    let mut there = Record::default();
    assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
    let e = wait(session.update("user1", &record([(0, "x")]))).unwrap_err();
    unavailable(&e, &["MODIFY", "GRANT"]);
    has(&e, &["update usertable user1"]);
}
