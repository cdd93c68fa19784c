//! What the cluster refuses or does not do in time is said in one line, with what to do.

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Database, Index};
use hoap_testing::wire::{Mode, Wire};
use hoap_workload::{Error, ErrorKind};

use crate::conformance::{COLLECTION, client, load_records, record, table, wait};
use crate::{
    Guard, admin, cql, fresh_with, has, in_keyspace, missing, open, refused, server, unavailable,
};

#[test]
fn contact_points_that_do_not_answer_are_named() {
    unavailable(
        refused("cassandra://user:secret@127.0.0.1:1/k"),
        &["connect to cassandra://127.0.0.1:1/k", "hosts and port"],
    );
    let e = refused("cassandra://no-such-host.invalid/k");
    unavailable(&e, &["no-such-host.invalid", "hosts' names"]);
    // One of several that answers is enough.
    let url = server("HOAP_TEST_CASSANDRA");
    open(&url.replacen("://", "://127.0.0.1:1,", 1));
}

#[test]
fn a_datacenter_that_is_not_there_is_refused_with_those_that_are() {
    let url = server("HOAP_TEST_CASSANDRA");
    let e = refused(&format!("{url}?datacenter=moon"));
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    has(&e, &["no datacenter moon", "its datacenters are datacenter1"]);
    let there = open(&format!("{url}?datacenter=datacenter1&read_consistency=local_quorum"));
    let settings = there.description().settings;
    assert_eq!(settings["routing"], "to a replica of the key in datacenter1");
    assert_eq!(settings["read_consistency"], "local_quorum");
}

#[test]
fn the_description_says_what_an_acknowledged_write_survives() {
    let (target, _guard) = fresh_with("&lwt=true");
    let description = target.description();
    assert_eq!(description.name, "Cassandra");
    assert!(description.version.starts_with(|c: char| c.is_ascii_digit()), "{description:?}");
    let settings = &description.settings;
    assert_eq!(settings["commitlog_sync"], "periodic");
    assert!(settings["durability"].contains("power failure"), "{settings:?}");
    assert_eq!(settings["keyspace"], "not made yet");
    assert!(settings["writes"].contains("lightweight"));
    assert_eq!(
        (settings["nodes"].as_str(), settings["datacenters"].as_str()),
        ("1", "datacenter1")
    );
}

/// Tables and the keyspace are made as the options say, and an existing keyspace must be so.
#[test]
fn options_of_the_keyspace_and_of_tables_are_kept() {
    let options = "&replication=datacenter1:1&durable_writes=false&row_cache=all&compression=zstd";
    let (target, guard) = fresh_with(options);
    load_records(&target, &["user1"]);
    let keyspace = &guard.keyspace;
    let text = format!(
        "SELECT caching, compression FROM system_schema.tables WHERE keyspace_name = '{keyspace}' \
         AND table_name = 'usertable'"
    );
    type Maps =
        (std::collections::HashMap<String, String>, std::collections::HashMap<String, String>);
    let rows = wait(admin().query_unpaged(text, ())).unwrap().into_rows_result().unwrap();
    let (caching, compression) = rows.single_row::<Maps>().unwrap();
    assert_eq!(caching["rows_per_partition"], "ALL");
    assert!(compression["class"].ends_with("ZstdCompressor"), "{compression:?}");
    let url = in_keyspace(&server("HOAP_TEST_CASSANDRA"), keyspace);
    let there = open(&url).description().settings;
    assert_eq!(there["keyspace"], "NetworkTopologyStrategy, datacenter1: 1, no commit log");
    assert!(there["durability"].starts_with("none"));
    open(&format!("{url}?replication=1"));
    for option in ["replication=3", "replication=datacenter1:2", "durable_writes=true"] {
        let e = refused(&format!("{url}?{option}"));
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        has(&e, &["is there and has", "ALTER KEYSPACE"]);
    }
}

/// A record that was loaded and one that was inserted are gone after their time.
#[test]
fn records_expire_where_an_option_says_so() {
    let (target, _guard) = fresh_with("&ttl_s=2");
    load_records(&target, &["user1"]);
    let mut client = client(&target);
    wait(client.insert("user2", &record([(0, "x")]))).unwrap();
    let mut there =
        |key: &str| wait(client.read(key, Fields::None, &mut Record::default())).unwrap();
    let gone = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        !there("user1") && !there("user2")
    });
    assert!(gone, "a minute later");
}

/// Names of tables have 48 letters at most.
#[test]
fn a_name_without_room_is_refused_before_anything_is_sent() {
    let (target, _guard) = fresh_with("");
    let documents = target.documents().unwrap();
    let long = "a".repeat(49);
    wait(documents.create(&[&long[..48]])).unwrap();
    let e = wait(documents.create(&[&long])).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    has(&e, &["49 letters, and the database leaves room for 48"]);
    let index = |name: &str| Index::new(name, COLLECTION, &["a"]);
    let e = wait(documents.settle(&[index(&long)])).unwrap_err();
    has(&e, &["49 letters, and the database leaves room for 48"]);
}

