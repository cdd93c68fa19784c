//! What a database implements, a trait a capability, in boxes of `async_trait`; records by key have
//! none ([`RecordStore`]).
//!
//! [`Database`](crate::Database) stands in front of an engine. It checks names, paths, parameters
//! and the access of a transaction, so that an engine may write them into its statements; keys are
//! not checked. It limits how long an answer may take. A failure says what came back; the sentence
//! about what was tried is the guard's, unless the failure has one of its own
//! ([`Failure::trying`](crate::failure::Failure::trying)).

mod documents;
mod queries;
mod records;
mod shop;
mod transactions;

use std::any::Any;
use std::collections::BTreeMap;
use std::time::Duration;

use hoap_record::Description;

pub use crate::failure::Done;
pub use documents::{Bulk, Documents, Each};
pub use queries::{Analytics, QuerySession};
pub use records::{BoxedSession, BoxedStore, RecordSession, RecordStore};
pub use shop::{Joiner, Joins, Pager, Pages, put_key};
pub use transactions::{OpenTransaction, Session, Transactions, in_order};

/// What is offered, or the reason why it is not: a clause that completes "not applicable,
/// because …".
pub type Offered<T> = Result<T, &'static str>;

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

/// What is true of a database as long as it is open.
#[derive(Clone, Debug)]
pub struct About {
    /// The database's name, as messages about what it lacks have it.
    pub name: String,
    /// The URL without user and password, as messages show it.
    pub url: String,
    /// What names of collections and indexes must not begin with, in whatever case: it belongs to
    /// the database or to `hoap`.
    pub reserved: &'static [&'static str],
    /// The longest name of a collection, bytes.
    pub longest_name: usize,
    /// The longest name of an index, bytes.
    pub longest_index: usize,
    /// How long an answer may take. Not of queries, of making indexes and of gathering statistics,
    /// which have limits of their own or none.
    pub answer_timeout: Option<Duration>,
    /// How its calls are made.
    pub calls: Calls,
}

impl About {
    /// One with names of any length and without a limit on answers.
    pub fn new(
        name: impl Into<String>,
        url: impl Into<String>,
        reserved: &'static [&'static str],
        calls: Calls,
    ) -> About {
        About {
            name: name.into(),
            url: url.into(),
            reserved,
            longest_name: usize::MAX,
            longest_index: usize::MAX,
            answer_timeout: None,
            calls,
        }
    }
}

/// Who does the work of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// A server: the call yields while it waits, within limits, and ends when the program stops.
    Server,
    /// The caller's thread, which the call blocks until it is done.
    Blocking,
    /// This process, and the call yields: it ends by itself.
    InProcess,
}
