//! A benchmark as one unit: its flags, how it opens and is prepared, what its clients do, what is
//! checked before and after, and how the folders of several drivers become one.
//!
//! * [`registry`]: what a benchmark gives the command line; [`offer`]: a line of it.
//! * [`benchmark`]: the trait of a benchmark that is open and prepared.
//! * [`mod@run`]: the loop: steps and search between the checks; [`plan`]: which steps there are;
//!   [`schedule`]: how long they take.
//! * [`start`]: when steps begin for which somebody named a time.
//! * [`queries`]: analytical queries, asked alone or by query clients.
//! * [`caller`]: what a run tells whoever started it, and what it asks.
//! * [`repeat`]: repetitions; [`merge`]: several drivers.
//! * [`data`], [`load`](mod@load): what is loaded, of which [`size`]; [`labels`]: what a run is known by.
//!
//! Nothing here prints.

pub mod begin;
pub mod benchmark;
pub mod caller;
pub mod checking;
pub mod data;
pub mod faults;
pub mod flags;
pub mod in_use;
pub mod labels;
mod level;
mod little;
pub mod load;
mod memory;
pub mod merge;
pub mod meter;
pub mod offer;
pub mod own_limit;
pub mod plan;
pub mod queries;
pub mod registry;
pub mod repeat;
pub mod run;
pub mod schedule;
pub mod size;
pub mod start;
mod starts;
pub mod values;

pub use caller::{Caller, Setting};
pub use hoap_workload::Local;
pub use registry::Chosen;
