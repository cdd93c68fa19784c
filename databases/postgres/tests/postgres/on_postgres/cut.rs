//! A connection that is cut in the middle of a COMMIT: neither a success nor a failure.

use hoap_database::{Access, Change, Database, Intent, Patch};
use hoap_testing::wire::{End, Wire};
use hoap_workload::ErrorKind;
use serde_json::json;

use super::{Schema, fresh, server};
use crate::conformance::{
    COLLECTION, client, each_operation_is_one_round_trip, field, load, load_records, record,
    session, transact, wait,
};

/// The schema by a wire.
fn by(wire: &Wire, schema: &Schema) -> Database {
    let url = server();
    let (user, rest) = url.split_once('@').unwrap();
    let (_, database) = rest.split_once('/').unwrap();
    let wire = wire.address();
    let url = format!("{user}@{wire}/{database}?schema={}&sslmode=disable", schema.name);
    wait(hoap_postgres::open(&url)).unwrap()
}

/// A wire to the server that ends so.
fn ending(end: End) -> Wire {
    let url = server();
    Wire::ending(url.rsplit('@').next().unwrap().split('/').next().unwrap(), end)
}

/// Reads a number until it is what is expected, for a server that still works on it.
fn becomes(target: &Database, expected: i64) {
    let start = std::time::Instant::now();
    while field(target, "1.1", "o_id") != json!(expected) {
        assert!(
            start.elapsed() < std::time::Duration::from_secs(10),
            "it never becomes {expected}"
        );
    }
}

#[test]
fn a_commit_whose_connection_is_lost_is_ambiguous_and_the_session_goes_on() {
    let commit = b"COMMIT\0";
    for (end, applied) in [(End::Before(commit), false), (End::After(commit), true)] {
        let (direct, schema) = fresh();
        load(&direct, 1);
        let target = by(&ending(end), &schema);
        let mut session = session(&target);
        let add = [Patch { path: "o_id", change: Change::AddInteger(10) }];
        wait(async {
            let mut t = session.begin(Access::Write).await.unwrap();
            t.patch(COLLECTION, "1.1", &add).await.unwrap();
            let e = t.commit().await.unwrap_err();
            assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
            assert!(e.to_string().contains("may have been applied"), "{e}");
        });
        becomes(&direct, if applied { 11 } else { 1 });
        wait(async {
            let mut t = session.begin(Access::Write).await.unwrap();
            t.patch(COLLECTION, "1.1", &add).await.unwrap();
            t.rollback().await.unwrap();
        });
    }
}

#[test]
fn a_record_whose_write_is_not_answered_is_ambiguous() {
    let (direct, schema) = fresh();
    load_records(&direct, &["user1"]);
    let target = by(&ending(End::After(b"cut here")), &schema);
    let mut client = client(&target);
    let bad = record([(0, "cut here")]);
    for done in [wait(client.insert("user2", &bad)), wait(client.update("user1", &bad)).map(drop)] {
        let e = done.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    }
    assert!(wait(client.update("user1", &record([(0, "fine")]))).unwrap());
}

#[test]
fn each_operation_is_one_statement() {
    let (direct, schema) = fresh();
    load(&direct, 3);
    let wire = ending(End::Never);
    each_operation_is_one_round_trip(&by(&wire, &schema), &|| wire.sent());
}

/// BEGIN and the first statement are one message on the wire, or two that nobody waits between;
/// each further statement is one, COMMIT is one.
#[test]
fn begin_is_no_round_trip_of_its_own() {
    let (direct, schema) = fresh();
    load(&direct, 1);
    let wire = ending(End::Never);
    let target = by(&wire, &schema);
    let mut session = session(&target);
    let mut count = |access: Access| {
        let before = wire.sent();
        wait(async {
            let mut t = session.begin(access).await.unwrap();
            match access {
                Access::Write => assert!(t.delete(COLLECTION, "1.2").await.is_ok()),
                Access::Read | Access::Each => {
                    let there = t.get(COLLECTION, "1.1", &[], Intent::Look).await.unwrap();
                    assert_eq!(there, Some(Vec::new()));
                }
            }
            t.commit().await.unwrap();
        });
        wire.sent() - before
    };
    for access in [Access::Write, Access::Read] {
        count(access);
        // The statement is prepared now. Were BEGIN waited for it would be three, always.
        let least = (0..20).map(|_| count(access)).min().unwrap();
        assert_eq!(least, 2, "{access:?}");
    }
    transact(&direct, Access::Write, async |t| t.delete(COLLECTION, "1.1").await).unwrap();
}
