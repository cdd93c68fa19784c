//! SQLite does what every database must do, and what its own documentation promises.

mod ambiguous;
#[path = "../conformance/mod.rs"]
mod conformance;
mod durability;
mod errors;
mod records;
mod settings;

use hoap_databases::sqlite::Sqlite;

fn fresh() -> (Box<Sqlite>, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    // No power fails in a test, and syncs are slow.
    let url = format!("sqlite:{}/t.db?synchronous=off", directory.path().display());
    (Box::new(hoap_databases::sqlite::open(&url).unwrap()), directory)
}

conformance_tests!(fresh);
conformance_tests!(fresh: operations_on_a_table_that_is_gone_are_missing);
key_value_tests!(fresh);
shop_tests!(fresh);
