//! CH2 and CH2++: the effects of the five transactions, through sessions and commits.

#[path = "../../ch2/loaded.rs"]
mod loaded;
#[path = "../../ch2/transactions.rs"]
mod transactions;

use loaded::*;

use super::tests::{Kept, fresh_url};

type Guard = Kept;

fn fresh() -> (String, Guard) {
    fresh_url()
}
