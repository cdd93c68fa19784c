//! Runs a workload and writes the run folder.

pub mod record;
