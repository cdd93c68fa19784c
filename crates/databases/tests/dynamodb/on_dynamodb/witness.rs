//! The isolation that transactions of DynamoDB show.

use hoap_record::Level;
use hoap_testing::witness::{anomalies, provoke};

use crate::fresh_with;

#[test]
fn what_a_transaction_only_read_may_have_changed() {
    let (target, _guard) = fresh_with("consistency=strong");
    let witness = provoke(&*target, 4, 15);
    assert_eq!(witness.promised, Some(Level::ReadCommitted));
    assert!(!witness.broken(), "{witness:#?}");
    assert!(!anomalies(&witness).contains(&"lost update (P4)"), "{witness:#?}");
}

#[test]
fn with_conditions_on_all_that_was_read_they_are_serializable() {
    let (target, _guard) = fresh_with("consistency=strong&conditions=read");
    let witness = provoke(&*target, 4, 15);
    assert_eq!(witness.promised, Some(Level::Serializable));
    assert!(!witness.broken(), "{witness:#?}");
}
