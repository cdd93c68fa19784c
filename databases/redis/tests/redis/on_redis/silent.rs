//! A server that is there and says nothing.

use hoap_database::key_value::{Fields, Record};
use hoap_testing::redis::Server;
use hoap_testing::wire::Wire;
use hoap_workload::ErrorKind;

use crate::conformance::{
    Silence, a_record_without_an_answer_is_given_up, client, each_operation_is_one_round_trip,
    load, record, wait,
};
use crate::open;

#[test]
fn each_operation_is_one_command() {
    let server = Server::start();
    let wire = Wire::new(server.url().trim_start_matches("redis://"));
    load(&open(&server.url()), 3);
    let target = open(&format!("redis://{}", wire.address()));
    each_operation_is_one_round_trip(&target, &|| wire.sent());
}

#[test]
fn an_operation_without_an_answer_ends_and_the_session_does_not() {
    let server = Server::start();
    for shared in ["", "&pipeline=2"] {
        let options = format!("?response_timeout_ms=60000&answer_timeout_ms=600{shared}");
        let target = open(&format!("{}{options}", server.url()));
        let patient = open(&server.url());
        wait(patient.documents().unwrap().drop(&["usertable"])).unwrap();
        let hold = |_| server.signal("STOP");
        let silence = Silence { ms: 600, hold: &hold, speak: &|| server.signal("CONT") };
        a_record_without_an_answer_is_given_up(&patient, &target, &silence);
        // Whoever dies in an update of a missing key takes nothing back, and leaves nothing.
        let (mut session, mut there) = (client(&target), Record::default());
        server.signal("STOP");
        let e = wait(session.update("user9", &record([(0, "late")]))).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Ambiguous, "{e}");
        server.signal("CONT");
        let mut session = client(&patient);
        assert!(!wait(session.read("user9", Fields::All, &mut there)).unwrap(), "a ghost");
    }
}
