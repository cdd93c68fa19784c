//! What every database must do, written against the capability traits alone.
//!
//! Each function takes a target whose collection [`COLLECTION`] does not exist yet (nor any note
//! or progress) and panics where a promise is broken. A database's own test file calls
//! [`conformance_tests!`] with a way to make such a target.

mod analytics;
mod beside;
mod documents;
mod key_value;
mod killed;
mod loading;
mod operations;
mod shop;
mod silent;
mod transactions;
mod variants;

use std::collections::BTreeSet;

use hoap_database::{
    Access, Batch, Database, Index, Intent, Row, Session, Transaction, Transactions,
};
pub use hoap_testing::{until, wait};
use hoap_workload::Result;
use serde_json::{Value, json};

pub use analytics::*;
pub use beside::*;
pub use documents::*;
pub use key_value::*;
pub use killed::*;
pub use loading::*;
pub use operations::*;
pub use shop::*;
pub use silent::*;
pub use transactions::*;

/// The collection that the tests use.
pub const COLLECTION: &str = "orders";

/// The index that the tests use.
pub fn index() -> Index {
    Index::new("orders_by_customer", COLLECTION, &["o_w_id", "o_name.last", "o_id"])
}

/// Writes a test for each conformance function. `$fresh` makes a target (and whatever must outlive
/// it): `fn() -> (Database, Guard)`. With `{#[ignore = "…"]}` before it, each test has that
/// attribute.
///
/// A database that has it all names none; one that has not takes the groups below, and names what
/// else it has. A variant of one takes [`variant_tests!`](crate::variant_tests).
#[macro_export]
macro_rules! conformance_tests {
    ($fresh:path) => {
        $crate::document_tests!($fresh);
        $crate::transaction_tests!($fresh);
        $crate::operation_tests!($fresh);
        $crate::range_tests!($fresh);
        $crate::conformance_tests!($fresh: fields_of_any_name_are_patched);
        $crate::conformance_tests!($fresh: a_transaction_reads_ranges_of_keys);
        $crate::conformance_tests!($fresh:
            a_batch_is_all_or_nothing_and_so_is_its_progress,
            every_json_value_comes_back_as_it_went_in,
            a_snapshot_does_not_move,
            no_update_is_lost,
            parameters_must_match_the_text,
            parameters_keep_their_types,
            a_query_is_one_statement_that_only_reads,
            a_query_reads_beside_a_writer,
            a_query_can_be_cancelled,
            a_query_is_explained,
            counters_are_read_as_queries_see_them,
        );
    };
    ($fresh:path: $($names:tt)*) => {
        $crate::conformance_tests!({} $fresh: $($names)*);
    };
    ({$($about:tt)*} $fresh:path: $name:ident $(, $($others:tt)*)?) => {
        #[test]
        $($about)*
        fn $name() {
            let (target, _guard) = $fresh();
            $crate::conformance::$name(&target);
        }
        $crate::conformance_tests!({$($about)*} $fresh: $($($others)*)?);
    };
    ({$($about:tt)*} $fresh:path:) => {};
}

/// Collections, loads, notes: what every database has.
#[macro_export]
macro_rules! document_tests {
    ($fresh:path) => { $crate::document_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::lone_document_tests!($about $fresh);
        $crate::conformance_tests!($about $fresh:
            notes_have_one_winner_among_many,
            parts_load_at_the_same_time,
            settling_at_the_same_time_is_settling_once,
            clients_load_what_one_client_loads,
            an_interrupted_load_goes_on_with_other_clients,
            a_client_that_fails_ends_the_load_which_goes_on_whole,
            clients_load_parts_at_the_same_time,
        );
    };
}

/// Of these, what one client at a time does.
#[macro_export]
macro_rules! lone_document_tests {
    ($fresh:path) => { $crate::lone_document_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::conformance_tests!($about $fresh:
            notes_are_compared_and_set,
            collections_come_and_go,
            progress_is_kept_by_part_and_collection,
            a_load_replaces_what_a_load_made_and_nothing_else,
            settling_twice_is_settling_once,
            indexes_that_are_missing_are_named_until_settling_made_them,
            the_stored_size_is_of_what_is_there,
            a_collection_that_is_gone_is_missing,
            a_scan_reads_every_document_once,
            a_scan_stops_at_the_first_error,
        );
    };
}

/// What every database with transactions promises of them.
#[macro_export]
macro_rules! transaction_tests {
    ($fresh:path) => { $crate::transaction_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::conformance_tests!($about $fresh:
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
        );
    };
}

/// Operations on documents, each a command of its own, of a database that has them all.
#[macro_export]
macro_rules! operation_tests {
    ($fresh:path) => { $crate::operation_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::plain_operation_tests!($about $fresh);
        $crate::patch_tests!($about $fresh);
        $crate::conformance_tests!($about $fresh:
            each_delete_says_whether_it_was_there,
            each_patch_changes_nested_fields,
            a_search_follows_each_operation,
            a_search_takes_a_range_and_an_order,
            a_search_goes_on_behind_the_last_one,
        );
    };
}

/// Documents in the order of their keys.
#[macro_export]
macro_rules! range_tests {
    ($fresh:path) => { $crate::range_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::conformance_tests!($about $fresh:
            a_range_of_keys_is_in_the_order_of_their_bytes,
            a_range_of_keys_follows_each_operation,
        );
    };
}

