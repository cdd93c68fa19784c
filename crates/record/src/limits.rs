//! The bounds on what a run folder may say. Hoap writes nothing near them; a folder from elsewhere
//! that exceeds one is refused before it costs time or memory. `docs/run-folder.md` lists them.

use std::collections::BTreeSet;

use crate::ingestion::{CURVE, Ingestion};
use crate::run::Run;
use crate::step::{MOST_STANDSTILLS, Step};
use crate::stored::Stored;

/// The most bytes of `run.json`.
pub const MOST_RECORD: u64 = 32 << 20;
/// The most cells of a step's time series: a step that has as many goes on with cells twice as
/// long, see [`Cells`](crate::step::Cells).
pub const MOST_CELLS: usize = 3600;
/// The most cells of a step that are read: a merged run has as many in each phase, and an interval
/// of a log for each.
pub const MOST_READ: usize = 4 * MOST_CELLS;
/// The most rows of `samples.csv`, and of `machine.csv`.
pub const MOST_ROWS: usize = 4_000_000;
/// The most bytes of `ledger.json`, which grows with a run.
pub const MOST_LEDGER: u64 = 4 << 30;
/// The most rows of `queries.csv`: of a month with a query each second.
pub const MOST_EXECUTIONS: usize = 3_000_000;
/// The most lines of `witness.ndjson`.
pub const MOST_ATTEMPTS: usize = 2_000_000;
/// The most series of `observed.csv`.
pub const MOST_SERIES: usize = 5000;
/// The most steps of a run, probes of a search included.
pub const MOST_STEPS: usize = 1000;
/// The most kinds of transactions of a step, and of queries.
pub const MOST_KINDS: usize = 32;
/// The most kinds of operations of a run in its time series.
pub const MOST_NAMES: usize = 97;
/// The most labels of a run, and the most bytes of a name or a value of one.
pub const MOST_LABELS: usize = 64;
const MOST_LABEL: usize = 1000;
/// The longest time and the latest moment: about 32 years.
pub const MOST_SECONDS: f64 = 1e9;
/// The highest count: every whole number up to it is a floating-point number too.
pub const MOST_COUNT: u64 = 1 << 53;

/// Refuses a time or a moment that no run has.
pub(crate) fn seconds(name: &str, seconds: f64) -> Result<(), String> {
    match (0.0..=MOST_SECONDS).contains(&seconds) {
        true => Ok(()),
        false => Err(format!("{name} is {seconds}, which is not from 0 to {MOST_SECONDS}")),
    }
}

/// Counts a row, and refuses one that is one too many.
pub(crate) fn rows(rows: &mut usize) -> Result<(), String> {
    *rows += 1;
    if *rows <= MOST_ROWS { Ok(()) } else { Err(format!("it has more than {MOST_ROWS} rows")) }
}

/// Refuses the number of a step that no run has.
pub(crate) fn step_number(number: usize) -> Result<(), String> {
    match number <= MOST_STEPS {
        true => Ok(()),
        false => Err(format!("step is {number}, more than {MOST_STEPS}")),
    }
}

/// Refuses a count that no run has.
pub(crate) fn count(name: &str, count: u64) -> Result<(), String> {
    match count <= MOST_COUNT {
        true => Ok(()),
        false => Err(format!("{name} is {count}, more than {MOST_COUNT}")),
    }
}

/// Refuses what is no number.
pub(crate) fn finite(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() { Ok(()) } else { Err(format!("{name} is {value}, which is no number")) }
}

/// Refuses a record that no run has.
pub(crate) fn run(run: &Run) -> Result<(), String> {
    seconds("seconds", run.seconds)?;
    number("steps", run.steps.len(), MOST_STEPS)?;
    number("labels", run.labels.len(), MOST_LABELS)?;
    for part in run.labels.iter().flat_map(|(name, value)| [name, value]) {
        number("bytes in a label", part.len(), MOST_LABEL)?;
    }
    if let Some(of) = run.load.as_ref().and_then(|load| load.ingestion.as_ref()) {
        ingestion(of).map_err(|what| format!("load.ingestion: {what}"))?;
    }
    if let Some(of) = run.load.as_ref().and_then(|load| load.stored.as_ref()) {
        stored(of).map_err(|what| format!("load.stored: {what}"))?;
    }
    let mut numbers = BTreeSet::new();
    for (at, of) in run.steps.iter().enumerate() {
        step(of).map_err(|what| format!("steps[{at}]: {what}"))?;
        if !numbers.insert(of.number) {
            return Err(format!("steps[{at}]: number {} is that of another step", of.number));
        }
    }
    Ok(())
}

fn stored(of: &Stored) -> Result<(), String> {
    count("bytes", of.bytes)?;
    number("collections", of.collections.len(), MOST_KINDS)?;
    of.collections.iter().try_for_each(|of| count("bytes of a collection", of.bytes))
}

fn ingestion(of: &Ingestion) -> Result<(), String> {
    count("documents", of.documents)?;
    count("documents_at_begin", of.documents_at_begin)?;
    count("documents_at_written", of.documents_at_written)?;
    seconds("written_seconds", of.written_seconds)?;
    seconds("settled_seconds", of.settled_seconds)?;
    seconds("whole_seconds", of.whole_seconds)?;
    seconds("after_seconds", of.after_seconds)?;
    seconds("resolution_seconds", of.resolution_seconds)?;
    number("points of a curve", of.curve.len(), CURVE)?;
    for point in &of.curve {
        seconds("seconds of a point", point.seconds)?;
        count("documents of a point", point.documents)?;
    }
    Ok(())
}

/// Refuses a step that no run has.
pub(crate) fn step(step: &Step) -> Result<(), String> {
    seconds("start_seconds", step.start_seconds)?;
    seconds("warmup_seconds", step.warmup_seconds)?;
    seconds("seconds", step.seconds)?;
    number("transactions", step.transactions.len(), MOST_KINDS)?;
    number("queries", step.queries.len(), MOST_KINDS)?;
    number("standstills", step.standstills.len(), MOST_STANDSTILLS)?;
    for operation in &step.transactions {
        count(&format!("count of {}", operation.kind), operation.count)?;
        count(&format!("timed of {}", operation.kind), operation.timed)?;
    }
    Ok(())
}

fn number(name: &str, number: usize, most: usize) -> Result<(), String> {
    if number <= most { Ok(()) } else { Err(format!("it has {number} {name}, more than {most}")) }
}
