//! A real service with standalone collections, where `HOAP_TEST_COUCHBASE_ANALYTICS` names one: run
//! with `--ignored`.

use hoap_databases::couchbase_analytics::CouchbaseAnalytics;
use hoap_workload::capability::Target;

use super::conformance::{load, wait};

/// Removes what a test left.
struct Guard(CouchbaseAnalytics);

impl Drop for Guard {
    fn drop(&mut self) {
        let all = ["orders", "item", "shop_customer", "shop_orders"];
        let dropped = wait(self.0.documents().unwrap().drop(&all));
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

fn fresh() -> (Box<CouchbaseAnalytics>, Guard) {
    let url = std::env::var("HOAP_TEST_COUCHBASE_ANALYTICS")
        .expect("set HOAP_TEST_COUCHBASE_ANALYTICS=couchbases-analytics://USER@HOST/DATABASE");
    let target = wait(hoap_databases::couchbase_analytics::open(&url)).unwrap();
    (Box::new(target.clone()), Guard(target))
}

/// One test, as all of them would meet in the one database that the URL names.
#[test]
#[ignore = "wants a service: HOAP_TEST_COUCHBASE_ANALYTICS, with CB_PASSWORD"]
fn a_real_service_does_what_every_database_must() {
    type Check = fn(&dyn Target);
    let all: [(&str, Check); 9] = [
        ("notes", |t| super::conformance::notes_are_compared_and_set(t)),
        ("one winner", |t| super::conformance::notes_have_one_winner_among_many(t)),
        ("collections", |t| super::conformance::collections_come_and_go(t)),
        ("progress", |t| super::conformance::progress_is_kept_by_part_and_collection(t)),
        ("settling", |t| super::conformance::settling_twice_is_settling_once(t)),
        ("scan", |t| super::conformance::a_scan_reads_every_document_once(t)),
        ("parameters", |t| super::conformance::parameters_must_match_the_text(t)),
        ("types", |t| super::conformance::parameters_keep_their_types(t)),
        ("cancel", |t| super::conformance::a_query_can_be_cancelled(t)),
    ];
    for (name, check) in all {
        println!("{name}");
        let (target, _guard) = fresh();
        check(&*target);
    }
    for check in [
        super::conformance::pages_are_the_customers_of_the_country::<CouchbaseAnalytics>,
        super::conformance::every_join_sums_to_the_cent::<CouchbaseAnalytics>,
    ] {
        let (target, _guard) = fresh();
        check(&target);
    }
    let (target, _guard) = fresh();
    load(&*target, 1);
}
