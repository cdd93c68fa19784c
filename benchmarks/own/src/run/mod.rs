//! `hoap run FILE.toml`.
//!
//! * `client`, `steps`, `reads`, `writes`, `slots`: a client draws an operation's documents and runs
//!   its steps.
//! * `numbers`, `ledger`, `work`: which documents there are, and what was acknowledged.
//! * `queries`: analytical queries, of operations, of query clients and of `hoap query`.
//! * `answers`, `scanned`, `checked`, `before`, `kept`: what answers, documents and collections must
//!   be.

mod answers;
mod before;
mod checked;
mod client;
mod kept;
mod ledger;
mod mix;
mod numbers;
mod offer;
mod queries;
mod reads;
mod scanned;
mod shared;
mod slots;
mod steps;
mod work;
mod writes;

pub use offer::Flags;
pub use queries::{Questions, ask};
