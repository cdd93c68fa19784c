//! What benchmarks share, on any database that has what they need.
//!
//! * [`alike`]: whether what a database answers is what a load made.
//! * [`answers`]: whether two answers to a question are equal.
//! * [`checks`]: what documents must be, at every level of check.
//! * [`contribution`]: the file of one of several driver machines, for the checks of all.
//! * [`load`]: loading any benchmark's documents, with its indexes; [`note`]: the note of a loaded database.
//! * [`at_work`]: who writes to a database now; [`claim`]: the mark of a writer.

pub mod alike;
pub mod answers;
pub mod at_work;
pub mod checks;
pub mod claim;
pub mod clients;
pub mod contribution;
pub mod load;
pub mod note;
pub mod process;

use std::pin::Pin;

pub use hoap_record::{Error, ErrorKind, ErrorParts, Result, words};

/// What a function returns that much code is behind, in place of being `async`: the body of an
/// `async fn` is compiled once more in each crate and test program that awaits it, a box only where
/// it is made.
pub type Local<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
