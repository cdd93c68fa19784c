//! The CSV files of a run folder: `samples.csv`, `queries.csv`, `machine.csv`.

use std::collections::BTreeMap;

use hoap_record::{Execution, GRACE, MachineRow, Sample};
use serde::de::DeserializeOwned;

/// The most steps, and kinds of operations of one, in a file.
const MOST_STEPS: usize = 2_000;
const MOST_KINDS: usize = 256;
/// The most bytes of the name of a kind.
const MOST_NAME: usize = 1024;

/// The most of a count: what a number of JSON holds exactly.
const MOST_COUNT: u64 = 1 << 53;

/// A sum of counts that nobody vouches for.
pub fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Refuses a record with a count beyond all bounds.
///
/// # Errors
/// Says which.
pub fn counts(value: &serde_json::Value) -> Result<(), String> {
    match value {
        serde_json::Value::Number(number) if number.as_u64().is_some_and(|n| n > MOST_COUNT) => {
            Err(format!("a count of {number} is more than {MOST_COUNT}"))
        }
        serde_json::Value::Array(values) => values.iter().try_for_each(counts),
        serde_json::Value::Object(fields) => fields.values().try_for_each(counts),
        _ => Ok(()),
    }
}

/// A row of `samples.csv` without what it is of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Cell {
    pub at: f64,
    pub seconds: f64,
    pub count: u64,
    pub failed: u64,
    pub retries: u64,
    pub mean: f64,
    pub p50: u64,
    pub p99: u64,
    pub max: u64,
}

/// The rows of one kind of operation in one step.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Successes in the warm-up.
    pub warmed_up: u64,
    /// The measured window.
    pub measured: Vec<Cell>,
    /// What ended after it.
    pub grace: Option<Cell>,
}

impl Series {
    /// A sum over the window and what ended after it.
    pub fn sum(&self, of: impl Fn(&Cell) -> u64) -> u64 {
        sum(self.measured.iter().chain(&self.grace).map(of))
    }

    /// A sum over the window.
    pub fn in_window(&self, of: impl Fn(&Cell) -> u64) -> u64 {
        sum(self.measured.iter().map(of))
    }
}

/// `samples.csv`, by step and kind.
pub type Samples = BTreeMap<usize, BTreeMap<String, Series>>;

/// Reads `samples.csv`.
///
/// # Errors
/// Says which row is wrong and how.
pub fn samples(text: &[u8]) -> Result<Samples, String> {
    let mut all = Samples::new();
    each(text, |row: Sample| {
        let finite =
            [row.at_seconds, row.seconds, row.mean_us].iter().all(|n| (0.0..1e12).contains(n));
        let counted = [row.count, row.failed, row.retries].iter().all(|n| *n <= MOST_COUNT);
        if !(finite && counted) {
            return Err("a number is below 0 or beyond all bounds".to_owned());
        }
        if row.kind.len() > MOST_NAME {
            return Err(format!("a kind of operations has a name of {} bytes", row.kind.len()));
        }
        let kinds = all.entry(row.step).or_default();
        if kinds.len() > MOST_KINDS {
            return Err(format!("it has more than {MOST_KINDS} kinds of operations"));
        }
        let series = kinds.entry(row.kind).or_default();
        let cell = Cell {
            at: row.at_seconds,
            seconds: row.seconds,
            count: row.count,
            failed: row.failed,
            retries: row.retries,
            mean: row.mean_us,
            p50: row.p50_us,
            p99: row.p99_us,
            max: row.max_us,
        };
        match row.phase.as_str() {
            "warmup" => series.warmed_up = series.warmed_up.saturating_add(row.count),
            "measured" => series.measured.push(cell),
            GRACE if series.grace.is_none() => series.grace = Some(cell),
            other => return Err(format!("phase {other:?} is unknown or there twice")),
        }
        match all.len() > MOST_STEPS {
            true => Err(format!("it has more than {MOST_STEPS} steps")),
            false => Ok(()),
        }
    })?;
    Ok(all)
}

/// Reads `queries.csv`.
///
/// # Errors
/// Says which row is wrong and how.
pub fn executions(text: &[u8]) -> Result<Vec<Execution>, String> {
    let mut all = Vec::new();
    each(text, |row: Execution| {
        match (0.0..1e9).contains(&row.seconds) {
            true => all.push(row),
            false => return Err("a number is below 0 or beyond all bounds".to_owned()),
        }
        Ok(())
    })?;
    Ok(all)
}

/// Reads `machine.csv`.
///
/// # Errors
/// Says which row is wrong and how.
pub fn machine(text: &[u8]) -> Result<Vec<MachineRow>, String> {
    let mut all = Vec::new();
    each(text, |row: MachineRow| {
        all.push(row);
        Ok(())
    })?;
    Ok(all)
}

fn each<T: DeserializeOwned>(
    text: &[u8],
    mut take: impl FnMut(T) -> Result<(), String>,
) -> Result<(), String> {
    let mut reader = csv::Reader::from_reader(text);
    for (number, row) in reader.deserialize().enumerate() {
        let told = row.map_err(|e| e.to_string()).and_then(&mut take);
        told.map_err(|what| format!("row {}: {what}", number + 1))?;
    }
    Ok(())
}
