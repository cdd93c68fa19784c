//! CH2 and CH2++ on a database. A database's own test file calls [`ch2_tests!`](crate::ch2_tests)
//! with a way to make an empty one and the modules that it takes.

pub mod aggregates;
pub mod checks;
pub mod levels;
pub mod loaded;
pub mod tampering;
pub mod transactions;

/// Writes a test for each function of the modules named: `ch2_tests!(fresh: checks, transactions)`.
/// `fresh` is a [`Fresh`](loaded::Fresh).
///
/// Each engine with transactions takes `checks` and `transactions`, and `aggregates` if it adds up
/// by itself. What `detection` and `tampering` look for is in the documents, whichever database
/// holds them: SQLite takes them, and PostgreSQL for what lies behind a network. A level of
/// isolation changes what many clients at once leave behind, and no effect of one transaction.
#[macro_export]
macro_rules! ch2_tests {
    (@ $module:ident $fresh:path: $($name:ident,)*) => {
        $(
            #[test]
            fn $name() {
                $crate::ch2::$module::$name($fresh);
            }
        )*
    };
    ($fresh:path: $($module:ident),*) => { $($crate::ch2_tests!(@ $fresh, $module);)* };
    (@ $fresh:path, checks) => {
        mod checks {
            $crate::ch2_tests!(@ checks $fresh:
                everything_holds_after_the_load,
                everything_holds_after_many_clients_and_the_ledger_agrees,
            );
        }
    };
    (@ $fresh:path, detection) => {
        mod detection {
            $crate::ch2_tests!(@ checks $fresh:
                each_condition_catches_its_fault,
                condition_three_sees_a_hole_in_the_numbers,
                the_ledger_catches_what_is_lost_changed_or_added,
                ambiguous_commits_are_allowed_for_and_no_more,
                one_client_repeats_itself_with_the_same_seed,
            );
        }
    };
    (@ $fresh:path, aggregates) => {
        mod aggregates {
            $crate::ch2_tests!(@ aggregates $fresh:
                what_the_database_adds_up_is_what_is_added_up_here,
                the_database_sees_each_fault_in_loaded_data,
                the_database_sees_what_is_changed_after_a_run,
                a_field_of_another_type_is_an_error_of_the_database_too,
                a_collection_that_is_gone_or_empty_is_no_pass,
            );
        }
    };
    (@ $fresh:path, transactions) => {
        mod transactions {
            $crate::ch2_tests!(@ transactions $fresh:
                new_order_enters_one_document_with_all_its_lines,
                new_order_adds_up_what_the_customer_pays,
                an_unused_item_undoes_the_whole_order,
                payment_moves_the_money_everywhere_it_belongs,
                only_bad_credit_is_written_into_the_customers_data,
                by_name_means_the_middle_customer,
                order_status_reads_the_last_order,
                delivery_takes_the_oldest_order_of_the_district,
                stock_level_counts_each_low_item_once,
            );
        }
    };
    (@ $fresh:path, tampering) => {
        mod levels {
            $crate::ch2_tests!(@ levels $fresh:
                what_was_touched_says_what_all_documents_say,
                data_that_is_not_as_loaded_is_seen_before_the_run,
                a_document_under_another_key_is_seen,
                each_level_sees_what_it_is_said_to_see,
            );
        }
        mod tampering {
            $crate::ch2_tests!(@ tampering $fresh:
                each_field_that_no_transaction_changes_is_held_against_the_load,
                what_transactions_change_elsewhere_stays_where_they_do_not,
                a_sample_sees_its_share_and_the_sample_of_all_sees_all,
                each_field_that_a_transaction_writes_is_held_against_the_ledger,
                a_stock_update_in_the_wrong_place_is_seen,
                the_shape_of_a_document_is_held_against_the_load,
            );
        }
    };
}
