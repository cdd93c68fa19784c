//! `hoap run FILE.toml`.
//!
//! * `client`, `steps`, `reads`, `writes`, `slots`: a client draws an operation's documents and runs
//!   its steps.
//! * `numbers`, `ledger`, `work`: which documents there are, and what was acknowledged.
//! * `queries`: analytical queries, of operations, of query clients and of `hoap query`.
//! * `answers`, `scanned`, `checked`, `before`, `kept`, `judge`: what answers, documents and
//!   collections must be.
//! * `contribution`, `joint`: what several drivers leave, and what they know together.

mod answers;
mod before;
pub(crate) mod checked;
mod client;
mod contribution;
mod joint;
mod judge;
mod kept;
mod ledger;
mod mix;
mod numbers;
mod offer;
mod queries;
mod reads;
mod scanned;
pub(crate) mod shared;
mod slots;
mod steps;
mod work;
mod writes;

pub use contribution::Contribution;
pub use offer::Flags;
pub use queries::{Questions, ask};
