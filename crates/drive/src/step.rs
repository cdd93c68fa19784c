//! Runs a step.

use std::iter::StepBy;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::channel;
use std::thread::{self, ScopedJoinHandle};

use hoap_record::{Error, ErrorKind, Result};
use hoap_record::{Event, RunFolder, Step};

use crate::{Client, Probing, Workload};

use crate::clients::{
    Context, QueryStream, Side, TransactionLoad, TransactionWorker, run_probe, run_worker,
    worker_count,
};
use crate::controller::{Controller, StepInputs};
use crate::measure::{Collector, StatsBuffer};
use crate::pace::{Clock, PhaseSignal, WaitQueue};
use crate::plan::{Gate, NoWorkload, Observer, Phase, StepPlan, Stop};

/// The result of a step.
#[derive(Debug)]
pub struct StepOutcome<T, Q> {
    /// Its record. [`Step::partial`] tells whether and when it was stopped.
    pub step: Step,
    /// What the transaction clients remember, in the order of their numbers.
    pub transactions: Vec<T>,
    /// What the query clients remember, in the order of their numbers.
    pub queries: Vec<Q>,
    /// Transactions that the end of the step cancelled.
    pub transactions_cancelled: u64,
    /// Queries that the end of the step cancelled.
    pub queries_cancelled: u64,
    /// The failures of the step as events.
    pub events: Vec<Event>,
    /// The failure that ended the step according to [`StepPlan::on_error`].
    pub stopped_by: Option<Error>,
}

/// A step that an error ended.
#[derive(Debug)]
pub struct Failed<T> {
    /// What ended it.
    pub error: Error,
    /// What the transaction clients remember, in the order of their numbers.
    pub transactions: Vec<T>,
    /// Whether none of them is missing. The clients of a thread that panicked remember nothing.
    pub whole: bool,
}

/// How a step of these workloads ends.
type Ended<T, Q> = std::result::Result<StepOutcome<MemoryOf<T>, MemoryOf<Q>>, Failed<MemoryOf<T>>>;

impl<T> From<Error> for Failed<T> {
    /// One that ended before its clients ran.
    fn from(error: Error) -> Failed<T> {
        Failed { error, transactions: Vec::new(), whole: true }
    }
}

type MemoryOf<W> = <<W as Workload>::Client as Client>::Memory;
/// A worker thread, and the memories of its clients by their numbers.
type Worker<'scope, M> = ScopedJoinHandle<'scope, Vec<(usize, M)>>;

/// Runs one step and measures it.
///
/// All clients connect before the step's clock starts. They run through a warm-up and a measured
/// window, in a closed loop with the keying and think times that their workload asks for. The
/// transaction clients may run in an open loop instead (see [`Pace::Open`](crate::Pace::Open)).
///
/// *What counts.* Throughput is the successes that ended within the measured window, wherever they
/// began; with [`Operations`](crate::End::Operations), those that began in it. The response times
/// of a closed loop are those of the same operations and of the operations in flight at the end of
/// the window. The response times of an open loop are those of the operations that were due in the
/// window, whenever they began and ended. A query belongs to the phase in which it began; with
/// [`After`](crate::End::After) it must also end in the window, and with
/// [`Loops`](crate::End::Loops) all executions of the measured loops count and no others. A
/// response time is the time of one [`Client::run`], retries included, on a monotonic clock; in an
/// open loop it begins when the operation was due. Failures are counted by kind of error and have
/// no response time, except for those that were in flight at the end: they took at least as long as
/// they ran ([`Operation::at_least`](hoap_record::Operation::at_least)).
///
/// *The end.* At the end no operation begins any more, except that in an open loop operations that
/// were due before the end may begin within [`StepPlan::grace`]; the record counts those that did
/// not. Running transactions are waited for, because one may be between its commit and the answer.
/// Their cancellers are called only after [`StepPlan::grace`]. Queries are cancelled at once; a
/// query whose client has no canceller is dropped at its next await.
///
/// *Stop.* When `stop` is set, or an operation fails in a way for which [`StepPlan::on_error`]
/// stops, the step ends in the same way and its record says so.
///
/// *Failures.* A client of a closed loop backs off after an operation that failed because the
/// database is unavailable or a collection is missing: for 10 ms, and longer after each failure, to
/// 100 ms at most. A query client backs off after any failure. In an open loop the schedule sets
/// the pace.
///
/// This function blocks the thread. Clients run in runtimes of their own that end with the step. A
/// task that a database's driver has spawned in another runtime goes on only if another thread runs
/// it.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where the plan cannot be run, a client's own error where it
/// cannot connect, [`ErrorKind::Broken`] where a client panics, and [`ErrorKind::Unavailable`]
/// where the run folder cannot be written. All clients have ended when it returns.
pub fn run_step<T: Workload, Q: Workload>(
    plan: &StepPlan,
    tx: Option<&T>,
    queries: Option<&Q>,
    folder: &mut RunFolder,
    stop: &Stop,
    observer: &dyn Observer,
) -> Result<StepOutcome<MemoryOf<T>, MemoryOf<Q>>> {
    let clients = (tx, queries, None::<&NoWorkload>);
    run_probed_step(plan, clients, folder, (stop, &()), observer).map_err(|failed| failed.error)
}

