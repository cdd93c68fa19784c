//! What clients tell the controller, and the closed loops of query clients.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use hoap_workload::client::{Canceller, Client, Completion, Outcome};
use hoap_workload::{Error, ErrorKind};

use crate::on_error::Rest;
use crate::plan::{End, Phase};
use crate::probe::Looked;
use crate::signal::Signal;
use crate::worker::{Context, Failed, give_way};

/// Which of the workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Transactions,
    Queries,
    Probe,
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
    /// The transaction clients have run all operations that the step measures.
    LastOperation,
    /// A query ended.
    Execution(Box<QueryEnd>),
    /// The probe has looked.
    Looked(Looked),
    /// An operation failed in a way that ends the step.
    Stopped(Box<Error>),
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
    /// It kept up the load.
    Extra,
    /// It would have counted, had it ended before the step did.
    Unfinished {
        /// How long it had run when the step ended.
        age: Duration,
    },
    /// It would not have counted, and the end of the step cut it off.
    Cancelled,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Warmup => Phase::Warmup.name(),
            Class::Measured => Phase::Measured.name(),
            Class::Extra => "extra",
            Class::Unfinished { .. } => "unfinished",
            Class::Cancelled => "cancelled",
        }
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
        let mut rest = Rest::new();
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
                let (start, begun) = (Instant::now(), context.clock.now());
                let completion = unless_ended(client.run(), signal, patience).await;
                // By the clock that says when the step ended, so that no query ran shorter than it was old then.
                let took = Duration::from_nanos(context.clock.now() - begun);
                // What began when the step had ended already was not in flight at its end.
                let age = signal.ended().then(|| signal.age_at_end(begun)).flatten();
                self.running.store(0, Ordering::Relaxed);
                let failed = match &completion.outcome {
                    Outcome::Failed(e) if e.kind != ErrorKind::Cancelled => Some(context.failed(e)),
                    _ => None,
                };
                context.tell(Event::Execution(Box::new(QueryEnd {
                    stream: self.number,
                    lap,
                    kind: next.kind,
                    class: self.class(lap, phase, age, &completion.outcome),
                    start,
                    took,
                    completion,
                })));
                // Every failed query is a row of a file: none may come at once after another.
                let pause = match failed {
                    None => {
                        rest.over();
                        next.think
                    }
                    Some(Failed::Stops(error)) => return context.stop(error).await,
                    Some(_) => rest.next().max(next.think),
                };
                if !signal.pause(pause).await {
                    return;
                }
                give_way().await;
            }
        }
    }

    /// What a query counts for that began in phase `began`. `age` is how long it had run when the step
    /// ended, where it ended later.
    fn class(&self, lap: usize, began: Phase, age: Option<u64>, outcome: &Outcome) -> Class {
        let (warmup, surplus) = match self.end {
            End::After(_) | End::Operations(_) => (began < Phase::Measured, false),
            End::Loops { warmup, measured } => (lap < warmup, lap >= warmup + measured),
        };
        match age {
            // One that hung through the whole window began in the warm-up.
            Some(age) if !surplus => Class::Unfinished { age: Duration::from_nanos(age) },
            _ if outcome.cancelled() => Class::Cancelled,
            _ if age.is_some() || surplus => Class::Extra,
            _ if warmup => Class::Warmup,
            _ => Class::Measured,
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
