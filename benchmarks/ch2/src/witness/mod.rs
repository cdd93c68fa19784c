//! Transactions beside the mix that show what isolation the database gives it.
//!
//! Conditions over the data do not see a lost update, a read skew or a stale read that leaves the
//! sums right. So each terminal now and then runs a transaction on small shared documents in the
//! collection [`COLLECTION`], as Elle does (Kingsbury and Alvaro, VLDB 2020): it reads lists and
//! replaces some of them with a unique value more. Who read and overwrote whom is then in the
//! lists. What every client did and saw is kept ([`hoap_record::history`]) and judged after the
//! run.
//!
//! * `draw`: what a transaction does.
//! * `client`: runs it, at the terminal's pace.
//! * `shared`: the documents in use, the history, and reading it all at the end.

mod client;
mod draw;
mod shared;

pub use client::Witness;
pub use shared::Witnesses;

/// The collection of the documents.
pub const COLLECTION: &str = "witness";
/// The field with the list.
const FIELD: &str = "values";
/// The number of documents in use at a time: few, so that transactions meet.
const HOT: usize = 4;
/// The values of a document before another one takes its place.
const LONGEST: usize = 48;
