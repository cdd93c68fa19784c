//! CH2 and CH2++ on a real database: loading, the effects of the transactions, and the checks, each
//! of which must catch the fault it is there for. Written against the capability traits; SQLite is
//! the database that is always there, and other databases' tests take these files as they are.

mod districts;
mod faults;
mod flaky;
mod freshness;
mod loading;
mod lost_updates;

use std::any::Any;

use hoap_ch2::data::Schema;
use hoap_suites::ch2::loaded::Loaded;

/// The URL of a database with nothing in it; its folder goes when it is dropped.
fn fresh() -> (String, Box<dyn Any + Send + Sync>) {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?synchronous=off", dir.path().join("t.db").display());
    (url, Box::new(dir))
}

fn loaded(schema: Schema) -> Loaded {
    Loaded::new(fresh, schema)
}

hoap_suites::ch2_tests!(super::fresh: aggregates, checks, detection, tampering, transactions);
