//! Runs a step.

use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::channel;
use std::thread::{self, ScopedJoinHandle};

use hoap_record::RunFolder;
use hoap_record::{Event, Step};
use hoap_workload::client::{Client, Probing, Workload};
use hoap_workload::{Error, ErrorKind, Result};

use crate::budget::Budget;
use crate::clients::{Side, Stream};
use crate::clock::Clock;
use crate::collector::Collector;
use crate::controller::{Controller, Given};
use crate::measure::Slot;
use crate::pace::{Pace, Schedule};
use crate::plan::{End, NoWorkload, Observer, Phase, StepPlan, Stop};
use crate::probe::watch;
use crate::signal::Signal;
use crate::transactions::{Desk, Load};
use crate::worker::{Context, work, workers};

/// What a step leaves.
#[derive(Debug)]
pub struct StepOutcome<T, Q> {
    /// Its numbers. [`Step::partial`] says whether and when it was stopped.
    pub step: Step,
    /// What the transaction clients remember, in the order of their numbers.
    pub transactions: Vec<T>,
    /// What the query clients remember, in the order of their numbers.
    pub queries: Vec<Q>,
    /// Transactions that were cut off.
    pub transactions_cancelled: u64,
    /// Queries that the end of the step cut off.
    pub queries_cancelled: u64,
    /// What went wrong and when.
    pub events: Vec<Event>,
    /// The failure that ended the step, where the plan says that it does.
    pub stopped_by: Option<Error>,
}

type MemoryOf<W> = <<W as Workload>::Client as Client>::Memory;
/// A worker thread, and the memories of its clients by their numbers.
type Worker<'scope, M> = ScopedJoinHandle<'scope, Vec<(usize, M)>>;

/// Runs one step and measures it.
///
/// All clients connect before the step's clock starts. They work through a warm-up and a measured
/// window, in a closed loop with the keying and think times that their workload asks for, or the
/// transaction clients in an open loop (see [`Pace::Open`]).
///
/// *What counts.* Throughput is what succeeded and ended within the measured window, wherever it began;
/// with [`Operations`](crate::End::Operations), what began in it. The response times of a closed loop are of
/// the same operations and of those in flight at the end of the window; those of an open loop are of what was due in
/// the window, whenever it began and ended. A query belongs to the phase in which it began; with
/// [`After`](crate::End::After) it must also have ended in the window, with [`Loops`](crate::End::Loops) all executions of
/// the measured loops count and no other. A response time is the time of one [`Client::run`], retries
/// included, on a monotonic clock, in an open loop from the time it was due. Failures count by kind of error and never as response
/// times, save what was in flight at the end: that it took at least as long as it ran is known of it
/// ([`Operation::at_least`](hoap_record::Operation::at_least)).
///
/// *The end.* Nothing new begins, save that in an open loop what was due before the end still has
/// [`StepPlan::grace`] to begin; whatever has not is counted in the record. Transactions that run are waited for: one may be between its
/// commit and the answer. Their cancellers are called only after [`StepPlan::grace`]. Queries are
/// cancelled at once; one whose client has no canceller is dropped at its next await.
///
/// *Stop.* When `stop` is set, or an operation fails in a way that [`StepPlan::on_error`] stops at, the
/// step ends in the same way and its record says so.
///
/// *Failures.* After an operation that failed because the database is unavailable or a collection is
/// missing, a client of a closed loop rests for 10 ms, and longer each time, to 100 ms at most; a query client after any failure. In an
/// open loop the schedule sets the pace.
///
/// This blocks the thread. Clients run in runtimes of their own that end with the step; whatever a
/// target has spawned in another runtime keeps working only if that one is driven by other threads.
///
/// Errors: [`ErrorKind::Invalid`] for a plan that cannot be run; a client's own error where it
/// cannot connect; [`ErrorKind::Broken`] where a client panics; [`ErrorKind::Unavailable`] where the
/// run folder cannot be written. All clients have ended when it returns.
pub fn run_step<T: Workload, Q: Workload>(
    plan: &StepPlan,
    tx: Option<&T>,
    queries: Option<&Q>,
    folder: &mut RunFolder,
    stop: &Stop,
    observer: &dyn Observer,
) -> Result<StepOutcome<MemoryOf<T>, MemoryOf<Q>>> {
    run_probed_step(plan, (tx, queries, None::<&NoWorkload>), folder, stop, observer)
}

