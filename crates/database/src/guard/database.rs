//! A database, opened.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_record::Description;

use super::analytics::Analytics;
use super::documents::Documents;
use super::records::{AnyStore, KeyValue};
use super::shop::Shop;
use super::transaction::Transactions;
use crate::applicable::Applicable;
use crate::engine::{About, Calls, Engine, RecordStore};
use crate::offers::What;

/// A database, opened by its URL. Clones are the same one.
///
/// Errors of the operations behind every method: [`ErrorKind::Unavailable`] if the database cannot
/// be reached or refuses, [`ErrorKind::Missing`] if it lacks what a load makes.
///
/// [`ErrorKind::Unavailable`]: crate::ErrorKind::Unavailable
/// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
#[derive(Clone)]
pub struct Database {
    pub(super) engine: Arc<dyn Engine>,
    pub(super) about: Arc<About>,
}

impl Database {
    /// The database of this engine.
    pub fn new(engine: impl Engine) -> Database {
        let about = Arc::new(engine.about());
        Database { engine: Arc::new(engine), about }
    }

    /// The engine, if it is one of this type.
    pub fn engine<E: Engine>(&self) -> Option<&E> {
        let engine: &dyn Any = &*self.engine;
        engine.downcast_ref()
    }

    /// Name, version and settings, for the run folder. Holds no secret.
    pub fn description(&self) -> Description {
        self.engine.description()
    }

    /// What the driver has counted for all clients since the database was opened; see
    /// [`Engine::usage`].
    pub fn usage(&self) -> BTreeMap<String, f64> {
        self.engine.usage()
    }

    /// Whether its calls block their thread.
    pub fn blocking(&self) -> bool {
        self.about.calls == Calls::Blocking
    }

    /// Whether its work is done by this process, so that CPU which the process takes is the
    /// database's as well as the driver's.
    pub fn in_process(&self) -> bool {
        self.about.calls != Calls::Server
    }

    /// Whole collections: the loader writes them, the checks read them.
    pub fn documents(&self) -> Applicable<Documents<'_>> {
        let engine = self.about.offer(What::Documents, self.engine.documents())?;
        Ok(Documents { about: &self.about, engine })
    }

    /// Multi-document transactions.
    pub fn transactions(&self) -> Applicable<Transactions<'_>> {
        let engine = self.about.offer(What::Transactions, self.engine.transactions())?;
        Ok(Transactions { about: &self.about, engine })
    }

    /// Operations on documents, each a command of its own
    /// ([`Access::Each`](crate::Access::Each)).
    pub fn operations(&self) -> Applicable<Transactions<'_>> {
        let engine = self.about.offer(What::Operations, self.engine.operations())?;
        Ok(Transactions { about: &self.about, engine })
    }

    /// Whether the database has what its operations may be asked for.
    ///
    /// # Errors
    /// Why it has not.
    pub fn has(&self, what: What) -> Applicable<()> {
        self.about.offer(what, Some(()))
    }

    /// Analytical queries.
    pub fn analytics(&self) -> Applicable<Analytics<'_>> {
        let engine = self.about.offer(What::Analytics, self.engine.analytics())?;
        Ok(Analytics { about: &self.about, engine })
    }

    /// Records by key, in boxes.
    pub fn key_value(&self) -> Applicable<KeyValue<AnyStore>> {
        self.about.offer(What::KeyValue, self.engine.key_value())?;
        Ok(KeyValue::new(self.about.clone(), AnyStore(self.engine.clone())))
    }

    /// Records by key without boxes, if the engine is of this type.
    pub fn key_value_of<R: RecordStore + Engine + Clone>(&self) -> Option<KeyValue<R>> {
        self.engine::<R>().map(|store| KeyValue::new(self.about.clone(), store.clone()))
    }

    /// Pages of customers.
    pub fn pages(&self) -> Applicable<Shop> {
        self.shop(What::Pagination)
    }

    /// Joins of customers and orders.
    pub fn joins(&self) -> Applicable<Shop> {
        self.shop(What::Join)
    }

    fn shop(&self, what: What) -> Applicable<Shop> {
        self.about.offer(what, self.engine.shop())?;
        Ok(Shop::new(self.engine.clone(), self.about.clone()))
    }
}
