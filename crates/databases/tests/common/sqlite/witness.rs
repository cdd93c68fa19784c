//! The isolation that SQLite shows.

use hoap_record::Level;
use hoap_testing::witness::{anomalies, provoke};
use hoap_workload::capability::{Documents, Row, Target};
use hoap_workload::ch2::witness::COLLECTION;

use super::conformance::wait;
use super::fresh;

#[test]
fn nothing_is_found_and_the_promise_is_serializable() {
    let (target, _directory) = fresh();
    let witness = provoke(&*target, 4, 300);
    assert_eq!(anomalies(&witness), [""; 0], "{witness:#?}");
    assert_eq!(witness.promised, Some(Level::Serializable));
    assert_eq!(witness.found, Some(Level::StrictSerializable));
    // Lists were full and others took their place, and some rolled back.
    assert!(witness.writes > 4 * 48 * 2 && witness.rolled_back > 10, "{witness:?}");
    let mut left = 0;
    let documents: &dyn Documents = target.documents().unwrap();
    let mut each = |_: &str, _: Row| {
        left += 1;
        Ok(())
    };
    wait(documents.scan(COLLECTION, &[], &mut each)).unwrap();
    assert_eq!(left, 0, "the documents were removed");
}