/// Of these, those on whole documents.
#[macro_export]
macro_rules! plain_operation_tests {
    ($fresh:path) => { $crate::plain_operation_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::conformance_tests!($about $fresh:
            each_operation_is_done_when_it_returns,
            a_key_inserted_twice_alone_is_a_duplicate,
            documents_are_inserted_together,
            every_value_comes_back_from_each_operation,
            a_field_of_any_name_comes_back,
            operations_that_are_not_offered_are_refused,
        );
    };
}

/// Of these, patches of the document's own fields.
#[macro_export]
macro_rules! patch_tests {
    ($fresh:path) => { $crate::patch_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::conformance_tests!($about $fresh:
            each_patch_changes_members,
            no_addition_is_lost,
            a_condition_decides_whether_a_patch_is_made,
            a_condition_and_its_patch_are_one_step,
        );
    };
}

/// The same for records by key, [`hoap_database::key_value`]. `$fresh` makes the
/// database: `fn() -> (Database, Guard)`.
#[macro_export]
macro_rules! key_value_tests {
    ($fresh:path) => { $crate::key_value_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::record_tests!($about $fresh);
        $crate::conformance_tests!($about $fresh: a_record_is_read_whole);
    };
}

/// Of these, what holds even where a record may be read while it is written.
#[macro_export]
macro_rules! record_tests {
    ($fresh:path) => { $crate::record_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::conformance_tests!($about $fresh:
            a_loaded_record_is_read_by_its_fields,
            an_inserted_record_is_there_for_everyone,
            inserting_a_key_twice_is_a_duplicate,
            one_insert_of_a_key_wins,
            an_update_sets_its_fields_and_keeps_the_others,
            a_deleted_record_is_gone_for_everyone,
            deleting_an_absent_record_finds_none,
            values_and_keys_come_back_byte_for_byte,
            large_values_come_back,
            many_fields_are_set_at_once,
            a_scan_goes_on_from_its_start_in_the_order_of_the_keys,
            a_scan_gives_the_fields_asked_for,
            no_field_is_lost_among_many_writers,
            fields_and_tables_that_are_not_there_are_refused,
        );
    };
}

/// The same for customers and orders, [`hoap_database::shop`].
#[macro_export]
macro_rules! shop_tests {
    ($fresh:path) => { $crate::shop_tests!({} $fresh); };
    ($about:tt $fresh:path) => {
        $crate::conformance_tests!($about $fresh:
            pages_are_the_customers_of_the_country,
            every_join_sums_to_the_cent,
            a_join_of_nothing_is_empty,
            a_join_that_is_not_offered_is_refused,
        );
    };
}

/// A small document with every JSON type in it.
pub fn document(w: i64, o: i64) -> Value {
    json!({
        "o_id": o, "o_w_id": w, "o_total": 12.3, "o_name": {"first": "Ada", "last": format!("L{}", o % 3)},
        "o_carrier_id": null, "o_open": true, "o_orderline": [{"ol_number": 1, "ol_amount": 0.5}],
        "o_words": ["a", "b", "c"]
    })
}

/// The documents (w, o) for o in 1..=count as a batch.
pub fn batch(w: i64, orders: impl IntoIterator<Item = i64>) -> Batch {
    let mut batch = Batch::default();
    for o in orders {
        batch.push(|key, text| {
            key.push_str(&format!("{w}.{o}"));
            text.extend_from_slice(document(w, o).to_string().as_bytes());
        });
    }
    batch
}

/// Creates the collection, loads orders 1 to `count` of warehouse 1 and settles.
pub fn load(target: &Database, count: i64) {
    wait(async {
        let documents = target.documents().unwrap();
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=count), count as u64).await.unwrap();
        bulk.finish().await.unwrap();
        drop(bulk);
        documents.settle(&[index()]).await.unwrap();
    });
}

/// The target's transactions.
pub fn transactions(target: &Database) -> Transactions<'_> {
    target.transactions().unwrap()
}

/// A new session.
pub fn session(target: &Database) -> Session {
    wait(transactions(target).session()).unwrap()
}

/// Runs one transaction and commits it.
pub fn transact<T>(
    target: &Database,
    access: Access,
    work: impl AsyncFnOnce(&mut Transaction<'_>) -> Result<T>,
) -> Result<T> {
    let mut session = session(target);
    wait(async {
        let mut transaction = session.begin(access).await?;
        let done = work(&mut transaction).await?;
        transaction.commit().await?;
        Ok(done)
    })
}

/// Reads one document in a transaction of its own.
pub fn get(target: &Database, key: &str, fields: &[&str]) -> Option<Row> {
    transact(target, Access::Read, async |t| t.get(COLLECTION, key, fields, Intent::Look).await)
        .unwrap()
}

/// Reads one field that must be there.
pub fn field(target: &Database, key: &str, field: &str) -> Value {
    get(target, key, &[field]).expect("the document is there").remove(0)
}

/// The keys of a collection, each once and in their order.
pub fn keys(target: &Database, collection: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut each = |key: &str, _: Row| {
        assert!(keys.insert(key.to_owned()), "{key} came twice");
        Ok(())
    };
    wait(target.documents().unwrap().scan(collection, &[], &mut each)).unwrap();
    keys
}

/// Number of documents in the collection.
pub fn count(target: &Database) -> usize {
    keys(target, COLLECTION).len()
}
