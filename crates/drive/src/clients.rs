//! Clients: threads, runtimes and the closed loops that run on them.
//!
//! A blocking client has a thread of its own; others share a thread for each core. Every thread
//! has a runtime of its own, so that no client's work is moved between cores.

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use hoap_workload::client::{Canceller, Client, Completion, Outcome, Workload};
use hoap_workload::{Error, ErrorKind};
use tokio::sync::Notify;

use crate::measure::Recorder;
use crate::plan::{End, Phase};

/// The phase of the step, for all clients.
pub(crate) struct Signal {
    phase: AtomicU8,
    changed: Notify,
}

impl Signal {
    pub fn new() -> Self {
        Signal { phase: AtomicU8::new(Phase::Connecting as u8), changed: Notify::new() }
    }

    pub fn set(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
        self.changed.notify_waiters();
    }

    fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Connecting,
            1 => Phase::Warmup,
            2 => Phase::Measured,
            _ => Phase::Ended,
        }
    }

    fn ended(&self) -> bool {
        self.phase() == Phase::Ended
    }

    /// Returns when the step is in this phase or a later one.
    async fn reached(&self, phase: Phase) {
        loop {
            // It hears of every change from here on, so none falls between the look and the wait.
            let changed = self.changed.notified();
            if self.phase() >= phase {
                return;
            }
            changed.await;
        }
    }

    /// Sleeps for `time` and says whether the step still goes on.
    async fn pause(&self, time: Duration) -> bool {
        if !time.is_zero() {
            // An error means that the time is over, as it should be.
            let _ = tokio::time::timeout(time, self.reached(Phase::Ended)).await;
        }
        !self.ended()
    }
}

/// Which of the two workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Transactions,
    Queries,
}

/// What clients tell the controller.
pub(crate) enum Event {
    /// A client is connected and waits for the start.
    Connected { side: Side, client: usize, canceller: Option<Canceller> },
    /// A client could not be connected, or its thread not started.
    NotConnected(Error),
    /// A query client has finished its warm-up loops.
    WarmedUp,
    /// A query client has finished its measured loops.
    Measured,
    /// A query ended.
    Execution(Box<QueryEnd>),
    /// A client has run its last operation.
    Finished { side: Side, client: usize },
    /// A worker thread has ended, in whatever way.
    WorkerGone,
}

/// A query that ended.
pub(crate) struct QueryEnd {
    pub stream: usize,
    pub lap: usize,
    pub kind: usize,
    pub class: Class,
    pub start: Instant,
    pub took: Duration,
    pub completion: Completion,
}

/// What a query counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Warmup,
    Measured,
    /// It kept up the load, or ended after the window.
    Extra,
    /// The step ended before it did.
    Cancelled,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Warmup => Phase::Warmup.name(),
            Class::Measured => Phase::Measured.name(),
            Class::Extra => "extra",
            Class::Cancelled => "cancelled",
        }
    }
}

/// How many threads serve this many clients.
pub(crate) fn workers(clients: usize, blocking: bool) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    if blocking { clients } else { clients.min(cores) }
}

/// What every worker knows.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub signal: &'a Signal,
    pub events: &'a Sender<Event>,
}

impl Context<'_> {
    fn tell(&self, event: Event) {
        // The controller listens until the last worker is gone; if it is not there any more, it
        // has ended the step for a reason of its own.
        let _ = self.events.send(event);
    }
}

/// The body of a worker thread: connects its clients, waits for the start, runs `seat` for each and
/// hands over what they remember.
pub(crate) fn work<W: Workload>(
    workload: &W,
    side: Side,
    clients: impl Iterator<Item = usize>,
    context: Context<'_>,
    seat: impl AsyncFn(usize, &mut W::Client),
) -> Vec<(usize, <W::Client as Client>::Memory)> {
    let _gone = Gone(context.events);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            let error = Error::new(ErrorKind::Unavailable, "start a client's runtime", e);
            context.tell(Event::NotConnected(error));
            return Vec::new();
        }
    };
    let seat = &seat;
    let seats: FuturesUnordered<_> = clients
        .map(|number| async move {
            let connecting = pin!(workload.client(number));
            let mut client =
                match select(connecting, pin!(context.signal.reached(Phase::Ended))).await {
                    Either::Left((Ok(client), _)) => client,
                    Either::Left((Err(error), _)) => {
                        context.tell(Event::NotConnected(error));
                        return None;
                    }
                    Either::Right(_) => return None,
                };
            let canceller = client.canceller();
            context.tell(Event::Connected { side, client: number, canceller });
            context.signal.reached(Phase::Warmup).await;
            seat(number, &mut client).await;
            let memory = client.finish();
            context.tell(Event::Finished { side, client: number });
            Some((number, memory))
        })
        .collect();
    runtime.block_on(seats.filter_map(std::future::ready).collect())
}

