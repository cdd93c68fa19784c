//! How well a number is known: intervals, ratios and verdicts. `docs/compare.md` defines them.
//!
//! Every quantity is positive and every question is about ratios, so all of it is done with
//! logarithms: an [`Estimate`] is a value with the standard error of its logarithm and the degrees
//! of freedom of that error. It comes from several runs ([`Estimate::of_runs`]), from the time
//! series of one ([`throughput`], [`quantile`]), or from the executions of a query
//! ([`Estimate::of_executions`]). [`Ratio`] divides two; [`judge`] gives the verdicts of many
//! ratios at once.

mod estimate;
mod judge;
mod percentile;
mod ratio;
mod series;
mod student;
mod throughput;

pub use estimate::{Basis, Estimate};
pub use judge::{ChangeVerdict, Finding, RatioQuestion, judge};
pub use percentile::{Intervals, MOST_GROUPS, quantile};
pub use ratio::{FALSE_VERDICTS, Ratio, RatioError};
pub use series::{FEWEST, MeanError, mean_error, rare_error};
pub use student::{chance, width};
pub use throughput::{WindowTick, throughput, window};

#[cfg(test)]
mod simulation;
