//! Worker threads: each has a runtime of its own and the clients it serves, so that no client's work is
//! moved between cores.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::task::{self, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use futures_util::stream::{FuturesUnordered, Stream};
use futures_util::task::AtomicWaker;
use hoap_workload::client::{Client, Workload};
use hoap_workload::{Error, ErrorKind, Result};

use crate::alarm::Alarm;
use crate::clients::{Event, Side};
use crate::clock::Clock;
use crate::plan::{Phase, StepPlan};
use crate::room::Room;
use crate::signal::Signal;

/// How long a worker serves clients that always have something to do before it looks after its
/// runtime, nanoseconds: answers that come in through the runtime wait for so long at most, and a
/// visit takes one or two microseconds.
const SHIFT: u64 = 50_000;

/// How many threads serve this many clients: blocking ones have a thread each, others share one for
/// each core.
pub(crate) fn workers(clients: usize, blocking: bool) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    if blocking { clients } else { clients.min(cores) }
}

/// What every worker knows.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub plan: &'a StepPlan,
    pub signal: &'a Signal,
    pub clock: &'a Clock,
    pub events: &'a Sender<Event>,
}

impl Context<'_> {
    pub fn tell(&self, event: Event) {
        // The controller listens until the last worker is gone; if it is not there any more, it
        // has ended the step for a reason of its own.
        let _ = self.events.send(event);
    }
}

/// What a failure means for what its client does next.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The step ends. The controller is to be told with [`Context::stop`] once the failure is measured,
    /// for what is measured after the end counts for nothing; and before it is told that the operations
    /// are at their end, for then the step has ended well.
    Stops(Box<Error>),
    /// The database, or what the operation works on, is not there: asking again at once would be a storm.
    Unavailable,
    /// The next operation may go better.
    Other,
}

impl Context<'_> {
    /// Says what a failure means.
    #[cold]
    pub fn failed(&self, error: &Error) -> Failed {
        if self.plan.on_error.stops(error.kind) {
            return Failed::Stops(Box::new(error.clone()));
        }
        match error.kind {
            ErrorKind::Unavailable | ErrorKind::Missing => Failed::Unavailable,
            _ => Failed::Other,
        }
    }

    /// Ends the step for this failure and waits for the end.
    pub async fn stop(&self, error: Box<Error>) {
        self.tell(Event::Stopped(error));
        self.signal.reached(Phase::Ended).await;
    }
}

/// The body of a worker thread: connects its clients, waits for the start, runs `seat` for each and
/// hands over what they remember.
pub(crate) fn work<W: Workload>(
    workload: &W,
    side: Side,
    clients: impl Iterator<Item = usize>,
    context: Context<'_>,
    seat: impl AsyncFn(usize, &mut W::Client, &Room<'_>),
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
    let room = Room::new(context.clock, context.signal, workload.blocking());
    let (seat, room) = (&seat, &room);
    let seats: FuturesUnordered<_> = clients
        .map(|number| async move {
            let mut client = connect(context, || workload.client(number)).await?;
            let canceller = client.canceller();
            context.tell(Event::Connected { side, client: number, canceller });
            context.signal.reached(Phase::Warmup).await;
            seat(number, &mut client, room).await;
            let memory = client.finish();
            context.tell(Event::Finished { side, client: number });
            Some((number, memory))
        })
        .collect();
    // The runtime's own budget would end each round after 128 answers; a round is fair as it is.
    let all = tokio::task::unconstrained(serve(seats, room, context));
    runtime.block_on(all).into_iter().flatten().collect()
}

/// How long a client rests that cannot connect.
const RECONNECT: Duration = Duration::from_millis(200);

/// Connects one client, trying again for as long as the plan says where the database is unavailable.
/// `None` where it cannot, which the controller has been told, or where the step has ended.
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
                end => return end,
            }
        }
    };
    match select(pin!(connecting), pin!(context.signal.reached(Phase::Ended))).await {
        Either::Left((Ok(client), _)) => Some(client),
        Either::Left((Err(error), _)) => {
            context.tell(Event::NotConnected(error));
            None
        }
        Either::Right(_) => None,
    }
}

/// Polls the seats until all are done.
async fn serve<F: Future>(
    mut seats: FuturesUnordered<F>,
    room: &Room<'_>,
    context: Context<'_>,
) -> Vec<F::Output> {
    let mut results = Vec::with_capacity(seats.len());
    let mut ended = pin!(context.signal.reached(Phase::Ended));
    let mut over = false;
    let mut alarm = Alarm::default();
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(bell.clone());
    std::future::poll_fn(|cx| {
        bell.outside.register(cx.waker());
        bell.inside.store(true, Ordering::SeqCst);
        if !over && ended.as_mut().poll(cx).is_ready() {
            over = true;
            room.call_all();
        }
        let start = context.clock.now();
        let mut rung = true;
        while rung {
            room.call();
            bell.rung.store(false, Ordering::SeqCst);
            match Pin::new(&mut seats).poll_next(&mut task::Context::from_waker(&waker)) {
                Poll::Ready(Some(result)) => results.push(result),
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => {
                    rung = bell.rung.load(Ordering::SeqCst);
                    if rung && context.clock.now() - start > SHIFT {
                        break;
                    }
                }
            }
        }
        bell.inside.store(false, Ordering::SeqCst);
        // Somebody may have rung since it was last looked at, when the worker was still inside.
        match bell.rung.load(Ordering::SeqCst) {
            true => cx.waker().wake_by_ref(),
            false => room.keep_watch(&mut alarm, cx),
        }
        Poll::Pending
    })
    .await;
    results
}

/// Wakes a worker. While the worker is at its clients a ring is only noted: waking a runtime costs a
/// system call.
#[derive(Default)]
struct Bell {
    rung: AtomicBool,
    inside: AtomicBool,
    outside: AtomicWaker,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, Ordering::SeqCst);
        if !self.inside.load(Ordering::SeqCst) {
            self.outside.wake();
        }
    }
}

/// Lets the other clients of the worker have their turn.
pub(crate) async fn give_way() {
    let mut given = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Says that its thread has ended, even if by a panic.
pub(crate) struct Gone<'a>(pub &'a Sender<Event>);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(Event::WorkerGone);
    }
}
