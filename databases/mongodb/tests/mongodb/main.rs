//! MongoDB does what every database must do, and what its module promises.
//!
//! Four servers: the lab's imitation (`eval "$(lab/env)"`, modules `on_mongo_wire`), a scripted
//! peer for what the imitation lacks (`peer_on_mongo_wire`), the lab's DocumentDB, a real engine
//! (`on_documentdb`), and a real replica set where `HOAP_TEST_MONGODB` names one (`on_mongodb`).

mod on_documentdb;
mod on_mongo_wire;
mod on_mongodb;
// Of the texts alone.
/// Each of its tests wants the imitation too, which keeps the documents.
mod peer_on_mongo_wire;
mod pipelines;
mod protocol;

use conformance::wait;
use hoap_database::Database;
use hoap_suites::conformance;
use hoap_suites::place::Emptied as Guard;
use hoap_testing::errors::{has, unavailable};
use hoap_testing::urls::{own as own_database, server, with};
use hoap_workload::Error;

fn open(url: &str) -> Database {
    wait(hoap_mongodb::open(url)).unwrap()
}

fn refused(url: &str) -> Error {
    let e = wait(hoap_mongodb::open(url)).map(drop).unwrap_err();
    has(&e, &[]);
    e
}

/// A target with a database of its own.
fn fresh_on(server: &str) -> (Database, Guard) {
    let target = open(&own_database(server));
    (target.clone(), Guard(target))
}

/// What holds without transactions, and without a step that covers a batch and its progress.
#[macro_export]
macro_rules! suite {
    ($fresh:path) => {
        hoap_suites::document_tests!($fresh);
        // The imitation sends a document while it writes it, so that one is not always read whole:
        // that is left to a real server.
        hoap_suites::record_tests!($fresh);
        // It has no update by pipeline, which amounts take, and no name with a dot or a dollar: additions
        // of amounts and fields of any name are left to a real server.
        hoap_suites::conformance_tests!($fresh:
            each_operation_is_done_when_it_returns,
            a_key_inserted_twice_alone_is_a_duplicate,
            documents_are_inserted_together,
            every_value_comes_back_from_each_operation,
            operations_that_are_not_offered_are_refused,
            a_condition_decides_whether_a_patch_is_made,
            a_condition_and_its_patch_are_one_step,
            each_delete_says_whether_it_was_there,
            each_patch_changes_nested_fields,
            a_search_follows_each_operation,
            a_search_takes_a_range_and_an_order,
            a_search_goes_on_behind_the_last_one,
        );
        hoap_suites::range_tests!($fresh);
        // The imitation takes an offset of 4294967295 for -1: pages are left to a real server, and
        // to the tests of the command line.
        hoap_suites::conformance_tests!($fresh:
            every_join_sums_to_the_cent,
            a_join_of_nothing_is_empty,
            a_join_that_is_not_offered_is_refused,
        );
    };
}

/// What transactions promise, but for what a peer with one lock cannot show: readers beside
/// writers.
#[macro_export]
macro_rules! transaction_suite {
    ($fresh:path) => {
        hoap_suites::transaction_tests!($fresh);
        hoap_suites::conformance_tests!($fresh: every_json_value_comes_back_as_it_went_in, no_update_is_lost);
    };
}
