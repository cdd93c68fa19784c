//! Runs the clients of a step against a database, measures them and writes the run folder.
//!
//! The driver knows neither documents nor databases: it asks a [`Client`]
//! for its next operation and calls it.
//!
//! Read the files in this order; each uses only those above it.
//!
//! | place | content |
//! |---|---|
//! | `workload.rs` | what is driven: a [`Workload`] and its [`Client`]s |
//! | `plan/` | what a step does ([`StepPlan`]), how to stop it, how to watch it |
//! | `pace/` | when operations begin: clock, schedule of an open loop, budget, backoff |
//! | `machine/` | what the driver's machine does beside the load |
//! | `measure/` | what an operation counts for, its histograms, the files and the step's record |
//! | `clients/` | worker threads, the loops of transaction and query clients, the probe |
//! | `controller.rs` | leads the clients through the phases and collects what they measure |
//! | `step.rs` | [`run_step`]: starts the threads, runs the controller, joins the threads |
//!
//! An operation is drawn, timed and counted in `clients/transactions.rs` or `clients/queries.rs`;
//! start there to follow one. `measure/collector.rs` writes its row.
//!
//! [`search`] finds the highest rate that holds bounds, and [`host()`] describes the driver's
//! machine; they need none of the above but the limit of a rate.

mod clients;
mod controller;
mod host;
mod machine;
mod measure;
mod pace;
mod plan;
pub mod search;
mod step;
mod workload;

pub use host::{available_memory, host, now};
pub use plan::{
    Arrivals, End, FASTEST, Gate, NoClient, NoWorkload, Observer, OnError, Pace, Phase, StepPlan,
    Stop, Tick, WarmAt,
};
pub use step::{Failed, StepOutcome, run_probed_step, run_step};
pub use workload::{Canceller, Client, Completion, Look, Next, Outcome, Probe, Probing, Workload};
