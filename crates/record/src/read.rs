//! Reading the run folder, within the bounds of [`limits`].

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::history::Attempt;
use crate::input;
use crate::limits;
use crate::lines::Lines;
use crate::machine::MachineRow;
use crate::names::{HISTORY, MACHINE, OBSERVED, QUERIES, RUN, SAMPLES};
use crate::observed::Observation;
use crate::rows::{Execution, Sample};
use crate::run::{FORMAT, Run};
use crate::table::each_row;

/// What decides whether this version reads a record.
#[derive(Default, serde::Deserialize)]
struct Head {
    format: Option<serde_json::Value>,
    hoap: Option<serde_json::Value>,
}

/// Reads `run.json` of a run folder.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none, its format is not that of this version, or
/// it exceeds a bound of [`limits`].
pub fn read_run(folder: &Path) -> Result<Run> {
    let path = folder.join(RUN);
    let broken =
        |answer: String| Error::new(ErrorKind::Invalid, format!("read {}", path.display()), answer);
    let unreadable = |e: std::io::Error| broken(e.to_string()).advise("name the folder of a run");
    let text = input::bytes(&path, limits::MOST_RECORD).map_err(unreadable)?;
    input::record(&text, input::MOST_VALUES).map_err(broken)?;
    let Head { format, hoap } = match serde_json::from_slice(&text) {
        Ok(head) => head,
        Err(e) if e.is_data() => Head::default(),
        Err(e) => return Err(broken(e.to_string())),
    };
    match format.as_ref().and_then(serde_json::Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => {
            let by = hoap.as_ref().and_then(serde_json::Value::as_str).unwrap_or("unknown");
            let advice = match format < u64::from(FORMAT) {
                true => format!("run it again: only the hoap that wrote it ({by}) reads it"),
                false => format!("use the version of hoap that wrote it ({by})"),
            };
            let answer = format!("it has format {format}, this version reads {FORMAT}");
            return Err(broken(answer).advise(advice));
        }
        None => return Err(broken("it names no format, so it is not the record of a run".into())),
    }
    let run = serde_json::from_slice(&text).map_err(|e| broken(e.to_string()))?;
    limits::run(&run).map_err(broken)?;
    Ok(run)
}

/// The different words of a column.
struct Words {
    seen: RefCell<HashSet<String>>,
    most: usize,
}

impl Words {
    fn at_most(most: usize) -> Words {
        Words { seen: RefCell::default(), most }
    }

    /// Refuses a word that is one too many.
    fn see(&self, what: &str, word: &str) -> std::result::Result<(), String> {
        let mut seen = self.seen.borrow_mut();
        if !seen.contains(word) {
            if seen.len() == self.most {
                return Err(format!("it has more than {} {what}", self.most));
            }
            seen.insert(word.to_owned());
        }
        Ok(())
    }
}

/// Reads `samples.csv` of a run folder, also of a run that was killed.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none, a row is none, or there are more rows, kinds
/// or steps than a run has.
pub fn read_samples(folder: &Path) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    each_sample(folder, |sample| samples.push(sample))?;
    Ok(samples)
}

/// Passes each row of `samples.csv` to `take`.
///
/// # Errors
/// Those of [`read_samples`].
pub fn each_sample(folder: &Path, mut take: impl FnMut(Sample)) -> Result<()> {
    let (kinds, phases) = (Words::at_most(limits::MOST_NAMES), Words::at_most(limits::MOST_KINDS));
    let check = |row: &Sample| {
        limits::step_number(row.step)?;
        kinds.see("kinds", &row.kind)?;
        phases.see("phases", &row.phase)?;
        limits::seconds("at_seconds", row.at_seconds)?;
        limits::seconds("seconds", row.seconds)?;
        limits::count("count", row.count)?;
        limits::count("failed", row.failed)?;
        limits::count("retries", row.retries)
    };
    let mut rows = 0;
    let mut cells: HashMap<(usize, String), usize> = HashMap::new();
    each_row(&folder.join(SAMPLES), check, |row: Sample| {
        limits::rows(&mut rows)?;
        let cells = cells.entry((row.step, row.kind.clone())).or_default();
        *cells += 1;
        if *cells > limits::MOST_READ {
            return Err(format!("its step has more than {} cells", limits::MOST_READ));
        }
        take(row);
        Ok(())
    })
}

/// Reads `machine.csv`, also of a run that was killed. There are no rows where the system does not
/// tell, and in a merged folder.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where a row is none, or there are more than a run has.
pub fn read_machine(folder: &Path) -> Result<Vec<MachineRow>> {
    let path = folder.join(MACHINE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let check = |row: &MachineRow| {
        limits::step_number(row.step)?;
        limits::seconds("at_seconds", row.at_seconds)?;
        limits::seconds("seconds", row.seconds)?;
        limits::seconds("user", row.user)?;
        limits::seconds("system", row.system)?;
        limits::seconds("machine", row.machine)?;
        limits::seconds("steal", row.steal)?;
        limits::seconds("busiest_core", row.busiest_core)
    };
    let (mut rows, mut count) = (Vec::new(), 0);
    each_row(&path, check, |row| {
        limits::rows(&mut count)?;
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

/// Passes each row of `observed.csv` to `take`, also of a run that was killed. There are none where
/// nothing was observed, and in a merged folder.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where a row is none, and where `take` says what is wrong with it.
pub fn each_observation(
    folder: &Path,
    take: impl FnMut(Observation) -> std::result::Result<(), String>,
) -> Result<()> {
    let path = folder.join(OBSERVED);
    if !path.exists() {
        return Ok(());
    }
    let check = |row: &Observation| {
        limits::seconds("at_seconds", row.at_seconds)?;
        limits::finite("value", row.value)
    };
    each_row(&path, check, take)
}

/// Reads `queries.csv` of a run folder, also of a run that was killed.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none, or a row is none.
pub fn read_queries(folder: &Path) -> Result<Vec<Execution>> {
    let mut executions = Vec::new();
    let check = |row: &Execution| {
        limits::step_number(row.step)?;
        limits::seconds("start_seconds", row.start_seconds)?;
        limits::seconds("seconds", row.seconds)
    };
    each_row(&folder.join(QUERIES), check, |row| {
        executions.push(row);
        match executions.len() <= limits::MOST_EXECUTIONS {
            true => Ok(()),
            false => Err(format!("it has more than {} rows", limits::MOST_EXECUTIONS)),
        }
    })?;
    Ok(executions)
}

/// Reads `witness.ndjson` of a run folder.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none, or a line is no attempt.
pub fn read_history(folder: &Path) -> Result<Vec<Attempt>> {
    let mut lines = Lines::open(&folder.join(HISTORY))?;
    let mut history = Vec::new();
    while let Some(line) = lines.next()? {
        if history.len() == limits::MOST_ATTEMPTS {
            return Err(lines.broken(format!("it has more than {} lines", limits::MOST_ATTEMPTS)));
        }
        let attempt = serde_json::from_slice(line);
        history.push(attempt.map_err(|e| lines.broken(e))?);
    }
    Ok(history)
}
