//! Three nodes, three copies.

use hoap_databases::cassandra::Cassandra;
use hoap_workload::capability::Target;

use crate::{Guard, driver, in_keyspace, keyspace, open, server};

mod killed;

fn fresh_with(options: &str) -> (Box<Cassandra>, Guard) {
    use std::sync::LazyLock;
    static ADMIN: LazyLock<scylla::client::session::Session> =
        LazyLock::new(|| driver(&server("HOAP_TEST_CASSANDRA_3")));
    let keyspace = keyspace();
    let url = in_keyspace(&server("HOAP_TEST_CASSANDRA_3"), &keyspace);
    let target = open(&format!("{url}?replication=3&request_timeout_ms=30000{options}"));
    (Box::new(target), Guard { session: Some(&ADMIN), keyspace })
}

fn fresh() -> (Box<Cassandra>, Guard) {
    fresh_with("")
}

hoap_testing::conformance_tests!(fresh:
    notes_have_one_winner_among_many,
    parts_load_at_the_same_time,
    an_inserted_record_is_there_for_everyone,
    a_deleted_record_is_gone_for_everyone,
    no_field_is_lost_among_many_writers,
    every_join_sums_to_the_cent,
);

// Which of many inserts of one key wins is tested on one node: three that are busy let some of them
// time out, which is an honest answer and not the one that the test waits for.

#[test]
fn three_nodes_are_described() {
    let (target, _guard) = fresh_with("&token_aware=false");
    let settings = target.description().settings;
    assert_eq!(settings["nodes"], "3");
    assert_eq!(settings["routing"], "to each node in turn");
}
