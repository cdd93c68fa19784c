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
mod check;
mod database;
mod deadline;
mod documents;
mod export;
pub(crate) mod limit;
mod records;
mod shop;
mod stopping;
#[cfg(test)]
mod tests;
pub(crate) mod timer;
mod transaction;

pub use analytics::{AnalyticalSession, Analytics};
pub use database::Database;
pub use documents::{BulkWriter, Documents};
pub use records::{AnyStore, KeyValue, KeyValueSession};
pub use shop::{Shop, ShopSession};
pub use stopping::stop_waiting;
pub use transaction::{Session, Transaction, Transactions};
