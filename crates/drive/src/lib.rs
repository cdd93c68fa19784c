//! Runs a workload and writes the run folder.
//!
//! * [`plan`]: what a step does, how to stop it, how to watch it.
//! * [`step`]: [`run_step`], which runs clients and measures them.
//! * [`pace`]: closed and open loop;  [`search`]: the highest rate that holds bounds.
//! * [`on_error`]: which failures end a run.
//! * [`host`](mod@host): the machine the driver runs on.
//!
//! The driver knows neither documents nor databases: it asks [`hoap_workload::client::Client`] for
//! the next operation and calls it.

mod alarm;
mod budget;
mod clients;
mod clock;
mod collector;
mod controller;
mod events;
pub mod host;
mod measure;
pub mod on_error;
pub mod pace;
pub mod plan;
mod probe;
mod rate;
mod room;
pub mod search;
mod signal;
pub mod step;
mod summary;
mod timing;
mod transactions;
mod worker;

pub use host::{host, now};
pub use on_error::OnError;
pub use pace::{Arrivals, Pace};
pub use plan::{End, NoWorkload, Observer, Phase, StepPlan, Stop, Tick};
pub use step::{StepOutcome, run_probed_step, run_step};
