//! A database as everyone but itself sees it: what all databases do in the same way, in front of
//! the [`Engine`] of each.
//!
//! The guard owns:
//!
//! * names of collections, fields and paths: an engine is given checked ones only, and writes them
//!   into its statements;
//! * the access of a transaction, and whether an earlier error has ended it;
//! * parameters of queries: each is given once, and is a scalar;
//! * the limit on an answer ([`About::answer_timeout`]), and the end of all waits when the program
//!   stops ([`stop_waiting`]);
//! * the sentence that says what was tried, on what.

mod analytics;
mod documents;
pub(crate) mod limit;
mod records;
mod shop;
mod stopping;
pub(crate) mod timer;
mod transaction;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use hoap_record::{Description, Error, Result};

pub use analytics::{AnalyticalSession, Analytics};
pub use documents::{BulkWriter, Documents};
pub use records::{AnyStore, KeyValue, KeyValueSession};
pub use shop::{JoinSession, Joins, PageSession, Pages};
pub use stopping::stop_waiting;
pub use transaction::{Session, Transaction, Transactions};

use crate::applicable::{Applicable, NotApplicable};
use crate::engine::{About, Calls, Engine, Offered, RecordStore};
use crate::failure::Failure;
use crate::names;

/// A database, opened by its URL. Clones are the same one.
///
/// Errors of the operations behind every method: [`ErrorKind::Unavailable`] if the database cannot
/// be reached or refuses, [`ErrorKind::Missing`] if it lacks what a load makes.
///
/// [`ErrorKind::Unavailable`]: crate::ErrorKind::Unavailable
/// [`ErrorKind::Missing`]: crate::ErrorKind::Missing
#[derive(Clone)]
pub struct Database {
    engine: Arc<dyn Engine>,
    about: Arc<About>,
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
        let engine = self.offered("documents", self.engine.documents())?;
        Ok(Documents { about: &self.about, engine })
    }

    /// Multi-document transactions.
    pub fn transactions(&self) -> Applicable<Transactions<'_>> {
        let engine = self.offered("document transactions", self.engine.transactions())?;
        Ok(Transactions { about: &self.about, engine })
    }

    /// Analytical queries.
    pub fn analytics(&self) -> Applicable<Analytics<'_>> {
        let engine = self.offered("analytical queries", self.engine.analytics())?;
        Ok(Analytics { about: &self.about, engine })
    }

    /// Records by key, in boxes.
    pub fn key_value(&self) -> Applicable<KeyValue<AnyStore>> {
        self.offered("records by key", self.engine.key_value())?;
        Ok(KeyValue::new(self.about.clone(), AnyStore(self.engine.clone())))
    }

    /// Records by key without boxes, if the engine is of this type.
    pub fn key_value_of<R: RecordStore + Engine + Clone>(&self) -> Option<KeyValue<R>> {
        self.engine::<R>().map(|store| KeyValue::new(self.about.clone(), store.clone()))
    }

    /// Pages of customers.
    pub fn pages(&self) -> Applicable<Pages> {
        self.offered("pagination", self.engine.pages())?;
        Ok(Pages(self.clone()))
    }

    /// Joins of customers and orders.
    pub fn joins(&self) -> Applicable<Joins> {
        self.offered("join", self.engine.joins())?;
        Ok(Joins(self.clone()))
    }

    fn offered<T>(&self, capability: &'static str, offered: Offered<T>) -> Applicable<T> {
        offered.map_err(|because| self.about.lacks(capability, because))
    }
}

impl About {
    fn lacks(&self, capability: &'static str, because: &'static str) -> NotApplicable {
        NotApplicable { capability, database: self.name.clone(), because }
    }

    /// Refuses the name of a collection that the engine cannot have.
    fn check_name(&self, name: &str) -> Result<()> {
        names::collection(name, self.reserved, self.longest_name).map(drop)
    }

    /// Refuses the name of an index that the engine cannot have.
    fn check_index(&self, name: &str) -> Result<()> {
        names::collection(name, self.reserved, self.longest_index).map(drop)
    }

    /// The error of a failure, with the sentence `what` in the database.
    #[cold]
    fn error(&self, failure: Failure, what: &str) -> Error {
        failure.into_error(format!("{what} {}", self.url))
    }
}

/// Refuses text that is no path.
fn check_paths(paths: &[&str]) -> Result<()> {
    paths.iter().try_for_each(|path| names::path(path).map(drop))
}
