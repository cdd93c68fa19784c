//! Services that say nothing for longer than an operation may take.

use std::sync::atomic::Ordering;

use hoap_database::Access;

use crate::cluster::conformance::{
    Asked, Silence, a_record_without_an_answer_is_given_up,
    a_transaction_without_an_answer_is_given_up,
};
use crate::cluster::service::{Act, Service};
use crate::cluster::{open, patient, with};

/// The statements of a transaction go to one service, records to another. What a statement that was
/// given up changed is undone before the next transaction of the same client begins.
#[test]
fn what_is_not_answered_is_given_up_and_the_session_is_not() {
    let service = Service::start();
    // Its own limits are far away.
    let url = patient(&service.url());
    let target = open(&with(&url, "answer_timeout_ms=1500"));
    let hangs = |hangs| service.0.kv_hangs.store(hangs, Ordering::SeqCst);
    let silence = Silence {
        ms: 1500,
        hold: &|asked| match asked {
            Asked::Begin => service.fault("BEGIN WORK", Act::Hang),
            Asked::Get => service.fault("SELECT RAW", Act::Hang),
            Asked::Commit => service.fault("COMMIT WORK", Act::Hang),
            _ => hangs(true),
        },
        speak: &|| hangs(false),
        begins: Some(Access::Write),
    };
    a_record_without_an_answer_is_given_up(&open(&url), &target, &silence);
    a_transaction_without_an_answer_is_given_up(&open(&url), &target, &silence, false);
    assert!(service.0.store.lock().unwrap().txs.len() <= 1, "of the commit alone nothing is known");
}
