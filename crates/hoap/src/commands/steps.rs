//! Steps of a workload whose clients are all alike: YCSB, Pagination, JOIN.

use std::path::PathBuf;

use hoap_databases::url::redact;
use hoap_drive::search::{ProbeResult, max_rate};
use hoap_drive::{Arrivals, End, NoWorkload, Pace, StepPlan, run_step};
use hoap_record::search::Effort;
use hoap_record::{Bounds, Check, Run, RunFolder, Verdict};
use hoap_workload::Error;
use hoap_workload::capability::Target;
use hoap_workload::client::{Client, Workload};
use hoap_workload::words::counted;
use serde_json::{Value, json};

use super::Context;
use super::faults::{self, or_unknown, unless_void};
use super::meter::Meter;
use super::plan::DURATION;
use super::record::default_folder;
use crate::args::{ArrivalChoice, StepArgs};
use crate::failure::Failure;

/// The longest time of a probe where no flag says it, in durations of a step.
const LIMIT: u32 = 10;

/// What a workload's own parameters say of its steps, where the flags say nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults {
    /// Number of clients.
    pub clients: Option<usize>,
    /// Operations a second.
    pub rate: Option<f64>,
    /// Operations of a step.
    pub operations: Option<u64>,
    /// Time of a step, or the longest of one that has a number of operations.
    pub duration: Option<std::time::Duration>,
}

/// The steps: every number of clients at every rate.
pub fn plans(args: &StepArgs, defaults: Defaults) -> Result<Vec<StepPlan>, Failure> {
    let clients = match args.clients.as_slice() {
        [] => vec![defaults.clients.unwrap_or(1)],
        given => given.to_vec(),
    };
    if clients.contains(&0) {
        return Err(Failure::usage("plan the run: a step needs a client; give --clients above 0"));
    }
    let rates: Vec<Option<f64>> = match args.rate.as_slice() {
        [] => vec![defaults.rate],
        given => given.iter().copied().map(Some).collect(),
    };
    if rates.iter().flatten().any(|&rate| !(rate > 0.0 && rate.is_finite())) {
        return Err(Failure::usage("plan the run: a rate must be above 0; give --rate a number"));
    }
    // A duration that was asked for is the length of the step; one that is a workload's own only ends a number
    // of operations that takes longer, as YCSB's does.
    let (end, limit) = match (args.duration, args.operations.or(defaults.operations)) {
        (Some(time), _) => (End::After(time.0), None),
        (None, Some(operations)) => (End::Operations(operations), defaults.duration),
        (None, None) => (End::After(defaults.duration.unwrap_or(DURATION)), None),
    };
    let mut plans = Vec::new();
    for &rate in &rates {
        for &n in &clients {
            let mut plan = StepPlan::plain(plans.len() + 1, n, end);
            plan.warmup = args.warmup.0;
            plan.limit = limit;
            faults::apply(&args.faults, &mut plan);
            if let Some(rate) = rate {
                plan.pace = Pace::Open { rate, arrivals: arrivals(args) };
            }
            plans.push(plan);
        }
    }
    Ok(plans)
}

fn arrivals(args: &StepArgs) -> Arrivals {
    match args.arrivals {
        ArrivalChoice::Constant => Arrivals::Constant,
        ArrivalChoice::Poisson => Arrivals::Poisson { seed: args.run_seed },
    }
}

/// Every flag of the steps with the value it has.
pub fn configuration(args: &StepArgs, plans: &[StepPlan]) -> Value {
    let StepArgs { target, duration, operations, warmup, check_reads, faults, run_seed, .. } = args;
    json!({
        "target": redact(target),
        "clients": plans.iter().map(|p| p.tx_clients).collect::<Vec<_>>(),
        "rate": args.rate,
        "arrivals": arrivals(args).name(),
        "duration": duration.map(|t| t.to_string()),
        "operations": operations,
        "max-rate": args.max_rate,
        "sla": args.sla.iter().map(|s| format!("{}={} µs", s.percentile.name(), s.limit_us)).collect::<Vec<_>>(),
        "probe-limit": args.probe_limit.map(|t| t.to_string()),
        "warmup": warmup.to_string(),
        "check-reads": check_reads,
        "on-error": faults.on_error.to_string(),
        "recovery-limit": faults.recovery_limit.to_string(),
        "warn-failures": faults.warn_failures.0,
        "run-seed": run_seed,
        "part": args.conduct.part.map(|p| p.to_string()),
        "start-at": args.conduct.start_at.map(|t| t.to_string()),
    })
}

/// A run of such steps, from its folder to its record.
pub struct Steps<'a> {
    /// Where to tell what goes on, and when to stop.
    pub context: &'a Context,
    /// The flags.
    pub args: &'a StepArgs,
    /// The database.
    pub target: &'a dyn Target,
    /// The steps.
    pub plans: Vec<StepPlan>,
    /// Whether clients compare every answer with the data.
    pub check_reads: bool,
}

