//! Leads the clients of a step through its phases and collects what they measure.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use hoap_record::folder::seconds;
use hoap_record::{Error, ErrorKind, Result};
use hoap_record::{Gap, Step};

use crate::Canceller;

use crate::clients::{Message, Side};
use crate::measure::{Collector, RateMonitor, Throughput};
use crate::pace::{Clock, PhaseSignal, Schedule};
use crate::plan::{End, Gate, Observer, Phase, StepPlan, Stop, WarmAt};

/// How often the controller checks the stop flag and calls cancellers again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How often it asks when the clients begin where that is not known yet.
const GATE_INTERVAL: Duration = Duration::from_millis(2);

/// What a step runs with.
#[derive(Clone, Copy)]
pub(crate) struct StepInputs<'a> {
    pub plan: &'a StepPlan,
    pub signal: &'a PhaseSignal,
    pub clock: &'a Clock,
    /// The schedule of an open loop.
    pub schedule: Option<&'a Schedule>,
    pub stop: &'a Stop,
    pub gate: &'a dyn Gate,
    pub observer: &'a dyn Observer,
    /// The query that each query client runs, see [`crate::clients::QueryStream`].
    pub running: &'a [AtomicUsize],
    pub query_kinds: &'a [&'a str],
}

/// Leads the clients through the phases.
pub(crate) struct Controller<'a> {
    inputs: StepInputs<'a>,
    messages: Receiver<Message>,
    collector: Collector<'a>,
    phase: Phase,
    phase_began: Instant,
    warmup: Duration,
    throughput: Throughput,
    cancellers: Vec<(Side, usize, Canceller)>,
    connected: usize,
    /// Query clients that have finished their warm-up loops.
    warmed_up: usize,
    /// Query clients that have finished their measured loops.
    measured: usize,
    /// Whether the transaction clients have run the step's number of operations.
    last_operation: bool,
    rates: Option<RateMonitor<'a>>,
    /// Threads that have not exited.
    workers: usize,
    /// Whether the step has a probe.
    has_probe: bool,
    /// The failure that ends the step according to its plan.
    stopped_by: Option<Error>,
    /// The error with which the step fails.
    failure: Option<Error>,
}

impl<'a> Controller<'a> {
    /// A controller of clients on this many worker threads, and of a probe on one more if
    /// `has_probe`.
    pub fn new(
        inputs: StepInputs<'a>,
        messages: Receiver<Message>,
        collector: Collector<'a>,
        workers: usize,
        has_probe: bool,
    ) -> Self {
        Controller {
            inputs,
            messages,
            collector,
            phase: Phase::Connecting,
            phase_began: Instant::now(),
            warmup: Duration::ZERO,
            throughput: Throughput::default(),
            cancellers: Vec::new(),
            connected: 0,
            warmed_up: 0,
            measured: 0,
            last_operation: false,
            rates: inputs
                .schedule
                .map(|schedule| RateMonitor::new(inputs.plan, schedule, inputs.clock)),
            workers: workers + usize::from(has_probe),
            has_probe,
            stopped_by: None,
            failure: None,
        }
    }

    /// Runs the step to its end, even if it fails, and returns its record.
    pub fn run(&mut self) -> Result<Step> {
        self.inputs.observer.phase(self.inputs.plan, Phase::Connecting);
        let whole = self.connect() && self.warm_up() && self.measure();
        let last = self.phase;
        let (began, ended) = self.end();
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        let (start, length) = match last {
            Phase::Measured => (began, ended.saturating_duration_since(began)),
            _ => (ended, Duration::ZERO),
        };
        let partial = (!whole).then(|| {
            let moment = match last {
                Phase::Measured => {
                    format!("{:.1} s into the measured window", length.as_secs_f64())
                }
                _ => "before the measured window".into(),
            };
            match &self.stopped_by {
                Some(error) => {
                    let kind = error.kind.name();
                    format!("stopped by an error ({kind}) {moment}: {error}")
                }
                None => format!("interrupted {moment}"),
            }
        });
        Ok(self.record(start, length, partial))
    }

    /// The failure that ended the step, if one did.
    pub fn stopped_by(&mut self) -> Option<Error> {
        self.stopped_by.take()
    }

    /// The failures of the step as events.
    pub fn events(&self) -> Vec<hoap_record::Event> {
        self.collector.events()
    }

    /// Transactions and queries that the end of the step cancelled.
    pub fn cancelled(&self) -> (u64, u64) {
        (self.collector.tx_cancelled, self.collector.queries_cancelled)
    }

    // Each of the next three returns whether the step goes on.

    fn connect(&mut self) -> bool {
        let plan = self.inputs.plan;
        let clients = plan.tx_clients + plan.query_clients + usize::from(self.has_probe);
        self.wait(Duration::ZERO, |c| c.connected == clients) && self.open()
    }

