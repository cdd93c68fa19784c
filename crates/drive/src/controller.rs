//! Leads the clients of a step through its phases and collects what they measure.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use hoap_record::folder::seconds;
use hoap_record::{Gap, Step};
use hoap_workload::client::Canceller;
use hoap_workload::{Error, ErrorKind, Result};

use crate::clients::{Event, Side};
use crate::clock::Clock;
use crate::collector::Collector;
use crate::pace::Schedule;
use crate::plan::{End, Observer, Phase, StepPlan, Stop};
use crate::rate::Rates;
use crate::signal::Signal;
use crate::summary::Score;

/// How often the controller looks at the stop flag and calls cancellers again.
const LOOK: Duration = Duration::from_millis(50);

/// What a step is given.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub plan: &'a StepPlan,
    pub signal: &'a Signal,
    pub clock: &'a Clock,
    /// In an open loop.
    pub schedule: Option<&'a Schedule>,
    pub stop: &'a Stop,
    pub observer: &'a dyn Observer,
    /// What each query client runs, see [`crate::clients::Stream`].
    pub running: &'a [AtomicUsize],
    pub query_kinds: &'a [&'static str],
}

/// Leads the clients through the phases.
pub(crate) struct Controller<'a> {
    given: Given<'a>,
    inbox: Receiver<Event>,
    collector: Collector<'a>,
    phase: Phase,
    phase_began: Instant,
    warmup: Duration,
    cancellers: Vec<(Side, usize, Canceller)>,
    connected: usize,
    /// Query clients that have finished their warm-up loops, and their measured ones.
    warmed_up: usize,
    measured: usize,
    /// Whether the transaction clients have run the step's number of operations.
    last_operation: bool,
    rates: Option<Rates<'a>>,
    /// Worker threads that have not ended.
    workers: usize,
    /// Of the clients to connect, one is the probe.
    probed: bool,
    /// The failure that ends the step as its plan says.
    stopped_by: Option<Error>,
    /// Why the step cannot go on.
    failure: Option<Error>,
}

impl<'a> Controller<'a> {
    /// For clients on this many worker threads, and the probe, if there is one, on one more.
    pub fn new(
        given: Given<'a>,
        inbox: Receiver<Event>,
        collector: Collector<'a>,
        workers: usize,
        probed: bool,
    ) -> Self {
        Controller {
            given,
            inbox,
            collector,
            phase: Phase::Connecting,
            phase_began: Instant::now(),
            warmup: Duration::ZERO,
            cancellers: Vec::new(),
            connected: 0,
            warmed_up: 0,
            measured: 0,
            last_operation: false,
            rates: given.schedule.map(|schedule| Rates::new(given.plan, schedule, given.clock)),
            workers: workers + usize::from(probed),
            probed,
            stopped_by: None,
            failure: None,
        }
    }

    /// Runs the step to its end, whatever happens, and sums it up.
    pub fn conduct(&mut self) -> Result<Step> {
        self.given.observer.phase(self.given.plan, Phase::Connecting);
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
        Ok(self.summary(start, length, partial))
    }

    /// The failure that ended the step, if one did.
    pub fn stopped_by(&mut self) -> Option<Error> {
        self.stopped_by.take()
    }

    /// What went wrong and when.
    pub fn events(&self) -> Vec<hoap_record::Event> {
        self.collector.events()
    }

    /// Transactions and queries that were cut off.
    pub fn cancelled(&self) -> (u64, u64) {
        (self.collector.tx_cancelled, self.collector.queries_cancelled)
    }

    // Each of these says whether the step goes on.

    fn connect(&mut self) -> bool {
        let plan = self.given.plan;
        let clients = plan.tx_clients + plan.query_clients + usize::from(self.probed);
        self.wait(Duration::ZERO, |c| c.connected == clients)
    }

    fn warm_up(&mut self) -> bool {
        let plan = self.given.plan;
        if plan.needs_no_warmup() {
            return true;
        }
        self.enter(Phase::Warmup);
        match plan.end {
            End::After(_) | End::Operations(_) => self.wait(plan.warmup, |_| true),
            End::Loops { .. } => self.wait(plan.warmup, |c| c.warmed_up == plan.query_clients),
        }
    }

    fn measure(&mut self) -> bool {
        let plan = self.given.plan;
        self.enter(Phase::Measured);
        match plan.end {
            End::After(time) => self.wait(time, |_| true),
            End::Operations(_) => self.wait(Duration::ZERO, |c| c.last_operation),
            End::Loops { .. } => self.wait(Duration::ZERO, |c| c.measured == plan.query_clients),
        }
    }

    /// Changes the phase and says when the old one began and ended.
    fn change(&mut self, new: Phase) -> (Instant, Instant) {
        let interrupted = self.interrupted();
        if let Some(rates) = &mut self.rates {
            rates.enter(new, interrupted);
        }
        let at = self.given.clock.now();
        match new {
            Phase::Ended => self.given.signal.end(at),
            Phase::Measured => {
                self.collector.window_edge(at);
                self.given.signal.set(new);
            }
            Phase::Connecting | Phase::Warmup => self.given.signal.set(new),
        }
        self.collector.gather();
        let now = Instant::now();
        if self.phase == Phase::Warmup {
            self.warmup = now - self.phase_began;
        }
        self.phase = new;
        (std::mem::replace(&mut self.phase_began, now), now)
    }

    fn enter(&mut self, new: Phase) {
        let old = self.phase;
        let (_, now) = self.change(new);
        self.end_tick(old, now);
        self.collector.begin_phase(now);
        self.given.observer.phase(self.given.plan, new);
    }

