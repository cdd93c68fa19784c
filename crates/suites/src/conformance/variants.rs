//! The tests of the suite that a variant of a database can change.

/// Writes the tests of a variant: `variant_tests!(fresh: pool)`. An engine has the whole suite once.
/// A variant of it, with another option, server or number of nodes, has those tests that what
/// differs can change, by this table.
#[macro_export]
macro_rules! variant_tests {
    // PostgreSQL, isolation=serializable: clients in each other's way fail instead of waiting, a
    // transaction that reads begins in another way, and plans avoid sequential scans. The race of
    // drivers that settle a load at the same moment was found here.
    ($fresh:path: serializable) => {
        $crate::conformance_tests!($fresh:
            notes_have_one_winner_among_many,
            parts_load_at_the_same_time,
            settling_at_the_same_time_is_settling_once,
            clients_load_parts_at_the_same_time,
            finding_follows_the_index,
            a_transaction_reads_its_own_writes,
            a_reading_transaction_refuses_to_write,
            a_snapshot_does_not_move,
            no_update_is_lost,
            a_query_reads_beside_a_writer,
            one_insert_of_a_key_wins,
            no_field_is_lost_among_many_writers,
            a_record_is_read_whole,
        );
    };
    // PostgreSQL, pool=N: each transaction and each record takes the connection that is free. What
    // an error, a dropped transaction or a prepared statement leaves on one must not reach the next
    // client, and more clients than connections go on.
    ($fresh:path: pool) => {
        $crate::conformance_tests!($fresh:
            parts_load_at_the_same_time,
            a_client_that_fails_ends_the_load_which_goes_on_whole,
            clients_load_parts_at_the_same_time,
            a_patch_that_does_not_fit_breaks_and_changes_nothing,
            a_rollback_undoes_everything,
            a_drop_undoes_everything,
            a_duplicate_leaves_the_transaction_usable,
            a_reading_transaction_refuses_to_write,
            a_snapshot_does_not_move,
            no_update_is_lost,
            a_query_reads_beside_a_writer,
            a_query_can_be_cancelled,
            fields_and_tables_that_are_not_there_are_refused,
        );
        $crate::variant_tests!($fresh: shared_connection);
    };
    // PostgreSQL, an older version: each statement and each catalogue that is asked, once, and what
    // the server's errors mean.
    ($fresh:path: version) => {
        $crate::conformance_tests!($fresh:
            collections_come_and_go,
            the_stored_size_is_of_what_is_there,
            clients_load_parts_at_the_same_time,
            settling_at_the_same_time_is_settling_once,
            finding_follows_the_index,
            a_patch_that_does_not_fit_breaks_and_changes_nothing,
            a_duplicate_leaves_the_transaction_usable,
            a_snapshot_does_not_move,
            no_update_is_lost,
            a_query_is_one_statement_that_only_reads,
            a_query_can_be_cancelled,
            a_query_is_explained,
            an_update_sets_its_fields_and_keeps_the_others,
            a_scan_goes_on_from_its_start_in_the_order_of_the_keys,
            pages_are_the_customers_of_the_country,
            every_join_sums_to_the_cent,
        );
    };
    // Redis, pipeline=N: clients send on one connection without waiting for each other. Each gets
    // its own answers, also beside large ones and in operations of several steps.
    ($fresh:path: shared_connection) => {
        $crate::conformance_tests!($fresh:
            an_inserted_record_is_there_for_everyone,
            inserting_a_key_twice_is_a_duplicate,
            one_insert_of_a_key_wins,
            large_values_come_back,
            a_scan_goes_on_from_its_start_in_the_order_of_the_keys,
            no_field_is_lost_among_many_writers,
            a_record_is_read_whole,
            pages_are_the_customers_of_the_country,
            every_join_sums_to_the_cent,
        );
    };
    // Redis, a cluster: a record, the keys of its collection and the progress of a load are on
    // different nodes. What changes or reads several of them takes other steps; braces in a key
    // choose its node.
    ($fresh:path: cluster) => {
        $crate::conformance_tests!($fresh:
            a_range_of_keys_follows_each_operation,
            notes_have_one_winner_among_many,
            collections_come_and_go,
            a_collection_that_is_gone_is_missing,
            progress_is_kept_by_part_and_collection,
            parts_load_at_the_same_time,
            settling_at_the_same_time_is_settling_once,
            the_stored_size_is_of_what_is_there,
            a_scan_reads_every_document_once,
            an_interrupted_load_goes_on_with_other_clients,
            a_client_that_fails_ends_the_load_which_goes_on_whole,
            clients_load_parts_at_the_same_time,
            an_inserted_record_is_there_for_everyone,
            inserting_a_key_twice_is_a_duplicate,
            one_insert_of_a_key_wins,
            an_update_sets_its_fields_and_keeps_the_others,
            a_deleted_record_is_gone_for_everyone,
            deleting_an_absent_record_finds_none,
            values_and_keys_come_back_byte_for_byte,
            a_scan_goes_on_from_its_start_in_the_order_of_the_keys,
            no_field_is_lost_among_many_writers,
            a_record_is_read_whole,
            each_operation_is_done_when_it_returns,
            documents_are_inserted_together,
            each_patch_changes_members,
            pages_are_the_customers_of_the_country,
            every_join_sums_to_the_cent,
            a_join_of_nothing_is_empty,
        );
    };
    // Valkey: another program that speaks Redis's protocol. Each command and script once.
    ($fresh:path: program) => {
        $crate::conformance_tests!($fresh:
            notes_have_one_winner_among_many,
            collections_come_and_go,
            the_stored_size_is_of_what_is_there,
            a_scan_reads_every_document_once,
            a_client_that_fails_ends_the_load_which_goes_on_whole,
            an_inserted_record_is_there_for_everyone,
            an_update_sets_its_fields_and_keeps_the_others,
            a_deleted_record_is_gone_for_everyone,
            values_and_keys_come_back_byte_for_byte,
            a_scan_goes_on_from_its_start_in_the_order_of_the_keys,
            pages_are_the_customers_of_the_country,
            every_join_sums_to_the_cent,
        );
    };
    // AsterixDB, two nodes: each holds a part of every dataset. Writes are spread, answers, joins
    // and sizes are put together, and a query ends on both.
    ($fresh:path: two_nodes) => {
        $crate::conformance_tests!($fresh:
            settling_at_the_same_time_is_settling_once,
            the_stored_size_is_of_what_is_there,
            a_scan_reads_every_document_once,
            clients_load_parts_at_the_same_time,
            a_query_can_be_cancelled,
            every_join_sums_to_the_cent,
        );
    };
    // The same with load_folder: both nodes read the files. The pages show that the order is that
    // of the whole and not of each node.
    ($fresh:path: files_of_two_nodes) => {
        $crate::conformance_tests!($fresh:
            settling_twice_is_settling_once,
            a_scan_reads_every_document_once,
            pages_are_the_customers_of_the_country,
        );
    };
    // Cassandra, three nodes with three copies: what one client wrote is there for all, whichever
    // node they ask. Which of many inserts of one key wins is tested on one node: three that are
    // busy let some of them time out, which is an honest answer and not the one that the test waits
    // for.
    ($fresh:path: three_nodes) => {
        $crate::conformance_tests!($fresh:
            notes_have_one_winner_among_many,
            parts_load_at_the_same_time,
            an_inserted_record_is_there_for_everyone,
            a_deleted_record_is_gone_for_everyone,
            no_field_is_lost_among_many_writers,
            every_join_sums_to_the_cent,
        );
    };
    // Cassandra, lwt=true: inserts and updates look before they write, and keep the promises that
    // they cannot keep otherwise.
    ($fresh:path: lightweight) => {
        $crate::conformance_tests!($fresh:
            each_delete_says_whether_it_was_there,
            an_inserted_record_is_there_for_everyone,
            a_deleted_record_is_gone_for_everyone,
            deleting_an_absent_record_finds_none,
            inserting_a_key_twice_is_a_duplicate,
            one_insert_of_a_key_wins,
            an_update_sets_its_fields_and_keeps_the_others,
            values_and_keys_come_back_byte_for_byte,
            fields_and_tables_that_are_not_there_are_refused,
        );
    };
    // DuckDB, layout=json: a document is a text and not a row of columns. What is loaded, measured
    // and read again.
    ($fresh:path: layout) => {
        $crate::conformance_tests!($fresh:
            a_scan_reads_every_document_once,
            the_stored_size_is_of_what_is_there,
            a_client_that_fails_ends_the_load_which_goes_on_whole,
            clients_load_parts_at_the_same_time,
            pages_are_the_customers_of_the_country,
            every_join_sums_to_the_cent,
        );
    };
}
