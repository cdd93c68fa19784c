//! Brings together what the clients measured: the time series, the step's histograms and its totals.

use std::time::{Duration, Instant};

use hoap_workload::Result;
use hoap_workload::client::Outcome;

use crate::clients::{Class, QueryEnd};
use crate::events::Events;
use crate::folder::{RunFolder, seconds};
use crate::hlog::{self, Hlog};
use crate::measure::{Interval, KindSet, Measured, Slot, Took};
use crate::plan::{Phase, StepPlan, Tick};
use crate::probe::{self, Looked};
use crate::record::{Event, Execution, FRESHNESS, Freshness, Operation, Query, Sample};
use crate::summary::{QueryTotal, Score, operation, rate, score};

/// Gathers a step.
pub(crate) struct Collector<'a> {
    plan: &'a StepPlan,
    pub folder: &'a mut RunFolder,
    hlog: Hlog,
    slots: &'a [Slot],
    /// Empty intervals for each slot.
    spare: Vec<Measured>,
    tx_kinds: &'a [&'static str],
    query_kinds: &'a [&'static str],
    /// Both sides since the last tick.
    tx: Measured,
    queries: Measured,
    probe: Measured,
    /// When the running phase and the running tick began.
    phase_began: Instant,
    tick_began: Instant,
    failed: u64,
    queries_finished: u64,
    rows: Vec<Sample>,
    /// The measured window.
    tx_total: Interval,
    query_totals: Vec<QueryTotal>,
    probe_total: Option<probe::Total>,
    events: Events,
    pub tx_cancelled: u64,
    pub queries_cancelled: u64,
}

