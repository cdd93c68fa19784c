//! A benchmark as one unit: its flags, how it opens and is prepared, what its clients do, what is
//! checked before and after, and how the folders of several drivers become one.
//!
//! * [`registry`]: the benchmarks, a line each; [`offer`]: what such a line needs.
//! * [`benchmark`]: the trait of a benchmark that is open and prepared.
//! * [`mod@run`]: the loop: steps and search between the checks; [`plan`]: which steps there are;
//!   [`schedule`]: how long they take.
//! * [`start`]: when steps begin for which somebody named a time.
//! * [`caller`]: what a run tells whoever started it, and what it asks.
//! * [`repeat`]: repetitions; [`merge`]: several drivers.
//! * [`doctor`]: a short round on an empty database.
//! * [`ch2`], [`ycsb`], [`shop`]: the benchmarks; [`data`], [`load`](mod@load): what is loaded for
//!   them;
//!   [`ingestion`]: how another database takes that in.
//!
//! Nothing here prints.

pub mod begin;
pub mod benchmark;
pub mod caller;
pub mod ch2;
pub mod data;
pub mod doctor;
pub mod faults;
pub mod flags;
mod in_use;
pub mod ingestion;
mod level;
pub mod load;
mod memory;
pub mod merge;
mod meter;
pub mod offer;
mod own_limit;
pub mod plan;
pub mod registry;
pub mod repeat;
pub mod run;
pub mod schedule;
pub mod shop;
pub mod start;
mod starts;
pub mod values;
pub mod ycsb;

pub use caller::{Caller, Setting};
pub use hoap_workload::Local;
pub use registry::Chosen;
