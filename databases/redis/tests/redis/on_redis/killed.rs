//! A server that is killed in the middle of work and started again.

use std::time::Duration;

use hoap_database::key_value::{Fields, Record, Scanned};
use hoap_testing::redis::Server;
use hoap_workload::ErrorKind;

use crate::conformance::{client, keys, load_records, record, wait, write_through};
use crate::{open, unavailable};

/// A connection of the bare driver.
pub(super) fn bare(server: &Server) -> redis::Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

/// Everything acknowledged is there, and keys and records agree.
#[test]
fn acknowledged_writes_survive_the_end_of_the_process() {
    let mut server = Server::start();
    let target = open(&server.url());
    let kinds = [ErrorKind::Ambiguous, ErrorKind::Unavailable];
    let acknowledged = write_through(&target, &kinds, |until_more| {
        until_more(100);
        server.kill();
        std::thread::sleep(Duration::from_millis(100));
        server.start_again();
        until_more(100);
    });
    acknowledged.is_in(&target);
    assert!(acknowledged.failed() > 0, "nobody met the end of the server");
    // Whatever was inserted without an answer has its key as well, or nothing: two for each client.
    let (sure, counted) = (acknowledged.inserted() + 1, keys(&target, "usertable").len());
    assert!((sure..=sure + 8).contains(&counted), "{counted}, not {sure}");
    let mut scanned = Scanned::default();
    wait(client(&target).scan("", usize::MAX, Fields::None, &mut scanned)).unwrap();
    assert_eq!(scanned.len(), counted);
}

/// Without a server each operation says so, and the first one after its return works.
#[test]
fn a_session_outlives_the_server() {
    for options in ["", "?pipeline=4"] {
        let mut server = Server::start();
        let target = open(&format!("{}{options}", server.url()));
        load_records(&target, &["user1"]);
        let mut sessions: Vec<_> = (0..3).map(|_| client(&target)).collect();
        let mut there = Record::default();
        server.kill();
        for session in &mut sessions {
            let e = wait(session.update("user1", &record([(0, "x")]))).unwrap_err();
            // The first one finds the connection lost; where it is shared the others find none.
            assert!(matches!(e.kind, ErrorKind::Ambiguous | ErrorKind::Unavailable), "{e}");
            for _ in 0..2 {
                let e = wait(session.read("user1", Fields::All, &mut there)).unwrap_err();
                unavailable(&e, &["connect to redis://127.0.0.1:", "server is up"]);
            }
        }
        server.start_again();
        for session in &mut sessions {
            assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
            assert_eq!(there.len(), 4);
        }
    }
}

/// A client whose connection an administrator ends goes on with a new one.
#[test]
fn a_lost_connection_is_made_anew() {
    let server = Server::start();
    for options in ["", "?pipeline=2"] {
        let target = open(&format!("{}{options}", server.url()));
        wait(target.documents().unwrap().drop(&["usertable"])).unwrap();
        load_records(&target, &["user1"]);
        let mut sessions: Vec<_> = (0..3).map(|_| client(&target)).collect();
        let mut kill = redis::cmd("CLIENT");
        kill.arg("KILL").arg("TYPE").arg("normal");
        let ended: i64 = kill.query(&mut bare(&server)).unwrap();
        assert!(ended >= 2, "{ended}");
        let mut there = Record::default();
        for session in &mut sessions {
            if let Err(e) = wait(session.read("user1", Fields::All, &mut there)) {
                unavailable(&e, &["connection was lost"]);
                assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
            }
        }
    }
}

/// A server without memory refuses writes, keeps what it has, and takes writes again later.
#[test]
fn a_full_server_refuses_and_loses_nothing() {
    let server = Server::start();
    let target = open(&server.url());
    load_records(&target, &["user1"]);
    let mut session = client(&target);
    let limit = |bytes: &str| {
        let mut set = redis::cmd("CONFIG");
        set.arg("SET").arg("maxmemory").arg(bytes);
        let (): () = set.query(&mut bare(&server)).unwrap();
    };
    limit("1");
    for refused in [
        wait(session.insert("user2", &record([(0, "x")]))),
        wait(session.update("user1", &record([(0, "x")]))).map(drop),
    ] {
        unavailable(refused.unwrap_err(), &["OOM", "maxmemory"]);
    }
    limit("0");
    let mut there = Record::default();
    assert!(!wait(session.read("user2", Fields::All, &mut there)).unwrap());
    assert!(wait(session.update("user1", &record([(0, "x")]))).unwrap());
    wait(session.insert("user2", &record([(0, "x")]))).unwrap();
    assert_eq!(keys(&target, "usertable").len(), 2);
}