impl<'a> Collector<'a> {
    /// Begins the step's files. `probe_every` is the cadence of the probe, where there is one.
    pub fn new(
        plan: &'a StepPlan,
        folder: &'a mut RunFolder,
        slots: &'a [Slot],
        tx_kinds: &'a [&'static str],
        query_kinds: &'a [&'static str],
        probe_every: Option<Duration>,
    ) -> Result<Self> {
        let hlog = Hlog::create(folder.path(), plan.number, folder.started_at())?;
        let now = Instant::now();
        Ok(Collector {
            plan,
            folder,
            hlog,
            slots,
            spare: slots.iter().map(|_| Measured::new(tx_kinds.len())).collect(),
            tx_kinds,
            query_kinds,
            tx: Measured::new(tx_kinds.len()),
            queries: Measured::new(query_kinds.len()),
            probe: Measured::new(probe::KINDS.len()),
            phase_began: now,
            tick_began: now,
            failed: 0,
            queries_finished: 0,
            rows: Vec::new(),
            tx_total: Interval::new(tx_kinds.len()),
            query_totals: vec![QueryTotal::default(); query_kinds.len()],
            probe_total: probe_every.map(probe::Total::new),
            events: Events::new(),
            tx_cancelled: 0,
            queries_cancelled: 0,
        })
    }

    /// Starts the clock of a phase.
    pub fn begin_phase(&mut self, now: Instant) {
        self.phase_began = now;
        self.tick_began = now;
        self.failed = 0;
        self.queries_finished = 0;
    }

    /// Takes over what the transaction clients have measured so far. First all intervals change
    /// hands, then they are added up, so that all of them end at the same time.
    pub fn gather(&mut self) {
        for (slot, spare) in self.slots.iter().zip(&mut self.spare) {
            slot.swap(spare);
        }
        for full in &mut self.spare {
            self.tx.absorb(full);
            full.clear();
        }
    }

    /// Transactions of the measured window that ended, in whatever way.
    pub fn transactions_ended(&self) -> u64 {
        self.tx_total.ended()
    }

    /// Takes over a query that ended.
    pub fn execution(&mut self, end: &QueryEnd) -> Result<()> {
        let set = match end.class {
            Class::Warmup => Some(&mut self.queries.warmup),
            Class::Measured => Some(&mut self.queries.window),
            Class::Extra => None,
            Class::Cancelled => {
                self.queries_cancelled += 1;
                None
            }
        };
        if let Some(set) = set {
            let nanos = u64::try_from(end.took.as_nanos()).unwrap_or(u64::MAX);
            set.0[end.kind].add(Took::closed(nanos), &end.completion);
            self.queries_finished += 1;
        }
        self.query_totals[end.kind].add(end);
        let error = match &end.completion.outcome {
            Outcome::Done | Outcome::RolledBack => String::new(),
            Outcome::Failed(e) => e.to_string().replace(['\r', '\n'], " "),
            Outcome::Cancelled => "the step ended before the query did".into(),
        };
        self.folder.add_execution(&Execution {
            step: self.plan.number,
            phase: end.class.name().to_owned(),
            stream: end.stream,
            r#loop: end.lap,
            query: self.query_kinds[end.kind].to_owned(),
            start_seconds: self.folder.seconds_at(end.start),
            seconds: seconds(end.took),
            rows: end.completion.rows,
            error,
        })
    }

    /// Takes over a look of the probe.
    pub fn looked(&mut self, looked: &Looked) {
        if let Some(total) = &mut self.probe_total {
            total.add(looked, &mut self.probe);
        }
    }

    /// How old what the queries saw was, where a probe looked.
    pub fn freshness(&self) -> Option<Freshness> {
        self.probe_total.as_ref().map(probe::Total::freshness)
    }

    /// What went wrong and when.
    pub fn events(&self) -> Vec<Event> {
        self.events.list(self.plan.number, self.folder)
    }

    /// A line for each kind of transaction over the measured window of this many seconds.
    pub fn transactions(&self, seconds: f64) -> Vec<Operation> {
        let kinds = self.tx_kinds.iter().zip(&self.tx_total.0);
        kinds.map(|(kind, set)| operation(kind, set, seconds)).collect()
    }

    /// A line for each query over the measured window.
    pub fn queries(&self) -> Vec<Query> {
        let kinds = self.query_kinds.iter().zip(&self.query_totals);
        kinds.map(|(kind, total)| total.query(kind)).collect()
    }

    /// Power and queries per hour; `None` without queries.
    pub fn score(&self) -> Option<Score> {
        let kinds: Vec<_> = self.query_kinds.iter().copied().zip(&self.query_totals).collect();
        (!kinds.is_empty()).then(|| score(&kinds, self.plan.query_clients))
    }

    /// Ends the tick, which lasted until `now` and lay in `phase`: writes its rows and, of what counts
    /// for the measured window, its histograms, and adds it to the totals. What runs at the moment is for the
    /// caller to fill in.
    pub fn end_tick(&mut self, phase: Phase, now: Instant) -> Result<Tick<'_>> {
        let length = now.saturating_duration_since(self.tick_began);
        let row = |phase: Phase, kind: &str, set: &KindSet, at_seconds| {
            let latency = set.response.latency();
            Sample {
                step: self.plan.number,
                phase: phase.name().to_owned(),
                at_seconds,
                seconds: seconds(length),
                kind: kind.to_owned(),
                count: set.count(),
                failed: set.failed(),
                retries: set.retries,
                mean_us: (latency.mean_us * 1e3).round() / 1e3,
                p50_us: latency.p50_us,
                p99_us: latency.p99_us,
                max_us: latency.max_us,
            }
        };
        let at = self.folder.seconds_at(now);
        let start = self.folder.since_start(self.tick_began);
        self.rows.clear();
        let parts = [
            (Phase::Warmup, &self.tx.warmup, self.tx_kinds),
            (Phase::Measured, &self.tx.window, self.tx_kinds),
            (Phase::Warmup, &self.queries.warmup, self.query_kinds),
            (Phase::Measured, &self.queries.window, self.query_kinds),
            (Phase::Warmup, &self.probe.warmup, probe::KINDS),
            (Phase::Measured, &self.probe.window, probe::KINDS),
        ];
        for (phase, interval, names) in parts {
            for (set, kind) in interval.0.iter().zip(names).filter(|(set, _)| !set.is_empty()) {
                self.rows.push(row(phase, kind, set, at));
                if phase == Phase::Measured && set.count() > 0 {
                    self.hlog.add(kind, &set.response.times, start, length)?;
                    if let Some(split) = &set.split {
                        for (ending, part) in
                            [(hlog::SERVICE, &split.service), (hlog::WAIT, &split.wait)]
                        {
                            self.hlog.add(
                                &format!("{kind}{ending}"),
                                &part.times,
                                start,
                                length,
                            )?;
                        }
                    }
                }
            }
        }
        for row in &self.rows {
            self.folder.add_sample(row)?;
        }
        self.folder.flush()?;
        self.hlog.flush()?;

        self.tx_total.absorb(&self.tx.window);
        self.tx_cancelled +=
            self.tx.cancelled + self.tx.warmup.cancelled() + self.tx.window.cancelled();
        let clients = if self.plan.plain { "operations" } else { "transactions" };
        let sides = [(clients, &self.tx), ("queries", &self.queries), (FRESHNESS, &self.probe)];
        for (name, side) in sides {
            self.failed += side.warmup.failed() + side.window.failed();
            let kinds = side.warmup.0.iter().chain(&side.window.0);
            kinds.flat_map(|kind| &kind.failures).for_each(|f| self.events.add(name, f));
        }
        let all = match phase {
            Phase::Measured => self.tx.window.all(),
            _ => self.tx.warmup.all(),
        };
        self.tx.clear();
        self.queries.clear();
        self.probe.clear();
        self.tick_began = now;
        Ok(Tick {
            plan: self.plan,
            phase,
            elapsed: now.saturating_duration_since(self.phase_began),
            length,
            samples: &self.rows,
            tx_per_second: rate(all.count(), length.as_secs_f64()),
            p50_us: all.quantile_us(0.5),
            p99_us: all.quantile_us(0.99),
            failed: self.failed,
            queries_finished: self.queries_finished,
            running: Vec::new(),
        })
    }
}
