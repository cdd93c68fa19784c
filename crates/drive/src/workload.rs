//! The interface between the driver and a workload.

use std::future::Future;
use std::time::Duration;

use hoap_record::{Error, Result};

/// A benchmark on one database. The driver makes as many clients of it as it needs.
///
/// The driver knows neither documents nor databases, only kinds of operations by index.
pub trait Workload: Send + Sync {
    /// The client type. One client runs one operation at a time.
    type Client: Client;

    /// Names of the kinds of operations, such as "NewOrder" or "Q14", indexed by [`Next::kind`].
    fn kinds(&self) -> Vec<&str>;

    /// The number of operations of one loop, for workloads that repeat a fixed sequence (22 for a
    /// query stream); `None` for an endless mix.
    fn loop_length(&self) -> Option<usize> {
        None
    }

    /// Whether the client's calls block their thread (an embedded database). The driver
    /// gives each blocking client a thread of its own; others share threads.
    fn blocking(&self) -> bool;

    /// Connects client number `number` (from 0, different for every client of a step).
    fn client(&self, number: usize) -> impl Future<Output = Result<Self::Client>> + Send;
}

/// One client.
pub trait Client: Send {
    /// What the client returns at its end: for transactions the ledger and the counts of the audit.
    type Memory: Send;

    /// Draws the next operation without running it.
    fn next(&mut self) -> Next;

    /// Runs the operation that [`Client::next`] drew last. The driver times this call.
    fn run(&mut self) -> impl Future<Output = Completion> + Send;

    /// Does what the workload has to do between two operations and must not be measured. The driver
    /// calls this after each operation.
    fn aside(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// A handle that makes a running [`Client::run`] return early with an error of kind
    /// [`Cancelled`](hoap_record::ErrorKind::Cancelled), where the database has a way.
    fn canceller(&self) -> Option<Canceller> {
        None
    }

    /// Ends the client and returns its results.
    fn finish(self) -> Self::Memory;
}

/// Interrupts a running operation from another thread. Must be safe to call at any time.
pub type Canceller = std::sync::Arc<dyn Fn() + Send + Sync>;

/// The next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// Index into [`Workload::kinds`].
    pub kind: usize,
    /// Time in which a user keys in the input (TPC-C 5.2.5.2); zero without think times.
    pub keying: Duration,
    /// Time in which a user thinks about the answer (TPC-C 5.2.5.4); zero without think times.
    pub think: Duration,
}

impl Next {
    /// An operation of this kind, without think times.
    pub const fn of(kind: usize) -> Next {
        Next { kind, keying: Duration::ZERO, think: Duration::ZERO }
    }
}

/// Measures the age of what the queries see, while the load runs. The driver makes one probe per
/// step.
pub trait Probing: Send + Sync {
    /// The probe type.
    type Probe: Probe;

    /// Time from the start of one look to the start of the next. Looks never overlap.
    fn every(&self) -> Duration;

    /// Connects the probe.
    fn probe(&self) -> impl Future<Output = Result<Self::Probe>> + Send;
}

/// One connection of the probe.
pub trait Probe: Send {
    /// Looks once.
    fn look(&mut self) -> impl Future<Output = Result<Look>> + Send;

    /// A handle that makes a running [`Probe::look`] return early, where the database has a way.
    fn canceller(&self) -> Option<Canceller> {
        None
    }
}

/// The age of what the queries see, at the start of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Age of the oldest acknowledged commit that was not seen; zero where all were.
    pub unseen: Duration,
    /// Age of the newest acknowledged commit that was seen; `None` where none was.
    pub newest_seen: Option<Duration>,
}

/// How an operation ended.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Its end.
    pub outcome: Outcome,
    /// The number of retries after conflicts. Their time is part of the response time.
    pub retries: u32,
    /// What the answer holds: rows, records or keys. 1 of an operation that is no question.
    pub rows: u64,
}

impl Completion {
    /// The end of an operation that is never retried, of the number of rows in its answer.
    pub fn of(answer: Result<u64>) -> Completion {
        let (outcome, rows) = match answer {
            Ok(rows) => (Outcome::Done, rows),
            Err(e) => (Outcome::Failed(e), 0),
        };
        Completion { outcome, retries: 0, rows }
    }
}

/// The end of an operation. Only the first two are successes.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The database acknowledged it.
    Done,
    /// It rolled back, as the benchmark demands (TPC-C 2.4.1.4), and counts as executed.
    RolledBack,
    /// It failed. Counted by [`hoap_record::ErrorKind`], never in a success histogram. The driver makes
    /// [`Outcome::Cancelled`] of an error of that kind.
    Failed(Error),
    /// The run ended before it did. Counted only as cancelled.
    Cancelled,
}

impl Outcome {
    /// Whether it is a success.
    #[inline]
    pub fn succeeded(&self) -> bool {
        matches!(self, Outcome::Done | Outcome::RolledBack)
    }
}
