//! Which districts a transaction serves.

use hoap_ch2::data::Schema;
use hoap_ch2::mix::Kind;
use hoap_drive::{Client, Outcome, Workload};
use hoap_suites::ch2::checks::terminals;
use hoap_testing::wait;

/// TPC-C 2.7.4.2, CH2 paper 3.3: a Delivery is a transaction for each of the ten districts.
#[test]
fn a_delivery_serves_each_of_the_ten_districts() {
    let loaded = super::loaded(Schema::Ch2pp);
    let terminals = terminals(&loaded);
    let ledger = wait(async {
        let mut client = terminals.client(0).await.unwrap();
        while client.next().kind != Kind::Delivery as usize {}
        let outcome = client.run().await.outcome;
        assert!(matches!(outcome, Outcome::Done), "{outcome:?}");
        client.finish().ledger
    });
    let served: Vec<u32> = ledger.deliveries.iter().map(|delivery| delivery.d).collect();
    assert_eq!(served, (1..=10).collect::<Vec<_>>());
}
