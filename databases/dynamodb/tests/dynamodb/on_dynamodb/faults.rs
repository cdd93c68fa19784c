//! Faults: a server that is not there, that goes away and comes back, whose answers are lost.

use std::net::TcpListener;
use std::time::Duration;

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Access, Database};
use hoap_testing::wire::{Mode, Wire};
use hoap_workload::{ErrorKind, Result};
use serde_json::json;

use crate::conformance::{
    COLLECTION, Silence, a_record_without_an_answer_is_given_up,
    a_transaction_without_an_answer_is_given_up, client, count, field, load, load_records, record,
    session, wait, what_others_made_is_left_alone,
};
use crate::{Guard, credentials, missing, open, prefix, refused, server, unavailable};

/// The lab's server behind a wire: a target that goes by it, and one that does not.
fn behind() -> (Wire, Database, Guard) {
    behind_with("")
}

/// The same, with options.
fn behind_with(options: &str) -> (Wire, Database, Guard) {
    let url = server();
    let (_, rest) = url.split_once("endpoint=http://").unwrap();
    let address = rest.split('&').next().unwrap().trim_end_matches('/');
    let wire = Wire::new(address);
    let prefix = prefix();
    let through = format!(
        "dynamodb://us-east-1?endpoint=http://{}&{}&prefix={prefix}&request_timeout_ms=5000{options}",
        wire.address(),
        credentials()
    );
    let direct = open(&format!("{url}&prefix={prefix}"));
    (wire, open(&through), Guard(direct))
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = |host: &str| format!("dynamodb://us-east-1?endpoint=http://{host}&{}", credentials());
    let e = refused(&url(&format!("127.0.0.1:{port}")));
    unavailable(&e, &["open dynamodb://us-east-1", "refused", "check region, endpoint"]);
    let e = refused(&url("no-such-host.invalid:8000"));
    unavailable(&e, &["check region, endpoint"]);
}

#[test]
fn a_server_that_says_nothing_is_a_timeout() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "dynamodb://us-east-1?endpoint=http://{}&{}&request_timeout_ms=200",
        silent.local_addr().unwrap(),
        credentials()
    );
    let e = refused(&url);
    assert_eq!(e.kind, ErrorKind::Timeout, "{e}");
    assert!(e.to_string().contains("request_timeout_ms"), "{e}");
}

#[test]
fn tables_that_are_not_there_ask_for_a_load() {
    let target = open(&format!("{}&prefix={}", server(), prefix()));
    assert_eq!(wait(target.documents().unwrap().note()).unwrap(), None);
    let mut each = |_: &str, _| Ok(());
    let e = wait(target.documents().unwrap().scan(COLLECTION, &[], &mut each)).unwrap_err();
    missing(&e, &["scan orders", "run `hoap load` first"]);
}

/// A table that somebody else made is neither used nor overwritten.
#[test]
fn a_foreign_table_is_refused() {
    let prefix = prefix();
    let (url, table) = (server(), format!("{prefix}.{COLLECTION}"));
    let endpoint = url.split_once("endpoint=http://").unwrap().1.split('&').next().unwrap();
    let body = json!({
        "TableName": table, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    });
    crate::scripted_call(endpoint, "CreateTable", &body);
    let target = open(&format!("{url}&prefix={prefix}"));
    what_others_made_is_left_alone(&target, COLLECTION, "another prefix");
    wait(target.documents().unwrap().drop(&[COLLECTION])).unwrap();
}

