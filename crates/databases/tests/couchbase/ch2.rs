//! CH2 and CH2++ on the script: the effects of the five transactions, and the checks, which hold after runs of
//! many clients. The script isolates transactions no better than Couchbase does, so that what holds here is
//! what the module adds.

#[path = "../ch2/checks.rs"]
mod checks;
#[path = "../ch2/loaded.rs"]
mod loaded;
#[path = "../ch2/transactions.rs"]
mod transactions;

use crate::service::Service as Guard;
use loaded::*;

fn fresh() -> (String, Guard) {
    let service = Guard::start();
    (crate::patient(&service.url()), service)
}
