//! CH2 and CH2++ on a real database: loading, the effects of the transactions, and the checks, each
//! of which must catch the fault it is there for. Written against the capability traits; SQLite is
//! the database that is always there, and other databases' tests take these files as they are.

mod checks;
mod faults;
mod flaky;
mod freshness;
mod loaded;
mod loading;
mod lost_updates;
mod tampering;
mod transactions;

use loaded::*;

/// The URL of a database with nothing in it; its folder goes when it is dropped.
fn fresh() -> (String, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?synchronous=off", dir.path().join("t.db").display());
    (url, dir)
}

type Guard = tempfile::TempDir;