impl Steps<'_> {
    /// Runs the steps, then `check` with what the clients remember, which may leave a ledger in the folder,
    /// and returns the folder and what its `run.json` says.
    pub async fn conduct<W: Workload>(
        &self,
        workload: &W,
        mut record: Run,
        check: impl AsyncFnOnce(MemoriesOf<W>, &RunFolder) -> Result<Vec<Check>, Error>,
    ) -> Result<(PathBuf, Run), Failure> {
        let path = self.args.out.clone().unwrap_or_else(|| default_folder(&record.benchmark));
        self.context.mark(&mut record);
        let mut folder = RunFolder::create(&path, &record)?;
        let mut memories = Vec::new();
        record.warnings.extend(self.context.wait_for_start(&self.args.conduct));
        let end = self.all(workload, &mut folder, &mut record, &mut memories);
        self.context.console.say("checking the data after the run");
        let checked = check(memories, &folder).await;
        record.seconds = folder.seconds();
        let end = match or_unknown(&self.args.faults, checked) {
            Ok(checks) => {
                record.checks = checks;
                if self.check_reads {
                    record.checks.push(answers(&record));
                }
                end
            }
            Err(e) => end.and(Err(e)),
        };
        if let Err(e) = &end {
            record.partial.get_or_insert_with(|| format!("it ended early: {e}"));
        }
        folder.finish(&record)?;
        end.or_else(|e| unless_void(&record, e))?;
        Ok((path, record))
    }

    fn all<W: Workload>(
        &self,
        workload: &W,
        folder: &mut RunFolder,
        record: &mut Run,
        memories: &mut MemoriesOf<W>,
    ) -> Result<(), Error> {
        for plan in &self.plans {
            self.one(plan, workload, folder, record, memories)?;
            let (step, of) = (plan.number, self.plans.len());
            if record.stopped_by.is_some() {
                record.partial = Some(format!("an error ended it in step {step} of {of}"));
                return Ok(());
            }
            if self.context.stop.is_set() {
                record.partial = Some(format!("interrupted in step {step} of {of}"));
                return Ok(());
            }
        }
        match self.args.max_rate {
            true => self.search(workload, folder, record, memories),
            false => Ok(()),
        }
    }

    /// Runs a step and keeps what it measured.
    fn one<W: Workload>(
        &self,
        plan: &StepPlan,
        workload: &W,
        folder: &mut RunFolder,
        record: &mut Run,
        memories: &mut MemoriesOf<W>,
    ) -> Result<(), Error> {
        let Context { console, stop, .. } = self.context;
        console.say(format!("step {}: {}", plan.number, plan.name()));
        let watch = self.context.watch();
        let none = None::<&NoWorkload>;
        let meter = Meter::new(&watch, self.target);
        let mut outcome = run_step(plan, Some(workload), none, folder, stop, &meter)?;
        outcome.step.usage = meter.used();
        memories.extend(outcome.transactions);
        console.say(format!("  {}", hoap_report::step_line(&outcome.step)));
        record.steps.push(outcome.step);
        record.events.extend(outcome.events);
        record.stopped_by = outcome.stopped_by.map(|e| e.to_string());
        folder.checkpoint(record)
    }

    /// Looks for the highest rate that holds the bounds. It begins at half of what the last step did in
    /// its closed loop; each probe is a step like it, at a rate, for as long as its percentiles need.
    fn search<W: Workload>(
        &self,
        workload: &W,
        folder: &mut RunFolder,
        record: &mut Run,
        memories: &mut MemoriesOf<W>,
    ) -> Result<(), Error> {
        let Some(last) = self.plans.last() else { return Ok(()) };
        let closed = record.steps.last().map_or(&[][..], |s| &s.transactions);
        let throughput: f64 = closed.iter().map(|o| o.per_second).sum();
        let seen: Vec<_> = closed.iter().map(|o| (o.kind.as_str(), o.count)).collect();
        let End::After(shortest) = last.end else { return Ok(()) };
        let limit = self.args.probe_limit.map_or(shortest.saturating_mul(LIMIT), |t| t.0);
        let effort = Effort::new(shortest, limit, &seen);
        let bounds = Bounds { slas: self.args.sla.clone(), failures: 0.0 };
        let search = max_rate(bounds, effort, throughput / 2.0, |rate, time| {
            let pace = Pace::Open { rate, arrivals: arrivals(self.args) };
            let (number, end) = (record.steps.len() + 1, End::After(time));
            let plan = StepPlan { number, pace, end, ..last.clone() };
            self.one(&plan, workload, folder, record, memories)?;
            let stopped = self.context.stop.is_set() || record.stopped_by.is_some();
            Ok(record.steps.last().filter(|_| !stopped).map(ProbeResult::of))
        })?;
        self.context.console.say(hoap_report::search_line(&search));
        if self.context.stop.is_set() || record.stopped_by.is_some() {
            record.partial = search.unfinished.clone();
        }
        record.search = Some(search);
        Ok(())
    }
}

/// What the clients of all steps remember.
pub type MemoriesOf<W> = Vec<<<W as Workload>::Client as Client>::Memory>;

/// Whether every answer was right, where each was compared with the data.
fn answers(record: &Run) -> Check {
    let broken = hoap_workload::ErrorKind::Broken.name();
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
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command, RunBenchmark};

    /// As it may come from a configuration file.
    #[test]
    fn the_record_of_the_flags_has_no_password() {
        let words = ["hoap", "run", "ycsb-c", "--target", "redis://me:hunter2@h"];
        let Command::Run { benchmark: RunBenchmark::YcsbC(run), .. } =
            Cli::try_parse_from(words).unwrap().command
        else {
            panic!("not YCSB C");
        };
        let plans = plans(&run.steps, Defaults::default()).unwrap();
        let configuration = configuration(&run.steps, &plans);
        assert_eq!(configuration["target"], "redis://me:***@h");
        assert!(!configuration.to_string().contains("hunter2"));
    }
}
