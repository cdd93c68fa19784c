//! At isolation read-committed.

#[path = "../../../ch2/checks.rs"]
mod checks;
#[path = "../../../ch2/loaded.rs"]
mod loaded;
#[path = "../../../ch2/transactions.rs"]
mod transactions;

use super::super::Schema as Guard;
use loaded::*;

fn fresh() -> (String, Guard) {
    let schema = Guard::new();
    (schema.url("&synchronous_commit=off&isolation=read-committed"), schema)
}