/// Runs one step as [`run_step`] does, with a probe beside its transactions and queries: it looks from the
/// beginning of the warm-up at its own cadence, and the looks that begin in the measured window count
/// ([`Step::freshness`](hoap_record::Step::freshness)). One that runs when the step ends is cut
/// off. A step without transaction clients has no probe.
pub fn run_probed_step<T: Workload, Q: Workload, P: Probing>(
    plan: &StepPlan,
    (tx, queries, probing): (Option<&T>, Option<&Q>, Option<&P>),
    folder: &mut RunFolder,
    stop: &Stop,
    observer: &dyn Observer,
) -> Result<StepOutcome<MemoryOf<T>, MemoryOf<Q>>> {
    plan.check(tx.map(|w| w.kinds().len()), queries.map(Q::loop_length))?;
    let tx = tx.filter(|_| plan.tx_clients > 0);
    let queries = queries.filter(|_| plan.query_clients > 0);
    let probing = probing.filter(|_| tx.is_some());
    let tx_kinds = tx.map_or(&[][..], T::kinds);
    let query_kinds = queries.map_or(&[][..], Q::kinds);
    let tx_workers = tx.map_or(0, |w| workers(plan.tx_clients, w.blocking()));
    let query_workers = queries.map_or(0, |w| workers(plan.query_clients, w.blocking()));

    let slots: Vec<Slot> = (0..tx_workers).map(|_| Slot::new(tx_kinds.len())).collect();
    let running: Vec<AtomicUsize> = (0..plan.query_clients).map(|_| AtomicUsize::new(0)).collect();
    let every = probing.map(P::every);
    let collector = Collector::new(plan, folder, &slots, tx_kinds, query_kinds, every)?;
    let (signal, clock) = (Signal::new(), Clock::new());
    let load = load(plan, tx_workers);
    let (events, inbox) = channel();

    thread::scope(|scope| {
        // Whatever happens below, no client goes on behind our back.
        let _end = EndOnDrop(&signal);
        let context = Context { plan, signal: &signal, clock: &clock, events: &events };
        let mut tx_threads = Vec::with_capacity(tx_workers);
        if let Some(workload) = tx {
            for (i, slot) in slots.iter().enumerate() {
                let clients = (i..plan.tx_clients).step_by(tx_workers);
                let load = &load;
                tx_threads.push(start(scope, format!("tx {i}"), move || {
                    let desk = Desk::new(context, slot, load);
                    let desk = &desk;
                    work(workload, Side::Transactions, clients, context, async |_, client, room| {
                        desk.serve(client, room).await;
                    })
                })?);
            }
        }
        let mut query_threads = Vec::with_capacity(query_workers);
        if let Some(workload) = queries {
            for i in 0..query_workers {
                let clients = (i..plan.query_clients).step_by(query_workers);
                let running = &running;
                query_threads.push(start(scope, format!("queries {i}"), move || {
                    work(workload, Side::Queries, clients, context, async |number, client, _| {
                        let stream = Stream {
                            number,
                            loop_length: workload.loop_length().unwrap_or(1),
                            end: plan.end,
                            patience: plan.grace,
                            running: &running[number],
                        };
                        stream.run(client, context).await;
                    })
                })?);
            }
        }
        let probe_thread = probing
            .map(|probing| start(scope, "freshness".into(), move || watch(probing, context)))
            .transpose()?;
        let schedule = match &load {
            Load::Open(schedule) => Some(schedule),
            Load::Closed | Load::Counted(_) => None,
        };
        let given = Given {
            plan,
            signal: &signal,
            clock: &clock,
            schedule,
            stop,
            observer,
            running: &running,
            query_kinds,
        };
        let workers = tx_workers + query_workers;
        let mut controller =
            Controller::new(given, inbox, collector, workers, probe_thread.is_some());
        let step = controller.conduct();
        let (transactions_cancelled, queries_cancelled) = controller.cancelled();
        let (events, stopped_by) = (controller.events(), controller.stopped_by());
        let (transactions, queries) = (memories(tx_threads), memories(query_threads));
        let probed = probe_thread.map_or(Ok(()), joined);
        // A panic comes first: it explains the failure that it led to.
        let (transactions, queries, (), step) = (transactions?, queries?, probed?, step?);
        Ok(StepOutcome {
            step,
            transactions,
            queries,
            transactions_cancelled,
            queries_cancelled,
            events,
            stopped_by,
        })
    })
}

/// What the transaction clients have in common.
fn load(plan: &StepPlan, workers: usize) -> Load {
    match (plan.pace, plan.end) {
        (Pace::Open { rate, arrivals }, End::Operations(n)) => {
            Load::Open(Schedule::new(rate, arrivals, Some(n)))
        }
        (Pace::Open { rate, arrivals }, _) => Load::Open(Schedule::new(rate, arrivals, None)),
        (Pace::Closed, End::Operations(n)) => Load::Counted(Budget::new(n, workers)),
        (Pace::Closed, _) => Load::Closed,
    }
}

/// Starts a named worker thread.
fn start<'scope, 'env, R: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, 'env>,
    name: String,
    body: impl FnOnce() -> R + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, R>> {
    thread::Builder::new().name(name.clone()).spawn_scoped(scope, body).map_err(|e| {
        Error::new(ErrorKind::Unavailable, format!("start the thread of client {name}"), e)
            .advise("use fewer clients, or raise the limit of threads")
    })
}

/// What the clients of these threads remember, in the order of their numbers.
fn memories<M>(threads: Vec<Worker<'_, M>>) -> Result<Vec<M>> {
    // All are joined before the first panic is told.
    let joined: Vec<_> = threads.into_iter().map(joined).collect();
    let mut all: Vec<_> =
        joined.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, memory)| memory).collect())
}

/// What a thread returned; its panic as an error.
fn joined<R>(thread: ScopedJoinHandle<'_, R>) -> Result<R> {
    let name = thread.thread().name().unwrap_or_default().to_owned();
    thread.join().map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("it gave no reason");
        let tried = format!("run client {name}");
        Error::new(ErrorKind::Broken, tried, format!("it panicked: {text}"))
            .advise("this is a defect of hoap, please report it")
    })
}

/// Ends the step when it goes out of scope.
struct EndOnDrop<'a>(&'a Signal);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set(Phase::Ended);
    }
}
