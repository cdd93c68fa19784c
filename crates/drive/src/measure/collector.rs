//! Collects what the clients measure: the time series, the step's histograms and its totals.

use std::time::{Duration, Instant};

use hoap_record::Result;
use hoap_record::folder::{RunFolder, exact_seconds, seconds};
use hoap_record::hlog::Hlog;
use hoap_record::{
    Cells, DriverUse, Event, Execution, FRESHNESS, Freshness, GRACE, Gap, Operation, Query, Sample,
    Score,
};

use crate::Outcome;

use super::cells::CellCount;
use super::events::Events;
use super::freshness::{FreshnessReading, FreshnessTotal};
use super::gaps::Gaps;
use super::operation::ResponseTime;
use super::queries::{QueryClass, QueryExecution, QueryTotal};
use super::rows::{Span, operation, rate};
use super::score::score;
use super::stats::{KindStats, StatsByKind};
use super::stats_buffer::StatsBuffer;
use super::tick_stats::TickStats;
use super::timing::Timing;
use crate::machine::Watch;
use crate::plan::{Pace, Phase, StepPlan, Tick};

/// Collects the measurements of a step.
pub(crate) struct Collector<'a> {
    plan: &'a StepPlan,
    pub folder: &'a mut RunFolder,
    hlog: Hlog,
    buffers: &'a [StatsBuffer],
    /// Empty statistics for each buffer.
    spares: Vec<TickStats>,
    tx_kinds: &'a [&'a str],
    query_kinds: &'a [&'a str],
    /// Statistics since the last tick: of transactions, queries and the probe.
    tx: TickStats,
    queries: TickStats,
    probe: TickStats,
    /// The same since the cell began, without the last tick.
    cell: [TickStats; 3],
    pub(super) cells: CellCount,
    /// When the current phase and the current tick began.
    phase_began: Instant,
    tick_began: Instant,
    /// Since the phase began.
    failed: u64,
    queries_finished: u64,
    rows: Vec<Sample>,
    /// Totals of the measured window, and of the operations that ended after it.
    tx_total: StatsByKind,
    tx_after: StatsByKind,
    gaps: Gaps,
    query_totals: Vec<QueryTotal>,
    freshness: Option<FreshnessTotal>,
    events: Events,
    machine: Watch,
    pub tx_cancelled: u64,
    pub queries_cancelled: u64,
}

