//! Analytical queries: those of `hoap query`, and those of a run's query clients.
//!
//! * [`Asks`]: what a benchmark says of its queries.
//! * [`Asking`]: they are asked one after the other; [`Streams`]: query clients.
//! * [`names`]: the parameters that a text names.

mod ask;
mod asks;
pub mod names;
mod streams;

pub use ask::{Answered, AskedQueries, Asking, CancelOnStop, still_answers};
pub use asks::{Asks, Parameters, answer};
pub use streams::{Stream, Streams};
