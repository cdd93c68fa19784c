//! Worker threads and the loops of their clients.
//!
//! Read `worker.rs` first, then `transactions.rs`, `queries.rs` and `probe.rs`.

mod context;
mod message;
mod probe;
mod queries;
mod transactions;
mod waker;
mod worker;

pub(crate) use context::Context;
pub(crate) use message::{Message, Side};
pub(crate) use probe::run_probe;
pub(crate) use queries::QueryStream;
pub(crate) use transactions::{TransactionLoad, TransactionWorker};
pub(crate) use worker::{run_worker, worker_count};
