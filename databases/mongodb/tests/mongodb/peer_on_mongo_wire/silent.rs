//! Answers that do not come within `answer_timeout_ms`.

use super::Instead;
use super::tests::fresh_url;
use crate::conformance::{
    Asked, Silence, a_record_without_an_answer_is_given_up,
    a_transaction_without_an_answer_is_given_up, until,
};
use crate::{open, with};

#[test]
fn a_server_that_falls_silent_ends_no_session() {
    let (url, kept) = fresh_url();
    let (target, patient) = (open(&with(&url, "answer_timeout_ms=2000")), open(&url));
    let peer = &kept.peer();
    let silence = Silence {
        ms: 2000,
        hold: &|asked| {
            let command = match asked {
                Asked::Update => "update",
                Asked::Insert => "insert",
                Asked::Commit => "commitTransaction",
                Asked::Get | Asked::Read | Asked::Note => "find",
            };
            peer.next(command, Instead::Hold);
        },
        speak: &|| peer.forget(),
    };
    a_record_without_an_answer_is_given_up(&patient, &target, &silence);
    a_transaction_without_an_answer_is_given_up(&patient, &target, &silence, false);
    // Every connection on which an answer did not come is closed.
    until("all connections are closed", || peer.held() == (9, 9));
}
