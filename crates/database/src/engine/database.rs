//! A database as its guard sees it: what it is, and what it offers.

use std::any::Any;
use std::collections::BTreeMap;

use hoap_record::Description;

use super::about::About;
use super::documents::Documents;
use super::export::Export;
use super::queries::Analytics;
use super::records::BoxedStore;
use super::shop::Shop;
use super::transactions::Transactions;

/// A database. What it does not mention, it lacks: [`About::offers`] says why.
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
    fn documents(&self) -> Option<&dyn Documents> {
        None
    }

    /// Collections that others made.
    fn export(&self) -> Option<&dyn Export> {
        None
    }

    /// Multi-document transactions.
    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }

    /// Operations on documents, each a command of its own
    /// ([`Access::Each`](crate::Access::Each)): where there are transactions, by their sessions.
    fn operations(&self) -> Option<&dyn Transactions> {
        self.transactions()
    }

    /// Analytical queries.
    fn analytics(&self) -> Option<&dyn Analytics> {
        None
    }

    /// Records by key.
    fn key_value(&self) -> Option<&dyn BoxedStore> {
        None
    }

    /// Pages of customers, and joins of customers and orders.
    fn shop(&self) -> Option<&dyn Shop> {
        None
    }
}
