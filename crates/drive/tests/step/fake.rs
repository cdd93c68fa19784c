//! A scripted workload, and an observer that tells the scripts the phase of the step.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use hoap_drive::{Canceller, Client, Completion, Next, Outcome, Workload};
use hoap_drive::{End, Observer, Phase, StepOutcome, StepPlan, Stop, Tick};
use hoap_record::RunFolder;
use hoap_record::{Error, ErrorKind, Result};
use hoap_record::{FORMAT, GRACE, Run, Sample, Step};
use tempfile::TempDir;

/// What one operation does.
#[derive(Clone, Debug)]
pub enum Act {
    Done,
    RolledBack,
    Retried(u32),
    Fail(ErrorKind, &'static str),
    /// Takes this long.
    Take(Duration),
    /// Ends when the step has reached this phase.
    Until(Phase),
    /// Ends when this many operations of all clients of this world have ended.
    UntilCount(Side, usize),
    /// Ends this long after the end of the step, unless its canceller is called before.
    Linger(Duration),
    /// Fails in this way this long after the end of the step.
    FailAfter(Duration, ErrorKind),
    /// Runs until its canceller is called.
    UntilCancelled,
    /// Never ends.
    Never,
    Panic,
}

/// Which of a world's counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Tx,
    Query,
}

/// State that the clients and the test share.
#[derive(Default)]
pub struct World {
    phase: AtomicU8,
    tx: AtomicUsize,
    queries: AtomicUsize,
    pub threads: Mutex<Vec<ThreadId>>,
    pub cancelled: AtomicUsize,
    pub alive: AtomicUsize,
    /// Operations that have begun.
    pub started: AtomicUsize,
    /// What clients did aside, and the milliseconds that each time takes.
    pub asides: AtomicUsize,
    pub aside_ms: AtomicU64,
    pub stop: Stop,
    stop_when: Option<Box<StopWhen>>,
}

/// Tells after a tick of the measured window whether the step is to be stopped.
type StopWhen = dyn Fn(&World, &Tick<'_>) -> bool + Send + Sync;

impl World {
    /// A world that stops the step after a tick of the measured window for which `when` is true.
    pub fn stopping(when: impl Fn(&World, &Tick<'_>) -> bool + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(World { stop_when: Some(Box::new(when)), ..World::default() })
    }

    fn counter(&self, side: Side) -> &AtomicUsize {
        match side {
            Side::Tx => &self.tx,
            Side::Query => &self.queries,
        }
    }
}

impl Observer for World {
    fn phase(&self, _: &StepPlan, phase: Phase) {
        self.phase.store(phase as u8, Ordering::SeqCst);
    }

    fn tick(&self, tick: &Tick<'_>) {
        if let Some(when) = &self.stop_when
            && tick.phase == Phase::Measured
            && when(self, tick)
        {
            self.stop.set();
        }
    }
}

/// The script: operation `nth` of client `client`.
pub type Script = dyn Fn(usize, usize) -> Option<(Next, Act)> + Send + Sync;

/// A scripted workload. A client whose script has ended has a keying time of an hour.
pub struct Fake {
    pub world: Arc<World>,
    pub side: Side,
    pub kinds: &'static [&'static str],
    pub loop_length: Option<usize>,
    pub blocking: bool,
    pub cancellable: bool,
    pub refuses: Option<usize>,
    /// The number of attempts to connect that are refused, of all clients together.
    pub refusals: AtomicUsize,
    pub script: Arc<Script>,
}

/// An operation of this kind without waiting.
pub fn next(kind: usize) -> Next {
    Next { kind, keying: Duration::ZERO, think: Duration::ZERO }
}

impl Fake {
    /// Transactions of kinds A, B and C.
    pub fn tx(
        world: &Arc<World>,
        script: impl Fn(usize, usize) -> Option<(usize, Act)> + Send + Sync + 'static,
    ) -> Self {
        Fake {
            world: world.clone(),
            side: Side::Tx,
            kinds: &["A", "B", "C"],
            loop_length: None,
            blocking: false,
            cancellable: true,
            refuses: None,
            refusals: AtomicUsize::new(0),
            script: Arc::new(move |client, nth| {
                script(client, nth).map(|(kind, act)| (next(kind), act))
            }),
        }
    }

    /// Queries Q01 and Q02 in turn.
    pub fn queries(
        world: &Arc<World>,
        script: impl Fn(usize, usize) -> Act + Send + Sync + 'static,
    ) -> Self {
        Fake {
            side: Side::Query,
            kinds: &["Q01", "Q02"],
            loop_length: Some(2),
            script: Arc::new(move |client, nth| Some((next(nth % 2), script(client, nth)))),
            ..Fake::tx(world, |_, _| None)
        }
    }

    /// One loop of queries that lasts until `count` transactions have ended.
    pub fn gate(world: &Arc<World>, count: usize) -> Self {
        Fake::queries(world, move |_, _| Act::UntilCount(Side::Tx, count))
    }

    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }
}

