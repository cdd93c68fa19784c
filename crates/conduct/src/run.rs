//! The loop of every run: before, steps, search, after, record.

use std::fs::File;
use std::time::{Duration, Instant};

use hoap_database::answering::Expected;
use hoap_drive::Workload;
use hoap_drive::search::{ProbeResult, frontier, max_rate};
use hoap_drive::{End, Failed, Gate, Pace, StepPlan, run_probed_step};
use hoap_observe::MetricWatch;
use hoap_record::check::ChecksRead;
use hoap_record::folder::{NOT_ENDED, seconds};
use hoap_record::search::{Effort, Search};
use hoap_record::{Bounds, Check, Run, RunFolder, Step, Verdict, kept};
use hoap_workload::checks::{Reads, skipped};
use hoap_workload::words::counted;
use hoap_workload::{ErrorKind, Result};

use crate::begin::default_folder;
use crate::benchmark::{Benchmark, MemoryOf};
use crate::caller::Setting;
use crate::faults::{or_unknown, unless_void};
use crate::in_use;
use crate::level;
use crate::little;
use crate::memory;
use crate::meter::Meter;
use crate::offer::Recorded;
use crate::own_limit;
use crate::plan::{FrontierPlan, Loops, Plan, SearchPlan};
use crate::schedule::{Ran, Span, StepPosition};
use crate::starts::Starts;

/// Runs a benchmark. `record` is what is known before the first step.
///
/// # Errors
/// Fails where the folder cannot be written. Returns the error that ended the run early where no
/// check has failed; what was measured is in the folder then.
pub async fn record<B: Benchmark>(
    setting: &Setting<'_>,
    plan: &Plan,
    mut record: Run,
    mut benchmark: B,
) -> Result<Recorded> {
    let operations = benchmark.operations().is_some_and(Workload::blocking);
    let queries = benchmark.queries().is_some_and(Workload::blocking);
    memory::fits(plan.shapes(), (operations, queries))?;
    if let Some(checking) = benchmark.checking() {
        checking.expect(benchmark.target())?;
        record.remarks.extend(checking.remark());
    }
    // Before the folder: a source that cannot be read is refused with nothing written.
    let observed = MetricWatch::open(&setting.common.observe)?;
    plan.warm_at.iter().try_for_each(|bound| observed.expect(bound))?;
    let path = match &setting.common.out {
        Some(path) => path.clone(),
        None => default_folder(&record.benchmark)?,
    };
    record.repetition = setting.repetition;
    record.labels = setting.common.labels.all()?;
    for (side, of) in [("operational", &record.operational), ("analytical", &record.analytical)] {
        let Some(expected) = of.as_ref().and_then(|of| Expected::of(&of.url)) else { continue };
        let trip = expected.round_trip().await.map(|trip| trip.as_micros() as u64);
        record.round_trip_us.extend(trip.map(|us| (side.to_owned(), us)));
    }
    record.clock = setting.caller.start().and_then(|start| start.clock());
    let mut folder = RunFolder::create(&path, &record)?;
    // Readers see by it that the run goes on. There are file systems without locks.
    let held = File::open(&path);
    let _ = held.as_ref().map(File::try_lock);
    benchmark.keep_in(folder.path());
    setting.caller.recorded(&path, &record);
    if !observed.is_empty() {
        observed.start(folder.observed()?);
    }
    // Of repetitions it is told before the first one.
    if setting.repetition.is_none() {
        setting.caller.planned(plan, 1);
    }
    let places = (&mut folder, &mut record, &observed);
    let end = between_checks(setting, plan, &mut benchmark, places).await;
    record.seconds = folder.seconds();
    record.observed = observed.sources();
    let whole = end.is_ok() && record.partial.is_none();
    record.remarks.extend(benchmark.finish(setting, folder.path(), whole).await);
    record.remarks.extend(in_use::end(setting, benchmark.claim()).await);
    if let Err(e) = &end {
        record.partial.get_or_insert_with(|| format!("it ended early: {e}"));
    }
    folder.finish(&record)?;
    drop(held);
    setting.caller.recorded(&path, &record);
    end.or_else(|e| unless_void(&record, e))?;
    Ok((path, record))
}

