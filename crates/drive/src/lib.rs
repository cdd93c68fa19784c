//! Runs a workload and writes the run folder.
//!
//! * [`record`]: the format of the run folder, [`folder`] writes and reads it, [`hlog`] its
//!   histograms.
//! * [`plan`]: what a step does, how to stop it, how to watch it.
//! * [`step`]: [`run_step`], which runs clients and measures them.
//! * [`host`](mod@host): the machine the driver runs on.
//!
//! The driver knows neither documents nor databases: it asks [`hoap_workload::client::Client`] for
//! the next operation and calls it.

mod clients;
mod collector;
mod controller;
pub mod folder;
pub mod hlog;
pub mod host;
mod measure;
pub mod plan;
pub mod record;
pub mod step;
mod summary;

pub use folder::RunFolder;
pub use host::{host, now};
pub use plan::{End, Observer, Phase, StepPlan, Stop, Tick};
pub use step::{StepOutcome, run_step};
