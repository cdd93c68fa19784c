//! The quantities that are compared: where each is recorded, and its error within a single run.

use hoap_record::{Latency, Operation, Percentile, Sample, Step};

use super::side::{Logs, Series, Side};
use crate::format::number::Unit;
use crate::run::interference;
use crate::run::measure::{Measure, failed, operations_per_second};
use crate::statistics::{Basis, Estimate, quantile, throughput, window};

/// A quantity of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Transactions of the headline's kind per minute.
    Tpm,
    /// Operations of all kinds per second.
    Ops,
    /// A percentile of the response times of a kind of operation.
    Percentile(Percentile),
    /// Geometric mean of the queries' mean times.
    Power,
    /// Queries per hour.
    Qph,
    /// Mean time of one query.
    Query,
    /// Operations given up, as a share of those that ended; of the kind [`QUERIES`] executions of
    /// queries.
    Failures,
    /// The 99th percentile of the age of the oldest acknowledged commit that queries do not see.
    Freshness,
}

/// The kind of the failures that are of all queries together.
pub const QUERIES: &str = "queries";

/// Seconds added to ages before they are compared: an age may be 0, which has no logarithm. So ages
/// far below a millisecond count as equal.
const AGELESS: f64 = 1e-3;

impl Metric {
    /// The percentiles that are compared. The maximum is not one: a single operation decides it, so
    /// it has no interval.
    pub fn percentiles() -> impl Iterator<Item = Metric> {
        Percentile::ALL.into_iter().filter(|p| p.rank().is_some()).map(Metric::Percentile)
    }

    /// Each of them.
    pub fn all() -> impl Iterator<Item = Metric> {
        let plain = [
            Metric::Tpm,
            Metric::Ops,
            Metric::Power,
            Metric::Qph,
            Metric::Query,
            Metric::Failures,
            Metric::Freshness,
        ];
        plain.into_iter().chain(Metric::percentiles())
    }

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Tpm => "tpm",
            Metric::Ops => "ops",
            Metric::Percentile(p) => p.name(),
            Metric::Power => "power",
            Metric::Qph => "qph",
            Metric::Query => "query",
            Metric::Failures => "failures",
            Metric::Freshness => "freshness",
        }
    }

    /// As people read it, of this kind of operation.
    pub fn title(self, kind: Option<&str>) -> String {
        match (self, kind) {
            (Metric::Tpm, _) => "tpM".into(),
            (Metric::Ops, _) => "ops/s".into(),
            (Metric::Percentile(p), kind) => {
                format!("{} {}", kind.unwrap_or("all"), p.name())
            }
            (Metric::Qph, _) => "QpH".into(),
            (Metric::Query, Some(kind)) => kind.to_owned(),
            (Metric::Failures, None) => "failures".into(),
            (Metric::Failures, Some(kind)) => format!("failures of {kind}"),
            (Metric::Freshness, _) => "unseen p99".into(),
            (other, _) => other.name().into(),
        }
    }

    /// The unit of its values: seconds, not microseconds.
    pub fn unit(self) -> Unit {
        match self {
            Metric::Tpm | Metric::Ops | Metric::Qph => Unit::Rate(""),
            Metric::Percentile(_) => Unit::Latency,
            Metric::Power | Metric::Query | Metric::Freshness => Unit::Seconds,
            Metric::Failures => Unit::Share,
        }
    }

    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Metric::Tpm | Metric::Ops | Metric::Qph)
    }

    /// Whether it is a headline of its step.
    pub fn is_headline(self, measure: Measure) -> bool {
        match self {
            Metric::Tpm | Metric::Power => true,
            Metric::Ops => measure == Measure::Plain,
            _ => false,
        }
    }

    /// What a step records of it; `None` where the step has no such thing, an error where it should
    /// and has not.
    pub fn recorded(self, kind: Option<&str>, step: &Step) -> Option<Result<f64, String>> {
        match self {
            Metric::Tpm => step.tpm.map(Ok),
            Metric::Ops => (step.tx_clients > 0).then(|| Ok(operations_per_second(step))),
            Metric::Percentile(p) => {
                let latency = latency(kind?, step)?;
                Some(latency.map(|l| p.of(&l) as f64 / 1e6))
            }
            Metric::Power => (!step.queries.is_empty()).then(|| interference::power(step)),
            Metric::Qph => (!step.queries.is_empty())
                .then(|| interference::complete(step, step.queries_per_hour)),
            Metric::Query => {
                let query = step.queries.iter().find(|q| Some(q.kind.as_str()) == kind)?;
                Some(match (query.failed, query.mean_seconds) {
                    (1.., _) => Err(query.error.clone().unwrap_or_else(|| "it failed".into())),
                    (0, Some(mean)) => Ok(mean),
                    (0, None) => Err("it did not finish".into()),
                })
            }
            Metric::Failures => attempts(kind, step).map(|(failed, all)| {
                if all > 0.0 { Ok(failed / all) } else { Err("nothing ended".into()) }
            }),
            Metric::Freshness => step.freshness.as_ref().map(|f| match f.probes {
                0 => Err("no probe was answered".into()),
                _ => Ok(f.unseen.p99_us as f64 / 1e6),
            }),
        }
    }

    /// The side's estimate of it over the steps of its runs, one for each run; `logs` are those of
    /// a single run's step.
    pub fn estimate(
        self,
        kind: Option<&str>,
        side: &Side,
        steps: &[&Step],
        logs: &Logs,
    ) -> Option<Result<Estimate, String>> {
        let mut values = Vec::with_capacity(steps.len());
        for (run, step) in side.runs.iter().zip(steps) {
            match self.recorded(kind, step)? {
                Ok(value) => values.push(value + self.added()),
                Err(why) => return Some(Err(format!("{}: {why}", run.folder.display()))),
            }
        }
        if self == Metric::Failures {
            return Some(failures(kind, side, steps));
        }
        let whole = match (&side.series, steps) {
            (Some(series), [step]) => self.of_series(kind, series, logs, step),
            _ => Estimate::of_runs(&values),
        };
        let resolved = whole.map(|e| e.no_better_than(self.resolution(e.value)));
        Some(resolved.ok_or_else(|| "too small to tell from nothing".to_owned()))
    }

    /// What is added to its values before they are compared.
    pub fn added(self) -> f64 {
        match self {
            Metric::Freshness => AGELESS,
            _ => 0.0,
        }
    }

    /// The relative error of rounding a value.
    fn resolution(self, value: f64) -> f64 {
        match self {
            // To a microsecond, and to three digits; a value is anywhere within.
            Metric::Percentile(_) => (0.5e-6 / value).max(0.0005) / 3f64.sqrt(),
            _ => 0.0,
        }
    }

    /// What one run knows of it. `None` where the value is 0.
    fn of_series(
        self,
        kind: Option<&str>,
        series: &Series,
        logs: &Logs,
        step: &Step,
    ) -> Option<Estimate> {
        let recorded = self.recorded(kind, step)?.ok()?;
        let found = match self {
            Metric::Tpm | Metric::Ops => {
                let counted = |kind: &str| {
                    let ours = step.transactions.iter().any(|o| o.kind == kind);
                    ours && (self == Metric::Ops || step.counts(kind))
                };
                let of = |s: &Sample| if counted(&s.kind) { s.count } else { 0 };
                throughput(&window(step, &series.samples, of))
            }
            Metric::Percentile(p) => logs.get(kind?).and_then(|log| quantile(log, p.rank()?)),
            Metric::Query => Estimate::of_executions(&times(series, step, kind?)),
            Metric::Power | Metric::Qph => self.of_queries(series, step),
            Metric::Failures | Metric::Freshness => None,
        };
        // The record is what every report shows; the series adds how well it is known.
        match found {
            Some(e) => Estimate::new(recorded, e.error, e.freedom, e.basis),
            None => Estimate::bare(recorded + self.added()),
        }
    }

    /// Power and queries per hour from the executions of the queries.
    fn of_queries(self, series: &Series, step: &Step) -> Option<Estimate> {
        let queries: Vec<Estimate> = step
            .queries
            .iter()
            .map(|q| Estimate::of_executions(&times(series, step, &q.kind)))
            .collect::<Option<_>>()?;
        match self {
            Metric::Power => Estimate::geometric_mean(&queries),
            _ => {
                let sum: f64 = queries.iter().map(|q| q.value).sum();
                let parts: Vec<_> = queries.iter().map(|q| (q.value / sum, *q)).collect();
                Estimate::of_parts(1.0 / sum, &parts)
            }
        }
    }
}

