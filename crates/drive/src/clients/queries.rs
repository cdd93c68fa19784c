//! Query clients: each runs a stream of queries in a closed loop.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};

use crate::{Client, Completion, Outcome};

use super::context::{AfterFailure, Context};
use super::message::Message;
use super::waker::yield_now;
use crate::measure::{QueryClass, QueryExecution};
use crate::pace::{Backoff, PhaseSignal};
use crate::plan::{End, Phase};

/// The stream of a query client.
pub(crate) struct QueryStream<'a> {
    pub number: usize,
    /// Queries of one loop.
    pub loop_length: usize,
    pub end: End,
    /// How long a canceller may take to end a query before the query is dropped.
    pub patience: Duration,
    /// The kind of the running query plus 1; 0 between two queries.
    pub running: &'a AtomicUsize,
}

impl QueryStream<'_> {
    /// Runs queries until the step ends.
    pub async fn run<C: Client>(&self, client: &mut C, context: Context<'_>) {
        let signal = context.signal;
        let patience = if client.canceller().is_some() { self.patience } else { Duration::ZERO };
        let mut backoff = Backoff::new();
        for loop_number in 0.. {
            if let End::Loops { warmup, measured } = self.end {
                if loop_number == warmup {
                    context.send(Message::WarmedUp);
                    signal.reached(Phase::Measured).await;
                } else if loop_number == warmup + measured {
                    context.send(Message::Measured);
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
                let (start, began) = (Instant::now(), context.clock.now());
                let mut completion = run_until_ended(client.run(), signal, patience).await;
                // By the system's clock, as the edges of the window are: by another one, a query
                // could seem to end within a window that began after it.
                let took = start.elapsed();
                // A query that began after the end of the step was not in flight then. The age is
                // by the clients' clock, and an unfinished query ran no shorter than that.
                let age = signal.ended().then(|| signal.age_at_end(began)).flatten();
                let age = age.map(|age| Duration::from_nanos(age).min(took));
                self.running.store(0, Ordering::Relaxed);
                let failure = context.settle(&mut completion.outcome);
                context.send(Message::Execution(Box::new(QueryExecution {
                    stream: self.number,
                    loop_number,
                    kind: next.kind,
                    class: self.class(loop_number, phase, age, &completion.outcome),
                    start,
                    took,
                    completion,
                })));
                // Every failed query is a row of a file, so the client backs off after any failure.
                let pause = match failure {
                    None => {
                        backoff.reset();
                        next.think
                    }
                    Some(AfterFailure::StopStep(error)) => return context.stop_step(error).await,
                    Some(_) => backoff.next().max(next.think),
                };
                if !signal.pause(pause).await {
                    return;
                }
                yield_now().await;
            }
        }
    }

    /// What a query counts for that began in phase `began`. `age` is how long it had run when the
    /// step ended, if it ended later.
    fn class(
        &self,
        loop_number: usize,
        began: Phase,
        age: Option<Duration>,
        outcome: &Outcome,
    ) -> QueryClass {
        let (warmup, extra) = match self.end {
            End::After(_) | End::Operations(_) => (began < Phase::Measured, false),
            End::Loops { warmup, measured } => {
                (loop_number < warmup, loop_number >= warmup + measured)
            }
        };
        match age {
            // Also a query that began in the warm-up: it ran through the whole window.
            Some(age) if !extra => QueryClass::Unfinished { age },
            _ if matches!(outcome, Outcome::Cancelled) => QueryClass::Cancelled,
            _ if age.is_some() || extra => QueryClass::Extra,
            _ if warmup => QueryClass::Warmup,
            _ => QueryClass::Measured,
        }
    }
}

/// Runs a query until it ends, or until `patience` after the end of the step: then it is dropped
/// and counts as cancelled.
async fn run_until_ended(
    query: impl Future<Output = Completion>,
    signal: &PhaseSignal,
    patience: Duration,
) -> Completion {
    let ended = async {
        signal.reached(Phase::Ended).await;
        tokio::time::sleep(patience).await;
    };
    match select(pin!(query), pin!(ended)).await {
        Either::Left((completion, _)) => completion,
        Either::Right(_) => Completion { outcome: Outcome::Cancelled, retries: 0, rows: 0 },
    }
}
