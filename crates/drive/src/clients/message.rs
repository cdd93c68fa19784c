//! What clients send to the controller.

use hoap_record::Error;

use crate::Canceller;

use crate::measure::{FreshnessReading, QueryExecution};

/// The workload that a client belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Transactions,
    Queries,
    Probe,
}

/// A message from a client or its worker to the controller.
pub(crate) enum Message {
    /// A client has connected and waits for the start.
    Connected { side: Side, client: usize, canceller: Option<Canceller> },
    /// A client could not connect, or its runtime could not start.
    NotConnected(Error),
    /// A query client has finished its warm-up loops.
    WarmedUp,
    /// A query client has finished its measured loops.
    Measured,
    /// The transaction clients have run all operations that the step measures.
    LastOperation,
    /// A query has ended.
    Execution(Box<QueryExecution>),
    /// The freshness probe has taken a reading.
    Reading(FreshnessReading),
    /// An operation failed in a way that ends the step.
    Stopped(Error),
    /// A client has run its last operation.
    Finished { side: Side, client: usize },
    /// A worker thread has exited, possibly by a panic.
    WorkerExited,
}
