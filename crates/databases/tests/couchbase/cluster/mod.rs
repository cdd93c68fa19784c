//! Couchbase: what its module promises, against a cluster in a script, and against a real one where
//! `HOAP_TEST_COUCHBASE` names it:
//!
//! ```sh
//! HOAP_TEST_COUCHBASE=couchbase://Administrator@127.0.0.1:11210/hoap CB_PASSWORD=… \
//!     cargo test --release -p hoap-databases --features all --test couchbase -- --ignored on_couchbase::
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

use hoap_databases::couchbase::Couchbase;
use hoap_testing::certificates;
use hoap_testing::conformance;
use hoap_testing::couchbase as service;
use hoap_testing::urls::{own_name as scope, with};
use hoap_workload::capability::Target;

use conformance::wait;

/// A URL for a machine that does much else.
fn patient(url: &str) -> String {
    with(url, "kv_timeout_ms=60000&connect_timeout_ms=60000&txtimeout_ms=120000")
}

fn open(url: &str) -> Couchbase {
    wait(hoap_databases::couchbase::open(url)).unwrap()
}

/// Removes what a test left.
struct Guard(Couchbase);

impl Drop for Guard {
    fn drop(&mut self) {
        let all = ["orders", "item", "usertable", "shop_customer", "shop_orders"];
        let dropped = wait(self.0.documents().unwrap().drop(&all));
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

/// Hands the names of what holds for every cluster to a macro. Left out of the common suite: a
/// batch that is all or nothing, and a snapshot that does not move, which Couchbase does not
/// promise (`promises.rs` has what it does); a number like 300000.0 comes back as 300000, and so
/// equal values are tested there too.
#[macro_export]
macro_rules! every_promise {
    ($hand_to:ident) => {
        $hand_to! {
            conformance: notes_are_compared_and_set,
            conformance: notes_have_one_winner_among_many,
            conformance: collections_come_and_go,
            conformance: progress_is_kept_by_part_and_collection,
            conformance: parts_load_at_the_same_time,
            conformance: settling_twice_is_settling_once,
            conformance: settling_at_the_same_time_is_settling_once,
            conformance: a_scan_reads_every_document_once,
            conformance: a_scan_stops_at_the_first_error,
            conformance: reading_many_keeps_the_order_of_the_keys,
            conformance: finding_follows_the_index,
            conformance: inserting_twice_is_a_duplicate,
            conformance: patches_change_what_they_name,
            conformance: patches_apply_in_their_order,
            conformance: money_stays_exact_to_the_cent,
            conformance: a_patch_that_does_not_fit_breaks_and_changes_nothing,
            conformance: deleting_says_whether_it_was_there,
            conformance: a_transaction_reads_its_own_writes,
            conformance: a_rollback_undoes_everything,
            conformance: a_drop_undoes_everything,
            conformance: a_commit_shows_everything,
            conformance: a_duplicate_leaves_the_transaction_usable,
            conformance: a_reading_transaction_refuses_to_write,
            conformance: bad_names_are_refused_before_the_database_sees_them,
            conformance: a_loaded_record_is_read_by_its_fields,
            conformance: an_inserted_record_is_there_for_everyone,
            conformance: inserting_a_key_twice_is_a_duplicate,
            conformance: one_insert_of_a_key_wins,
            conformance: an_update_sets_its_fields_and_keeps_the_others,
            conformance: values_and_keys_come_back_byte_for_byte,
            conformance: large_values_come_back,
            conformance: many_fields_are_set_at_once,
            conformance: a_scan_goes_on_from_its_start_in_the_order_of_the_keys,
            conformance: a_scan_gives_the_fields_asked_for,
            conformance: no_field_is_lost_among_many_writers,
            conformance: a_record_is_read_whole,
            conformance: fields_and_tables_that_are_not_there_are_refused,
            conformance: pages_are_the_customers_of_the_country,
            conformance: every_join_sums_to_the_cent,
            conformance: a_join_of_nothing_is_empty,
            conformance: a_join_that_is_not_offered_is_refused,
            promises: values_come_back_equal,
            promises: a_batch_is_written_again_by_who_goes_on,
            promises: no_update_is_lost_among_transactions,
            promises: what_changed_after_it_was_read_is_a_conflict,
            promises: of_two_that_insert_a_key_the_later_commit_is_a_conflict,
            promises: a_key_from_a_counter_that_another_one_moved_is_a_conflict,
            promises: a_search_that_an_index_cannot_serve_is_refused,
        }
    };
}