#[test]
fn a_client_goes_on_when_the_server_is_back_and_no_acknowledged_write_is_lost() {
    let (wire, target, guard) = behind();
    load_records(&target, &["user1"]);
    let mut client = client(&target);
    let (mut acknowledged, mut failed) = (0, 0);
    let mut write =
        |n: u32| -> Result<bool> { wait(client.update("user1", &record([(0, n.to_string())]))) };
    for n in 1..=60 {
        match n {
            20 => wire.set(Mode::Cut),
            40 => wire.set(Mode::Pass),
            _ => {}
        }
        match write(n) {
            Ok(there) => {
                assert!(there);
                acknowledged = n;
            }
            Err(e) => {
                let kinds = [ErrorKind::Unavailable, ErrorKind::Ambiguous, ErrorKind::Timeout];
                assert!(kinds.contains(&e.kind), "{e}");
                failed += 1;
            }
        }
    }
    assert!((15..=25).contains(&failed), "{failed}");
    assert_eq!(acknowledged, 60);
    let mut there = Record::default();
    let mut direct = crate::conformance::client(&guard.0);
    assert!(wait(direct.read("user1", Fields::One(0), &mut there)).unwrap());
    assert_eq!(there.iter().next().unwrap().1, b"60");
}

/// The write was applied and nobody said so: not a success, not a failure.
#[test]
fn a_write_whose_answer_was_lost_is_ambiguous_and_a_read_is_not() {
    let (wire, target, guard) = behind();
    load_records(&target, &["user1"]);
    let mut client = client(&target);
    wait(client.read("user1", Fields::All, &mut Record::default())).unwrap();
    wire.set(Mode::Mute);
    let e = wait(client.insert("user2", &record([(0, "x")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    let e = wait(client.read("user1", Fields::All, &mut Record::default())).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(wire.muted() >= 2);
    let mut direct = crate::conformance::client(&guard.0);
    assert!(wait(direct.read("user2", Fields::All, &mut Record::default())).unwrap());
    wire.set(Mode::Pass);
    assert!(wait(client.read("user2", Fields::All, &mut Record::default())).unwrap());
}

#[test]
fn a_commit_whose_answer_was_lost_is_ambiguous() {
    let (wire, target, guard) = behind();
    load(&target, 1);
    let mut session = session(&target);
    let e = wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        t.insert(COLLECTION, "7.7", &json!({"o_id": 7})).await.unwrap();
        wire.set(Mode::Mute);
        t.commit().await.unwrap_err()
    });
    assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(field(&guard.0, "7.7", "o_id"), json!(7));
    // One that never reached the server was not applied.
    wire.set(Mode::Pass);
    let e = wait(async {
        let mut t = session.begin(Access::Write).await.unwrap();
        t.insert(COLLECTION, "8.8", &json!({"o_id": 8})).await.unwrap();
        wire.set(Mode::Cut);
        t.commit().await.unwrap_err()
    });
    assert!(matches!(e.kind, ErrorKind::Ambiguous | ErrorKind::Unavailable), "{e}");
    assert_eq!(count(&guard.0), 2);
}

/// The limit on an answer comes before that on a request here.
#[test]
fn answers_that_do_not_come_are_given_up_and_the_next_ones_are_their_own() {
    let (wire, target, guard) = behind_with("&answer_timeout_ms=3000");
    let (hold, speak) = (|_| wire.set(Mode::Hold), || wire.set(Mode::Pass));
    let silence = Silence { ms: 3000, hold: &hold, speak: &speak };
    a_record_without_an_answer_is_given_up(&guard.0, &target, &silence);
    a_transaction_without_an_answer_is_given_up(&guard.0, &target, &silence, true);
}

/// With one connection for everybody they wait for each other, and all come through.
#[test]
fn clients_share_the_connections_that_an_option_gives_them() {
    let target = open(&format!("{}&prefix={}&connections=1", server(), prefix()));
    let _guard = Guard(target.clone());
    load_records(&target, &["user1"]);
    let target = &target;
    std::thread::scope(|scope| {
        for n in 0..4 {
            scope.spawn(move || {
                let mut client = client(target);
                for m in 0..20 {
                    wait(client.insert(&format!("user{n}-{m}"), &record([(0, "x")]))).unwrap();
                }
            });
        }
    });
    let mut each = |_: &str, _| Ok(());
    wait(target.documents().unwrap().scan("usertable", &[], &mut each)).unwrap();
}
