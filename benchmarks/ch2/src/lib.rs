//! CH2 and CH2++: transactions and queries on the same documents.
//!
//! * [`data`]: the documents; [`documents`], [`mod@load`], [`mod@files`]: how they are asked for,
//!   loaded, and made into files.
//! * [`schema`]: the paths of the fields in the two schemas, and the indexes of the transactions.
//! * [`note`]: the note of a database loaded with CH2 or CH2++ data.
//! * [`input`], [`mix`], [`transactions`]: the operational side (TPC-C 2.4–2.8).
//! * [`terminal`]: a transaction client with its [`ledger`].
//! * [`queries`], [`stream`]: the analytical side; [`answers`]: the answers on record.
//! * [`freshness`]: the age of the data that the queries see.
//! * [`ingestion`]: how fast a second database takes in what the first is loaded with.
//! * [`witness`]: transactions beside the mix that show the isolation; [`beside`]: the collections
//!   of both.
//! * [`checks`]: the checks before and after a run.
//! * [`run`]: the flags, and how they become a run.

pub mod answers;
mod benchmark;
pub mod beside;
pub mod checks;
pub mod clock;
pub mod data;
pub mod documents;
mod files;
pub mod freshness;
mod home;
pub mod ingestion;
pub mod input;
pub mod ledger;
mod load;
pub mod mix;
pub mod note;
pub mod nurand;
pub mod queries;
mod retry;
pub mod run;
pub mod schema;
pub mod stream;
pub mod terminal;
pub mod transactions;
pub mod witness;

pub use benchmark::BENCHMARK;