/// Checks, runs the steps, and checks again. An interrupted run is checked like any other.
async fn between_checks<B: Benchmark>(
    setting: &Setting<'_>,
    plan: &Plan,
    benchmark: &mut B,
    (folder, record, observed): (&mut RunFolder, &mut Run, &MetricWatch),
) -> Result<()> {
    let begun = Instant::now();
    let before = benchmark.before(setting, &mut record.checks).await;
    read(benchmark, "before the run", begun, record);
    before?;
    save(setting, plan, folder, record)?;
    if record.checks.iter().any(|check| check.verdict == Verdict::Fail) {
        record.partial = Some("the data was not consistent before the run".into());
        return Ok(());
    }
    let start = setting.caller.start().unwrap_or(&setting.common.conduct.start_at);
    let starts = Starts::new(setting, start);
    let (memories, lost, ran) = (Vec::new(), None, Ran::default());
    let mut steps =
        Steps { setting, plan, benchmark, folder, record, observed, starts, memories, lost, ran };
    let end = steps.all();
    let (memories, lost, start) = (steps.memories, steps.lost, steps.starts.check());
    record.checks.extend(start);
    let known = benchmark.known(memories);
    record.audit = benchmark.audit(&known);
    let known = lost.map_or(Ok(known), Err);
    let checked = after_the_steps(setting, benchmark, known, (folder, record)).await;
    // What ended the steps comes first.
    end.and(checked)
}

/// Leaves the ledger, checks the data, and judges. One that fails takes no check of another along;
/// the first error is returned. `known` is why a part of the ledger is lost, if it is: what a check
/// then missed would be no fault of the database.
async fn after_the_steps<B: Benchmark>(
    setting: &Setting<'_>,
    benchmark: &B,
    known: std::result::Result<B::Known, String>,
    (folder, record): (&RunFolder, &mut Run),
) -> Result<()> {
    in_use::before_checks(setting, benchmark.claim()).await;
    let beside_others = setting.common.conduct.part.is_some();
    let left = benchmark.left().filter(|_| beside_others || setting.common.ledger);
    let mut end = Ok(());
    let after = match known {
        Err(why) => Ok(vec![skipped("after the run", "data", why)]),
        Ok(mut known) => {
            if left.is_some() {
                let left = folder.write_ledger(|to| benchmark.contribution(&mut known, to));
                end = left.map(|digest| record.ledger = Some(digest));
            }
            match left.filter(|_| beside_others) {
                // Without its ledger nobody can make the check that is left.
                Some(left) => Ok(end.is_ok().then_some(left).into_iter().collect()),
                None => {
                    let begun = Instant::now();
                    let after = benchmark.after(setting, &known, record).await;
                    read(benchmark, "after the run", begun, record);
                    or_unknown(&setting.common.faults, after)
                }
            }
        }
    };
    let judged = benchmark.judge(setting, folder, record).await;
    // Of several drivers their merged steps are judged.
    let kept = if beside_others { Vec::new() } else { kept::checks(record) };
    let answers = benchmark.checks_answers().then(|| answers(record)).into_iter().collect();
    for checks in [judged, Ok(kept), after, Ok(answers)] {
        match checks {
            Ok(checks) => record.checks.extend(checks),
            Err(e) => end = end.and(Err(e)),
        }
    }
    end
}

/// Notes what the checks of a moment read, which began at this time.
fn read<B: Benchmark>(benchmark: &B, when: &str, begun: Instant, record: &mut Run) {
    let (documents, bytes) = benchmark.reads().map(Reads::take).unwrap_or_default();
    if documents > 0 {
        let seconds = seconds(begun.elapsed());
        record.checks_read.push(ChecksRead { when: when.into(), documents, bytes, seconds });
    }
}

/// Saves the record so far, with how much of the plan that is, and tells it.
fn save(setting: &Setting<'_>, plan: &Plan, folder: &RunFolder, record: &Run) -> Result<()> {
    // A search and a frontier find the number of their steps.
    let known = plan.search.is_none() && plan.frontier.is_none();
    let (done, of) = (record.steps.len(), plan.steps.len());
    let so_far = || format!("{NOT_ENDED}: {done} of {of} steps are whole");
    let partial = record.partial.clone().or_else(|| known.then(so_far));
    folder.checkpoint(&Run { partial, ..record.clone() })?;
    setting.caller.recorded(folder.path(), record);
    Ok(())
}

