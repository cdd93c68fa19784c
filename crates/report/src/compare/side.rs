//! One side of a comparison: a run, or several of the same configuration.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;
use hoap_record::folder::{read_queries, read_run, read_samples};
use hoap_record::histogram::histogram;
use hoap_record::hlog::{self, Interval};
use hoap_record::words::counted;
use hoap_record::{Error, ErrorKind, Result};
use hoap_record::{Execution, Remark, RemarkId, Run, Sample, Severity, Step};

use crate::run::key::{StepKey, steps};
use crate::run::{Loaded, remarks};
use crate::statistics::{Intervals, MOST_GROUPS};

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
    pub samples: Vec<Sample>,
    /// `queries.csv`.
    pub executions: Vec<Execution>,
}

/// What a single run's remark on what happened once in it means for its intervals.
const TOO_NARROW: &str = "its intervals are too narrow; measure much longer, or repeat the run";

impl Side {
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
                samples: if_there(&one.folder, "samples.csv", read_samples)?,
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

/// The most times of all kinds of a step: four times what five kinds have in an hour.
const MOST_TIMES: usize = 1 << 24;

/// The interval histograms of a single run's step by kind of operation; of a run that was killed
/// before it wrote them, none.
pub fn logs(side: &Side, steps: &[&Step]) -> Result<Logs> {
    let (Some(_), [step]) = (&side.series, steps) else { return Ok(Logs::new()) };
    let folder = &side.runs[0].folder;
    let mut tags: BTreeMap<String, Gathered> = BTreeMap::new();
    if hlog::path(folder, step.number).exists() {
        let recorded = |tag: &str| step.transactions.iter().any(|o| o.kind == tag);
        let mut times = 0;
        hlog::each(folder, step.number, recorded, |interval| {
            if !tags.contains_key(interval.tag) {
                tags.insert(interval.tag.to_owned(), Gathered::new(step, &interval));
            }
            let Some(of) = tags.get_mut(interval.tag) else { return Ok(()) };
            times += of.add(&interval)?;
            match times <= MOST_TIMES {
                true => Ok(()),
                false => Err(format!("with it the step has more than {MOST_TIMES} times")),
            }
        })?;
    }
    Ok(tags.into_iter().map(|(tag, all)| (tag, all.finish())).collect())
}

/// The intervals of one kind, so many added up that no more are left than a percentile looks at.
struct Gathered {
    window_end: f64,
    each: usize,
    /// Of the group that goes on.
    intervals: usize,
    sum: Histogram<u64>,
    groups: Vec<Vec<(u64, u64)>>,
}

impl Gathered {
    /// Of a step whose cells are about as long as its first interval.
    fn new(step: &Step, first: &Interval<'_>) -> Gathered {
        let cells = (step.seconds / first.seconds.max(1e-3) - 1e-6).ceil() as usize;
        Gathered {
            window_end: step.start_seconds + step.seconds,
            each: cells.div_ceil(MOST_GROUPS).max(1),
            intervals: 0,
            sum: histogram(),
            groups: Vec::new(),
        }
    }

    /// Adds an interval; returns how many times the groups have more. What ended after the window
    /// hung in its last interval.
    fn add(&mut self, interval: &Interval<'_>) -> std::result::Result<usize, String> {
        let mut more = 0;
        if self.intervals == self.each && !hlog::is_late(interval.start_seconds, self.window_end) {
            more = self.end_group();
        }
        self.intervals = (self.intervals + 1).min(self.each);
        interval.add_to(&mut self.sum)?;
        Ok(more)
    }

    fn end_group(&mut self) -> usize {
        let times = self.sum.iter_recorded();
        let group: Vec<_> = times.map(|of| (of.value_iterated_to(), of.count_at_value())).collect();
        let number = group.len();
        self.groups.push(group);
        self.sum.reset();
        self.intervals = 0;
        number
    }

    fn finish(mut self) -> Intervals {
        if self.intervals > 0 {
            self.end_group();
        }
        Intervals::new(&self.groups)
    }
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
