//! The file of a history: reading it, and adding to it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use hoap_record::made::{Held, hold};
use hoap_record::{Description, Error, ErrorKind, Result, Run, input, whole};
use hoap_report::compare::{Fact, Measured, Side, decisive, measured};
use hoap_report::number::bytes;
use hoap_report::run::void;
use hoap_report::statistics::Basis;

use crate::digest;
use crate::line::{AcknowledgedLine, FORMAT, Folder, Line, RunLine, ValueLine};

/// The name of the file within the folder of a history.
pub const FILE: &str = "history.ndjson";
/// The most bytes of it, the most values of JSON, and the most runs: time grows with their square.
const MOST: u64 = 256 << 20;
const MOST_VALUES: usize = 3_000_000;
const MOST_RUNS: usize = 10_000;

/// What a history holds, in the order of its lines.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The runs.
    pub runs: Vec<RunLine>,
    /// Their values.
    pub values: Vec<ValueLine>,
    /// The changes that somebody knows of.
    pub acknowledged: Vec<AcknowledgedLine>,
}

/// A run that was added.
#[derive(Clone, Debug)]
pub struct Added {
    /// Its line.
    pub run: RunLine,
    /// How many values it has.
    pub values: usize,
}

impl History {
    /// Reads the history in a folder.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where there is none, or a line of it is none.
    pub fn open(folder: &Path) -> Result<History> {
        let path = folder.join(FILE);
        History::read(&path, &text(&path)?.unwrap_or_default())
    }

    fn read(path: &Path, text: &str) -> Result<History> {
        let refuse = |number: usize, answer: &dyn std::fmt::Display| {
            let tried = format!("read {} line {number}", path.display());
            Error::new(ErrorKind::Invalid, tried, answer)
        };
        let mut history = History::default();
        let (mut known, mut quantities) = (BTreeSet::new(), BTreeSet::new());
        for (number, line) in text.lines().enumerate() {
            let number = number + 1;
            let line: Line = serde_json::from_str(line).map_err(|e| refuse(number, &e))?;
            match (number, line) {
                (1, Line::History { format: FORMAT }) => {}
                (1, Line::History { format }) => {
                    let answer = format!("it is of format {format}, not {FORMAT}");
                    return Err(refuse(1, &answer).advise("read it with the hoap that wrote it"));
                }
                (1, _) | (_, Line::History { .. }) => {
                    return Err(refuse(number, &"only the first line names the format"));
                }
                (_, Line::Run(run)) => {
                    if !known.insert(run.run.clone()) {
                        return Err(refuse(number, &"the run is there twice"));
                    }
                    if history.runs.len() == MOST_RUNS {
                        let answer = format!("it has more than {MOST_RUNS} runs");
                        return Err(refuse(number, &answer).advise("begin another history"));
                    }
                    history.runs.push(run);
                }
                (_, Line::Value(value)) if known.contains(&value.run) => {
                    let whole = |of: Option<f64>| of.is_none_or(|of| of.is_finite() && of >= 0.0);
                    if !whole(Some(value.value)) || !whole(value.error) {
                        return Err(refuse(number, &"its value is no number from 0 on"));
                    }
                    let ValueLine { run, step, metric, kind, .. } = value.clone();
                    if !quantities.insert((run, step, metric, kind)) {
                        return Err(refuse(number, &"the run has this value twice"));
                    }
                    history.values.push(value);
                }
                (_, Line::Acknowledged(line)) if known.contains(&line.run) => {
                    history.acknowledged.push(line);
                }
                (_, Line::Value(_) | Line::Acknowledged(_)) => {
                    return Err(refuse(number, &"no line before it has its run"));
                }
            }
        }
        match text.is_empty() {
            true => Err(Error::new(
                ErrorKind::Invalid,
                format!("read {}", path.display()),
                "there is no history",
            )
            .advise("begin one with `hoap history add RUN --dir DIR`")),
            false => Ok(history),
        }
    }
}