impl<'a> Collector<'a> {
    /// Begins the step's files. `probe_every` is the interval of the probe, if the step has one.
    pub fn new(
        plan: &'a StepPlan,
        folder: &'a mut RunFolder,
        buffers: &'a [StatsBuffer],
        tx_kinds: &'a [&'a str],
        query_kinds: &'a [&'a str],
        probe_every: Option<Duration>,
    ) -> Result<Self> {
        let hlog = Hlog::create(folder.path(), plan.number, folder.started_at())?;
        let now = Instant::now();
        Ok(Collector {
            plan,
            folder,
            hlog,
            buffers,
            spares: buffers.iter().map(|_| TickStats::new(tx_kinds.len())).collect(),
            tx_kinds,
            query_kinds,
            tx: TickStats::new(tx_kinds.len()),
            queries: TickStats::new(query_kinds.len()),
            probe: TickStats::new(FreshnessTotal::KINDS.len()),
            cell: [tx_kinds.len(), query_kinds.len(), FreshnessTotal::KINDS.len()]
                .map(TickStats::new),
            cells: CellCount::new(now),
            phase_began: now,
            tick_began: now,
            failed: 0,
            queries_finished: 0,
            rows: Vec::new(),
            tx_total: StatsByKind::new(tx_kinds.len()),
            tx_after: StatsByKind::new(tx_kinds.len()),
            gaps: Gaps::default(),
            query_totals: vec![QueryTotal::default(); query_kinds.len()],
            freshness: probe_every.map(FreshnessTotal::new),
            events: Events::new(),
            machine: Watch::new(plan.number),
            tx_cancelled: 0,
            queries_cancelled: 0,
        })
    }

    /// Leaves a phase for another one, as far as the machine is concerned.
    pub fn machine_enters(&mut self, phase: Phase) -> Result<()> {
        self.machine.enter(phase, self.folder)
    }

    /// What the driver's process and its machine took over the measured window.
    pub fn driver(&self) -> Option<DriverUse> {
        self.machine.window()
    }

    /// When the driver's process did not run in a window.
    pub fn standstills(&self, start: Instant, length: Duration) -> Vec<Gap> {
        self.machine.standstills(start, length, self.folder)
    }

    /// The 99th percentile of how late operations began for which a client waited, microseconds.
    pub fn late_p99_us(&self) -> Option<u64> {
        let mut late = Timing::new();
        let stats = self.tx_total.0.iter().chain(&self.tx_after.0);
        stats.filter_map(|kind| kind.split.as_ref()).for_each(|split| late.absorb(&split.late));
        (late.count() > 0).then(|| late.quantile_us(0.99))
    }

    /// Starts the clock of a phase.
    pub fn begin_phase(&mut self, now: Instant) {
        self.phase_began = now;
        self.tick_began = now;
        self.cells.begin_phase(now);
        self.failed = 0;
        self.queries_finished = 0;
    }

    /// Takes the statistics of all workers. All buffers are swapped before any is added up, so that
    /// they end at the same time.
    pub fn take_buffers(&mut self) {
        for (buffer, spare) in self.buffers.iter().zip(&mut self.spares) {
            buffer.swap(spare);
        }
        for full in &mut self.spares {
            self.tx.absorb(full);
            full.clear_all();
        }
    }

    /// Transactions that count for the measured window and have ended, whatever their outcome.
    pub fn transactions_ended(&self) -> u64 {
        self.tx_total.ended() + self.tx_after.ended()
    }

    /// The longest time of the measured window without a success: its beginning, seconds since the
    /// run's start, and its length in seconds. `None` without transactions.
    pub fn longest_gap(&self, window_start: f64) -> Option<(f64, f64)> {
        let (from, length) = self.gaps.longest;
        let seconds = |nanos: u64| seconds(Duration::from_nanos(nanos));
        (!self.tx_kinds.is_empty()).then(|| (window_start + seconds(from), seconds(length)))
    }

    /// Begins or ends the measured window at this time of the clients' clock.
    pub fn window_edge(&mut self, now: u64) {
        self.gaps.window_edge(now);
    }

    /// Adds an execution of a query.
    pub fn add_execution(&mut self, end: &QueryExecution) -> Result<()> {
        let stats = match end.class {
            QueryClass::Warmup => Some(&mut self.queries.warmup),
            QueryClass::Measured => Some(&mut self.queries.window),
            QueryClass::Extra | QueryClass::Unfinished { .. } | QueryClass::Cancelled => None,
        };
        if let Some(stats) = stats {
            let nanos = u64::try_from(end.took.as_nanos()).unwrap_or(u64::MAX);
            stats.0[end.kind].add(ResponseTime::closed(nanos), &end.completion);
            self.queries_finished += 1;
        } else if matches!(end.completion.outcome, Outcome::Cancelled) {
            self.queries_cancelled += 1;
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
            r#loop: end.loop_number,
            query: self.query_kinds[end.kind].to_owned(),
            start_seconds: self.folder.seconds_at(end.start),
            seconds: exact_seconds(end.took),
            rows: end.completion.rows,
            error,
        })
    }

    /// Adds a reading of the freshness probe.
    pub fn add_reading(&mut self, reading: &FreshnessReading) {
        if let Some(total) = &mut self.freshness {
            total.add(reading, &mut self.probe);
        }
    }

    /// The freshness over the measured window, if the step has a probe.
    pub fn freshness(&self) -> Option<Freshness> {
        self.freshness.as_ref().map(FreshnessTotal::record)
    }

    /// The failures of the step as events.
    pub fn events(&self) -> Vec<Event> {
        self.events.list(self.plan.number, self.folder)
    }

    /// The record of each kind of transaction over the measured window of this many seconds.
    pub fn transactions(&self, seconds: f64) -> Vec<Operation> {
        let stats = self.tx_total.0.iter().zip(&self.tx_after.0);
        let kinds = self.tx_kinds.iter().zip(stats);
        kinds.map(|(kind, (window, after))| operation(kind, window, after, seconds)).collect()
    }

    /// The record of each query over the measured window.
    pub fn queries(&self) -> Vec<Query> {
        let kinds = self.query_kinds.iter().zip(&self.query_totals);
        kinds.map(|(kind, total)| total.record(kind)).collect()
    }

    /// Power and queries per hour, or why there are none; `None` without queries.
    pub fn score(&self) -> Option<std::result::Result<Score, String>> {
        let kinds: Vec<_> = self.query_kinds.iter().copied().zip(&self.query_totals).collect();
        (!kinds.is_empty()).then(|| score(&kinds, self.plan.query_clients))
    }

    /// The cells of the time series, where each is more than one tick.
    pub fn cells(&self) -> Option<Cells> {
        self.cells.record(self.plan.tick)
    }

    /// Ends the tick, which lasted until `now`, lay in `phase` and is its `last` or not: adds it to
    /// the totals and to its cell, and writes that if it ends. The caller sets [`Tick::running`].
    ///
    /// Every kind has a row in every cell, also if no operation ended: a stall shows as rows of
    /// zeros. Operations of the window that arrive with the last tick of the warm-up are kept for
    /// the first tick of the window.
    pub fn end_tick(&mut self, phase: Phase, now: Instant, last: bool) -> Result<Tick<'_>> {
        let both = [Phase::Warmup, Phase::Measured];
        let phases = if phase == Phase::Measured { &both[..] } else { &both[..1] };
        let span = Span { start: self.tick_began, end: now };
        let (sides, kinds) = ([&self.tx, &self.queries, &self.probe], self.kinds());
        self.rows.clear();
        let mut tx_rows = None;
        for ((cell, side), kinds) in self.cell.iter_mut().zip(sides).zip(kinds) {
            for (of, stats, kind) in shown(side, kinds, phase, phases) {
                self.rows.push(span.row(self.folder, self.plan.number, of.name(), kind, stats));
            }
            phases.iter().for_each(|of| cell.of_mut(*of).absorb(side.of(*of)));
            tx_rows.get_or_insert(self.rows.len());
        }
        let began = self.cells.tick(last, now);
        self.machine.tick(self.folder, began.is_some())?;
        if let Some(start) = began {
            self.write_cell(phase, phases, Span { start, end: now })?;
        }
        if phase == Phase::Measured {
            self.gaps.add(self.tx.successes.sorted());
            self.tx_total.absorb(&self.tx.window);
        }
        self.tx.after.iter().for_each(|after| self.tx_after.absorb(after));
        self.tx_cancelled += self.tx.cancelled;
        self.tx_cancelled += phases.iter().map(|of| self.tx.of(*of).cancelled()).sum::<u64>();
        let sides =
            [(self.tx_side(), &self.tx), ("queries", &self.queries), (FRESHNESS, &self.probe)];
        for (name, side) in sides {
            for kind in phases.iter().flat_map(|of| &side.of(*of).0) {
                self.failed += kind.failed();
                kind.failures.iter().for_each(|f| self.events.add(name, f));
            }
        }
        let ended = self.tx.of(phase);
        let (count, all) = (ended.count(), ended.all());
        let failed: u64 = ended.0.iter().map(|kind| kind.failed()).sum();
        for side in [&mut self.tx, &mut self.queries, &mut self.probe] {
            side.clear(phases);
        }
        self.tick_began = now;
        Ok(Tick {
            plan: self.plan,
            phase,
            elapsed: now.saturating_duration_since(self.phase_began),
            length: span.length(),
            samples: &self.rows,
            tx_rows: tx_rows.unwrap_or_default(),
            machine: self.machine.ended(),
            tx_ended: count + failed,
            tx_per_second: rate(count, span.length().as_secs_f64()),
            times_us: (all.count() > 0).then(|| (all.quantile_us(0.5), all.quantile_us(0.99))),
            failed: self.failed,
            queries_finished: self.queries_finished,
            running: Vec::new(),
        })
    }

    /// The kinds of transactions, of queries and of the probe.
    fn kinds(&self) -> [&'a [&'a str]; 3] {
        let probe = if self.freshness.is_some() { FreshnessTotal::KINDS } else { &[] };
        [self.tx_kinds, self.query_kinds, probe]
    }

    /// Writes the rows of a cell that lay in `phase`, and the histograms of the measured window.
    fn write_cell(&mut self, phase: Phase, phases: &[Phase], span: Span) -> Result<()> {
        let kinds = self.kinds();
        for (side, kinds) in self.cell.iter().zip(kinds) {
            for (of, stats, kind) in shown(side, kinds, phase, phases) {
                let row = span.row(self.folder, self.plan.number, of.name(), kind, stats);
                self.folder.add_sample(&row)?;
            }
            if phase == Phase::Measured {
                for (stats, kind) in side.window.0.iter().zip(kinds) {
                    span.log(self.folder, &mut self.hlog, kind, stats)?;
                }
            }
        }
        self.cell.iter_mut().for_each(TickStats::clear_all);
        self.flush()?;
        match self.cells.halves() {
            true => self.folder.halve(&mut self.hlog, self.plan.number),
            false => Ok(()),
        }
    }

    /// Ends the grace period, from the end of the last phase to the end of the last client: writes
    /// the rows and histograms of the operations that ended in it. `measured` tells whether the
    /// last phase was the measured window, for which they count.
    pub fn end_grace(&mut self, ended: Instant, now: Instant, measured: bool) -> Result<()> {
        let name = self.tx_side();
        let after = &mut self.tx_after;
        self.tx_cancelled += after.cancelled();
        after.0.iter().flat_map(|kind| &kind.failures).for_each(|f| self.events.add(name, f));
        if !measured {
            after.clear();
            return Ok(());
        }
        let span = Span { start: ended, end: now };
        let kinds = after.0.iter().zip(self.tx_kinds);
        for (stats, kind) in kinds.filter(|(stats, _)| !stats.is_empty()) {
            let row = span.row(self.folder, self.plan.number, GRACE, kind, stats);
            self.folder.add_sample(&row)?;
            span.log(self.folder, &mut self.hlog, kind, stats)?;
        }
        if self.plan.pace == Pace::Closed {
            // A failure after the window of a closed loop is an event and no failure of the window.
            after.0.iter_mut().for_each(|kind| kind.failures.clear());
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        self.folder.flush()?;
        self.hlog.flush()
    }

    /// The name of the transaction clients' side.
    fn tx_side(&self) -> &'static str {
        if self.plan.plain { "operations" } else { "transactions" }
    }
}

/// The kinds that a cell or tick of `phase` has rows of: those of the phase, and what else ended in
/// it.
fn shown<'s>(
    side: &'s TickStats,
    kinds: &'s [&'s str],
    phase: Phase,
    phases: &'s [Phase],
) -> impl Iterator<Item = (Phase, &'s KindStats, &'s str)> {
    phases.iter().flat_map(move |of| {
        let kinds = side.of(*of).0.iter().zip(kinds).map(move |(stats, kind)| (*of, stats, *kind));
        kinds.filter(move |(of, stats, _)| *of == phase || !stats.is_empty())
    })
}
