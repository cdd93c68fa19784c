//! What the tests of several crates share, whatever they test. No product code depends on it; what
//! every database and benchmark must do is in `suites`.
//!
//! * [`couchbase`], [`couchbase_analytics`]: imitations of these services, with [`certificates`].
//! * [`fuzz`]: what parsers keep to whatever they are given, and inputs to try it on.
//! * [`runs`]: run folders like those that real runs leave, and how their reports are read;
//!   [`browser`]: a page in a browser.
//! * [`lab`], [`redis`]: a server of one test's own, which may be killed; [`gone`]: a run whose
//!   collection is dropped.
//! * [`experiment`]: rehearsals of experiments.
//! * [`errors`]: what an error says; [`urls`]: servers that tests are given, and names on them.
//! * [`wire`]: a wire to a server that holds, loses or cuts what passes.
//! * [`ycsb_jar`]: YCSB's own code.
#![allow(missing_docs)]
#![allow(clippy::print_stderr)]
// Sample folders are rows of data; an imitation has a row for each statement.
#![allow(clippy::too_many_lines, clippy::too_many_arguments)]

pub mod browser;
pub mod certificates;
pub mod couchbase;
pub mod couchbase_analytics;
pub mod errors;
pub mod experiment;
pub mod fuzz;
pub mod gone;
pub mod lab;
pub mod measured;
pub mod redis;
pub mod runs;
pub mod scanned;
pub mod statistics;
pub mod urls;
mod wait;
pub mod wire;
pub mod ycsb_jar;

pub use wait::{until, wait};