/// Steps that run one after the other.
struct Steps<'a, B: Benchmark> {
    setting: &'a Setting<'a>,
    plan: &'a Plan,
    benchmark: &'a B,
    folder: &'a mut RunFolder,
    record: &'a mut Run,
    /// The servers' side.
    observed: &'a MetricWatch,
    starts: Starts<'a>,
    /// What the clients remember, also where a step fails or is stopped.
    memories: Vec<MemoryOf<B::Operations>>,
    /// Why some clients remember nothing, where they do.
    lost: Option<String>,
    ran: Ran,
}

impl<B: Benchmark> Steps<'_, B> {
    fn all(&mut self) -> Result<()> {
        let plan = self.plan;
        let of = plan.steps.len();
        for step in &plan.steps {
            let mut step = step.clone();
            if let (Some(seconds), End::After(_)) = (self.ran.alone, step.end) {
                step.end = End::After(seconds);
            }
            let own = Span::expected(plan, &step, &self.ran);
            let rest = Span::time_left(plan, step.number, &self.ran);
            self.one(&step, StepPosition { of: Some(of), own, rest })?;
            let Some(ended) = self.ended() else {
                if let Some(up_to) = plan.loops_set_time
                    && step.tx_clients == 0
                    && self.ran.alone.is_none()
                {
                    let seconds = self.record.steps.last().map_or(0.0, |step| step.seconds);
                    self.ran.alone = Some(Loops::rounded(seconds, up_to));
                }
                continue;
            };
            self.record.partial = Some(format!("{ended} in step {} of {of}", step.number));
            return Ok(());
        }
        match (&plan.search, &plan.frontier) {
            (Some(search), _) => self.search(search, &plan.steps[search.like]),
            (None, Some(frontier)) => self.frontier(frontier),
            (None, None) => Ok(()),
        }
    }

    /// Runs the steps of a frontier. A step whose queries are not complete has no throughput of
    /// them.
    fn frontier(&mut self, plan: &FrontierPlan) -> Result<()> {
        let most = (plan.both.tx_clients, plan.both.query_clients);
        let whole = frontier(most, |(tx_clients, query_clients)| {
            let like = match (tx_clients, query_clients) {
                (_, 0) => &plan.transactions,
                (0, _) => &plan.queries,
                _ => &plan.both,
            };
            let number = self.record.steps.len() + 1;
            let mut step = StepPlan { number, tx_clients, query_clients, ..like.clone() };
            if number == 1 {
                step.connect_limit = Duration::ZERO;
            }
            // Nobody knows how many follow.
            let (own, rest) = (Span::of(&step), Span::at_least(Duration::ZERO));
            self.one(&step, StepPosition { of: None, own, rest })?;
            let step = self.joint(number - 1)?;
            let alone = |step: &Step| match tx_clients {
                0 => step.queries_per_hour.filter(|_| step.incomplete.is_none()),
                _ => step.tpm,
            };
            Ok(step.map(|step| alone(&step).unwrap_or(0.0)))
        })?;
        if !whole {
            let steps = counted(self.record.steps.len(), "step", "steps");
            let ended = self.ended().unwrap_or("ended");
            self.record.partial = Some(format!("{ended} after {steps} of the frontier"));
        }
        Ok(())
    }

    /// Runs a step and keeps what it measured.
    fn one(&mut self, plan: &StepPlan, position: StepPosition) -> Result<()> {
        let begun = Instant::now();
        let Setting { caller, .. } = self.setting;
        if let Some(claim) = self.benchmark.claim() {
            in_use::before_step(self.setting, claim, plan);
        }
        let of = position.of.map(|of| format!(" of {of}")).unwrap_or_default();
        caller.say(&format!("step {}{of}: {}", plan.number, plan.name()));
        let observer = caller.observer(position);
        let target = self.benchmark.target();
        let meter = Meter::new(&*observer, target, self.observed, self.plan.warm_at.as_ref());
        let (operations, queries) = (self.benchmark.operations(), self.benchmark.queries());
        let clients = (operations, queries, self.benchmark.probes());
        let control = (caller.stop(), &self.starts as &dyn Gate);
        let mut outcome = match run_probed_step(plan, clients, self.folder, control, &meter) {
            Ok(outcome) => outcome,
            Err(Failed { error, transactions, whole }) => {
                self.memories.extend(transactions);
                self.lost = (!whole).then(|| {
                    format!(
                        "what clients saw acknowledged is lost, so nothing was checked: {error}"
                    )
                });
                return Err(error);
            }
        };
        self.memories.append(&mut outcome.transactions);
        self.starts.note(&mut outcome.step, self.folder);
        outcome.step.usage = meter.used();
        let observed = self.observed.window().map(|series| outcome.step.observed = series);
        let in_process = self.benchmark.target().in_process();
        self.record.remarks.extend(own_limit::remarks(&outcome.step, in_process));
        let awaited = self.plan.warm_at.as_ref().map(|bound| (bound, meter.found()));
        self.record.remarks.extend(level::remarks(&outcome.step, awaited));
        let thinks = self.record.configuration.get("think-times") == Some(&true.into());
        self.record.remarks.extend(little::remarks(&outcome.step, in_process, thinks));
        caller.measured(&outcome.step);
        self.record.steps.push(outcome.step);
        self.record.events.extend(outcome.events);
        self.record.stopped_by = outcome.stopped_by.map(|e| e.to_string());
        self.ran.add(plan, begun.elapsed());
        save(self.setting, self.plan, self.folder, self.record).and(observed)
    }

    /// Looks for the highest rate that holds the bounds. It begins at half of what the step `like`
    /// did; each probe is a step like it, at a rate, for as long as its percentiles need. Of
    /// several drivers each makes an equal part of the rate, and all decide by what they measured
    /// together.
    fn search(&mut self, plan: &SearchPlan, like: &StepPlan) -> Result<()> {
        let drivers = self.setting.common.conduct.part.map(|part| part.part.of);
        let Some(closed) = self.joint(plan.like)? else {
            let why = self.ended().unwrap_or("interrupted");
            self.record.partial = Some(format!("{why} before the first probe"));
            return Ok(());
        };
        let closed = &closed.transactions;
        let throughput: f64 = closed.iter().map(|o| o.per_second).sum();
        let seen: Vec<_> = closed.iter().map(|o| (o.kind.as_str(), o.count)).collect();
        let effort = Effort::new(plan.shortest, plan.longest, &seen);
        let bounds = Bounds { slas: plan.slas.clone(), failures: 0.0 };
        let search = max_rate(bounds, effort, throughput / 2.0, |rate, time, follow| {
            let own = rate / drivers.unwrap_or(1) as f64;
            let step = StepPlan {
                number: self.record.steps.len() + 1,
                pace: Pace::Open { rate: own, arrivals: plan.arrivals },
                end: End::After(time),
                connect_limit: plan.connect_limit,
                ..like.clone()
            };
            let own = Span::of(&step);
            let each = Span::known(time + self.ran.outside_window());
            let rest = each.times(u32::try_from(follow).unwrap_or(u32::MAX));
            self.one(&step, StepPosition { of: None, own, rest })?;
            Ok(self.joint(step.number - 1)?.as_ref().map(ProbeResult::of))
        })?;
        let search = Search { drivers, ..search };
        self.setting.caller.searched(&search);
        if self.ended().is_some() {
            self.record.partial = search.unfinished.clone();
        }
        self.record.search = Some(search);
        Ok(())
    }

    /// What all drivers together measured in the step of this index. `None` where the run is to
    /// end.
    fn joint(&self, at: usize) -> Result<Option<Step>> {
        match self.ended() {
            Some(_) => Ok(None),
            None => self.starts.joint(&self.record.steps[at], self.folder),
        }
    }

    /// What ended the run before its plan, if something did.
    fn ended(&self) -> Option<&'static str> {
        match (&self.record.stopped_by, self.setting.is_stopped()) {
            (Some(_), _) => Some("an error ended it"),
            (None, true) => Some("interrupted"),
            (None, false) => self.starts.is_late().then_some("it began late"),
        }
    }
}

/// Whether every answer was right, where each was compared with the data.
fn answers(record: &Run) -> Check {
    let broken = ErrorKind::Broken.name();
    let operations = record.steps.iter().flat_map(|s| &s.transactions);
    let wrong: u64 = operations.clone().filter_map(|o| o.failures.get(broken)).sum();
    let checked = operations.map(|o| o.count).sum::<u64>() + wrong;
    Check {
        when: "during the run".into(),
        name: "answers".into(),
        compares: "every answer with the data".into(),
        verdict: if wrong == 0 { Verdict::Pass } else { Verdict::Fail },
        checked,
        detail: (wrong > 0)
            .then(|| format!("{wrong} of {} wrong", counted(checked, "answer", "answers"))),
    }
}

#[cfg(test)]
mod tests;