/// Says that its thread has ended, even if by a panic.
struct Gone<'a>(&'a Sender<Event>);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(Event::WorkerGone);
    }
}

/// Runs transactions until the step ends. One that is running then is left to finish: it may be
/// between its commit and the answer.
pub(crate) async fn transactions<C: Client>(
    client: &mut C,
    signal: &Signal,
    recorder: &RefCell<Recorder<'_>>,
) {
    while !signal.ended() {
        let next = client.next();
        if !signal.pause(next.keying).await {
            return;
        }
        let start = Instant::now();
        let completion = client.run().await;
        let took = start.elapsed();
        recorder.borrow_mut().add(next.kind, took, completion);
        if !signal.pause(next.think).await {
            return;
        }
        // A database that answers at once must not keep the thread from its other clients.
        tokio::task::coop::consume_budget().await;
    }
}

/// A query client's place in its step.
pub(crate) struct Stream<'a> {
    pub number: usize,
    /// Queries of one loop.
    pub loop_length: usize,
    pub end: End,
    /// How long a canceller may take to be heard before the query is dropped.
    pub patience: Duration,
    /// The kind that runs at the moment, plus 1; 0 between two queries.
    pub running: &'a AtomicUsize,
}

impl Stream<'_> {
    /// Runs queries until the step ends.
    pub async fn run<C: Client>(&self, client: &mut C, context: Context<'_>) {
        let signal = context.signal;
        let patience = if client.canceller().is_some() { self.patience } else { Duration::ZERO };
        for lap in 0.. {
            if let End::Loops { warmup, measured } = self.end {
                if lap == warmup {
                    context.tell(Event::WarmedUp);
                    signal.reached(Phase::Measured).await;
                } else if lap == warmup + measured {
                    context.tell(Event::Measured);
                }
            }
            for _ in 0..self.loop_length {
                if signal.ended() {
                    return;
                }
                let next = client.next();
                if !signal.pause(next.keying).await {
                    return;
                }
                let phase = signal.phase();
                self.running.store(next.kind + 1, Ordering::Relaxed);
                let start = Instant::now();
                let completion = unless_ended(client.run(), signal, patience).await;
                let took = start.elapsed();
                self.running.store(0, Ordering::Relaxed);
                context.tell(Event::Execution(Box::new(QueryEnd {
                    stream: self.number,
                    lap,
                    kind: next.kind,
                    class: self.class(lap, phase, signal.ended(), &completion.outcome),
                    start,
                    took,
                    completion,
                })));
                if !signal.pause(next.think).await {
                    return;
                }
                tokio::task::coop::consume_budget().await;
            }
        }
    }

    /// What a query counts for that began in phase `began` and ended before or after the step did.
    fn class(&self, lap: usize, began: Phase, ended: bool, outcome: &Outcome) -> Class {
        let cancelled = match outcome {
            Outcome::Cancelled => true,
            Outcome::Failed(e) => e.kind == ErrorKind::Cancelled,
            Outcome::Done | Outcome::RolledBack => false,
        };
        let warmup = match self.end {
            End::After(_) => began < Phase::Measured,
            End::Loops { warmup, .. } => lap < warmup,
        };
        let surplus = match self.end {
            End::After(_) => false,
            End::Loops { warmup, measured } => lap >= warmup + measured,
        };
        match () {
            () if cancelled => Class::Cancelled,
            () if ended || surplus => Class::Extra,
            () if warmup => Class::Warmup,
            () => Class::Measured,
        }
    }
}

/// Runs a query; when the step ends, gives its canceller time to be heard and then drops it.
async fn unless_ended(
    run: impl Future<Output = Completion>,
    signal: &Signal,
    patience: Duration,
) -> Completion {
    let ended = async {
        signal.reached(Phase::Ended).await;
        tokio::time::sleep(patience).await;
    };
    match select(pin!(run), pin!(ended)).await {
        Either::Left((completion, _)) => completion,
        Either::Right(_) => Completion { outcome: Outcome::Cancelled, retries: 0, rows: 0 },
    }
}
