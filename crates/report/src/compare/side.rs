//! One side of a comparison: a run, or several of the same configuration.

use std::collections::BTreeMap;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use hoap_record::folder::{read_queries, read_run};
use hoap_record::hlog;
use hoap_record::words::counted;
use hoap_record::{Error, ErrorKind, Result};
use hoap_record::{Execution, Remark, RemarkId, Run, Severity, Step};

use crate::run::key::{StepKey, steps};
use crate::run::samples::Samples;
use crate::run::{Loaded, remarks};
use crate::statistics::{Gathered, Intervals};

/// Interval histograms of a step by kind of operation.
pub type Logs = BTreeMap<String, Intervals>;

/// A side.
#[derive(Clone, Debug)]
pub struct Side {
    /// The path as the user named it.
    pub name: String,
    /// Its runs, at least one.
    pub runs: Vec<SideRun>,
    /// Of a single run what its error is taken from.
    pub series: Option<Series>,
}

/// A run of a side.
#[derive(Clone, Debug)]
pub struct SideRun {
    /// Where it is.
    pub folder: PathBuf,
    /// `run.json`.
    pub run: Run,
}

/// The files of a single run that show how its numbers came about.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// `samples.csv`.
    pub samples: Samples,
    /// `queries.csv`.
    pub executions: Vec<Execution>,
}

/// What a single run's remark on what happened once in it means for its intervals.
const TOO_NARROW: &str = "its intervals are too narrow; measure much longer, or repeat the run";

impl Side {
    /// Reads several, in their order, as many at once as there are processors: each of a month's
    /// run takes seconds.
    ///
    /// # Errors
    /// Those of [`Side::open`], the first one in the order of the paths.
    pub fn open_all(paths: &[&Path]) -> Result<Vec<Side>> {
        let at_once = thread::available_parallelism().map_or(1, |n| n.get());
        let mut sides = Vec::with_capacity(paths.len());
        for some in paths.chunks(at_once) {
            let read: Vec<Result<Side>> = thread::scope(|scope| {
                let all: Vec<_> =
                    some.iter().map(|path| scope.spawn(|| Side::open(path))).collect();
                all.into_iter().map(|t| t.join().unwrap_or_else(|e| resume_unwind(e))).collect()
            });
            for side in read {
                sides.push(side?);
            }
        }
        Ok(sides)
    }

    /// Reads a run folder, or a folder of run folders.
    ///
    /// # Errors
    /// Returns `Invalid` where it is neither, or a file in it is broken or of another format.
    pub fn open(path: &Path) -> Result<Side> {
        let folders = match path.join("run.json").exists() {
            true => vec![path.to_owned()],
            false => runs_within(path)?,
        };
        let runs: Vec<SideRun> = folders
            .into_iter()
            .map(|folder| Ok(SideRun { run: read_run(&folder)?, folder }))
            .collect::<Result<_>>()?;
        let series = match runs.as_slice() {
            [one] => Some(Series {
                samples: if_there(&one.folder, "samples.csv", Samples::read)?,
                executions: if_there(&one.folder, "queries.csv", read_queries)?,
            }),
            _ => None,
        };
        Ok(Side { name: path.display().to_string(), runs, series })
    }

    /// The runs of a report that belong together. Of a single one the executions of its queries are
    /// read from its folder.
    ///
    /// # Errors
    /// Returns `Invalid` where `queries.csv` is broken.
    pub fn of(name: &str, runs: &[&Loaded]) -> Result<Side> {
        let series = match runs {
            [one] => Some(Series {
                samples: one.samples.clone(),
                executions: if_there(&one.folder, "queries.csv", read_queries)?,
            }),
            _ => None,
        };
        let run = |r: &&Loaded| SideRun { folder: r.name.clone().into(), run: r.run.clone() };
        Ok(Side { name: name.to_owned(), runs: runs.iter().map(run).collect(), series })
    }

