//! A real service with standalone collections, where `HOAP_TEST_COUCHBASE_ANALYTICS` names one: run
//! with `--ignored`, and with `--test-threads=1`, as tests would meet in the one database that the
//! URL names.

use hoap_database::Database;
use hoap_suites::place::Emptied;

use super::conformance::wait;

fn fresh() -> (Database, Emptied) {
    let url = std::env::var("HOAP_TEST_COUCHBASE_ANALYTICS")
        .expect("set HOAP_TEST_COUCHBASE_ANALYTICS=couchbases-analytics://USER@HOST/DATABASE");
    let target = wait(hoap_couchbase_analytics::open(&url)).unwrap();
    (target.clone(), Emptied(target))
}

hoap_suites::conformance_tests!(
    {#[ignore = "wants a service: HOAP_TEST_COUCHBASE_ANALYTICS, with CB_PASSWORD"]}
    fresh:
    notes_are_compared_and_set,
    notes_have_one_winner_among_many,
    collections_come_and_go,
    progress_is_kept_by_part_and_collection,
    settling_twice_is_settling_once,
    a_scan_reads_every_document_once,
    parameters_must_match_the_text,
    parameters_keep_their_types,
    a_query_can_be_cancelled,
    pages_are_the_customers_of_the_country,
    every_join_sums_to_the_cent,
);
