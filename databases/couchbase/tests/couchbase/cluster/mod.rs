//! Couchbase: what its module promises, against a cluster in a script, and against a real one where
//! `HOAP_TEST_COUCHBASE` names it:
//!
//! ```sh
//! HOAP_TEST_COUCHBASE=couchbase://Administrator@127.0.0.1:11210/hoap CB_PASSWORD=… \
//!     cargo test --release -p hoap-databases --features all --test couchbase -- --ignored --test-threads=1 on_couchbase::
//! ```

// Queries are another service's; some promises are kept in another way.
#[allow(dead_code)]
mod ch2;
mod faults;
mod on_couchbase;
mod promises;
mod requests;
mod scripted;
mod secured;
mod silent;

use conformance::wait;
use hoap_database::Database;
use hoap_suites::conformance;
use hoap_suites::place::Emptied as Guard;
use hoap_testing::certificates;
use hoap_testing::couchbase as service;
use hoap_testing::urls::{own_name as scope, with};

/// A URL for a machine that does much else.
fn patient(url: &str) -> String {
    with(url, "kv_timeout_ms=60000&connect_timeout_ms=60000&txtimeout_ms=120000")
}

fn open(url: &str) -> Database {
    wait(hoap_couchbase::open(url)).unwrap()
}

/// Tests of what holds for every cluster, and what the script can do. Left out of the common suite:
/// a batch that is all or nothing, and a snapshot that does not move, which Couchbase does not
/// promise (`promises.rs` has what it does).
#[macro_export]
macro_rules! every_promise {
    ($about:tt $fresh:path) => {
        hoap_suites::operation_tests!($about $fresh);
        hoap_suites::range_tests!($about $fresh);
        hoap_suites::conformance_tests!($about $fresh:
            a_transaction_reads_ranges_of_keys,
            notes_are_compared_and_set,
            notes_have_one_winner_among_many,
            collections_come_and_go,
            progress_is_kept_by_part_and_collection,
            parts_load_at_the_same_time,
            settling_twice_is_settling_once,
            settling_at_the_same_time_is_settling_once,
            a_scan_reads_every_document_once,
            a_scan_stops_at_the_first_error,
            reading_many_keeps_the_order_of_the_keys,
            finding_follows_the_index,
            inserting_twice_is_a_duplicate,
            patches_change_what_they_name,
            patches_apply_in_their_order,
            money_stays_exact_to_the_cent,
            a_patch_that_does_not_fit_breaks_and_changes_nothing,
            deleting_says_whether_it_was_there,
            a_transaction_reads_its_own_writes,
            a_rollback_undoes_everything,
            a_drop_undoes_everything,
            a_commit_shows_everything,
            a_duplicate_leaves_the_transaction_usable,
            a_reading_transaction_refuses_to_write,
            bad_names_are_refused_before_the_database_sees_them,
            a_loaded_record_is_read_by_its_fields,
            an_inserted_record_is_there_for_everyone,
            inserting_a_key_twice_is_a_duplicate,
            one_insert_of_a_key_wins,
            an_update_sets_its_fields_and_keeps_the_others,
            values_and_keys_come_back_byte_for_byte,
            large_values_come_back,
            many_fields_are_set_at_once,
            a_scan_goes_on_from_its_start_in_the_order_of_the_keys,
            a_scan_gives_the_fields_asked_for,
            no_field_is_lost_among_many_writers,
            a_record_is_read_whole,
            fields_and_tables_that_are_not_there_are_refused,
            pages_are_the_customers_of_the_country,
            every_join_sums_to_the_cent,
            a_join_of_nothing_is_empty,
            a_join_that_is_not_offered_is_refused,
            every_json_value_comes_back_equal,
        );
        $crate::promise_tests!($about $fresh:
            a_batch_is_written_again_by_who_goes_on
            no_update_is_lost_among_transactions
            what_changed_after_it_was_read_is_a_conflict
            of_two_that_insert_a_key_the_later_commit_is_a_conflict
            a_key_from_a_counter_that_another_one_moved_is_a_conflict
            a_search_that_an_index_cannot_serve_is_refused
        );
    };
}

/// Of these, what `promises.rs` has.
#[macro_export]
macro_rules! promise_tests {
    ($about:tt $fresh:path:) => {};
    ({$($about:tt)*} $fresh:path: $name:ident $($others:ident)*) => {
        #[test]
        $($about)*
        fn $name() {
            let (target, _guard) = $fresh();
            $crate::cluster::promises::$name(&target);
        }
        $crate::promise_tests!({$($about)*} $fresh: $($others)*);
    };
}
