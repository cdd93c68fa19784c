//! A server that is there and says nothing.

use hoap_testing::redis::Server;
use hoap_workload::capability::Target;

use crate::conformance::{Silence, a_record_without_an_answer_is_given_up, wait};
use crate::open;

#[test]
fn an_operation_without_an_answer_ends_and_the_session_does_not() {
    let server = Server::start();
    for shared in ["", "&pipeline=2"] {
        let options = format!("?response_timeout_ms=60000&answer_timeout_ms=600{shared}");
        let target = open(&format!("{}{options}", server.url()));
        let patient = open(&server.url());
        wait(patient.documents().unwrap().drop(&["usertable"])).unwrap();
        let hold = |_| server.signal("STOP");
        let silence =
            Silence { ms: 600, hold: &hold, speak: &|| server.signal("CONT"), begins: None };
        a_record_without_an_answer_is_given_up(&patient, &target, &silence);
    }
}
