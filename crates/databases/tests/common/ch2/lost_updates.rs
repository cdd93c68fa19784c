//! A database that acknowledges a transaction and loses one change of one document.

use std::sync::atomic::Ordering;

use hoap_ch2::checks::sample::Sample;
use hoap_ch2::data::Schema;
use hoap_ch2::terminal::{Options, Terminals};
use hoap_suites::ch2::checks::{failed, snapshot};
use hoap_suites::ch2::tampering::all_checks;

use super::faults;
use super::flaky::Flaky;

#[test]
fn each_lost_update_is_caught_by_name() {
    let updates = [
        // NewOrder.
        ("s_quantity", "stock quantities"),
        ("s_ytd", "stock counts"),
        ("s_order_cnt", "stock counts"),
        ("s_remote_cnt", "stock counts"),
        // Payment.
        ("w_ytd", "condition 1"),
        ("d_ytd", "condition 9"),
        ("c_balance", "condition 10"),
        ("c_ytd_payment", "condition 12"),
        ("c_payment_cnt", "customer counts"),
        ("c_data", "nothing changed"),
        // Delivery.
        ("c_delivery_cnt", "customer counts"),
        ("o_carrier_id", "nothing lost: Delivery"),
        ("o_orderline", "condition 7"),
    ];
    let (nobody, nothing) = ("no such field", "");
    for (field, wanted) in updates.into_iter().chain([(nobody, nothing)]) {
        let loaded = super::loaded(Schema::Ch2pp);
        let before = snapshot(&loaded);
        let flaky = Flaky::forgetting(&loaded.target, field, 2);
        let options = Options { seed: 11, retries: 20, think_times: false };
        let terminals = Terminals::new(flaky.database(), loaded.data, options);
        let (memory, errors) = faults::drive(&terminals, 2, 150);
        assert!(errors.is_empty(), "{errors:?}");
        // All customers, where it is the sample that sees it.
        let size = if wanted == "nothing changed" { 600 } else { 20 };
        let sample = Sample::of(&loaded.data, size, 5);
        let checks = all_checks(&loaded, &before, &memory.ledger, sample);
        let seen = failed(&checks);
        if wanted == nothing {
            assert_eq!(seen, [""; 0]);
        } else {
            assert!(flaky.state.changes.load(Ordering::SeqCst) > 2, "{field} was not changed");
            assert!(seen.contains(&wanted), "{field}: only {seen:?}");
        }
    }
}

/// All that one NewOrder does to one stock, and all that one Payment does to the customer.
#[test]
fn a_patch_that_is_lost_as_a_whole_is_caught_by_name() {
    for (collection, wanted) in
        [("stock", &["stock counts"][..]), ("customer", &["condition 10", "customer counts"])]
    {
        let loaded = super::loaded(Schema::Ch2);
        let before = snapshot(&loaded);
        let flaky = Flaky::forgetting(&loaded.target, collection, 5);
        let options = Options { seed: 12, retries: 20, think_times: false };
        let terminals = Terminals::new(flaky.database(), loaded.data, options);
        let (memory, errors) = faults::drive(&terminals, 1, 100);
        assert!(errors.is_empty(), "{errors:?}");
        let sample = Sample::of(&loaded.data, 100, 5);
        let checks = all_checks(&loaded, &before, &memory.ledger, sample);
        for name in wanted {
            assert!(failed(&checks).contains(name), "{collection}: {:?}", failed(&checks));
        }
        // The place is named.
        let told = checks.iter().find(|c| c.name == wanted[0]).unwrap();
        let detail = told.detail.as_ref().unwrap();
        assert!(detail.contains("warehouse ") || detail.contains("customer "), "{detail}");
    }
}
