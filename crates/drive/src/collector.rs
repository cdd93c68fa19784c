//! Brings together what the clients measured: the time series, the step's histograms and its totals.

use std::time::{Duration, Instant};

use hoap_record::folder::{RunFolder, exact_seconds, seconds};
use hoap_record::hlog::{self, Hlog};
use hoap_record::{Event, Execution, FRESHNESS, Freshness, GRACE, Operation, Query, Sample};
use hoap_workload::Result;
use hoap_workload::client::Outcome;

use crate::clients::{Class, QueryEnd};
use crate::events::Events;
use crate::measure::{Interval, KindSet, Measured, Slot, Took};
use crate::pace::Pace;
use crate::plan::{Phase, StepPlan, Tick};
use crate::probe::{self, Looked};
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
    /// The measured window, and what ended after it.
    tx_total: Interval,
    tx_after: Interval,
    gaps: Gaps,
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
            tx_after: Interval::new(tx_kinds.len()),
            gaps: Gaps::default(),
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
            full.clear_all();
        }
    }

    /// Transactions that count for the measured window and ended, in whatever way.
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

    /// The measured window begins or ends at this time of the clients' clock.
    pub fn window_edge(&mut self, now: u64) {
        self.gaps.edge(now);
    }

    /// Takes over a query that ended.
    pub fn execution(&mut self, end: &QueryEnd) -> Result<()> {
        let set = match end.class {
            Class::Warmup => Some(&mut self.queries.warmup),
            Class::Measured => Some(&mut self.queries.window),
            Class::Extra | Class::Unfinished { .. } | Class::Cancelled => None,
        };
        let late = !matches!(end.class, Class::Warmup | Class::Measured);
        self.queries_cancelled += u64::from(late && end.completion.outcome.cancelled());
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
            seconds: exact_seconds(end.took),
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
        let sets = self.tx_total.0.iter().zip(&self.tx_after.0);
        let lines = self.tx_kinds.iter().zip(sets);
        lines.map(|(kind, (window, after))| operation(kind, window, after, seconds)).collect()
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
    ///
    /// Every kind has a row in every tick, also where nothing ended: a stall is a row of zeros. What the
    /// clients have measured of the window when the warm-up's last tick ends waits for the window's
    /// first one.
    pub fn end_tick(&mut self, phase: Phase, now: Instant) -> Result<Tick<'_>> {
        let parts =
            &[Phase::Warmup, Phase::Measured][..if phase == Phase::Measured { 2 } else { 1 }];
        let span = Span { start: self.tick_began, end: now };
        let probe_kinds = if self.probe_total.is_some() { probe::KINDS } else { &[] };
        let sides = [
            (&self.tx, self.tx_kinds),
            (&self.queries, self.query_kinds),
            (&self.probe, probe_kinds),
        ];
        self.rows.clear();
        for (measured, kinds) in sides {
            for of in parts {
                for (set, kind) in measured.of(*of).0.iter().zip(kinds) {
                    if *of == phase || !set.is_empty() {
                        let row = span.row(self.folder, self.plan.number, of.name(), kind, set);
                        self.rows.push(row);
                    }
                    if *of == Phase::Measured {
                        span.log(self.folder, &mut self.hlog, kind, set)?;
                    }
                }
            }
        }
        self.write_rows()?;

        if phase == Phase::Measured {
            self.gaps.add(self.tx.successes);
            self.tx_total.absorb(&self.tx.window);
        }
        self.tx.after.iter().for_each(|after| self.tx_after.absorb(after));
        self.tx_cancelled += self.tx.cancelled;
        self.tx_cancelled += parts.iter().map(|of| self.tx.of(*of).cancelled()).sum::<u64>();
        let sides =
            [(self.clients(), &self.tx), ("queries", &self.queries), (FRESHNESS, &self.probe)];
        for (name, side) in sides {
            for kind in parts.iter().flat_map(|of| &side.of(*of).0) {
                self.failed += kind.failed();
                kind.failures.iter().for_each(|f| self.events.add(name, f));
            }
        }
        let ended = self.tx.of(phase);
        let (count, all) = (ended.count(), ended.all());
        for side in [&mut self.tx, &mut self.queries, &mut self.probe] {
            side.clear(parts);
        }
        self.tick_began = now;
        Ok(Tick {
            plan: self.plan,
            phase,
            elapsed: now.saturating_duration_since(self.phase_began),
            length: span.length(),
            samples: &self.rows,
            tx_per_second: rate(count, span.length().as_secs_f64()),
            times_us: (all.count() > 0).then(|| (all.quantile_us(0.5), all.quantile_us(0.99))),
            failed: self.failed,
            queries_finished: self.queries_finished,
            running: Vec::new(),
        })
    }

    /// Ends the time from the end of the measured window, or of whatever phase was the last, to that of the
    /// last client: writes the rows and histograms of what ended in it. `counts` says whether there was
    /// a measured window for it to count for.
    pub fn end_grace(&mut self, ended: Instant, now: Instant, counts: bool) -> Result<()> {
        let name = self.clients();
        let after = &mut self.tx_after;
        self.tx_cancelled += after.cancelled();
        after.0.iter().flat_map(|set| &set.failures).for_each(|f| self.events.add(name, f));
        if !counts {
            after.clear();
            return Ok(());
        }
        let span = Span { start: ended, end: now };
        self.rows.clear();
        for (set, kind) in after.0.iter().zip(self.tx_kinds).filter(|(set, _)| !set.is_empty()) {
            self.rows.push(span.row(self.folder, self.plan.number, GRACE, kind, set));
            span.log(self.folder, &mut self.hlog, kind, set)?;
        }
        if self.plan.pace == Pace::Closed {
            // What fails after the window is no failure of it, and has been told as an event.
            after.0.iter_mut().for_each(|set| set.failures.clear());
        }
        self.write_rows()
    }

    fn write_rows(&mut self) -> Result<()> {
        for row in &self.rows {
            self.folder.add_sample(row)?;
        }
        self.folder.flush()?;
        self.hlog.flush()
    }

    /// What its transaction clients' side is called.
    fn clients(&self) -> &'static str {
        if self.plan.plain { "operations" } else { "transactions" }
    }
}

