//! The isolation of stepwise transactions, of which none is promised.

use hoap_record::Level;
use hoap_testing::witness::{anomalies, isolation, provoke};
use hoap_workload::capability::{NonTransactional, Target};

#[test]
fn nothing_is_promised_and_updates_are_lost() {
    let (target, _guard) = super::fresh();
    let target: Box<dyn Target> = target;
    let (target, caveat) = NonTransactional::allow(target.into());
    assert!(caveat.is_some());
    assert_eq!(isolation(&*target), None);
    let witness = provoke(&*target, 8, 100);
    assert!(!witness.broken());
    assert!(witness.found <= Some(Level::ReadCommitted), "{witness:#?}");
    assert!(anomalies(&witness).contains(&"lost update (P4)"), "{witness:#?}");
}
