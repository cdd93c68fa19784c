//! Transaction clients: closed and open loop.

use std::cell::{Cell, RefCell};

use crate::Client;

use super::context::{AfterFailure, Context};
use super::message::Message;
use super::waker::yield_now;
use crate::measure::{CountsFor, EndedOperation, Recorder, ResponseTime, StatsBuffer};
use crate::pace::{Backoff, Budget, Cursor, Schedule, WaitQueue, WorkerBudget};
use crate::plan::{End, Pace, Phase, StepPlan};

/// Operations after which a client yields to the other clients of its worker, if it never waits for
/// an answer.
const YIELD_AFTER: u32 = 64;

/// The load that the transaction clients of a step share.
#[expect(clippy::large_enum_variant, reason = "a step has one of them")]
pub(crate) enum TransactionLoad {
    /// Closed loop until the step ends.
    Closed,
    /// Closed loop for a number of operations.
    Counted(Budget),
    /// Open loop.
    Open(Schedule),
}

impl TransactionLoad {
    /// The load of a step for this many workers.
    pub fn new(plan: &StepPlan, workers: usize) -> Self {
        match (plan.pace, plan.end) {
            (Pace::Open { rate, arrivals }, end) => {
                let operations = match end {
                    End::Operations(n) => Some(n),
                    _ => None,
                };
                let arrivals = arrivals.of_step(plan.number);
                TransactionLoad::Open(Schedule::new(rate, arrivals, operations))
            }
            (Pace::Closed, End::Operations(n)) => TransactionLoad::Counted(Budget::new(n, workers)),
            (Pace::Closed, _) => TransactionLoad::Closed,
        }
    }

    /// The schedule of an open loop.
    pub fn schedule(&self) -> Option<&Schedule> {
        match self {
            TransactionLoad::Open(schedule) => Some(schedule),
            TransactionLoad::Closed | TransactionLoad::Counted(_) => None,
        }
    }
}

/// What the transaction clients of one worker share.
pub(crate) struct TransactionWorker<'a> {
    context: Context<'a>,
    recorder: RefCell<Recorder<'a>>,
    load: WorkerLoad<'a>,
}

