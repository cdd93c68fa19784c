//! What an operation counts for, its histograms, the files and the step's record.
//!
//! Read `operation.rs` first, then `stats.rs`, `tick_stats.rs`, `stats_buffer.rs` and
//! `collector.rs`.

mod cells;
mod collector;
mod events;
mod freshness;
mod gaps;
mod operation;
mod queries;
mod rates;
mod rows;
mod score;
mod stats;
mod stats_buffer;
mod throughput;
mod tick_stats;
mod timing;

pub(crate) use collector::Collector;
pub(crate) use freshness::FreshnessReading;
pub(crate) use operation::{CountsFor, EndedOperation, ResponseTime};
pub(crate) use queries::{QueryClass, QueryExecution};
pub(crate) use rates::RateMonitor;
pub(crate) use stats::Failure;
pub(crate) use stats_buffer::{Recorder, StatsBuffer};
pub(crate) use throughput::Throughput;
