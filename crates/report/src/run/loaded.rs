//! Reading run folders.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use hoap_record::Result;
use hoap_record::folder::{NOT_ENDED, read_machine, read_run, read_samples};
use hoap_record::hlog::{self, Interval, SERVICE, WAIT};
use hoap_record::{Latency, MachineRow, Operation, Remark, RemarkId, Run, Sample, Step};

use crate::format::number::duration;
use crate::run::curve::Curve;
use crate::run::heat::{Heat, HeatGatherer};
use crate::run::measure::{self, Measure, headline_kinds};
use crate::run::observed;
use crate::run::point_times::PointTimes;
use crate::run::ticks::Ticks;

/// A run folder, read whole.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The folder's name.
    pub name: String,
    /// Where it is.
    pub folder: PathBuf,
    /// `run.json`.
    pub run: Run,
    /// `samples.csv`.
    pub samples: Vec<Sample>,
    /// What `step-NN.hlog` hold.
    pub curves: Vec<Curve>,
    /// `machine.csv`; empty where there is none.
    pub machine: Vec<MachineRow>,
    /// `observed.csv`; empty where there is none.
    pub observed: Vec<observed::Series>,
    /// The same over time, of the kinds of operations that the run's headline counts.
    pub heat: Vec<Heat>,
    /// What the run measures over time, of these kinds.
    pub ticks: Ticks,
}

/// A run under the name it has in this report.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its name, unique among the runs of the report.
    pub name: &'a str,
    /// What it recorded.
    pub run: &'a Run,
}

impl Loaded {
    /// Whether this is a run folder.
    pub fn is_run(folder: &Path) -> bool {
        folder.join("run.json").exists()
    }

    /// Reads a run folder, also of a run that was killed: what its record names and is not there
    /// shows as a remark.
    ///
    /// # Errors
    /// Returns `Invalid` where `run.json` is missing, broken or of another format, or another file
    /// is broken.
    pub fn open(folder: &Path) -> Result<Loaded> {
        let mut run = read_run(folder)?;
        let mut missing = Vec::new();
        let there = |path: &Path, missing: &mut Vec<String>| {
            if !path.exists() {
                missing.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
            }
            path.exists()
        };
        let has_samples = there(&folder.join("samples.csv"), &mut missing);
        let steps = run.steps.iter();
        let logged: Vec<&Step> =
            steps.filter(|s| there(&hlog::path(folder, s.number), &mut missing)).collect();
        let samples = if has_samples { read_samples(folder)? } else { Vec::new() };
        if goes_on(folder) {
            run.partial = run.partial.map(|why| so_far(why, &run.steps, &samples));
        }
        let cell_ticks = run.steps.iter().filter_map(|s| s.cells).map(|of| of.ticks).max();
        let kinds = headline_kinds(&run);
        let mut ticks = Ticks::of(&samples, &kinds, cell_ticks.unwrap_or(1));
        let (mut curves, mut heat) = (Vec::new(), Vec::new());
        for step in &logged {
            let mut of_step = HeatGatherer::new(step, logged.len());
            let mut times = PointTimes::new(&mut ticks, step);
            let see = |interval: &Interval<'_>| {
                of_step.add(interval);
                times.add(interval)
            };
            let tags = hlog::read_with(folder, step.number, see)?;
            times.finish();
            for (kind, histogram) in tags.into_iter().filter(|(tag, _)| !none_succeeded(step, tag))
            {
                let longest = recorded(step, &kind).map(|latency| latency.max_us);
                curves.extend(Curve::new(step.number, &kind, &histogram, longest));
            }
            heat.extend(of_step.finish(|kind| kinds.contains(&kind)));
        }
        if !missing.is_empty() {
            let text = format!("not in the run folder: {}", missing.join(", "));
            run.remarks.push(Remark::new(RemarkId::FilesMissing, text));
        }
        Ok(Loaded {
            name: folder_name(folder),
            folder: folder.to_owned(),
            run,
            samples,
            curves,
            heat,
            ticks,
            machine: read_machine(folder)?,
            observed: observed::read(folder)?,
        })
    }

    /// The run as tables take it.
    pub fn entry(&self) -> Entry<'_> {
        Entry { name: &self.name, run: &self.run }
    }

    /// What the run measures.
    pub fn measure(&self) -> Measure {
        Measure::of(&self.run)
    }

    /// Kinds of operations that have percentile curves, in the order of the record. The two parts
    /// of an open loop's response times follow their kind.
    pub fn kinds(&self) -> Vec<String> {
        measure::kinds(&self.run)
            .into_iter()
            .flat_map(|kind| ["", SERVICE, WAIT].map(|part| format!("{kind}{part}")))
            .filter(|tag| self.curves.iter().any(|c| c.kind == *tag))
            .collect()
    }
}

/// Whether the process that runs it holds the folder.
fn goes_on(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|f| matches!(f.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Why the record of a run that goes on is partial: how far it is.
fn so_far(why: String, steps: &[Step], samples: &[Sample]) -> String {
    let Some(done) = why.strip_prefix(NOT_ENDED) else { return why };
    let now = samples.last().filter(|row| row.step > steps.len()).map(|row| {
        let phase = if row.phase == "warmup" { "warm-up" } else { "measured window" };
        let at = duration(row.at_seconds);
        format!("; step {} was in its {phase} {at} after the start", row.step)
    });
    format!("the run goes on{done}{}", now.unwrap_or_default())
}

/// Whether a tag of the step's log is of a kind of operation none of which succeeded.
fn none_succeeded(step: &Step, tag: &str) -> bool {
    let own =
        |of: &&Operation| matches!(tag.strip_prefix(of.kind.as_str()), Some("" | SERVICE | WAIT));
    step.transactions.iter().find(own).is_some_and(|of| of.response().is_none())
}

/// The response times on record for a tag of the step's log.
fn recorded<'a>(step: &'a Step, tag: &str) -> Option<&'a Latency> {
    step.transactions.iter().find_map(|o| match tag.strip_prefix(&o.kind)? {
        "" => Some(&o.latency),
        SERVICE => o.service.as_ref(),
        WAIT => o.wait.as_ref(),
        _ => None,
    })
}

/// The last part of the path, of the real one where the given one ends in none ("." and "..").
pub(crate) fn folder_name(folder: &Path) -> String {
    let real = folder.canonicalize();
    let real = real.as_deref().unwrap_or(folder);
    let last = folder.file_name().or_else(|| real.file_name()).unwrap_or(folder.as_os_str());
    last.to_string_lossy().into_owned()
}
