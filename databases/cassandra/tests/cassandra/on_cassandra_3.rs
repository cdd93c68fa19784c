//! Three nodes, three copies.

use hoap_database::Database;

use crate::{Guard, driver, in_keyspace, keyspace, open, server};

mod killed;

fn fresh_with(options: &str) -> (Database, Guard) {
    use std::sync::LazyLock;
    static ADMIN: LazyLock<scylla::client::session::Session> =
        LazyLock::new(|| driver(&server("HOAP_TEST_CASSANDRA_3")));
    let keyspace = keyspace();
    let url = in_keyspace(&server("HOAP_TEST_CASSANDRA_3"), &keyspace);
    let target = open(&format!("{url}?replication=3&request_timeout_ms=30000{options}"));
    (target, Guard { session: Some(&ADMIN), keyspace })
}

fn fresh() -> (Database, Guard) {
    fresh_with("")
}

hoap_suites::variant_tests!(fresh: three_nodes);

#[test]
fn three_nodes_are_described() {
    let (target, _guard) = fresh_with("&token_aware=false");
    let settings = target.description().settings;
    assert_eq!(settings["nodes"], "3");
    assert_eq!(settings["routing"], "to each node in turn");
}