impl Workload for Fake {
    type Client = FakeClient;

    fn kinds(&self) -> Vec<&str> {
        self.kinds.to_vec()
    }

    fn loop_length(&self) -> Option<usize> {
        self.loop_length
    }

    fn blocking(&self) -> bool {
        self.blocking
    }

    async fn client(&self, number: usize) -> Result<FakeClient> {
        let refusals = self
            .refusals
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if self.refuses == Some(number) || refusals.is_ok() {
            return Err(Error::new(ErrorKind::Unavailable, format!("connect {number}"), "no"));
        }
        let thread = std::thread::current().id();
        let mut threads = self.world.threads.lock().unwrap();
        if !threads.contains(&thread) {
            threads.push(thread);
        }
        drop(threads);
        self.world.alive.fetch_add(1, Ordering::SeqCst);
        Ok(FakeClient {
            world: self.world.clone(),
            side: self.side,
            number,
            nth: 0,
            act: Act::Done,
            script: self.script.clone(),
            cancel: self.cancellable.then(Arc::default),
            blocking: self.blocking,
            memory: Memory { number, ran: Vec::new() },
        })
    }
}

/// What a client remembers: its number, and when each operation ran.
#[derive(Debug)]
pub struct Memory {
    pub number: usize,
    pub ran: Vec<(Instant, Instant)>,
}

pub struct FakeClient {
    world: Arc<World>,
    side: Side,
    number: usize,
    nth: usize,
    act: Act,
    script: Arc<Script>,
    cancel: Option<Arc<AtomicBool>>,
    blocking: bool,
    memory: Memory,
}

impl FakeClient {
    async fn wait(&self, until: impl Fn() -> bool) {
        while !until() {
            if self.blocking {
                std::thread::sleep(Duration::from_millis(1));
            } else {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    }

    fn asked_to_cancel(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::SeqCst))
    }

    async fn act(&self) -> (Outcome, u32) {
        let world = &self.world;
        match self.act.clone() {
            Act::Done => {}
            Act::RolledBack => return (Outcome::RolledBack, 0),
            Act::Retried(times) => return (Outcome::Done, times),
            Act::Fail(kind, text) => {
                return (Outcome::Failed(Error::new(kind, "try", text)), 1);
            }
            Act::Take(time) => {
                let start = Instant::now();
                self.wait(|| start.elapsed() >= time).await;
            }
            Act::Until(phase) => {
                self.wait(|| world.phase.load(Ordering::SeqCst) >= phase as u8).await;
            }
            Act::Linger(time) => {
                let ended = || world.phase.load(Ordering::SeqCst) >= Phase::Ended as u8;
                self.wait(|| ended() || self.asked_to_cancel()).await;
                let start = Instant::now();
                self.wait(|| start.elapsed() >= time || self.asked_to_cancel()).await;
                if self.asked_to_cancel() {
                    return (Outcome::Cancelled, 0);
                }
            }
            Act::FailAfter(time, kind) => {
                let ended = || world.phase.load(Ordering::SeqCst) >= Phase::Ended as u8;
                self.wait(ended).await;
                let start = Instant::now();
                self.wait(|| start.elapsed() >= time).await;
                return (Outcome::Failed(Error::new(kind, "try", "late")), 0);
            }
            // Cancelling ends it too, so that a failing test ends.
            Act::UntilCount(side, count) => {
                let over = || world.counter(side).load(Ordering::SeqCst) >= count;
                self.wait(|| over() || self.asked_to_cancel()).await;
                if !over() {
                    return (Outcome::Cancelled, 0);
                }
            }
            Act::UntilCancelled => {
                self.wait(|| self.asked_to_cancel()).await;
                return (Outcome::Cancelled, 0);
            }
            Act::Never => std::future::pending().await,
            Act::Panic => panic!("scripted panic"),
        }
        (Outcome::Done, 0)
    }
}

