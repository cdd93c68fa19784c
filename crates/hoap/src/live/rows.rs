//! What the metrics of an interval are made of, whoever they are for.

use hoap_drive::{Phase, StepPlan, Tick};
use hoap_record::{FRESHNESS, Sample};

/// The phases by name, for a metric that is 1 for the one that the step is in.
pub(super) const PHASES: [Phase; 4] =
    [Phase::Connecting, Phase::Warmup, Phase::Measured, Phase::Ended];

/// The clients of a step by side.
pub(super) fn clients(step: &StepPlan) -> [(&'static str, usize); 2] {
    [("transactions", step.tx_clients), ("queries", step.query_clients)]
}

/// The rows of an interval that are about operations: the looks of a freshness probe are none.
pub(super) fn operations<'a>(tick: &'a Tick<'_>) -> impl Iterator<Item = &'a Sample> {
    tick.samples.iter().filter(|sample| sample.kind != FRESHNESS)
}

/// How many of a row's operations ended how.
pub(super) fn outcomes(sample: &Sample) -> [(&'static str, u64); 2] {
    [("success", sample.count), ("failure", sample.failed)]
}

/// The response times of a row's successes, seconds, by quantile; of a freshness probe the ages
/// that it found. Nothing where there was no success.
pub(super) fn quantiles(sample: &Sample) -> impl Iterator<Item = (&'static str, f64)> {
    [("0.5", sample.p50_us), ("0.99", sample.p99_us), ("1", sample.max_us)]
        .into_iter()
        .filter(|_| sample.count > 0)
        .map(|(quantile, us)| (quantile, us as f64 / 1e6))
}
