//! Merging the runs of several driver machines that used one database at the same time.
//!
//! Counts and histograms are added; every latency of the result is that of the added histograms.
//! Rates are the sums of the drivers' rates, each over its own measured window, and the windows of
//! a step must nearly coincide ([`belong`]). Time series have equal cells on one clock ([`grid`]). The drivers' rows are added up as they are read ([`rows`]), and their logs cell
//! by cell ([`logs`]), so that neither is in memory whole; [`series`] writes both.
//! `docs/fleet.md` describes the rules.

mod belong;
mod grid;
pub mod joint;
mod log;
mod logs;
mod machine;
mod operations;
mod parts;
mod rows;
mod series;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::check::{AuditLine, Check, Verdict};
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::error::Result;
use crate::folder::{self, RunFolder};
use crate::freshness::CatchUp;
use crate::kept;
use crate::made::{self, MARK, hold};
use crate::names;
use crate::observed::ObservedSource;
use crate::output;
use crate::remark::{self, Remark, RemarkId};
use crate::rows::Execution;
use crate::run::{Driver, Run};
use crate::search::Search;
use crate::step::{Gap, Step};
use crate::whole::Unfinished;
use machine::Machine;
use operations::Part;
use rows::Rows;

/// The mark of a merge that is not done.
const MERGE: &str = "merge";

/// What is known of all drivers together, and of none of them alone.
#[derive(Clone, Debug, Default)]
pub struct Joint {
    /// The checks of the database with what all of them saw acknowledged.
    pub checks: Vec<Check>,
    /// The audit of what all of them did, in place of theirs. None where a benchmark has no audit.
    pub audit: Vec<AuditLine>,
}

/// Runs that are to be merged.
pub struct Merge {
    drivers: Vec<Machine>,
    remarks: Vec<Remark>,
}

impl Merge {
    /// Reads the folders.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming the folder, where it is broken or does not belong to
    /// the others.
    pub fn open(folders: &[PathBuf]) -> Result<Merge> {
        let mut drivers =
            folders.iter().map(|folder| Machine::open(folder)).collect::<Result<Vec<_>>>()?;
        let remarks = belong::check(&drivers)?;
        drivers.sort_by_key(|driver| (parts::number(driver), driver.started));
        Ok(Merge { drivers, remarks })
    }

    /// The first run: its benchmark and data are those of all.
    pub fn first(&self) -> &Run {
        &self.drivers[0].run
    }

    /// Writes the merged run into `out`, which must be empty or absent, and returns its record.
    /// `command` is the command line; `joint` is what all drivers together were held against, if
    /// they were.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where `out` cannot be written. An incomplete folder is
    /// removed, by the next merge where this process is killed.
    pub fn write(self, out: &Path, command: Vec<String>, joint: Option<Joint>) -> Result<Run> {
        let Merge { drivers, remarks } = self;
        let base = drivers.iter().map(|driver| driver.started).min().unwrap_or_default();
        let mut run = record(&drivers, base, command, remarks);
        let (checks_of_all, audit) = joint.map(|joint| (joint.checks, joint.audit)).unzip();
        run.audit = audit.unwrap_or_else(|| audits(&drivers));
        run.checks = checks(&drivers, checks_of_all);
        let _held = hold(out)?;
        let is_marked = made::begin(out, MERGE, names::is_ours)?;
        // The folder has only the files written here.
        let begun = is_marked.then(|| Unfinished::new(out));
        let mut folder = RunFolder::create_at(out, &run, base.into())?;
        let unfinished = begun.unwrap_or_else(|| Unfinished::new(out));
        steps(&drivers, base, &mut folder, &mut run)?;
        run.checks.extend(kept::checks(&run));
        folder.finish(&run)?;
        unfinished.finish(|out| match is_marked {
            true => fs::remove_file(out.join(MARK)).map_err(|e| output::failed(out, &e)),
            false => Ok(()),
        })?;
        Ok(run)
    }
}

