//! How the driver runs a workload: it asks for the next operation and calls it.

use std::future::Future;
use std::time::Duration;

use crate::{Error, Result};

/// A benchmark on one database, from which the driver makes as many clients as it needs.
///
/// The driver knows neither documents nor databases: all it sees is kinds of operations by index.
pub trait Workload: Send + Sync {
    /// The client type. One client runs one operation at a time.
    type Client: Client;

    /// Names of the kinds of operations, such as "NewOrder" or "Q14"; [`Next::kind`] indexes it.
    fn kinds(&self) -> &[&'static str];

    /// How many operations one loop has, for workloads that repeat a fixed sequence (22 for a
    /// query stream); `None` for an endless mix.
    fn loop_length(&self) -> Option<usize> {
        None
    }

    /// Whether the client's calls block their thread, as embedded databases do. The driver gives
    /// each blocking client a thread of its own; others share threads.
    fn blocking(&self) -> bool;

    /// Connects client number `number` (from 0, different for every client of a step).
    fn client(&self, number: usize) -> impl Future<Output = Result<Self::Client>> + Send;
}

/// One simulated user.
pub trait Client: Send {
    /// What the client remembers at its end: for transactions the ledger and the tallies of the mix.
    type Memory: Send;

    /// Draws the next operation without running it.
    fn next(&mut self) -> Next;

    /// Runs the operation that [`Client::next`] drew last. The driver measures this call.
    fn run(&mut self) -> impl Future<Output = Completion> + Send;

    /// A handle that makes a running [`Client::run`] return early with [`Outcome::Cancelled`], where
    /// the database has a way.
    fn canceller(&self) -> Option<Canceller> {
        None
    }

    /// Ends the client and hands over what it remembers.
    fn finish(self) -> Self::Memory;
}

/// Interrupts a running operation from another thread. Must be safe to call at any time.
pub type Canceller = std::sync::Arc<dyn Fn() + Send + Sync>;

/// The operation that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// Index into [`Workload::kinds`].
    pub kind: usize,
    /// Time a user would take to key the input in (TPC-C 5.2.5.2), zero unless asked for.
    pub keying: Duration,
    /// Time a user would think about the answer (TPC-C 5.2.5.4), zero unless asked for.
    pub think: Duration,
}

/// Looks beside the load at how old what the queries see is. The driver makes one probe for a step.
pub trait Probing: Send + Sync {
    /// The probe type.
    type Probe: Probe;

    /// Time from the beginning of one look to that of the next. Looks never overlap.
    fn every(&self) -> Duration;

    /// Connects the probe.
    fn probe(&self) -> impl Future<Output = Result<Self::Probe>> + Send;
}

/// One connection that looks.
pub trait Probe: Send {
    /// Looks once.
    fn look(&mut self) -> impl Future<Output = Result<Look>> + Send;

    /// A handle that makes a running [`Probe::look`] return early, where the database has a way.
    fn canceller(&self) -> Option<Canceller> {
        None
    }
}

/// How old what the queries see was when a look began.
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
    /// How often it was begun again after a conflict. The time of retries is part of the response
    /// time.
    pub retries: u32,
    /// Rows in the answer, for queries.
    pub rows: u64,
}

/// The end of an operation. Only the first two are successes.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The database acknowledged it.
    Done,
    /// It rolled back as the benchmark wants (TPC-C 2.4.1.4) and counts as executed.
    RolledBack,
    /// It was given up. Counted by [`crate::ErrorKind`] and never in a success histogram.
    Failed(Error),
    /// The run ended before it did. Counted nowhere but as such.
    Cancelled,
}

impl Outcome {
    /// Whether it is a success.
    #[inline]
    pub fn succeeded(&self) -> bool {
        matches!(self, Outcome::Done | Outcome::RolledBack)
    }
}
