//! What the tests of several crates share. No product code depends on it.
//!
//! * [`conformance`]: the suite that every database passes, over the capability traits alone.
//! * [`ch2`]: CH2 and CH2++ on a database: the transactions' effects, and the checks, each of which
//!   must catch the fault it is there for.
//! * [`couchbase`], [`couchbase_analytics`]: imitations of these services, with [`certificates`].
//! * [`fuzz`]: what parsers keep to whatever they are given, and inputs to try it on.
//! * [`runs`]: run folders like those that real runs leave, and how their reports are read;
//!   [`browser`]: a page in a browser.
//! * [`lab`], [`redis`]: a server of one test's own, which may be killed; [`gone`]: a run whose collection is
//!   dropped;
//!   [`loads`]: a load that is killed.
//! * [`experiment`]: rehearsals of experiments.
//! * [`errors`]: what an error says; [`urls`]: servers that tests are given, and names on them;
//!   [`place`]: a place on one that a test leaves empty.
//! * [`wire`]: a wire to a server that holds, loses or cuts what passes.
//! * [`witness`]: the isolation that a database shows; [`ycsb_jar`]: YCSB's own code.
#![allow(missing_docs)]
#![allow(clippy::print_stderr)]

pub mod benchmarks;
pub mod browser;
pub mod certificates;
pub mod ch2;
pub mod conformance;
pub mod couchbase;
pub mod couchbase_analytics;
pub mod errors;
pub mod experiment;
pub mod fuzz;
pub mod gone;
pub mod lab;
pub mod loads;
pub mod measured;
pub mod place;
pub mod redis;
pub mod runs;
pub mod scanned;
pub mod statistics;
pub mod urls;
mod wait;
pub mod wire;
pub mod witness;
pub mod ycsb_jar;

pub use wait::{until, wait};