/// Runs one step as [`run_step`] does, with a freshness probe beside its transactions and queries,
/// whose clients, once connected, wait for the gate.
/// The probe reads at its own interval from the beginning of the warm-up; the readings that begin
/// in the measured window count ([`Step::freshness`](hoap_record::Step::freshness)). A reading that
/// runs when the step ends is dropped. A step without transaction clients has no probe.
///
/// # Errors
/// Returns the errors of [`run_step`], with what the transaction clients remember.
pub fn run_probed_step<T: Workload, Q: Workload, P: Probing>(
    plan: &StepPlan,
    (tx, queries, probing): (Option<&T>, Option<&Q>, Option<&P>),
    folder: &mut RunFolder,
    (stop, gate): (&Stop, &dyn Gate),
    observer: &dyn Observer,
) -> Ended<T, Q> {
    plan.check(tx.map(|w| w.kinds().len()), queries.map(Q::loop_length))?;
    let tx = tx.filter(|_| plan.tx_clients > 0);
    let queries = queries.filter(|_| plan.query_clients > 0);
    let probing = probing.filter(|_| tx.is_some());
    let tx_kinds = &*tx.map_or(Vec::new(), T::kinds);
    let query_kinds = &*queries.map_or(Vec::new(), Q::kinds);
    let tx_workers = tx.map_or(0, |w| worker_count(plan.tx_clients, w.blocking()));
    let query_workers = queries.map_or(0, |w| worker_count(plan.query_clients, w.blocking()));

    let buffers: Vec<StatsBuffer> =
        (0..tx_workers).map(|_| StatsBuffer::new(tx_kinds.len())).collect();
    let running: Vec<AtomicUsize> = (0..plan.query_clients).map(|_| AtomicUsize::new(0)).collect();
    let every = probing.map(P::every);
    let collector = Collector::new(plan, folder, &buffers, tx_kinds, query_kinds, every)?;
    let (signal, clock) = (PhaseSignal::new(), Clock::new());
    let load = &TransactionLoad::new(plan, tx_workers);
    let (sender, messages) = channel();

    thread::scope(|scope| {
        // The clients end even if this closure returns early or panics.
        let _end = EndOnDrop(&signal);
        let context = Context { plan, signal: &signal, clock: &clock, messages: &sender };
        let mut tx_threads = Vec::with_capacity(tx_workers);
        if let Some(workload) = tx {
            for (i, buffer) in buffers.iter().enumerate() {
                let clients = (i..plan.tx_clients).step_by(tx_workers);
                let body = move || run_transactions(workload, clients, context, buffer, load);
                tx_threads.push(start(scope, format!("tx {i}"), Box::new(body))?);
            }
        }
        let mut query_threads = Vec::with_capacity(query_workers);
        if let Some(workload) = queries {
            for i in 0..query_workers {
                let clients = (i..plan.query_clients).step_by(query_workers);
                let running = &running;
                let body = move || run_queries(workload, clients, context, running);
                query_threads.push(start(scope, format!("queries {i}"), Box::new(body))?);
            }
        }
        let probe_thread = probing
            .map(|probing| {
                start(scope, "freshness".into(), Box::new(move || run_probe(probing, context)))
            })
            .transpose()?;
        let inputs = StepInputs {
            plan,
            signal: &signal,
            clock: &clock,
            schedule: load.schedule(),
            stop,
            gate,
            observer,
            running: &running,
            query_kinds,
        };
        let workers = tx_workers + query_workers;
        let mut controller =
            Controller::new(inputs, messages, collector, workers, probe_thread.is_some());
        let step = controller.run();
        let (transactions_cancelled, queries_cancelled) = controller.cancelled();
        let (events, stopped_by) = (controller.events(), controller.stopped_by());
        let (transactions, panic) = memories(tx_threads);
        let (queries, query_panic) = memories(query_threads);
        let probed = probe_thread.map_or(Ok(()), joined);
        let whole = panic.is_ok();
        // A panic is reported first: it explains the failure that it caused.
        match panic.and(query_panic).and(probed).and(step) {
            Err(error) => Err(Failed { error, transactions, whole }),
            Ok(step) => Ok(StepOutcome {
                step,
                transactions,
                queries,
                transactions_cancelled,
                queries_cancelled,
                events,
                stopped_by,
            }),
        }
    })
}

