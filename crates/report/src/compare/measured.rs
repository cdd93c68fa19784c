//! What a side measured, each number with how well it is known.

use hoap_record::Result;

use super::comparable::differences;
use super::lines::{Asked, Matched, shown};
use super::metric::Metric;
use super::side::{Side, logs};
use crate::run::key::steps;
use crate::run::measure::Measure;
use crate::statistics::Estimate;

/// A quantity of a step.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The step's name, of the second such step "4 clients (2)".
    pub step: String,
    /// The quantity.
    pub metric: Metric,
    /// The kind of operation, or the query.
    pub kind: Option<String>,
    /// Its value: seconds, a rate.
    pub value: f64,
    /// How well it is known. Of freshness [`Metric::added`] is in its value.
    pub estimate: Estimate,
}

/// Every quantity that a comparison shows of the whole steps of a side, but for failures. What is
/// not whole in every run, and what has no value, is left out.
///
/// # Errors
/// Returns `Invalid` where the runs are not repetitions of one another, or a log is broken.
pub fn measured(side: &Side) -> Result<Vec<Measured>> {
    differences(&[side])?;
    let asked = Asked { measure: Measure::of(side.first()), gates: &[], details: true };
    let mut all = Vec::new();
    for (key, step) in steps(side.first()) {
        let Ok(found) = side.steps(&key) else { continue };
        let logs = logs(side, &found)?;
        let step = Matched { name: key.name(step), baseline: found, candidate: Vec::new() };
        for (metric, kind) in asked.of(&step) {
            if metric == Metric::Failures {
                continue;
            }
            let value = shown(metric, kind.as_deref(), side, &step.baseline, &logs, false);
            if let Some(Ok(shown)) = value
                && !shown.is_nothing()
            {
                let step = step.name.clone();
                let (value, estimate) = (shown.value, shown.estimate);
                all.push(Measured { step, metric, kind, value, estimate });
            }
        }
    }
    Ok(all)
}
