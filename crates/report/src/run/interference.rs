//! Interference: how much each side of a hybrid run slows the other down, at equal numbers of clients.
//! It is tpM (ops/s) with queries divided by that without, and power with transactions divided by
//! power without.

use hoap_record::words::counted;
use hoap_record::{Run, Score, Step};

use crate::format::number::duration;
use crate::format::table::Cell;
use crate::run::measure::Measure;

/// The interference in one step that had clients of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Interference<'a> {
    /// The step.
    pub step: &'a Step,
    /// Mean tpM of the whole steps with as many transaction clients at the same rate and no query
    /// client.
    pub tpm_alone: Cell,
    /// tpM of the step through that. Below 1: queries slow transactions down.
    pub tpm_ratio: Cell,
    /// Mean power, in seconds, of the whole steps with as many query clients and no transaction
    /// client.
    pub power_alone: Cell,
    /// Power of the step through that. Above 1: transactions slow queries down.
    pub power_ratio: Cell,
}

/// The interference in every step for which the run has something to compare with.
pub fn interferences(run: &Run) -> Vec<Interference<'_>> {
    run.steps
        .iter()
        .filter(|s| s.tx_clients > 0 && s.query_clients > 0)
        .filter_map(|step| {
            let tx: Vec<&Step> = run
                .steps
                .iter()
                .filter(|s| s.query_clients == 0 && s.tx_clients == step.tx_clients)
                // Of an open loop the rate decides how many there are.
                .filter(|s| (s.rate_intended, &s.arrivals) == (step.rate_intended, &step.arrivals))
                .collect();
            let queries: Vec<&Step> = run
                .steps
                .iter()
                .filter(|s| s.tx_clients == 0 && s.query_clients == step.query_clients)
                .collect();
            if tx.is_empty() && queries.is_empty() {
                return None;
            }
            let (tpm_alone, tpm_ratio) = compare(step, &tx, |s| Measure::of_step(s).value(s));
            let (power_alone, power_ratio) = compare(step, &queries, power);
            Some(Interference { step, tpm_alone, tpm_ratio, power_alone, power_ratio })
        })
        .collect()
}

/// Power of a step in seconds, or why there is none. That of an incomplete step does not count.
pub fn power(step: &Step) -> Result<f64, String> {
    complete(step, step.power_seconds)
}

/// Power over the queries that never failed, of a step in which others did: "of the other 21
/// queries 0.51 s". It does not compare with a power of all 22.
pub fn power_of_others(step: &Step) -> Option<String> {
    step.incomplete.as_ref()?;
    let sound = step.queries.iter().filter(|query| query.failed == 0 && query.at_least == 0);
    let means: Vec<f64> = sound.filter_map(|query| query.mean_seconds).collect();
    if !step.queries.iter().any(|query| query.failed > 0) {
        return None;
    }
    let power = Score::of(&means, 1)?.power_seconds;
    let others = counted(means.len(), "query", "queries");
    Some(format!("of the other {others} {}", duration(power)))
}

/// A value that needs all 22 queries, or why there is none.
pub fn complete(step: &Step, value: Option<f64>) -> Result<f64, String> {
    if let Some(why) = step.incomplete.as_ref().or(step.partial.as_ref()) {
        return Err(match power_of_others(step) {
            Some(others) => format!("{why}; power {others}"),
            None => why.clone(),
        });
    }
    value.ok_or_else(|| "the run did not record it".to_string())
}

fn compare(step: &Step, alone: &[&Step], value: fn(&Step) -> Result<f64, String>) -> (Cell, Cell) {
    if alone.is_empty() {
        return (Cell::Empty, Cell::Empty);
    }
    let whole: Vec<f64> = alone.iter().filter_map(|s| value(s).ok()).collect();
    if whole.is_empty() {
        let why = alone.iter().find_map(|s| value(s).err()).unwrap_or_default();
        let cell = Cell::Incomplete(format!("the step to compare with: {why}"));
        return (cell.clone(), cell);
    }
    let mean = whole.iter().sum::<f64>() / whole.len() as f64;
    let ratio = match value(step) {
        Err(why) => Cell::Incomplete(why),
        Ok(_) if mean <= 0.0 => {
            Cell::Incomplete("no operation ended in the step alone".to_string())
        }
        Ok(value) => Cell::Number(value / mean),
    };
    (Cell::Number(mean), ratio)
}