    /// The first run, which says what the others do too.
    pub fn first(&self) -> &Run {
        &self.runs[0].run
    }

    /// "run" or "5 runs".
    pub fn size(&self) -> String {
        counted(self.runs.len(), "run", "runs")
    }

    /// What a reader must know before the first number.
    pub fn remarks(&self) -> Vec<Remark> {
        let told = |r: &Remark| r.severity() <= Severity::Fails || r.id == RemarkId::Partial;
        // What happens once in a run may happen twice or never in the next, which no series shows.
        let narrows = |r: &Remark| {
            let once = [RemarkId::LevelChanged, RemarkId::LevelDrifted, RemarkId::NothingSucceeded];
            self.series.is_some() && once.contains(&r.id)
        };
        let of = |SideRun { folder, run }: &SideRun| {
            let told = remarks::of(run).into_iter().filter_map(|remark| {
                let remark = match narrows(&remark) {
                    true => remark.advise(TOO_NARROW),
                    false => Some(remark).filter(told)?,
                };
                Some(remark.of_run(folder.display().to_string()))
            });
            told.collect::<Vec<_>>()
        };
        self.runs.iter().flat_map(of).collect()
    }

    /// The run's step of this key, in each run; `None` where one has none, or one that is not
    /// whole.
    pub fn steps(&self, key: &StepKey) -> std::result::Result<Vec<&Step>, String> {
        self.runs
            .iter()
            .map(|r| {
                let folder = r.folder.display();
                let step = steps(&r.run).into_iter().find(|(k, _)| k == key).map(|(_, step)| step);
                match step {
                    None => Err(format!("{folder} has no such step")),
                    Some(step) => match &step.partial {
                        Some(why) => Err(format!("{folder}: {why}")),
                        None => Ok(step),
                    },
                }
            })
            .collect()
    }
}

/// The interval histograms of a single run's step by kind of operation; of a run that was killed
/// before it wrote them, none.
pub fn logs(side: &Side, steps: &[&Step]) -> Result<Logs> {
    let (Some(_), [step]) = (&side.series, steps) else { return Ok(Logs::new()) };
    let folder = &side.runs[0].folder;
    let mut tags: BTreeMap<String, Gathered> = BTreeMap::new();
    if hlog::path(folder, step.number).exists() {
        let window_end = step.start_seconds + step.seconds;
        let kinds = step.transactions.len();
        let recorded = |tag: &str| step.transactions.iter().any(|o| o.kind == tag);
        hlog::each(folder, step.number, recorded, |interval| {
            if !tags.contains_key(interval.tag) {
                tags.insert(interval.tag.to_owned(), Gathered::new(kinds));
            }
            // What ended after the window hung in its last tick.
            let late = hlog::is_late(interval.start_seconds, window_end);
            if let Some(tag) = tags.get_mut(interval.tag) {
                tag.add(interval, late);
            }
            Ok(())
        })?;
    }
    Ok(tags.into_iter().map(|(tag, all)| (tag, all.finish())).collect())
}

/// A file of a folder, or nothing where it is not there: a run that was killed may lack it.
fn if_there<T: Default>(
    folder: &Path,
    file: &str,
    read: impl FnOnce(&Path) -> Result<T>,
) -> Result<T> {
    if folder.join(file).exists() { read(folder) } else { Ok(T::default()) }
}

/// The run folders within a folder, by name.
fn runs_within(path: &Path) -> Result<Vec<PathBuf>> {
    let tried = || format!("read {}", path.display());
    let entries = fs::read_dir(path).map_err(|e| Error::new(ErrorKind::Invalid, tried(), e))?;
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.join("run.json").exists())
        .collect();
    folders.sort();
    match folders.is_empty() {
        false => Ok(folders),
        true => {
            let answer = "it is neither a run folder nor a folder of run folders: no run.json";
            Err(Error::new(ErrorKind::Invalid, tried(), answer)
                .advise("name the folder of a run, or that of `hoap run --repeat`"))
        }
    }
}