    /// Waits until the gate opens.
    fn open(&mut self) -> bool {
        while !self.interrupted() {
            let wait = match self.inputs.gate.opens(self.inputs.plan) {
                Err(error) => {
                    self.fail(error);
                    return false;
                }
                Ok(None) => GATE_INTERVAL,
                Ok(Some(at)) => match at.saturating_duration_since(Instant::now()) {
                    Duration::ZERO => return true,
                    left => left.min(POLL_INTERVAL),
                },
            };
            self.receive(wait);
        }
        false
    }

    fn warm_up(&mut self) -> bool {
        let plan = self.inputs.plan;
        if plan.needs_no_warmup() {
            return true;
        }
        self.enter(Phase::Warmup);
        let looped = |c: &Self| match plan.end {
            End::After(_) | End::Operations(_) => true,
            End::Loops { .. } => c.warmed_up == plan.query_clients,
        };
        if plan.warm_at == WarmAt::Time {
            return self.wait(plan.warmup, looped);
        }
        let ended = |c: &Self| c.throughput.settled() || c.phase_began.elapsed() >= plan.warmup;
        self.wait(Duration::ZERO, |c| ended(c) && looped(c))
    }

    fn measure(&mut self) -> bool {
        let plan = self.inputs.plan;
        self.enter(Phase::Measured);
        match plan.end {
            End::After(time) => self.wait(time, |_| true),
            End::Operations(_) => self.wait(Duration::ZERO, |c| c.last_operation),
            End::Loops { .. } => self.wait(Duration::ZERO, |c| c.measured == plan.query_clients),
        }
    }

    /// Changes the phase and returns when the old one began and ended.
    fn change(&mut self, new: Phase) -> (Instant, Instant) {
        let interrupted = self.interrupted();
        if let Some(rates) = &mut self.rates {
            rates.enter(new, interrupted);
        }
        let at = self.inputs.clock.now();
        match new {
            Phase::Ended => self.inputs.signal.end(at),
            Phase::Measured => {
                self.collector.window_edge(at);
                self.inputs.signal.set(new);
            }
            Phase::Connecting | Phase::Warmup => self.inputs.signal.set(new),
        }
        self.collector.take_buffers();
        let now = Instant::now();
        if self.phase == Phase::Warmup {
            self.warmup = now - self.phase_began;
        }
        self.phase = new;
        if let Err(error) = self.collector.machine_enters(new) {
            self.fail(error);
        }
        (std::mem::replace(&mut self.phase_began, now), now)
    }

    fn enter(&mut self, new: Phase) {
        let old = self.phase;
        let (_, now) = self.change(new);
        // What ended the phase counts, not the rest of its last tick.
        let throughput = std::mem::take(&mut self.throughput);
        self.end_tick(old, now);
        self.throughput = throughput.next_phase();
        self.collector.begin_phase(now);
        self.inputs.observer.phase(self.inputs.plan, new);
    }

    fn interrupted(&self) -> bool {
        self.failure.is_some() || self.stopped_by.is_some() || self.inputs.stop.is_set()
    }

    /// Waits until the phase has lasted for `time` and is `done`, or until the plan's limit of the
    /// measured window, and ends ticks meanwhile. Returns `false` if the step is interrupted.
    fn wait(&mut self, time: Duration, done: impl Fn(&Self) -> bool) -> bool {
        let until = self.phase_began + time;
        let limit = self.inputs.plan.limit.filter(|_| self.phase == Phase::Measured);
        let limit = limit.and_then(|limit| self.phase_began.checked_add(limit));
        let mut next_tick = self.phase_began + self.inputs.plan.tick;
        loop {
            if self.interrupted() {
                return false;
            }
            let now = Instant::now();
            if now >= until && done(self) || limit.is_some_and(|limit| now >= limit) {
                return true;
            }
            if now >= next_tick {
                self.collector.take_buffers();
                self.end_tick(self.phase, now);
                // A late tick is longer. The next one ends at its planned time.
                while next_tick <= now {
                    next_tick += self.inputs.plan.tick;
                }
            }
            let next = if until > now { until.min(next_tick) } else { next_tick };
            let next = limit.map_or(next, |limit| limit.min(next));
            self.receive(POLL_INTERVAL.min(next - now));
        }
    }

