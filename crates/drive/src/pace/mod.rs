//! When an operation begins: clock, schedule of an open loop, operation budget, backoff.

mod arrivals;
mod backoff;
mod budget;
mod clock;
mod phase_signal;
mod schedule;
mod timer;
mod wait_queue;

pub(crate) use arrivals::Cursor;
pub(crate) use backoff::Backoff;
pub(crate) use budget::{Budget, WorkerBudget};
pub(crate) use clock::Clock;
pub(crate) use phase_signal::PhaseSignal;
pub(crate) use schedule::Schedule;
pub(crate) use timer::Timer;
pub(crate) use wait_queue::WaitQueue;
