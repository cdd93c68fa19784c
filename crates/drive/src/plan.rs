//! What a step does, how to stop it, how to watch it.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hoap_record::Sample;
use hoap_record::step_name;
use hoap_workload::client::{Client, Completion, Look, Next, Probe, Probing, Workload};
use hoap_workload::{Error, ErrorKind, Result};

use crate::on_error::OnError;
use crate::pace::{FASTEST, Pace};

/// A step: a number of clients of each side for a while.
///
/// A step has two phases, warm-up and measured window; what counts is said at [`crate::run_step`].
#[derive(Clone, Debug)]
pub struct StepPlan {
    /// From 1; the `NN` of `step-NN.hlog`.
    pub number: usize,
    /// Transaction clients, or those of a workload without two sides.
    pub tx_clients: usize,
    /// Query clients (streams).
    pub query_clients: usize,
    /// Whether the workload has no two sides: its clients are just clients.
    pub plain: bool,
    /// What sets the pace of the transaction clients.
    pub pace: Pace,
    /// Time before the measured window, at least.
    pub warmup: Duration,
    /// When the measured window ends.
    pub end: End,
    /// With [`End::Operations`]: the longest time of the measured window. Where it passes first the step ends by
    /// it, and is whole.
    pub limit: Option<Duration>,
    /// Length of an interval of the time series.
    pub tick: Duration,
    /// How long transactions that still run at the end may take before their canceller is called. In
    /// an open loop, also how long those may still begin that were due before the end.
    pub grace: Duration,
    /// The kind of transaction whose rate per minute is the step's headline, as an index into the
    /// workload's kinds.
    pub headline: Option<usize>,
    /// Which failures end the step.
    pub on_error: OnError,
    /// How long clients go on trying to connect where the database is unavailable when the step begins,
    /// as after a crash in the step before.
    pub connect_limit: Duration,
}

/// When the measured window of a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After this time.
    After(Duration),
    /// When the transaction clients together have run this many operations, failed ones included, or at
    /// [`StepPlan::limit`]. Operations that begin in the warm-up are not among them.
    Operations(u64),
    /// When every query client has run its loops. The window begins when the warm-up time has passed
    /// and every query client has finished its warm-up loops; one that is early waits. A client that
    /// has finished its measured loops goes on uncounted until the others have too, so that the
    /// load stays the same.
    Loops {
        /// Loops of each query client before the measured ones.
        warmup: usize,
        /// Measured loops of each query client, at least 1.
        measured: usize,
    },
}

impl StepPlan {
    /// A step without warm-up time, with ticks of one second and five seconds of grace, that goes on
    /// whatever fails and gives up where a client cannot connect.
    pub fn new(number: usize, tx_clients: usize, query_clients: usize, end: End) -> Self {
        StepPlan {
            number,
            tx_clients,
            query_clients,
            plain: false,
            pace: Pace::Closed,
            warmup: Duration::ZERO,
            end,
            limit: None,
            tick: Duration::from_secs(1),
            grace: Duration::from_secs(5),
            headline: None,
            on_error: OnError::default(),
            connect_limit: Duration::ZERO,
        }
    }

    /// The same for a workload without two sides, such as YCSB.
    pub fn plain(number: usize, clients: usize, end: End) -> Self {
        StepPlan { plain: true, ..StepPlan::new(number, clients, 0, end) }
    }

    /// Such as "4 tx, 1 query", "1 tx, 2 queries", "16 clients, 5000/s".
    pub fn name(&self) -> String {
        let rate = match self.pace {
            Pace::Closed => None,
            Pace::Open { rate, .. } => Some(rate),
        };
        step_name(self.tx_clients, (!self.plain).then_some(self.query_clients), rate)
    }

    /// Whether the measured window comes first.
    pub(crate) fn needs_no_warmup(&self) -> bool {
        self.warmup.is_zero() && !matches!(self.end, End::Loops { .. })
    }