/// The text of the file, if it is there.
fn text(path: &Path) -> Result<Option<String>> {
    let failed = |e: &dyn std::fmt::Display| {
        Error::new(ErrorKind::Invalid, format!("read {}", path.display()), e)
            .advise("name the folder of a history")
    };
    match input::bytes(path, MOST) {
        Ok(bytes) => {
            input::record(&bytes, MOST_VALUES).map_err(|e| failed(&e))?;
            String::from_utf8(bytes).map(Some).map_err(|e| failed(&e))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(failed(&e)),
    }
}

/// The file of a history, which no other process adds to as long as this lives.
struct Open {
    path: PathBuf,
    text: String,
    history: History,
    _held: Held,
}

impl Open {
    /// Of a folder, which is made where it is missing.
    fn new(folder: &Path) -> Result<Open> {
        let held = hold(folder)?;
        let path = folder.join(FILE);
        let (text, history) = match text(&path)? {
            Some(text) if !text.is_empty() => {
                let history = History::read(&path, &text)?;
                (text, history)
            }
            _ => (json(&Line::History { format: FORMAT }), History::default()),
        };
        Ok(Open { path, text, history, _held: held })
    }

    /// Writes what is there and these lines: all of them or none.
    fn append(mut self, lines: &[Line]) -> Result<()> {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        lines.iter().for_each(|line| self.text.push_str(&json(line)));
        whole::write(&self.path, self.text.as_bytes()).map_err(|e| {
            Error::new(ErrorKind::Unavailable, format!("write {}", self.path.display()), e)
                .advise("name another folder")
        })
    }
}

fn json(line: &Line) -> String {
    // Nothing in a line fails to be JSON.
    serde_json::to_string(line).unwrap_or_default() + "\n"
}

/// Adds runs to the history in a folder, which is made where there is none: all of them or none.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where one is there already or is no run, and
/// [`ErrorKind::Unavailable`] where the file cannot be written.
pub fn add(folder: &Path, runs: &[PathBuf]) -> Result<Vec<Added>> {
    let sides = runs.iter().map(|path| of_side(&Side::open(path)?));
    let sides: Vec<(RunLine, Vec<ValueLine>)> = sides.collect::<Result<_>>()?;
    let open = Open::new(folder)?;
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    let before = open.history.runs.iter();
    for (run, is_new) in
        before.map(|run| (run, false)).chain(sides.iter().map(|(run, _)| (run, true)))
    {
        for Folder { path, digest } in &run.folders {
            let Some(there) = known.insert(digest, path).filter(|_| is_new) else { continue };
            let tried = format!("add {path} to the history in {}", folder.display());
            return Err(Error::new(
                ErrorKind::Invalid,
                tried,
                format!("it is there already, as {there}"),
            )
            .advise("leave it out: nothing was added"));
        }
    }
    let mut lines = Vec::new();
    for (run, values) in &sides {
        lines.push(Line::Run(run.clone()));
        lines.extend(values.iter().cloned().map(Line::Value));
    }
    open.append(&lines)?;
    Ok(sides.into_iter().map(|(run, values)| Added { run, values: values.len() }).collect())
}

/// Adds acknowledgements to the history in a folder.
///
/// # Errors
/// Returns the errors of [`History::open`] and of `lines`, and [`ErrorKind::Unavailable`] where the
/// file cannot be written.
pub fn acknowledge(
    folder: &Path,
    lines: impl FnOnce(&History) -> Result<Vec<AcknowledgedLine>>,
) -> Result<Vec<AcknowledgedLine>> {
    // A folder without a history is not made to hold one of nothing.
    History::open(folder)?;
    let open = Open::new(folder)?;
    let lines = lines(&open.history)?;
    let new: Vec<Line> = lines.iter().cloned().map(Line::Acknowledged).collect();
    open.append(&new)?;
    Ok(lines)
}

/// The lines of a run, or of its repetitions.
fn of_side(side: &Side) -> Result<(RunLine, Vec<ValueLine>)> {
    let folders = side.runs.iter().map(|of| {
        let path = of.folder.display().to_string();
        Ok(Folder { path, digest: digest::of_folder(&of.folder)? })
    });
    let folders: Vec<Folder> = folders.collect::<Result<_>>()?;
    let digests: Vec<String> = folders.iter().map(|folder| folder.digest.clone()).collect();
    let first = side.first();
    let (data, workload): (Vec<Fact>, Vec<Fact>) =
        decisive(first).into_iter().partition(|(name, _)| name.starts_with("data."));
    let testbed = first.labels.get("testbed").cloned().unwrap_or_else(|| machine(first));
    let run = RunLine {
        run: digest::of_several(&digests),
        started: first.started.clone(),
        hoap: first.hoap.clone(),
        benchmark: first.benchmark.clone(),
        databases: databases(first).map(|of| of.name.clone()).collect(),
        versions: databases(first).map(|of| format!("{} {}", of.name, of.version)).collect(),
        labels: labels(side),
        testbed,
        data: data.into_iter().collect(),
        workload: workload.into_iter().collect(),
        excluded: side.runs.iter().find_map(|of| excluded(&of.run)),
        folders,
    };
    let value = |of: Measured| ValueLine {
        run: run.run.clone(),
        labels: run.labels.clone(),
        step: of.step,
        metric: of.metric.name().to_owned(),
        kind: of.kind,
        value: of.value,
        error: (of.estimate.basis != Basis::Nothing).then_some(of.estimate.error),
        freedom: (of.estimate.basis != Basis::Nothing).then_some(of.estimate.freedom),
    };
    let values = measured(side)?.into_iter().map(value).collect();
    Ok((run, values))
}

/// The labels that all repetitions have alike.
fn labels(side: &Side) -> BTreeMap<String, String> {
    let mut labels = side.first().labels.clone();
    labels.retain(|key, value| side.runs.iter().all(|of| of.run.labels.get(key) == Some(value)));
    labels
}

/// Why a run has no points.
fn excluded(run: &Run) -> Option<String> {
    let of_void =
        void::void(run).and(void::reason(run)).map(|why| format!("{}: {why}", void::VOID));
    of_void.or_else(|| run.partial.as_ref().map(|why| format!("partial: {why}")))
}

fn databases(run: &Run) -> impl Iterator<Item = &Description> {
    [&run.operational, &run.analytical].into_iter().flatten()
}

/// The driver's machine, as exactly as another start of it says the same.
fn machine(run: &Run) -> String {
    let host = &run.host;
    // The kernel keeps a part of the memory that changes with its version.
    let memory = (host.memory_bytes as f64 / 1e9).round() * 1e9;
    format!("{}, {} cores, {}", host.processor, host.cores, bytes(memory))
}
