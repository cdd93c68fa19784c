//! The isolation that transactions of DynamoDB show.

use hoap_record::Level;
use hoap_suites::witness::kept;

use crate::fresh_with;

#[test]
fn what_a_transaction_only_read_may_have_changed() {
    let (target, _guard) = fresh_with("consistency=strong");
    kept(&target, (4, 15), Level::ReadCommitted, &["lost update (P4)"]);
}

#[test]
fn with_conditions_on_all_that_was_read_they_are_serializable() {
    let (target, _guard) = fresh_with("consistency=strong&conditions=read");
    kept(&target, (4, 15), Level::Serializable, &[]);
}