impl Client for FakeClient {
    type Memory = Memory;

    fn next(&mut self) -> Next {
        match (self.script)(self.number, self.nth) {
            Some((next, act)) => {
                self.act = act;
                self.nth += 1;
                next
            }
            None => Next { keying: Duration::from_secs(3600), ..next(0) },
        }
    }

    async fn run(&mut self) -> Completion {
        let start = Instant::now();
        self.world.started.fetch_add(1, Ordering::SeqCst);
        let (outcome, retries) = self.act().await;
        if matches!(outcome, Outcome::Cancelled) {
            self.world.cancelled.fetch_add(1, Ordering::SeqCst);
        } else {
            self.memory.ran.push((start, Instant::now()));
        }
        self.world.counter(self.side).fetch_add(1, Ordering::SeqCst);
        Completion { outcome, retries, rows: self.nth as u64 }
    }

    async fn aside(&mut self) {
        self.world.asides.fetch_add(1, Ordering::SeqCst);
        let time = Duration::from_millis(self.world.aside_ms.load(Ordering::SeqCst));
        if !time.is_zero() {
            tokio::time::sleep(time).await;
        }
    }

    fn canceller(&self) -> Option<Canceller> {
        let cancel = self.cancel.clone()?;
        Some(Arc::new(move || cancel.store(true, Ordering::SeqCst)))
    }

    fn finish(mut self) -> Memory {
        Memory { number: self.number, ran: std::mem::take(&mut self.memory.ran) }
    }
}

