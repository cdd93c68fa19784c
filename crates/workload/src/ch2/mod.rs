//! CH2 and CH2++.
//!
//! * [`schema`]: the paths of the fields in the two schemas, and the indexes of the transactions.
//! * [`note`]: the note of a database loaded with CH2 or CH2++ data.
//! * [`input`], [`mix`], [`transactions`]: the operational side (TPC-C 2.4–2.8).
//! * [`terminal`]: a transaction client with its [`ledger`], whose commits are packed in a [`log`].
//! * [`queries`], [`stream`]: the analytical side.
//! * [`freshness`]: the age of the data that the queries see.
//! * [`ingestion`]: how fast a second database takes in what the first is loaded with.
//! * [`witness`]: transactions beside the mix that show the isolation; [`beside`]: the collections
//!   of both.
//! * [`snapshot`] with its [`district`]s: the sums that the checks before and after a run compare;
//!   `whole`, [`touched`], [`counters`]: what is read of all documents, of those that a run
//!   touched, of the counters alone; [`aggregates`]: what the database adds up of all documents
//!   itself; [`conditions`], [`nothing_lost`], [`unchanged`], [`audit`] with [`uniform`]: these
//!   checks; [`digest`]: the digests in a ledger; [`contribution`]: one driver machine's part of the
//!   checks.

pub mod aggregates;
pub mod audit;
mod away;
pub mod beside;
pub mod clock;
pub mod conditions;
pub mod contribution;
pub mod counters;
mod customer;
pub mod digest;
pub mod district;
mod expected;
mod finding;
mod found;
pub mod freshness;
mod home;
pub mod ingestion;
pub mod input;
pub mod ledger;
pub mod log;
pub mod mix;
pub mod note;
pub mod nothing_lost;
pub mod nurand;
mod owed;
mod packed;
mod places;
pub mod queries;
mod reader;
mod retry;
pub mod schema;
pub mod snapshot;
mod source;
mod stock;
pub mod stream;
mod suspects;
pub mod terminal;
pub mod touched;
pub mod transactions;
pub mod unchanged;
mod undelivered;
pub mod uniform;
mod weighed;
mod whole;
pub mod witness;
