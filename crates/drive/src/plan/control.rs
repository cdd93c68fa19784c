//! How a caller stops a running step and watches it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hoap_record::{MachineRow, Result, Sample};

use super::phase::Phase;
use super::step_plan::StepPlan;

/// A flag that ends the running step early and cleanly. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Self {
        Stop::default()
    }

    /// Asks the running step to end. Any thread may call this at any time, a signal handler's too.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Says when a step begins.
pub trait Gate {
    /// When the clients of the step, which are all connected, begin: at once where the time has
    /// passed. `None` where that is not known yet. It is called from the thread of
    /// [`crate::run_step`] every few milliseconds until the time is there, so that it may change.
    ///
    /// # Errors
    /// Ends the step, which returns the error.
    fn opens(&self, step: &StepPlan) -> Result<Option<Instant>>;
}

/// The clients begin as soon as they are connected.
impl Gate for () {
    fn opens(&self, _: &StepPlan) -> Result<Option<Instant>> {
        Ok(Some(Instant::now()))
    }
}

/// Watches a step. The calls come from the thread of [`crate::run_step`]; no client waits for them.
pub trait Observer {
    /// The step has entered this phase.
    fn phase(&self, _step: &StepPlan, _phase: Phase) {}

    /// An interval of the time series has ended.
    fn tick(&self, _tick: &Tick<'_>) {}

    /// Whether the database is warm, where that is to end the warm-up. It is asked at the end of
    /// each interval.
    fn warm(&self) -> bool {
        false
    }
}

/// No observer.
impl Observer for () {}

/// The last interval of the time series, for a progress line.
#[derive(Clone, Debug)]
pub struct Tick<'a> {
    /// The step.
    pub plan: &'a StepPlan,
    /// The phase of the interval.
    pub phase: Phase,
    /// Time since the phase began.
    pub elapsed: Duration,
    /// Length of the interval.
    pub length: Duration,
    /// The rows of `samples.csv` of this interval: first the kinds of transactions, then queries.
    pub samples: &'a [Sample],
    /// How many of these rows are of transactions.
    pub tx_rows: usize,
    /// The row of `machine.csv` that ended with the interval, if one did.
    pub machine: Option<&'a MachineRow>,
    /// Transactions of all kinds that ended, failed ones included, and count for the phase.
    pub tx_ended: u64,
    /// Transactions of all kinds per second.
    pub tx_per_second: f64,
    /// Median and 99th percentile of the response times of all transactions, microseconds; `None`
    /// if there are no response times.
    pub times_us: Option<(u64, u64)>,
    /// Failures of transactions and queries since the phase began.
    pub failed: u64,
    /// Queries finished since the phase began.
    pub queries_finished: u64,
    /// The query that each query client runs now; `None` between two queries.
    pub running: Vec<Option<&'a str>>,
}

impl Tick<'_> {
    /// The row of the step's headline kind ([`StepPlan::headline`]), if it has one.
    pub fn headline(&self) -> Option<&Sample> {
        let kind = self.plan.headline.filter(|_| self.plan.tx_clients > 0)?;
        // Operations that began in the phase before may have rows of their own.
        self.samples.iter().filter(|sample| sample.phase == self.phase.name()).nth(kind)
    }
}
