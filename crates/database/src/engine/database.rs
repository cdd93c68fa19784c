//! A database as its guard sees it: what it is, and what it offers.

use std::any::Any;
use std::collections::BTreeMap;

use hoap_record::Description;

use super::about::{About, Offered};
use super::documents::Documents;
use super::queries::Analytics;
use super::records::BoxedStore;
use super::shop::{Joins, Pages};
use super::transactions::Transactions;

/// Why an engine lacks what it does not mention.
const NOT_OFFERED: &str = "it was not made for that";

/// A database. What it does not mention, it does not offer.
pub trait Engine: Any + Send + Sync {
    /// What the guard asks for once, when the database is opened.
    fn about(&self) -> About;

    /// Name, version and settings, for the run folder. Holds no secret.
    fn description(&self) -> Description;

    /// What the driver has counted for all clients since the database was opened: capacity
    /// consumed, requests throttled, … Name → amount; price files may use the names. Empty if the
    /// driver counts nothing.
    fn usage(&self) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }

    /// Whole collections: the loader writes them, the checks read them.
    fn documents(&self) -> Offered<&dyn Documents> {
        Err(NOT_OFFERED)
    }

    /// Multi-document transactions.
    fn transactions(&self) -> Offered<&dyn Transactions> {
        Err(NOT_OFFERED)
    }

    /// Analytical queries.
    fn analytics(&self) -> Offered<&dyn Analytics> {
        Err(NOT_OFFERED)
    }

    /// Records by key.
    fn key_value(&self) -> Offered<&dyn BoxedStore> {
        Err(NOT_OFFERED)
    }

    /// Pages of customers.
    fn pages(&self) -> Offered<&dyn Pages> {
        Err(NOT_OFFERED)
    }

    /// Joins of customers and orders.
    fn joins(&self) -> Offered<&dyn Joins> {
        Err(NOT_OFFERED)
    }
}
