//! Runs by configuration: what a report of several runs is made of.

pub mod group;
mod report;

pub use group::{Group, Member, groups};
pub use report::{Configuration, Experiment, Named, Report};
