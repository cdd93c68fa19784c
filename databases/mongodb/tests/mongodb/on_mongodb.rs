//! A real replica set, which `HOAP_TEST_MONGODB` names: `cargo test … -- --ignored on_mongodb`.

use hoap_database::Database;

fn fresh() -> (Database, crate::Guard) {
    crate::fresh_on(&std::env::var("HOAP_TEST_MONGODB").expect("HOAP_TEST_MONGODB"))
}

/// A group of the suite, as tests that want the replica set.
macro_rules! real {
    ($group:ident $($names:tt)*) => {
        hoap_suites::$group!(
            {#[ignore = "wants a real replica set: HOAP_TEST_MONGODB=mongodb://… with --ignored"]}
            fresh $($names)*
        );
    };
}

real!(document_tests);
real!(transaction_tests);
real!(key_value_tests);
real!(shop_tests);
real!(range_tests);
real!(conformance_tests:
    a_transaction_reads_ranges_of_keys,
    every_json_value_comes_back_as_it_went_in,
    a_snapshot_does_not_move,
    no_update_is_lost,
    counters_are_read_as_queries_see_them,
);
