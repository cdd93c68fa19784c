//! SQLite does what every database must do, and what its own documentation promises.

mod ambiguous;
mod durability;
mod errors;
mod records;
mod settings;
mod witness;

use hoap_database::Database;
use hoap_suites::conformance;

fn fresh() -> (Database, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    // No power fails in a test, and syncs are slow.
    let url = format!("sqlite:{}/t.db?synchronous=off", directory.path().display());
    (hoap_databases::sqlite::open(&url).unwrap(), directory)
}

hoap_suites::conformance_tests!(fresh);
hoap_suites::conformance_tests!(fresh: operations_on_a_table_that_is_gone_are_missing);
hoap_suites::key_value_tests!(fresh);
hoap_suites::shop_tests!(fresh);
