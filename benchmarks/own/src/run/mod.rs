//! `hoap run FILE.toml`.
//!
//! * `client`, `steps`, `reads`, `writes`, `slots`: a client draws an operation's documents and runs
//!   its steps.
//! * `numbers`, `ledger`, `work`: which documents there are, and what was acknowledged.
//! * `answers`, `checked`, `before`: what answers and documents must be.

mod answers;
mod before;
mod checked;
mod client;
mod ledger;
mod mix;
mod numbers;
mod offer;
mod reads;
mod shared;
mod slots;
mod steps;
mod work;
mod writes;

pub use offer::Flags;
