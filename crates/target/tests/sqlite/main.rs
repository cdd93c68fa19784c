//! SQLite does what every database must do, and what its own documentation promises.
#![cfg(feature = "sqlite")]

#[path = "../conformance/mod.rs"]
mod conformance;
mod durability;
mod errors;
mod settings;

use hoap_workload::capability::Target;

fn fresh() -> (Box<dyn Target>, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    // No power fails in a test, and syncs are slow.
    let url = format!("sqlite:{}/t.db?synchronous=off", directory.path().display());
    (conformance::wait(hoap_target::open(&url)).unwrap(), directory)
}

conformance_tests!(fresh);
