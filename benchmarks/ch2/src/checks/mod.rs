//! The checks before and after a run.
//!
//! * [`snapshot`] with its [`district`]s: the sums that two snapshots compare; `whole`, [`touched`],
//!   [`counters`]: what is read of all documents, of those that a run touched, of the counters
//!   alone; [`aggregates`]: what the database adds up of all documents itself.
//! * [`conditions`]: the twelve conditions of TPC-C; [`nothing_lost`]: the ledger; [`unchanged`]: a
//!   sample of documents.
//! * [`audit`] with [`uniform`]: what the clients drew.

pub mod aggregates;
pub mod audit;
mod away;
pub mod conditions;
pub mod counters;
mod customer;
pub mod district;
mod expected;
mod found;
pub mod nothing_lost;
mod owed;
mod places;
mod reader;
pub mod snapshot;
mod stock;
mod suspects;
pub mod touched;
pub mod unchanged;
mod undelivered;
pub mod uniform;
mod weighed;
mod whole;