    /// Ends the step, waits for all clients, and returns when the last phase began and ended.
    fn end(&mut self) -> (Instant, Instant) {
        let last = self.phase;
        let (began, ended) = self.change(Phase::Ended);
        self.inputs.observer.phase(self.inputs.plan, Phase::Ended);
        let mut next_cancel = ended;
        while self.workers > 0 {
            let now = Instant::now();
            // A canceller has no effect just before its query begins, so it is called repeatedly.
            if now >= next_cancel {
                let in_grace = now < ended + self.inputs.plan.grace;
                if let Some(schedule) = self.inputs.schedule.filter(|_| !in_grace) {
                    schedule.close();
                }
                for (side, _, canceller) in &self.cancellers {
                    if *side != Side::Transactions || !in_grace {
                        canceller();
                    }
                }
                next_cancel = now + POLL_INTERVAL;
            }
            self.receive(next_cancel - now);
        }
        while let Ok(message) = self.messages.try_recv() {
            self.handle(message);
        }
        // Queries that ended just before the end and operations that clients had kept aside have
        // arrived only now.
        self.collector.take_buffers();
        self.end_tick(last, ended);
        let measured = last == Phase::Measured;
        if measured {
            self.collector.window_edge(self.inputs.signal.ended_at());
        }
        if let Err(error) = self.collector.end_grace(ended, Instant::now(), measured) {
            self.fail(error);
        }
        (began, ended)
    }

    fn end_tick(&mut self, phase: Phase, now: Instant) {
        if phase == Phase::Connecting {
            return;
        }
        match self.collector.end_tick(phase, now, phase != self.phase) {
            Ok(mut tick) => {
                let running = self.inputs.running.iter();
                tick.running = running
                    .map(|kind| kind.load(Ordering::Relaxed).checked_sub(1))
                    .map(|kind| self.inputs.query_kinds.get(kind?).copied())
                    .collect();
                self.inputs.observer.tick(&tick);
                self.throughput.add(&tick, self.inputs.observer);
            }
            Err(error) => self.fail(error),
        }
    }

    /// Waits this long for a message and handles it.
    fn receive(&mut self, time: Duration) {
        if let Ok(message) = self.messages.recv_timeout(time) {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Connected { side, client, canceller } => {
                self.connected += 1;
                self.cancellers.extend(canceller.map(|c| (side, client, c)));
            }
            Message::NotConnected(error) => self.fail(error),
            Message::WarmedUp => self.warmed_up += 1,
            Message::Measured => self.measured += 1,
            Message::LastOperation => self.last_operation = true,
            Message::Execution(end) => {
                if let Err(error) = self.collector.add_execution(&end) {
                    self.fail(error);
                }
            }
            Message::Reading(reading) => self.collector.add_reading(&reading),
            Message::Stopped(error) => {
                // A failure after the end did not cause it.
                if self.phase != Phase::Ended {
                    self.stopped_by.get_or_insert(error);
                }
            }
            Message::Finished { side, client } => {
                self.cancellers.retain(|(s, c, _)| (*s, *c) != (side, client));
            }
            Message::WorkerExited => {
                self.workers -= 1;
                if self.phase != Phase::Ended {
                    let tried = format!("run step {}", self.inputs.plan.number);
                    self.fail(Error::new(ErrorKind::Broken, tried, "a client ended early"));
                }
            }
        }
    }

    /// Keeps the first error.
    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    fn record(&self, start: Instant, length: Duration, partial: Option<String>) -> Step {
        let (plan, collector) = (self.inputs.plan, &self.collector);
        let seconds_measured = seconds(length);
        let transactions = collector.transactions(seconds_measured);
        let headline = plan.headline.filter(|_| !length.is_zero());
        let (score, incomplete) = match collector.score() {
            None => (None, None),
            Some(Ok(score)) => (Some(score), None),
            Some(Err(why)) => (None, Some(why)),
        };
        let start_seconds = collector.folder.seconds_at(start);
        let gap = collector.longest_gap(start_seconds).filter(|_| !length.is_zero());
        let mut step = Step {
            number: plan.number,
            name: plan.name(),
            tx_clients: plan.tx_clients,
            clients: plan.plain.then_some(plan.tx_clients),
            query_clients: plan.query_clients,
            start_seconds,
            cells: collector.cells(),
            warmup_seconds: seconds(self.warmup),
            seconds: seconds_measured,
            partial,
            headline: plan
                .headline
                .and_then(|kind| transactions.get(kind))
                .map(|of| of.kind.clone()),
            tpm: headline
                .and_then(|kind| transactions.get(kind))
                .filter(|operation| operation.committed() > 0)
                .map(|operation| operation.per_second * 60.0),
            transactions,
            queries: collector.queries(),
            power_seconds: score.map(|score| score.power_seconds),
            queries_per_hour: score.map(|score| score.queries_per_hour),
            incomplete,
            freshness: collector.freshness(),
            longest_gap: gap.map(|(from_seconds, seconds)| Gap { from_seconds, seconds }),
            standstills: collector.standstills(start, length),
            driver: collector.driver(),
            late_p99_us: collector.late_p99_us(),
            warmup_settled: (plan.warm_at != WarmAt::Time).then_some(self.throughput.settled()),
            level: self.throughput.change(plan).filter(|_| !length.is_zero()),
            ..Step::default()
        };
        if let Some(rates) = &self.rates {
            rates.write_into(collector.transactions_ended(), &mut step);
        }
        step
    }
}
