//! Cassandra does what every database must do as far as it can, and what its module promises.
//!
//! The servers are those of the lab: `eval "$(lab/env)"`.

mod on_cassandra;
mod on_cassandra_3;
mod ring;

use std::sync::LazyLock;

use conformance::wait;
use hoap_database::Database;
use hoap_suites::conformance;
use hoap_testing::errors::{has, missing, unavailable};
use hoap_testing::urls::{named as in_keyspace, own_name as keyspace, server};
use hoap_workload::Error;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;

fn open(url: &str) -> Database {
    wait(hoap_cassandra::open(url)).unwrap()
}

fn refused(url: &str) -> Error {
    let e = wait(hoap_cassandra::open(url)).map(drop).unwrap_err();
    has(&e, &[]);
    e
}

/// A session of the driver's own.
fn driver(url: &str) -> Session {
    let hosts = url.trim_start_matches("cassandra://").split('/').next().unwrap();
    wait(SessionBuilder::new().known_node(hosts).build()).unwrap()
}

/// The one that the lab's single node is looked at with.
fn admin() -> &'static Session {
    static ADMIN: LazyLock<Session> = LazyLock::new(|| driver(&server("HOAP_TEST_CASSANDRA")));
    &ADMIN
}

/// Runs a statement.
fn cql(session: &Session, text: &str) {
    wait(session.query_unpaged(text, ())).unwrap();
}

/// Removes what a test left.
struct Guard {
    session: Option<&'static Session>,
    keyspace: String,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let text = format!("DROP KEYSPACE IF EXISTS {}", self.keyspace);
        if let Some(session) = self.session {
            let dropped = wait(session.query_unpaged(text, ()));
            assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
        }
    }
}

/// A target with a keyspace of its own on the single node.
fn fresh_with(options: &str) -> (Database, Guard) {
    let keyspace = keyspace();
    let url = in_keyspace(&server("HOAP_TEST_CASSANDRA"), &keyspace);
    let target = open(&format!("{url}?request_timeout_ms=30000{options}"));
    (target, Guard { session: Some(admin()), keyspace })
}
