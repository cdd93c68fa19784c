//! What a step does.

use std::time::Duration;

use hoap_record::step_name;
use hoap_record::{Error, ErrorKind, Result};

use super::on_error::OnError;
use super::pace::{FASTEST, Pace};

/// A step: a number of clients of each side that run for a time or a number of operations.
///
/// A step has two phases, warm-up and measured window; [`crate::run_step`] says what counts.
#[derive(Clone, Debug)]
pub struct StepPlan {
    /// From 1; the `NN` of `step-NN.hlog`.
    pub number: usize,
    /// Transaction clients, or the clients of a workload with one side.
    pub tx_clients: usize,
    /// Query clients (streams).
    pub query_clients: usize,
    /// Whether all its operations count alike, as in a workload with one side: its clients are
    /// none of transactions.
    pub plain: bool,
    /// What sets the pace of the transaction clients.
    pub pace: Pace,
    /// Time before the measured window, at least; at most, where something else ends it.
    pub warmup: Duration,
    /// What ends the warm-up before that.
    pub warm_at: WarmAt,
    /// When the measured window ends.
    pub end: End,
    /// With [`End::Operations`]: the longest time of the measured window. A step that reaches it
    /// before its number of operations ends there and is whole.
    pub limit: Option<Duration>,
    /// Length of an interval of the time series.
    pub tick: Duration,
    /// How long transactions that run at the end may take before their canceller is called. In an
    /// open loop, also how long operations that were due before the end may still begin.
    pub grace: Duration,
    /// The kind of transaction whose rate per minute is the step's headline, as an index into the
    /// workload's kinds.
    pub headline: Option<usize>,
    /// Which failures end the step.
    pub on_error: OnError,
    /// How long clients retry to connect if the database is unavailable when the step begins, as
    /// after a crash in the previous step.
    pub connect_limit: Duration,
}

/// What ends a warm-up before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmAt {
    /// Nothing.
    Time,
    /// A level of the throughput of the transactions ([`hoap_record::level::is_settled`]). Only of
    /// a closed loop.
    Level,
    /// The word of the observer ([`Observer::warm`](super::Observer::warm)).
    Word,
}

/// When the measured window of a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After this time.
    After(Duration),
    /// When the transaction clients together have run this many operations, failed ones included,
    /// or at [`StepPlan::limit`]. Operations that begin in the warm-up do not count.
    Operations(u64),
    /// When every query client has run its loops. The window begins when the warm-up time has
    /// passed and every query client has finished its warm-up loops; a client that finishes early
    /// waits. A client that has finished its measured loops runs further, uncounted loops until all
    /// clients have finished theirs, so that the load stays the same.
    Loops {
        /// Loops of each query client before the measured ones.
        warmup: usize,
        /// Measured loops of each query client, at least 1.
        measured: usize,
    },
}

impl StepPlan {
    /// A closed-loop step without warm-up time, with ticks of one second and five seconds of grace.
    /// No failure ends it, except that a client cannot connect.
    pub fn new(number: usize, tx_clients: usize, query_clients: usize, end: End) -> Self {
        StepPlan {
            number,
            tx_clients,
            query_clients,
            plain: false,
            pace: Pace::Closed,
            warmup: Duration::ZERO,
            warm_at: WarmAt::Time,
            end,
            limit: None,
            tick: Duration::from_secs(1),
            grace: Duration::from_secs(5),
            headline: None,
            on_error: OnError::default(),
            connect_limit: Duration::ZERO,
        }
    }

    /// The same for a workload with one side.
    pub fn plain(number: usize, clients: usize, end: End) -> Self {
        StepPlan { plain: true, ..StepPlan::new(number, clients, 0, end) }
    }

    /// Such as "4 tx, 1 query", "1 tx, 2 queries", "16 clients, 5000/s".
    pub fn name(&self) -> String {
        let rate = match self.pace {
            Pace::Closed => None,
            Pace::Open { rate, .. } => Some(rate),
        };
        let has_sides = !self.plain || self.query_clients > 0;
        step_name(self.tx_clients, has_sides.then_some(self.query_clients), rate)
    }

    /// Whether the step begins with the measured window.
    pub(crate) fn needs_no_warmup(&self) -> bool {
        self.warmup.is_zero() && !matches!(self.end, End::Loops { .. })
    }

    /// Refuses a plan that cannot be run.
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
        if self.warm_at == WarmAt::Level && (self.tx_clients == 0 || self.pace != Pace::Closed) {
            return refuse("its warm-up is to end at a level, and it has no closed loop");
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
        if let Pace::Open { rate, .. } = self.pace {
            if self.tx_clients == 0 {
                return refuse("a rate needs a transaction client");
            }
            // The negation refuses NaN too.
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
