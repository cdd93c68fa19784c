//! Reading run folders.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use hoap_record::Result;
use hoap_record::folder::read_run;
use hoap_record::hlog::{self, Interval, SERVICE, WAIT};
use hoap_record::{Latency, Operation, Remark, RemarkId, Run, Step};

use crate::run::curve::Curve;
use crate::run::heat::{Heat, HeatGatherer};
use crate::run::machine::{self, MachinePoint};
use crate::run::measure::{self, Measure};
use crate::run::observed;
use crate::run::parts::{Gatherer, Parts};
use crate::run::samples::Samples;
use crate::run::ticks::{RESOLUTIONS, Ticks, resolutions};

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
    pub samples: Samples,
    /// What `step-NN.hlog` hold.
    pub curves: Vec<Curve>,
    /// `machine.csv`; empty where there is none.
    pub machine: Vec<MachinePoint>,
    /// `observed.csv`; empty where there is none.
    pub observed: Vec<observed::Series>,
    /// The same over time, of the kinds of operations that the run's headline counts.
    pub heat: Vec<Heat>,
    /// Both over time, of these kinds: [`Loaded::ticks`].
    pub resolutions: Vec<Ticks>,
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
        // Of a run of a month each takes seconds.
        let (samples, machine, logs) = thread::scope(|scope| {
            let samples = scope.spawn(|| has_samples.then(|| Samples::read(folder)).transpose());
            let machine = scope.spawn(|| machine::read(folder));
            let logs = logs(folder, &run, &logged);
            let samples = samples.join().unwrap_or_else(|panic| resume_unwind(panic));
            let machine = machine.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok::<_, hoap_record::Error>((samples?.unwrap_or_default(), machine?, logs?))
        })?;
        let resolutions = resolutions(&samples, &logs.parts, &Measure::of(&run).kinds(&run));
        if !missing.is_empty() {
            let text = format!("not in the run folder: {}", missing.join(", "));
            run.remarks.push(Remark::new(RemarkId::FilesMissing, text));
        }
        Ok(Loaded {
            name: folder_name(folder),
            folder: folder.to_owned(),
            run,
            samples,
            curves: logs.curves,
            heat: logs.heat,
            resolutions,
            machine,
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

    /// What the run measures over time, in at most `most` points of a kind of operation, but not
    /// fewer than the last of the [`RESOLUTIONS`] (and one more for each step and phase).
    pub fn ticks(&self, most: usize) -> &Ticks {
        let fits = RESOLUTIONS.iter().position(|points| *points <= most);
        &self.resolutions[fits.unwrap_or(RESOLUTIONS.len() - 1)]
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

/// What the logs of a run hold.
#[derive(Default)]
struct Logs {
    curves: Vec<Curve>,
    parts: Parts,
    heat: Vec<Heat>,
}

/// What the logs of these steps hold.
fn logs(folder: &Path, run: &Run, steps: &[&Step]) -> Result<Logs> {
    let measured = Measure::of(run).kinds(run);
    let seconds: f64 = steps.iter().map(|step| step.seconds).sum();
    let mut logs = Logs::default();
    for step in steps {
        let mut heat = HeatGatherer::new(step, steps.len());
        let mut parts = Gatherer::new(step, seconds, &measured);
        let see = |interval: &Interval<'_>| {
            heat.add(interval);
            parts.add(interval);
        };
        let times = hlog::read_with(folder, step.number, see)?;
        for (kind, histogram) in times.into_iter().filter(|(tag, _)| !none_succeeded(step, tag)) {
            let longest = recorded(step, &kind).map(|latency| latency.max_us);
            logs.curves.extend(Curve::new(step.number, &kind, &histogram, longest));
        }
        logs.parts.add(parts);
        logs.heat.extend(heat.finish(|kind| measured.contains(&kind)));
    }
    Ok(logs)
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
