//! CH2 and CH2++.
//!
//! * [`schema`]: where the two shapes keep what the transactions touch, and the indexes they need.
//! * [`note`]: what a loaded database says of its CH2 or CH2++ data.
//! * [`input`], [`mix`], [`transactions`]: the operational side (TPC-C 2.4–2.8).
//! * [`terminal`]: a transaction client with its [`ledger`].
//! * [`queries`], [`stream`]: the analytical side.
//! * [`freshness`]: how old what the queries see is.
//! * [`snapshot`], [`conditions`], [`nothing_lost`], [`unchanged`], [`audit`] with [`uniform`]: whether the
//!   database told the truth; [`digest`]: what a ledger keeps of a document;
//!   [`contribution`]: what each of several driver machines knows of that.

pub mod audit;
pub mod clock;
pub mod conditions;
pub mod contribution;
pub mod digest;
mod expected;
mod finding;
pub mod freshness;
pub mod input;
pub mod ledger;
pub mod mix;
pub mod note;
pub mod nothing_lost;
pub mod nurand;
pub mod queries;
pub mod schema;
pub mod snapshot;
mod source;
mod stock;
pub mod stream;
pub mod terminal;
pub mod transactions;
pub mod unchanged;
pub mod uniform;
