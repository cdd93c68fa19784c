//! What every database, every benchmark and every public parser must do. Tests of several crates
//! share it; no product code depends on it, and neither do the crates it tests from below.
//!
//! * [`conformance`]: the suite that every database passes, over the capability traits alone.
//! * [`ch2`]: CH2 and CH2++ on a database: the transactions' effects, and the checks, each of which
//!   must catch the fault it is there for.
//! * [`witness`]: the isolation that a database shows; [`loads`]: a load that is killed.
//! * [`parsers`]: the fuzz targets of public parsers.
//! * [`place`]: a place on a server that a test leaves empty; [`benchmarks`]: those that manifests
//!   name.
#![allow(missing_docs)]
#![allow(clippy::print_stderr)]

pub mod benchmarks;
pub mod ch2;
pub mod conformance;
pub mod loads;
pub mod parsers;
pub mod place;
pub mod witness;
