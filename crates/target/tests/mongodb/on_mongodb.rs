//! A real replica set, which `HOAP_TEST_MONGODB` names: `cargo test … -- --ignored on_mongodb`.

/// A test for each conformance function that holds on a replica set.
macro_rules! real_tests {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            #[ignore = "wants a real replica set: HOAP_TEST_MONGODB=mongodb://… with --ignored"]
            fn $name() {
                let server = std::env::var("HOAP_TEST_MONGODB").expect("HOAP_TEST_MONGODB");
                let (target, _guard) = crate::fresh_on(&server);
                crate::conformance::$name(&*target);
            }
        )*
    };
}

real_tests!(
    notes_are_compared_and_set,
    notes_have_one_winner_among_many,
    collections_come_and_go,
    progress_is_kept_by_part_and_collection,
    parts_load_at_the_same_time,
    settling_twice_is_settling_once,
    a_scan_reads_every_document_once,
    a_scan_stops_at_the_first_error,
    every_json_value_comes_back_as_it_went_in,
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
    a_snapshot_does_not_move,
    no_update_is_lost,
    a_reading_transaction_refuses_to_write,
    bad_names_are_refused_before_the_database_sees_them,
    counters_are_read_as_queries_see_them,
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
);