/// A worker's part of the [`TransactionLoad`].
enum WorkerLoad<'a> {
    Closed(Option<WorkerBudget<'a>>),
    Open(&'a Schedule, Cell<Cursor>),
}

impl<'a> TransactionWorker<'a> {
    /// The clients of a worker, whose calls may be `blocking`.
    pub fn new(
        context: Context<'a>,
        buffer: &'a StatsBuffer,
        load: &'a TransactionLoad,
        blocking: bool,
    ) -> Self {
        let load = match load {
            TransactionLoad::Closed => WorkerLoad::Closed(None),
            TransactionLoad::Counted(budget) => WorkerLoad::Closed(Some(WorkerBudget::new(budget))),
            TransactionLoad::Open(schedule) => WorkerLoad::Open(schedule, Cell::default()),
        };
        TransactionWorker { context, recorder: RefCell::new(Recorder::new(buffer, blocking)), load }
    }

    /// Leaves what its clients measured to the collector. To be called when all that can run have
    /// run.
    pub fn end_round(&self) {
        self.recorder.borrow_mut().end_round();
    }

    /// Runs a client's transactions until the step ends. A transaction that runs then is waited
    /// for: it may be between its commit and the answer.
    pub async fn run<C: Client>(&self, client: &mut C, queue: &WaitQueue<'_>) {
        match &self.load {
            WorkerLoad::Closed(budget) => self.run_closed(client, budget.as_ref(), queue).await,
            WorkerLoad::Open(schedule, cursor) => {
                self.run_open(client, schedule, cursor, queue).await;
            }
        }
        self.recorder.borrow_mut().end();
    }

    async fn run_closed<C: Client>(
        &self,
        client: &mut C,
        budget: Option<&WorkerBudget<'_>>,
        queue: &WaitQueue<'_>,
    ) {
        let Context { signal, clock, .. } = self.context;
        let mut yields = YieldCounter::new(queue);
        let mut backoff = Backoff::new();
        loop {
            let began = signal.phase();
            if began == Phase::Ended {
                return;
            }
            let budget = budget.filter(|_| began == Phase::Measured);
            if budget.is_some_and(|budget| !budget.take()) {
                break;
            }
            let next = client.next();
            if !next.keying.is_zero() && !signal.pause(next.keying).await {
                return;
            }
            let start = clock.now();
            let mut completion = client.run().await;
            let at = clock.now();
            let failure = self.context.settle(&mut completion.outcome);
            let counts_for = self.closed_counts_for(began, start);
            let time = ResponseTime::closed(at - start);
            let ended = EndedOperation { kind: next.kind, counts_for, time, at, completion };
            self.recorder.borrow_mut().add(ended);
            if let Some(AfterFailure::StopStep(error)) = failure {
                return self.context.stop_step(error).await;
            }
            if budget.is_some_and(|budget| budget.end(!next.think.is_zero())) {
                self.context.send(Message::LastOperation);
            }
            match failure {
                None => backoff.reset(),
                Some(AfterFailure::BackOff) if !signal.pause(backoff.next()).await => return,
                Some(_) => {}
            }
            if signal.phase() != Phase::Ended {
                client.aside().await;
            }
            if !next.think.is_zero() && !signal.pause(next.think).await {
                return;
            }
            if yields.is_due() {
                yield_now().await;
            }
        }
        signal.reached(Phase::Ended).await;
    }

    /// What an operation of a closed loop counts for that ends now and began in phase `began` at
    /// `start`. In a step of a number of operations it counts where it began, in other steps where
    /// it ends.
    #[inline]
    fn closed_counts_for(&self, began: Phase, start: u64) -> CountsFor {
        let signal = self.context.signal;
        let by_number = matches!(self.load, WorkerLoad::Closed(Some(_)));
        match signal.phase() {
            Phase::Ended => match signal.age_at_end(start) {
                // The step ended between the check of the phase and the operation.
                None => CountsFor::Nothing,
                Some(age) if by_number && began == Phase::Warmup => CountsFor::InFlight { age },
                age => CountsFor::AfterWindow { age },
            },
            now => CountsFor::Phase(if by_number { began } else { now }),
        }
    }

    async fn run_open<C: Client>(
        &self,
        client: &mut C,
        schedule: &Schedule,
        cursor: &Cell<Cursor>,
        queue: &WaitQueue<'_>,
    ) {
        let clock = self.context.clock;
        let mut yields = YieldCounter::new(queue);
        loop {
            let mut position = cursor.get();
            let Some((number, due)) = schedule.take(&mut position) else { break };
            cursor.set(position);
            let next = client.next();
            let (start, waited) = queue.wait_until(due, || schedule.may_begin(number)).await;
            if !schedule.may_begin(number) {
                break;
            }
            let mut completion = client.run().await;
            let at = clock.now();
            let wait = Some(start.saturating_sub(due));
            let time = ResponseTime { service: at - start, wait, late: waited };
            let failure = self.context.settle(&mut completion.outcome);
            let due_in = schedule.phase(number);
            let counts_for = self.open_counts_for(schedule, due_in, due, start);
            let ended = EndedOperation { kind: next.kind, counts_for, time, at, completion };
            self.recorder.borrow_mut().add(ended);
            if let Some(AfterFailure::StopStep(error)) = failure {
                return self.context.stop_step(error).await;
            }
            if schedule.end_one(number, start) {
                self.context.send(Message::LastOperation);
            }
            if self.context.signal.phase() != Phase::Ended {
                client.aside().await;
            }
            // There is no backoff: the schedule sets the pace, and each operation is tried once.
            if yields.is_due() {
                yield_now().await;
            }
        }
        self.context.signal.reached(Phase::Ended).await;
    }

    /// What an operation of an open loop counts for that ends now, was due in phase `due_in` at
    /// `due` and began at `start`.
    #[inline]
    fn open_counts_for(
        &self,
        schedule: &Schedule,
        due_in: Phase,
        due: u64,
        start: u64,
    ) -> CountsFor {
        let signal = self.context.signal;
        match (due_in, signal.phase()) {
            (Phase::Warmup, Phase::Measured) if !schedule.is_counted() => CountsFor::Backlog,
            (_, Phase::Ended) => {
                let in_flight = signal.age_at_end(start).is_some();
                let age = signal.age_at_end(due).filter(|_| in_flight);
                match (due_in, age) {
                    (Phase::Measured, age) => CountsFor::AfterWindow { age },
                    (_, Some(age)) => CountsFor::InFlight { age },
                    (_, None) => CountsFor::Nothing,
                }
            }
            _ => CountsFor::Phase(due_in),
        }
    }
}

/// Counts a client's operations between two yields.
struct YieldCounter {
    left: u32,
    /// A blocking client has a thread of its own and never yields.
    never: bool,
}

impl YieldCounter {
    fn new(queue: &WaitQueue<'_>) -> Self {
        YieldCounter { left: YIELD_AFTER, never: queue.blocking() }
    }

    /// Counts an operation. Returns whether the client is to yield.
    #[inline]
    fn is_due(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.left = YIELD_AFTER;
        !self.never
    }
}
