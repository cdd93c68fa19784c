//! Worker threads: each has a runtime of its own and the clients that it serves, so that no client
//! moves between cores.

use std::future::Future;
use std::iter::StepBy;
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::task::{self, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use futures_util::stream::{FuturesUnordered, Stream};
use hoap_record::{Error, ErrorKind, Result};

use crate::{Client, Workload};

use super::context::Context;
use super::message::{Message, Side};
use super::waker::WorkerWaker;
use crate::pace::{Timer, WaitQueue};
use crate::plan::Phase;

/// How long a worker polls clients that can always run before it returns to its runtime,
/// nanoseconds. Answers that arrive through the runtime wait for so long at most; a return takes
/// one or two microseconds.
const LONGEST_POLL: u64 = 50_000;

/// The number of threads for this many clients: one for each blocking client, else one for each
/// core.
pub(crate) fn worker_count(clients: usize, blocking: bool) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    if blocking { clients } else { clients.min(cores) }
}

/// The body of a worker thread: connects its clients, waits for the start, runs `run_client` for
/// each and returns what the clients remember, by their numbers. Calls `end_round` whenever all
/// clients that can run have run.
pub(crate) fn run_worker<W: Workload>(
    workload: &W,
    side: Side,
    clients: StepBy<Range<usize>>,
    context: Context<'_>,
    run_client: impl AsyncFn(usize, &mut W::Client, &WaitQueue<'_>),
    end_round: impl Fn(),
) -> Vec<(usize, <W::Client as Client>::Memory)> {
    let _exit = SendExit(context.messages);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            let error = Error::new(ErrorKind::Unavailable, "start a client's runtime", e);
            context.send(Message::NotConnected(error));
            return Vec::new();
        }
    };
    let queue = WaitQueue::new(context.clock, context.signal, workload.blocking());
    let (run_client, queue) = (&run_client, &queue);
    let clients: FuturesUnordered<_> = clients
        .map(|number| async move {
            let mut client = connect(context, || workload.client(number)).await?;
            let canceller = client.canceller();
            context.send(Message::Connected { side, client: number, canceller });
            context.signal.reached(Phase::Warmup).await;
            run_client(number, &mut client, queue).await;
            let memory = client.finish();
            context.send(Message::Finished { side, client: number });
            Some((number, memory))
        })
        .collect();
    // The runtime's own budget would end each round after 128 answers. A round is fair without it.
    let all = tokio::task::unconstrained(poll_clients(clients, queue, context, &end_round));
    // In a box the runtime is compiled once for each kind of memory.
    let all: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(all);
    runtime.block_on(all).into_iter().flatten().collect()
}

/// The pause between two attempts to connect.
const RECONNECT: Duration = Duration::from_millis(200);

/// Connects a client. While the database is unavailable it retries for as long as the plan allows.
/// Returns `None` if it cannot connect, which the controller is told, or if the step has ended.
pub(crate) async fn connect<C, F: Future<Output = Result<C>>>(
    context: Context<'_>,
    client: impl Fn() -> F,
) -> Option<C> {
    let connecting = async {
        let start = Instant::now();
        loop {
            match client().await {
                Err(e)
                    if e.kind == ErrorKind::Unavailable
                        && start.elapsed() < context.plan.connect_limit =>
                {
                    tokio::time::sleep(RECONNECT).await;
                }
                result => return result,
            }
        }
    };
    match select(pin!(connecting), pin!(context.signal.reached(Phase::Ended))).await {
        Either::Left((Ok(client), _)) => Some(client),
        Either::Left((Err(error), _)) => {
            context.send(Message::NotConnected(error));
            None
        }
        Either::Right(_) => None,
    }
}

/// Polls the clients until all have finished, and returns their results.
async fn poll_clients<F: Future>(
    mut clients: FuturesUnordered<F>,
    queue: &WaitQueue<'_>,
    context: Context<'_>,
    end_round: &dyn Fn(),
) -> Vec<F::Output> {
    let mut results = Vec::with_capacity(clients.len());
    let mut step_end = pin!(context.signal.reached(Phase::Ended));
    let mut ended = false;
    let mut timer = Timer::default();
    let worker = Arc::new(WorkerWaker::default());
    let waker = Waker::from(worker.clone());
    std::future::poll_fn(|cx| {
        worker.runtime.register(cx.waker());
        worker.polling.store(true, Ordering::SeqCst);
        if !ended && step_end.as_mut().poll(cx).is_ready() {
            ended = true;
            queue.wake_all();
        }
        let start = context.clock.now();
        let mut woken = true;
        while woken {
            queue.wake_due();
            worker.woken.store(false, Ordering::SeqCst);
            match Pin::new(&mut clients).poll_next(&mut task::Context::from_waker(&waker)) {
                Poll::Ready(Some(result)) => results.push(result),
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => {
                    end_round();
                    woken = worker.woken.load(Ordering::SeqCst);
                    if woken && context.clock.now() - start > LONGEST_POLL {
                        break;
                    }
                }
            }
        }
        worker.polling.store(false, Ordering::SeqCst);
        // A client may have been woken between the last check and the store.
        match worker.woken.load(Ordering::SeqCst) {
            true => cx.waker().wake_by_ref(),
            false => queue.set_timer(&mut timer, cx),
        }
        Poll::Pending
    })
    .await;
    results
}

/// Tells the controller that the thread has exited, also after a panic.
pub(crate) struct SendExit<'a>(pub &'a Sender<Message>);

impl Drop for SendExit<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(Message::WorkerExited);
    }
}
