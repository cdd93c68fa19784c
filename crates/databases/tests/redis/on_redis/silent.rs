//! A server that is there and says nothing.

use hoap_workload::ErrorKind;
use hoap_workload::capability::Target;
use hoap_workload::capability::key_value::{Fields, KeyValueSession, Record};

use super::killed::Own;
use crate::conformance::{client, load_records, record, wait};
use crate::{of_kind, open};

/// An operation without an answer is a timeout, a write an ambiguous one. A late answer is not
/// taken for another's, and the session works again when the server does.
#[test]
fn an_operation_without_an_answer_ends_and_the_session_does_not() {
    let server = Own::start();
    load_records(&open(&server.url()), &["user1", "user2"]);
    for shared in ["", "&pipeline=2"] {
        let options = format!("?response_timeout_ms=60000&answer_timeout_ms=600{shared}");
        let target = open(&format!("{}{options}", server.url()));
        let mut sessions: Vec<_> = (0..2).map(|_| client(&target)).collect();
        let mut there = Record::default();
        server.signal("STOP");
        for session in &mut sessions {
            let e = wait(session.read("user1", Fields::All, &mut there)).unwrap_err();
            of_kind(ErrorKind::Timeout, &e, &["read usertable user1 in", "answer_timeout_ms"]);
            let e = wait(session.update("user1", &record([(0, "late")]))).unwrap_err();
            of_kind(ErrorKind::Ambiguous, &e, &["no answer within 600 ms"]);
            let e = wait(session.insert("user3", &record([(0, "late")]))).unwrap_err();
            of_kind(ErrorKind::Ambiguous, &e, &["insert usertable user3", "600 ms"]);
        }
        let e = wait(target.documents().unwrap().note()).unwrap_err();
        of_kind(ErrorKind::Timeout, &e, &["read the note in", "answer_timeout_ms"]);
        server.signal("CONT");
        for session in &mut sessions {
            assert!(wait(session.read("user2", Fields::All, &mut there)).unwrap());
            assert_eq!(there.iter().next(), Some((0, &b"user2 0"[..])));
            assert!(wait(session.update("user2", &record([(1, "new")]))).unwrap());
            assert!(wait(session.read("user2", Fields::One(1), &mut there)).unwrap());
            assert_eq!(there, record([(1, "new")]));
        }
    }
}
