//! What all databases do in the same way, in front of each.
//!
//! A database module implements the traits of [`engine`], which know no error but a [`Failure`].
//! [`Front`] makes the capabilities of `hoap_database` of them. It owns:
//!
//! * names of collections, fields and paths: an engine is given checked ones only, and writes them
//!   into its statements;
//! * the access of a transaction, and whether an earlier error has ended it;
//! * parameters of queries: each is given once, and is a scalar;
//! * the limit on an answer ([`Engine::answer_timeout`]), and the end of all waits when the program
//!   stops ([`stop_waiting`]);
//! * the sentence that says what was tried, on what.

mod analytics;
#[cfg(any(feature = "cassandra", feature = "dynamodb", feature = "mongodb", feature = "postgres"))]
pub(crate) mod at_once;
mod documents;
pub(crate) mod engine;
pub(crate) mod limit;
mod records;
mod shop;
mod stopping;
pub(crate) mod timer;
mod transaction;

use std::sync::Arc;

use engine::Engine;
use hoap_database::Blocking;
use hoap_record::{Error, Result};

use crate::failure::Failure;
use crate::names;
pub use stopping::stop_waiting;

/// A database: its engine with everything in front of it. Clones are the same database.
pub struct Front<E>(pub(crate) Arc<E>);

impl<E> Front<E> {
    pub(crate) fn new(engine: E) -> Self {
        Front(Arc::new(engine))
    }
}

impl<E> Clone for Front<E> {
    fn clone(&self) -> Self {
        Front(self.0.clone())
    }
}

impl<E: Engine> Blocking for Front<E> {
    fn blocking(&self) -> bool {
        E::BLOCKING
    }
}

/// Refuses the name of a collection that the engine cannot have.
fn check_name<E: Engine>(engine: &E, name: &str) -> Result<()> {
    names::collection(name, E::RESERVED, engine.longest_name()).map(drop)
}

/// Refuses the name of an index that the engine cannot have.
fn check_index<E: Engine>(engine: &E, name: &str) -> Result<()> {
    names::collection(name, E::RESERVED, engine.longest_index()).map(drop)
}

/// Refuses text that is no path.
fn check_paths(paths: &[&str]) -> Result<()> {
    paths.iter().try_for_each(|path| names::path(path).map(drop))
}

/// The error of a failure, with the sentence `what` in the engine's database.
#[cold]
fn error<E: Engine>(engine: &E, failure: Failure, what: &str) -> Error {
    failure.into_error(format!("{what} {}", engine.url()))
}