impl Drop for FakeClient {
    fn drop(&mut self) {
        self.world.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A run folder in a temporary place.
pub struct Bench {
    pub _place: TempDir,
    pub path: PathBuf,
    pub folder: RunFolder,
}

impl Bench {
    pub fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run");
        let folder = RunFolder::create(&path, &run()).unwrap();
        Bench { _place: place, path, folder }
    }

    /// Runs a step; its observer is the world.
    pub fn step(
        &mut self,
        plan: &StepPlan,
        tx: Option<&Fake>,
        queries: Option<&Fake>,
    ) -> Result<StepOutcome<Memory, Memory>> {
        let world = tx.or(queries).expect("a workload").world.clone();
        hoap_drive::run_step(plan, tx, queries, &mut self.folder, &world.stop, &*world)
    }
}

/// A step that ends when its query clients have run one loop.
pub fn one_loop(tx_clients: usize, query_clients: usize) -> StepPlan {
    StepPlan::new(1, tx_clients, query_clients, End::Loops { warmup: 0, measured: 1 })
}

/// Checks that the files of the step agree with its record.
pub fn check_files(bench: &Bench, step: &Step) {
    let samples = hoap_record::folder::read_samples(&bench.path).unwrap();
    let logs = hoap_record::hlog::read(&bench.path, step.number).unwrap();
    let ours = || samples.iter().filter(|s| s.step == step.number);
    let sum = |phases: &[&str], kind: &str, of: fn(&Sample) -> u64| -> u64 {
        ours().filter(|s| phases.contains(&s.phase.as_str()) && s.kind == kind).map(of).sum()
    };
    let (window, all) = (&["measured"][..], &["measured", GRACE][..]);
    for line in &step.transactions {
        assert_eq!(sum(window, &line.kind, |s| s.count), line.count, "samples of {}", line.kind);
        // Failures after the end of a closed loop do not count.
        let failed_in = if step.arrivals.is_some() { all } else { window };
        assert_eq!(sum(failed_in, &line.kind, |s| s.failed), line.failures.values().sum::<u64>());
        assert_eq!(sum(all, &line.kind, |s| s.retries), line.retries);
        let Some(log) = logs.get(&line.kind) else {
            assert_eq!(line.timed, 0, "no log of {}", line.kind);
            continue;
        };
        assert_eq!(log.len(), line.timed, "log of {}", line.kind);
        let latency = &line.latency;
        for (quantile, value) in [
            (0.5, latency.p50_us),
            (0.9, latency.p90_us),
            (0.95, latency.p95_us),
            (0.99, latency.p99_us),
            (0.999, latency.p999_us),
        ] {
            let logged = log.value_at_quantile(quantile).min(latency.max_us);
            assert_eq!(logged, value, "{quantile} of {}", line.kind);
        }
        assert!(log.is_empty() || log.equivalent(log.max(), latency.max_us));
    }
    // Every tick of the window has a row for every kind, and together the ticks cover the window.
    for kind in step.transactions.iter().map(|line| &line.kind) {
        let rows: Vec<_> = ours().filter(|s| s.phase == "measured" && s.kind == *kind).collect();
        let covered: f64 = rows.iter().map(|s| s.seconds).sum();
        assert!((covered - step.seconds).abs() < 1e-5 * (rows.len() + 1) as f64, "{covered} s");
    }
    for line in &step.queries {
        assert_eq!(sum(window, &line.kind, |s| s.count), line.count, "samples of {}", line.kind);
        assert_eq!(sum(window, &line.kind, |s| s.failed), line.failed);
        assert_eq!(logs.get(&line.kind).map_or(0, |log| log.len()), line.count);
        let executions = hoap_record::folder::read_queries(&bench.path).unwrap();
        let of_phase = |phase| {
            let rows = executions.iter().filter(move |e| e.step == step.number && e.phase == phase);
            rows.filter(|e| e.query == line.kind).collect::<Vec<_>>()
        };
        let rows = of_phase("measured");
        let good: Vec<_> = rows.iter().filter(|e| e.error.is_empty()).collect();
        assert_eq!(good.len() as u64, line.count);
        assert_eq!((rows.len() - good.len()) as u64, line.failed);
        let unfinished = of_phase("unfinished");
        assert_eq!(unfinished.len() as u64, line.unfinished);
        if let Some(mean) = line.mean_seconds {
            let slowest = good.iter().map(|e| e.seconds).fold(0.0, f64::max);
            let longer = unfinished.iter().map(|e| e.seconds).filter(|ran| *ran > slowest);
            let times: Vec<f64> = good.iter().map(|e| e.seconds).chain(longer).collect();
            assert_eq!(times.len() as u64, line.count + line.at_least);
            let logged = times.iter().sum::<f64>() / times.len() as f64;
            assert!((logged - mean).abs() <= mean * 1e-9, "{logged} {mean}");
        }
    }
}

/// The record of a run that has just begun.
pub fn run() -> Run {
    Run {
        format: FORMAT,
        hoap: "0.1.0".into(),
        benchmark: "ch2pp".into(),
        title: None,
        headline: None,
        command: vec!["hoap".into(), "run".into()],
        labels: Default::default(),
        started: hoap_drive::now(),
        seconds: 0.0,
        partial: None,
        remarks: Vec::new(),
        configuration: Default::default(),
        data: serde_json::Value::Null,
        constants: serde_json::Value::Null,
        operational: None,
        analytical: None,
        round_trip_us: Default::default(),
        host: hoap_drive::host(),
        query_set: None,
        load: None,
        steps: Vec::new(),
        checks: Vec::new(),
        checks_read: Vec::new(),
        ledger: None,
        audit: Vec::new(),
        witness: None,
        search: None,
        events: Vec::new(),
        observed: Vec::new(),
        catch_up: None,
        stopped_by: None,
        repetition: None,
        clock: None,
        drivers: vec![],
    }
}