/// The body of a thread of transaction clients.
fn run_transactions<T: Workload>(
    workload: &T,
    clients: StepBy<Range<usize>>,
    context: Context<'_>,
    buffer: &StatsBuffer,
    load: &TransactionLoad,
) -> Vec<(usize, MemoryOf<T>)> {
    let worker = &TransactionWorker::new(context, buffer, load, workload.blocking());
    let run = async |_, client: &mut T::Client, queue: &WaitQueue<'_>| {
        worker.run(client, queue).await;
    };
    run_worker(workload, Side::Transactions, clients, context, run, || worker.end_round())
}

/// The body of a thread of query clients. `running` has what each client runs.
fn run_queries<Q: Workload>(
    workload: &Q,
    clients: StepBy<Range<usize>>,
    context: Context<'_>,
    running: &[AtomicUsize],
) -> Vec<(usize, MemoryOf<Q>)> {
    let run = async |number, client: &mut Q::Client, _: &WaitQueue<'_>| {
        let stream = QueryStream {
            number,
            loop_length: workload.loop_length().unwrap_or(1),
            end: context.plan.end,
            patience: context.plan.grace,
            running: &running[number],
        };
        stream.run(client, context).await;
    };
    run_worker(workload, Side::Queries, clients, context, run, || {})
}

/// Starts a named thread. Its body is boxed, so that this is compiled once for each result.
fn start<'scope, 'env, R: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, 'env>,
    name: String,
    body: Box<dyn FnOnce() -> R + Send + 'scope>,
) -> Result<ScopedJoinHandle<'scope, R>> {
    thread::Builder::new().name(name.clone()).spawn_scoped(scope, body).map_err(|e| {
        Error::new(ErrorKind::Unavailable, format!("start the thread of client {name}"), e)
            .advise("use fewer clients, or raise the limit of threads")
    })
}

/// What the clients of these threads remember, in the order of their numbers, and the first panic.
fn memories<M>(threads: Vec<Worker<'_, M>>) -> (Vec<M>, Result<()>) {
    let (mut all, mut end) = (Vec::new(), Ok(()));
    for thread in threads {
        match joined(thread) {
            Ok(memories) => all.extend(memories),
            Err(panic) => end = end.and(Err(panic)),
        }
    }
    all.sort_by_key(|(number, _)| *number);
    (all.into_iter().map(|(_, memory)| memory).collect(), end)
}

/// The result of a thread, or its panic as an error.
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
struct EndOnDrop<'a>(&'a PhaseSignal);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set(Phase::Ended);
    }
}
