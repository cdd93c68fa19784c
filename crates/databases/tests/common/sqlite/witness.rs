//! The isolation that SQLite shows.

use hoap_ch2::witness::COLLECTION;
use hoap_record::Level;
use hoap_suites::witness::{anomalies, kept};

use super::conformance::keys;
use super::fresh;

#[test]
fn nothing_is_found_and_the_promise_is_serializable() {
    let (target, _directory) = fresh();
    let witness = kept(&target, (4, 300), Level::Serializable, &[]);
    assert_eq!(anomalies(&witness), [""; 0], "{witness:#?}");
    assert_eq!(witness.found, Some(Level::StrictSerializable));
    // Lists were full and others took their place, and some rolled back.
    assert!(witness.writes > 4 * 48 * 2 && witness.rolled_back > 10, "{witness:?}");
    assert!(keys(&target, COLLECTION).is_empty(), "the documents were removed");
}
