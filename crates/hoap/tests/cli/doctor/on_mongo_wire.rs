//! The imitation of MongoDB: no transactions, which is said and is no failure.

use hoap_testing::lab::Lab;

use super::{broken, place, sound};

#[test]
fn what_it_has_is_proved() {
    let url = place("HOAP_TEST_MONGO_WIRE");
    let passed = ["loads", "documents", "queries, tuned texts", "queries, naive texts", "records"];
    sound(&[&url], &[], &passed, &["transactions"]);
}

#[test]
fn a_server_that_is_too_old_is_told() {
    let lab = Lab::with("mongo-wire", &[("LAB_MONGO_WIRE_VERSION", "5")]);
    broken(&[&lab.url()], &[], "connects", &["take a newer server"]);
}
