//! Runs during which faults occur on purpose, and what the checks make of them: `hoap torture`.
//!
//! A [`Plan`] names a server, a workload, and the kinds of faults with their weights. A
//! [`Campaign`] starts `hoap load`, `hoap run` and `hoap verify` as child processes, each run with
//! the faults that [`schedule::draw`] draws for its number, and reads the folders that they leave.
//! After each run another client of the database recounts what `ledger.json` says was acknowledged.
//! [`Outcome`] (`torture.json`) is what came of it.
//!
//! Each module uses only modules that are named before it:
//!
//! * [`plan`]: the TOML file; [`schedule`]: what happens in a run, drawn from the seed.
//! * [`result`]: what came of a run; [`summary`]: of all; [`outcome`]: `torture.json`.
//! * [`tables`]: what is printed of campaigns; [`gather`]: those of a folder;
//!   [`page`]: their page, of the parts that `hoap_report` has.
//! * [`process`]: commands of a plan, processes and signals; [`proxy`]: the network between run and
//!   server.
//! * [`clock`]: the driver's clock, where it can be stepped.
//! * [`outage`]: how long a fault kept the run from success; [`recount`]: the ledger and another
//!   client.
//! * [`inject`]: one fault; [`session`]: one run; [`campaign`]: all of them.
#![cfg(target_os = "linux")]

pub mod campaign;
mod clock;
pub mod gather;
mod inject;
mod outage;
pub mod outcome;
pub mod page;
pub mod plan;
pub mod process;
pub mod proxy;
mod recount;
pub mod result;
pub mod schedule;
mod session;
pub mod summary;
pub mod tables;

pub use campaign::{Caller, Campaign};
pub use outcome::Outcome;
pub use page::page;
pub use plan::Plan;
