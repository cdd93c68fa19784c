//! A connection that is cut in the middle of a COMMIT: neither a success nor a failure.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hoap_databases::postgres::Postgres;
use hoap_workload::ErrorKind;
use hoap_workload::capability::key_value::KeyValueSession;
use hoap_workload::capability::{Access, Change, Patch};
use serde_json::json;

use super::{Schema, fresh, server};
use crate::conformance::{
    COLLECTION, client, field, load, load_records, record, session, transact, wait,
};

/// What the next message with these bytes meets.
#[derive(Clone, Copy)]
enum Cut {
    /// It does not reach the server.
    Before,
    /// It does, and the answer does not come back.
    After,
}

/// Passes everything on between clients and the server, until a client sends `at`.
struct Wire {
    address: String,
    /// Messages sent by clients: as many as packets, where each waits for its answer.
    sent: Arc<AtomicUsize>,
}

impl Wire {
    fn new(at: &'static [u8], cut: Cut) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let sent = Arc::new(AtomicUsize::new(0));
        let counter = sent.clone();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let url = server();
                let place = url.rsplit('@').next().unwrap().split('/').next().unwrap().to_owned();
                let server = TcpStream::connect(place).unwrap();
                let (from, to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || pass(from, to, |_| None));
                let counter = counter.clone();
                std::thread::spawn(move || {
                    pass(client, server, |bytes| {
                        counter.fetch_add(1, Ordering::SeqCst);
                        bytes.windows(at.len()).any(|found| found == at).then_some(cut)
                    });
                });
            }
        });
        Wire { address, sent }
    }

    fn target(&self, schema: &Schema) -> Postgres {
        let url = server();
        let (user, rest) = url.split_once('@').unwrap();
        let (_, database) = rest.split_once('/').unwrap();
        let url =
            format!("{user}@{}/{database}?schema={}&sslmode=disable", self.address, schema.name);
        wait(hoap_databases::postgres::open(&url)).unwrap()
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, mut cut: impl FnMut(&[u8]) -> Option<Cut>) {
    let mut buffer = [0; 1 << 16];
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        let cut = cut(&buffer[..n]);
        if matches!(cut, Some(Cut::After)) {
            // The client hears nothing more of it.
            let _ = from.shutdown(std::net::Shutdown::Both);
        }
        if matches!(cut, Some(Cut::Before)) || to.write_all(&buffer[..n]).is_err() {
            break;
        }
        if cut.is_some() {
            // The server must read it before it sees the end.
            let _ = to.shutdown(std::net::Shutdown::Write);
            return;
        }
    }
    let _ = from.shutdown(std::net::Shutdown::Both);
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// Reads a number until it is what is expected, for a server that still works on it.
fn becomes(target: &Postgres, expected: i64) {
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
    for (cut, applied) in [(Cut::Before, false), (Cut::After, true)] {
        let (direct, schema) = fresh();
        load(&*direct, 1);
        let target = Wire::new(b"COMMIT\0", cut).target(&schema);
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
    load_records(&*direct, &["user1"]);
    let target = Wire::new(b"cut here", Cut::After).target(&schema);
    let mut client = client(&target);
    let bad = record([(0, "cut here")]);
    for done in [wait(client.insert("user2", &bad)), wait(client.update("user1", &bad)).map(drop)] {
        let e = done.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
    }
    assert!(wait(client.update("user1", &record([(0, "fine")]))).unwrap());
}

/// BEGIN and the first statement are one message on the wire, or two that nobody waits between;
/// each further statement is one, COMMIT is one.
#[test]
fn begin_is_no_round_trip_of_its_own() {
    let (direct, schema) = fresh();
    load(&*direct, 1);
    let wire = Wire::new(b"no such bytes", Cut::Before);
    let target = wire.target(&schema);
    let mut session = session(&target);
    let mut count = || {
        let before = wire.sent.load(Ordering::SeqCst);
        wait(async {
            let mut t = session.begin(Access::Write).await.unwrap();
            assert!(t.delete(COLLECTION, "1.2").await.is_ok());
            t.commit().await.unwrap();
        });
        wire.sent.load(Ordering::SeqCst) - before
    };
    count();
    // The statement is prepared now. Were BEGIN waited for it would be three, always.
    let least = (0..20).map(|_| count()).min().unwrap();
    assert_eq!(least, 2);
    transact(&*direct, Access::Write, async |t| t.delete(COLLECTION, "1.1").await).unwrap();
}
