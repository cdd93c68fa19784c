//! An experiment: a figure of a paper or report, or a user's own, as one file.
//!
//! The file says which data is loaded and what runs, for each configuration of the system under
//! test, in the flags of the commands `hoap load`, `hoap verify`, `hoap query` and `hoap run`.
//! Start reading at [`file`]. [`plan`](mod@plan) makes the commands of one configuration,
//! [`rehearsal`] makes them small, [`progress`] remembers in the experiment's folder which are
//! done. This crate runs nothing.

pub mod builtin;
pub mod file;
pub mod plan;
pub mod progress;
pub mod rehearsal;

pub use file::{Configuration, Experiment, Stage};
pub use plan::{Cell, Plan, plan};
pub use progress::Progress;