/// Response times of a kind of operation; an error where none succeeded.
fn latency(kind: &str, step: &Step) -> Option<Result<Latency, String>> {
    let operation = step.transactions.iter().find(|o| o.kind == kind)?;
    Some(operation.response().cloned().ok_or_else(|| "none succeeded".into()))
}

/// Measured executions of a query that succeeded, seconds.
fn times(series: &Series, step: &Step, query: &str) -> Vec<f64> {
    let of = series.executions.iter().filter(|e| e.step == step.number && e.query == query);
    of.filter(|e| e.phase == "measured" && e.error.is_empty()).map(|e| e.seconds).collect()
}

/// Operations given up, and operations that ended; of [`QUERIES`] their executions. `None` if the
/// step has none of them.
pub fn attempts(kind: Option<&str>, step: &Step) -> Option<(f64, f64)> {
    let (there, done, failed): (bool, u64, u64) = match kind {
        None => {
            let done = step.transactions.iter().map(|o: &Operation| o.count).sum();
            (step.tx_clients > 0, done, failed(step))
        }
        Some(_) => {
            let done = step.queries.iter().map(|q| q.count).sum();
            let failed = step.queries.iter().map(|q| q.failed).sum();
            (!step.queries.is_empty(), done, failed)
        }
    };
    there.then_some((failed as f64, (done + failed) as f64))
}

/// The share of failures. There may be none, which has no logarithm: half a failure is added on
/// each side (Haldane 1956, Anscombe 1956), and the error is never below that of a count.
fn failures(kind: Option<&str>, side: &Side, steps: &[&Step]) -> Result<Estimate, String> {
    let counts: Vec<(f64, f64)> = steps.iter().filter_map(|step| attempts(kind, step)).collect();
    let shares: Vec<f64> =
        counts.iter().map(|(failed, all)| (failed + 0.5) / (all + 0.5)).collect();
    let total: f64 = counts.iter().map(|(failed, _)| failed).sum();
    let of_count = 1.0 / (total + 0.5).sqrt();
    let estimate = match (&side.series, steps, kind) {
        (Some(series), [step], None) => {
            // Failures come in bursts; their time series tells.
            let ours = |kind: &str| step.transactions.iter().any(|o| o.kind == kind);
            let ticks = window(step, &series.samples, |s| if ours(&s.kind) { s.failed } else { 0 });
            let (error, freedom, basis) = match throughput(&ticks) {
                Some(e) => (e.error, e.freedom.max(1.0), e.basis),
                None => (0.0, ticks.len().max(2) as f64 - 1.0, Basis::Series(ticks.len() as f64)),
            };
            Estimate::new(shares[0], error.max(of_count), freedom, basis)
        }
        _ => Estimate::of_runs(&shares).map(|e| e.no_better_than(of_count)),
    };
    estimate.ok_or_else(|| "nothing ended".into())
}
