//! Cassandra: records by key, documents without transactions.

use super::{place, sound};

#[test]
fn what_it_has_is_proved_and_what_it_has_not_is_said() {
    let url = place("HOAP_TEST_CASSANDRA", "sound");
    let passed = ["loads", "documents", "records", "removes"];
    sound(&[&url], &[], &passed, &["queries", "transactions"]);
}