/// The merged run before its steps.
fn record(drivers: &[Machine], base: Timestamp, command: Vec<String>, own: Vec<Remark>) -> Run {
    let first = &drivers[0].run;
    let earliest = drivers.iter().min_by_key(|driver| driver.started).unwrap_or(&drivers[0]);
    let end = |d: &Machine| d.offset(base) + d.run.seconds;
    Run {
        command,
        labels: labels(drivers),
        seconds: drivers.iter().map(end).fold(0.0, f64::max),
        remarks: remarks(drivers, own),
        configuration: configuration(drivers),
        constants: constants(drivers),
        steps: Vec::new(),
        checks: Vec::new(),
        checks_read: Vec::new(),
        ledger: None,
        audit: Vec::new(),
        repetition: None,
        clock: None,
        started: earliest.run.started.clone(),
        // Its rates are those of all drivers, which are one run here.
        search: first.search.clone().map(|search| Search { drivers: None, ..search }),
        witness: drivers.iter().filter_map(|d| d.run.witness.clone()).reduce(|mut a, b| {
            a.join(&b);
            a
        }),
        round_trip_us: round_trips(drivers),
        catch_up: longest_catch_up(drivers),
        observed: sources(drivers),
        drivers: drivers
            .iter()
            .map(|d| Driver {
                name: d.name.clone(),
                command: d.run.command.clone(),
                started: d.run.started.clone(),
                offset_seconds: d.offset(base),
                seconds: d.run.seconds,
                configuration: d.run.configuration.clone(),
                host: d.run.host.clone(),
                clock: d.run.clock,
            })
            .collect(),
        ..first.clone()
    }
}

/// The labels that all drivers have alike.
fn labels(drivers: &[Machine]) -> BTreeMap<String, String> {
    let mut labels = drivers[0].run.labels.clone();
    labels.retain(|key, value| drivers.iter().all(|d| d.run.labels.get(key) == Some(value)));
    labels
}

/// The remarks of all drivers, with the names of those whose they are where not all have them, then
/// those on the merge.
fn remarks(drivers: &[Machine], own: Vec<Remark>) -> Vec<Remark> {
    let of = |driver: &Machine| {
        let name = driver.label(drivers);
        let named = move |remark: &Remark| remark.clone().of_run(name.clone());
        driver.run.remarks.iter().map(named).collect::<Vec<_>>()
    };
    let mut remarks = remark::joined(drivers.iter().flat_map(of));
    for remark in &mut remarks {
        if remark.runs.len() == drivers.len() {
            remark.runs.clear();
        }
    }
    remarks.extend(own);
    if drivers.iter().flat_map(|d| &d.run.steps).any(|step| step.freshness.is_some()) {
        let text = "freshness is not merged: each driver measured that of its own commits";
        let not = Remark::new(RemarkId::FreshnessNotMerged, text);
        remarks.push(not.advise("see the drivers' own folders"));
    }
    remark::joined(remarks)
}

/// The longest catch-up: at its end all drivers were ready.
fn longest_catch_up(drivers: &[Machine]) -> Option<CatchUp> {
    let all = drivers.iter().filter_map(|d| d.run.catch_up.clone());
    all.max_by(|a, b| a.before_seconds.total_cmp(&b.before_seconds))
}

/// The shortest round trip of all drivers, where each has measured one: another may be nearer.
fn round_trips(drivers: &[Machine]) -> BTreeMap<String, u64> {
    let shortest = |side: &String| {
        let each = drivers.iter().map(|d| d.run.round_trip_us.get(side).copied());
        each.collect::<Option<Vec<u64>>>()?.into_iter().min()
    };
    let sides = drivers[0].run.round_trip_us.keys();
    sides.filter_map(|side| Some((side.clone(), shortest(side)?))).collect()
}

/// The sources that were observed, each as the first driver has it that observed it.
fn sources(drivers: &[Machine]) -> Vec<ObservedSource> {
    let mut all: Vec<ObservedSource> = Vec::new();
    for source in drivers.iter().flat_map(|d| &d.run.observed) {
        if all.iter().all(|known| known.name != source.name) {
            all.push(source.clone());
        }
    }
    all
}

/// The configuration: one value where all drivers agree, else the list of their values.
fn configuration(drivers: &[Machine]) -> BTreeMap<String, Value> {
    let first = &drivers[0].run.configuration;
    let of = |key: &str| drivers.iter().map(|d| d.run.configuration.get(key)).collect::<Vec<_>>();
    first
        .iter()
        .map(|(key, value)| {
            let all = of(key);
            let alike = all.iter().all(|other| *other == Some(value));
            (key.clone(), if alike { value.clone() } else { json!(all) })
        })
        .collect()
}

/// The same for the constants.
fn constants(drivers: &[Machine]) -> Value {
    let first = &drivers[0].run.constants;
    match drivers.iter().all(|d| d.run.constants == *first) {
        true => first.clone(),
        false => drivers.iter().map(|d| (d.name.clone(), d.run.constants.clone())).collect(),
    }
}

/// [`Check::compares`] of [`beside_others`].
const OTHERS: &str = "the database with what was acknowledged";