    fn interrupted(&self) -> bool {
        self.failure.is_some() || self.stopped_by.is_some() || self.given.stop.is_set()
    }

    /// Waits until the phase has lasted for `time` and is `done`, or until the plan's limit of the measured
    /// window, ticking all the while.
    fn wait(&mut self, time: Duration, done: impl Fn(&Self) -> bool) -> bool {
        let until = self.phase_began + time;
        let limit = self.given.plan.limit.filter(|_| self.phase == Phase::Measured);
        let limit = limit.and_then(|limit| self.phase_began.checked_add(limit));
        let mut next_tick = self.phase_began + self.given.plan.tick;
        loop {
            if self.interrupted() {
                return false;
            }
            let now = Instant::now();
            if now >= until && done(self) || limit.is_some_and(|limit| now >= limit) {
                return true;
            }
            if now >= next_tick {
                self.collector.gather();
                self.end_tick(self.phase, now);
                // A late tick is a longer one; the grid stays.
                while next_tick <= now {
                    next_tick += self.given.plan.tick;
                }
            }
            let next = if until > now { until.min(next_tick) } else { next_tick };
            let next = limit.map_or(next, |limit| limit.min(next));
            self.listen(LOOK.min(next - now));
        }
    }

    /// Ends the step, waits for all clients, and says when the last phase began and ended.
    fn end(&mut self) -> (Instant, Instant) {
        let last = self.phase;
        let (began, ended) = self.change(Phase::Ended);
        self.given.observer.phase(self.given.plan, Phase::Ended);
        let mut look = ended;
        while self.workers > 0 {
            let now = Instant::now();
            // Again and again: a canceller that comes just before its query begins goes unheard.
            if now >= look {
                let patient = now < ended + self.given.plan.grace;
                if let Some(schedule) = self.given.schedule.filter(|_| !patient) {
                    schedule.close();
                }
                for (side, _, canceller) in &self.cancellers {
                    if *side != Side::Transactions || !patient {
                        canceller();
                    }
                }
                look = now + LOOK;
            }
            self.listen(look - now);
        }
        while let Ok(event) = self.inbox.try_recv() {
            self.handle(event);
        }
        // Some has been heard of only now: queries that ended just before the end, and operations that
        // their clients had not handed over.
        self.collector.gather();
        self.end_tick(last, ended);
        let measured = last == Phase::Measured;
        if measured {
            self.collector.window_edge(self.given.signal.ended_at());
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
        match self.collector.end_tick(phase, now) {
            Ok(mut tick) => {
                let running = self.given.running.iter();
                tick.running = running
                    .map(|kind| kind.load(Ordering::Relaxed).checked_sub(1))
                    .map(|kind| self.given.query_kinds.get(kind?).copied())
                    .collect();
                self.given.observer.tick(&tick);
            }
            Err(error) => self.fail(error),
        }
    }

    /// Waits this long for an event and handles it.
    fn listen(&mut self, time: Duration) {
        if let Ok(event) = self.inbox.recv_timeout(time) {
            self.handle(event);
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Connected { side, client, canceller } => {
                self.connected += 1;
                self.cancellers.extend(canceller.map(|c| (side, client, c)));
            }
            Event::NotConnected(error) => self.fail(error),
            Event::WarmedUp => self.warmed_up += 1,
            Event::Measured => self.measured += 1,
            Event::LastOperation => self.last_operation = true,
            Event::Execution(end) => {
                if let Err(error) = self.collector.execution(&end) {
                    self.fail(error);
                }
            }
            Event::Looked(looked) => self.collector.looked(&looked),
            Event::Stopped(error) => {
                // What fails while the step ends has not ended it.
                if self.phase != Phase::Ended {
                    self.stopped_by.get_or_insert(*error);
                }
            }
            Event::Finished { side, client } => {
                self.cancellers.retain(|(s, c, _)| (*s, *c) != (side, client));
            }
            Event::WorkerGone => {
                self.workers -= 1;
                if self.phase != Phase::Ended {
                    let tried = format!("run step {}", self.given.plan.number);
                    self.fail(Error::new(ErrorKind::Broken, tried, "a client ended early"));
                }
            }
        }
    }

    /// Keeps the first reason.
    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    fn summary(&self, start: Instant, length: Duration, partial: Option<String>) -> Step {
        let (plan, collector) = (self.given.plan, &self.collector);
        let seconds_measured = seconds(length);
        let transactions = collector.transactions(seconds_measured);
        let headline = plan.headline.filter(|_| !length.is_zero());
        let (power_seconds, queries_per_hour, incomplete) = match collector.score() {
            None => (None, None, None),
            Some(Score::Complete { power_seconds, queries_per_hour }) => {
                (Some(power_seconds), Some(queries_per_hour), None)
            }
            Some(Score::Incomplete(why)) => (None, None, Some(why)),
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
            warmup_seconds: seconds(self.warmup),
            seconds: seconds_measured,
            partial,
            tpm: headline.and_then(|kind| Some(transactions.get(kind)?.per_second * 60.0)),
            transactions,
            queries: collector.queries(),
            power_seconds,
            queries_per_hour,
            incomplete,
            freshness: collector.freshness(),
            longest_gap: gap.map(|(from_seconds, seconds)| Gap { from_seconds, seconds }),
            ..Step::default()
        };
        if let Some(rates) = &self.rates {
            rates.sum_up(collector.transactions_ended(), &mut step);
        }
        step
    }
}