/// From one moment to another.
#[derive(Clone, Copy)]
struct Span {
    start: Instant,
    end: Instant,
}

impl Span {
    fn length(self) -> Duration {
        self.end.saturating_duration_since(self.start)
    }

    /// A row of `samples.csv`.
    fn row(
        self,
        folder: &RunFolder,
        step: usize,
        phase: &str,
        kind: &str,
        set: &KindSet,
    ) -> Sample {
        let latency = set.response.latency();
        Sample {
            step,
            phase: phase.to_owned(),
            at_seconds: folder.seconds_at(self.end),
            seconds: seconds(self.length()),
            kind: kind.to_owned(),
            count: set.count(),
            failed: set.failed(),
            retries: set.retries,
            mean_us: (latency.mean_us * 1e3).round() / 1e3,
            p50_us: latency.p50_us,
            p99_us: latency.p99_us,
            max_us: latency.max_us,
        }
    }

    /// The intervals of a kind in the step's log, also an empty one.
    fn log(self, folder: &RunFolder, hlog: &mut Hlog, kind: &str, set: &KindSet) -> Result<()> {
        let (start, length) = (folder.since_start(self.start), self.length());
        hlog.add(kind, &set.response.times, start, length)?;
        if let Some(split) = &set.split {
            for (ending, part) in [(hlog::SERVICE, &split.service), (hlog::WAIT, &split.wait)] {
                hlog.add(&format!("{kind}{ending}"), &part.times, start, length)?;
            }
        }
        Ok(())
    }
}

/// The longest time of the measured window without a success, in nanoseconds of the clients' clock. A gap that
/// is longer than a tick lies across the end of one, so that the first and the last success of each
/// tick tell it exactly; one that lies within a tick is not seen.
#[derive(Default)]
struct Gaps {
    begin: u64,
    /// The last success, or the window's begin.
    last: Option<u64>,
    /// When it began after the window's begin, and its length.
    longest: (u64, u64),
}

impl Gaps {
    /// The first success of a tick and the last one.
    fn add(&mut self, (first, last): (u64, u64)) {
        if first <= last && self.last.is_some() {
            self.until(first);
            self.last = self.last.max(Some(last));
        }
    }

    fn until(&mut self, time: u64) {
        let Some(last) = self.last else { return };
        let length = time.saturating_sub(last);
        if length > self.longest.1 {
            self.longest = (last.saturating_sub(self.begin), length);
        }
    }

    /// The window begins or ends.
    fn edge(&mut self, now: u64) {
        match self.last {
            None => (self.begin, self.last) = (now, Some(now)),
            Some(_) => self.until(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_found_within_and_at_both_ends_of_the_window() {
        let longest = |ticks: &[(u64, u64)]| {
            let mut gaps = Gaps::default();
            gaps.add((1, 5));
            gaps.edge(100);
            ticks.iter().for_each(|tick| gaps.add(*tick));
            gaps.edge(200);
            gaps.longest
        };
        let none = (u64::MAX, 0);
        assert_eq!(longest(&[(101, 119), none, (160, 199)]), (19, 41));
        assert_eq!(longest(&[none, none, (160, 199)]), (0, 60));
        assert_eq!(longest(&[(101, 119), none, none]), (19, 81));
        assert_eq!(longest(&[none]), (0, 100));
        // Threads hand over one after the other: a tick may begin before the one before has ended.
        assert_eq!(longest(&[(101, 150), (149, 199)]), (0, 1));
    }
}