    /// Refuses what cannot be run, before anything starts.
    pub(crate) fn check(
        &self,
        tx_kinds: Option<usize>,
        query_loop: Option<Option<usize>>,
    ) -> Result<()> {
        let refuse = |answer: &str| {
            Err(Error::new(ErrorKind::Invalid, format!("run step {}", self.number), answer))
        };
        if self.tx_clients + self.query_clients == 0 {
            return refuse("it has no client");
        }
        if self.tx_clients > 0 {
            match (tx_kinds, self.headline) {
                (None, _) => return refuse("it has transaction clients but no transactions"),
                (Some(kinds), Some(headline)) if headline >= kinds => {
                    return refuse("its headline is not a kind of transaction");
                }
                _ => {}
            }
        }
        if self.query_clients > 0 {
            match query_loop {
                None => return refuse("it has query clients but no queries"),
                Some(None | Some(0)) => return refuse("its queries have no loop to repeat"),
                Some(Some(_)) => {}
            }
        }
        if self.tick.is_zero() {
            return refuse("its tick is zero");
        }
        if self.plain && self.query_clients > 0 {
            return refuse("a workload without two sides has no query clients");
        }
        if let Pace::Open { rate, .. } = self.pace {
            if self.tx_clients == 0 {
                return refuse("a rate needs a transaction client");
            }
            // Not a number is not within.
            if !(rate > 0.0 && rate <= FASTEST) {
                return refuse("its rate is not above 0 and at most 1e9 per second");
            }
        }
        match self.limit {
            Some(limit) if limit.is_zero() => return refuse("its longest time is zero"),
            Some(_) if !matches!(self.end, End::Operations(_)) => {
                return refuse("a longest time is for a number of operations");
            }
            _ => {}
        }
        match self.end {
            End::Operations(0) => refuse("it has no operation to run"),
            End::Operations(_) if self.tx_clients == 0 => {
                refuse("a number of operations needs a transaction client; give it a duration")
            }
            End::After(time) if time.is_zero() => refuse("its measured window is zero"),
            End::Loops { measured: 0, .. } => refuse("it has no measured loop"),
            End::Loops { .. } if self.query_clients == 0 => {
                refuse("loops need a query client; give it a duration")
            }
            _ => Ok(()),
        }
    }
}

/// No workload, or no probe: the side that a step does without, as in `run_step(plan, Some(&ycsb),
/// None::<&NoWorkload>, …)`. It cannot be made.
#[derive(Clone, Copy, Debug)]
pub struct NoWorkload(Infallible);

/// The client of [`NoWorkload`].
#[derive(Clone, Copy, Debug)]
pub struct NoClient(Infallible);

impl Workload for NoWorkload {
    type Client = NoClient;

    fn kinds(&self) -> &[&'static str] {
        match self.0 {}
    }

    fn blocking(&self) -> bool {
        match self.0 {}
    }

    async fn client(&self, _number: usize) -> Result<NoClient> {
        match self.0 {}
    }
}

impl Probing for NoWorkload {
    type Probe = NoClient;

    fn every(&self) -> Duration {
        match self.0 {}
    }

    async fn probe(&self) -> Result<NoClient> {
        match self.0 {}
    }
}

impl Probe for NoClient {
    async fn look(&mut self) -> Result<Look> {
        match self.0 {}
    }
}

impl Client for NoClient {
    type Memory = ();

    fn next(&mut self) -> Next {
        match self.0 {}
    }

    async fn run(&mut self) -> Completion {
        match self.0 {}
    }

    fn finish(self) {
        match self.0 {}
    }
}

/// A flag that ends the running step early and cleanly. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Self {
        Stop::default()
    }

    /// Asks the running step to end. May be called from a signal handler's thread at any time.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody asked.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Where a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Clients connect; the step's clock stands still.
    Connecting,
    /// Clients work; nothing counts.
    Warmup,
    /// The measured window.
    Measured,
    /// Nothing new begins; what still runs is waited for or cancelled.
    Ended,
}

impl Phase {
    /// The name of the phase in the run folder.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Connecting => "connecting",
            Phase::Warmup => "warmup",
            Phase::Measured => "measured",
            Phase::Ended => "ended",
        }
    }
}

/// Watches a step. Called on the thread of [`crate::run_step`], which no client waits for.
pub trait Observer {
    /// The step has entered this phase.
    fn phase(&self, _step: &StepPlan, _phase: Phase) {}

    /// An interval of the time series is over.
    fn tick(&self, _tick: &Tick<'_>) {}
}

/// Nobody watches.
impl Observer for () {}

/// The last interval, for a progress line.
#[derive(Clone, Debug)]
pub struct Tick<'a> {
    /// The step.
    pub plan: &'a StepPlan,
    /// The phase the interval belongs to.
    pub phase: Phase,
    /// Time since the phase began.
    pub elapsed: Duration,
    /// Length of the interval.
    pub length: Duration,
    /// The rows of `samples.csv` of this interval: first the kinds of transactions, then queries.
    pub samples: &'a [Sample],
    /// Transactions of all kinds per second.
    pub tx_per_second: f64,
    /// Median and 99th percentile of the response times of all transactions, microseconds; `None` where
    /// none has one.
    pub times_us: Option<(u64, u64)>,
    /// Failures of transactions and queries since the phase began.
    pub failed: u64,
    /// Queries finished since the phase began.
    pub queries_finished: u64,
    /// What each query client runs at the moment; `None` between two queries.
    pub running: Vec<Option<&'static str>>,
}
