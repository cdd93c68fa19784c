//! The caller's side of a step: what it does, how to stop it, how to watch it.

mod control;
mod no_workload;
mod on_error;
mod pace;
mod phase;
mod step_plan;

pub use control::{Gate, Observer, Stop, Tick};
pub use no_workload::{NoClient, NoWorkload};
pub use on_error::OnError;
pub(crate) use pace::mix;
pub use pace::{Arrivals, FASTEST, Pace};
pub use phase::Phase;
pub use step_plan::{End, StepPlan, WarmAt};
