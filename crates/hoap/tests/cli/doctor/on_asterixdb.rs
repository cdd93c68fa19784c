//! AsterixDB: queries, no transactions.

use super::{place, sound};

#[test]
fn what_it_has_is_proved_and_what_it_has_not_is_said() {
    let url = place("HOAP_TEST_ASTERIXDB", "sound");
    let passed = ["loads", "documents", "queries, tuned texts", "queries, naive texts"];
    sound(&["--analytical", &url], &[], &passed, &["transactions"]);
}
