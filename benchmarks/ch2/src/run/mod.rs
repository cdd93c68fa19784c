//! CH2 and CH2++: transactions and queries on the same documents.
//!
//! * [`Flags`]: the flags of `hoap run ch2` and `hoap run ch2pp`, and how they become a run.
//! * `hybrid`: the benchmark on its databases; `checks`: what it checks;
//!   [`pair`]: two databases, and freshness; `witness`: isolation.
//! * [`queries`], [`explain`]: what runs of queries have in common; [`query`]: `hoap query`;
//!   [`verify`]: `hoap verify`.

pub mod checks;
pub mod explain;
mod flags;
mod hybrid;
pub mod ingestion;
mod known;
mod offer;
pub mod pair;
pub mod queries;
pub mod query;
pub mod verify;
mod witness;

pub use flags::{Flags, Switch};
