//! A second engine for the 22 queries of CH2 and CH2++, against which every database's answers are
//! compared.
//!
//! It shares nothing with the query texts. It reads the JSON text of every document, in either
//! schema, into small typed rows ([`read`], [`model`]), joins them by hashing, and evaluates the
//! definitions of the specification's section 5 in plain Rust ([`queries`]). Money is whole cents
//! and counts are whole numbers until the last step, so nothing depends on the order of a sum.
//!
//! Where the specification is silent the query means what CH-benCHmark's of the same number means,
//! and then TPC-H's.

#![allow(missing_docs)]

mod beside;
mod evaluate;
mod instant;
mod model;
mod parameters;
mod queries;
mod read;
pub mod sets;

pub use beside::{Document, Filled, check};
pub use evaluate::{Complete, answer, complete};
pub use instant::Instant;
pub use model::Loaded;
pub use read::{Loader, load};