/// A check that one driver among several cannot make, because it does not know what the others
/// write. `afterwards` names the command that can, when all have ended.
pub fn beside_others(what: &str, afterwards: &str) -> Check {
    Check {
        when: "after the run".into(),
        name: what.into(),
        compares: OTHERS.into(),
        verdict: Verdict::Skip,
        checked: 0,
        detail: Some(format!("other drivers wrote at the same time; {afterwards}")),
    }
}

/// [`Check::compares`] of [`left_to_first`].
const FIRST: &str = "the database with what was loaded and written before";

/// A check before the run that is left to the first of several drivers: what each of them found
/// would be the same, and none may write while one still looks.
pub fn left_to_first(what: &str) -> Check {
    Check {
        when: "before the run".into(),
        name: what.into(),
        compares: FIRST.into(),
        verdict: Verdict::Skip,
        checked: 0,
        detail: Some("part 1 of the drivers makes it for all".into()),
    }
}

/// Every driver's audit.
fn audits(drivers: &[Machine]) -> Vec<AuditLine> {
    let of = |driver: &Machine| {
        let label = driver.label(drivers);
        let named =
            move |line: AuditLine| AuditLine { name: format!("{}, {label}", line.name), ..line };
        driver.run.audit.clone().into_iter().map(named)
    };
    drivers.iter().flat_map(of).collect()
}

/// Every driver's checks. What was left to the first driver it made, as every part is there. Joint
/// checks replace those that one driver could not make.
fn checks(drivers: &[Machine], joint: Option<Vec<Check>>) -> Vec<Check> {
    let mut checks = Vec::new();
    for driver in drivers {
        let made = driver.run.checks.iter();
        let own = made.filter(|check| check.compares != FIRST);
        let wanted = own.filter(|check| joint.is_none() || check.compares != OTHERS);
        checks.extend(wanted.map(|check| Check {
            when: format!("{}, {}", check.when, driver.label(drivers)),
            ..check.clone()
        }));
    }
    match joint {
        Some(joint) => checks.extend(joint),
        None if checks.is_empty() => {}
        None => checks.push(Check {
            when: "merge".into(),
            name: "nothing lost, nothing added by all drivers together".into(),
            compares: "the database with what all drivers saw acknowledged".into(),
            verdict: Verdict::Skip,
            checked: 0,
            detail: Some("the database was not looked at: name it with --operational".into()),
        }),
    }
    checks
}

/// Merges the steps, their logs and their rows.
fn steps(
    drivers: &[Machine],
    base: Timestamp,
    folder: &mut RunFolder,
    run: &mut Run,
) -> Result<()> {
    let mut rows = Rows::read(drivers, base)?;
    for number in 0..drivers[0].run.steps.len() {
        let quiet = quiet(&drivers[0].run.steps[number], &rows);
        let logs = series::write(drivers, number, base, &mut rows, folder)?;
        let part = |driver| Part::of(driver, number, base);
        let parts: Vec<Part<'_>> = drivers.iter().map(part).collect();
        let mut step = operations::step(&parts, &|tag| logs.total(tag));
        let gaps = step.longest_gap.into_iter().chain(quiet);
        step.longest_gap = gaps.max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        executions(drivers, step.number, base, folder)?;
        folder.flush()?;
        run.steps.push(step);
    }
    Ok(())
}

/// The longest time in which no driver had a success, as far as ticks tell.
fn quiet(step: &Step, rows: &Rows) -> Option<Gap> {
    let kinds: Vec<&str> = step.transactions.iter().map(|of| of.kind.as_str()).collect();
    let measured = (step.number, 1);
    (!kinds.is_empty()).then(|| rows.longest_without(measured, &kinds))?
}

/// Merges the executions of a step, in the order of their ends. The streams of each driver are
/// numbered after those of the previous drivers.
fn executions(
    drivers: &[Machine],
    step: usize,
    base: Timestamp,
    folder: &mut RunFolder,
) -> Result<()> {
    let (mut all, mut streams) = (Vec::new(), 0);
    for driver in drivers {
        for execution in driver.executions.iter().filter(|e| e.step == step) {
            all.push(Execution {
                stream: execution.stream + streams,
                start_seconds: folder::micros(execution.start_seconds + driver.offset(base)),
                ..execution.clone()
            });
        }
        let ours = driver.run.steps.iter().find(|s| s.number == step);
        streams += ours.map_or(0, |s| s.query_clients);
    }
    all.sort_by(|a, b| (a.start_seconds + a.seconds).total_cmp(&(b.start_seconds + b.seconds)));
    all.iter().try_for_each(|execution| folder.add_execution(execution))
}