/// Consistency that one node cannot give: nothing is written.
#[test]
fn too_few_replicas_are_unavailable() {
    let (target, guard) = fresh_with("&replication=2");
    load_one_replica(&guard.keyspace);
    let mut session = client(&target);
    let e = wait(session.read("user1", Fields::All, &mut Record::default())).unwrap_err();
    unavailable(&e, &["required: 2, alive: 1", "lower the consistency"]);
    let e = wait(session.update("user1", &record([(0, "x")]))).unwrap_err();
    unavailable(&e, &["required: 2, alive: 1"]);
    let url = target.description().url;
    let one = open(&format!("{url}&read_consistency=one&write_consistency=one"));
    let mut session = client(&one);
    assert!(wait(session.update("user1", &record([(0, "x")]))).unwrap());
    assert!(wait(session.read("user1", Fields::All, &mut Record::default())).unwrap());
}

/// A keyspace with more copies than nodes, and its table.
fn load_one_replica(keyspace: &str) {
    let replication = "{'class': 'SimpleStrategy', 'replication_factor': 2}";
    cql(admin(), &format!("CREATE KEYSPACE {keyspace} WITH replication = {replication}"));
    cql(admin(), &format!("CREATE TABLE {keyspace}.usertable (y_id varchar PRIMARY KEY)"));
}

#[test]
fn a_table_that_goes_away_is_one_to_load() {
    let (target, guard) = fresh_with("");
    let e = wait(target.key_value().unwrap().session(&table(2))).map(drop).unwrap_err();
    missing(&e, &["no collection usertable", "hoap load"]);
    load_records(&target, &["user1"]);
    let mut session = client(&target);
    cql(admin(), &format!("DROP TABLE {}.usertable", guard.keyspace));
    let e = wait(session.read("user1", Fields::All, &mut Record::default())).unwrap_err();
    missing(&e, &["read usertable user1 in cassandra://", "hoap load"]);
    let e = wait(session.update("user1", &record([(0, "x")]))).unwrap_err();
    missing(&e, &["update usertable user1"]);
}

/// The lab's node behind a wire.
fn by_wire(guard: &Guard, options: &str) -> (Wire, Database) {
    let node = server("HOAP_TEST_CASSANDRA");
    let node = node.trim_start_matches("cassandra://").split('/').next().unwrap();
    let wire = Wire::new(node);
    // The driver connects to the address that the node states, and so past the wire, but for its
    // port.
    let (_, port) = node.rsplit_once(':').unwrap();
    assert_ne!(wire.address().port().to_string(), port);
    let url = format!("cassandra://{}/{}?{options}", wire.address(), guard.keyspace);
    (wire, open(&url))
}

/// Answers that do not come in time: a write may have been applied, a read cannot. The session is
/// of use again afterwards.
#[test]
fn a_late_answer_to_a_write_is_ambiguous_and_to_a_read_a_timeout() {
    let (target, guard) = fresh_with("");
    load_records(&target, &["user1"]);
    let (wire, slow) = by_wire(&guard, "request_timeout_ms=300");
    let mut session = client(&slow);
    // Prepared while answers come.
    assert!(wait(session.update("user1", &record([(0, "x")]))).unwrap());
    wire.set(Mode::Hold);
    let e = wait(session.update("user1", &record([(0, "y")]))).unwrap_err();
    if e.kind != ErrorKind::Ambiguous {
        panic!("{e}");
    }
    has(&e, &["no answer within 300 ms", "request_timeout_ms"]);
    let e = wait(session.read("user1", Fields::All, &mut Record::default())).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
    wire.set(Mode::Pass);
    let mut there = Record::default();
    assert!(wait(session.read("user1", Fields::One(0), &mut there)).unwrap());
    assert_eq!(there, record([(0, "y")]), "it was applied");
}

/// The limit on an answer comes before that on a request here. The answers come after all, and are
/// taken for no other's.
#[test]
fn answers_that_do_not_come_are_given_up_and_the_next_ones_are_their_own() {
    let (target, guard) = fresh_with("");
    load_records(&target, &["user1", "user2"]);
    let (wire, slow) = by_wire(&guard, "request_timeout_ms=60000&answer_timeout_ms=5000");
    let hold = |held| wire.set(if held { Mode::Hold } else { Mode::Pass });
    let mut client = client(&slow);
    let late = |e: Error, kind: ErrorKind| {
        assert_eq!(e.kind, kind, "{e}");
        has(&e, &["no answer within 5000 ms", "answer_timeout_ms"]);
    };
    let mut there = Record::default();
    wait(async {
        assert!(client.update("user1", &record([(0, "x")])).await.unwrap());
        hold(true);
        let e = client.read("user1", Fields::All, &mut there).await.unwrap_err();
        late(e, ErrorKind::Timeout);
        let e = client.update("user1", &record([(0, "y")])).await.unwrap_err();
        late(e, ErrorKind::Ambiguous);
        hold(false);
        assert!(client.read("user2", Fields::All, &mut there).await.unwrap());
        assert_eq!(there, record((0..4).map(|n| (n, format!("user2 {n}")))));
        assert!(client.read("user1", Fields::All, &mut there).await.unwrap());
        assert_eq!(there.iter().next(), Some((0, &b"y"[..])), "it was applied");
    });
}
