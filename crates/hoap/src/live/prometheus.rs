//! The metrics that Prometheus scrapes, in the OpenMetrics text format.

use std::sync::atomic::AtomicU64;

use hoap_drive::{Observer, Phase, StepPlan, Tick};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::about::About;
use super::rows::{PHASES, clients, operations, outcomes, quantiles};

type Reals = Gauge<f64, AtomicU64>;

/// Which operations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Operations {
    step: usize,
    phase: String,
    kind: String,
}

/// Which operations, and how they ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    step: usize,
    phase: String,
    kind: String,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Quantile {
    kind: String,
    quantile: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Side {
    side: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InPhase {
    phase: &'static str,
}

/// The name of a run's label: one of the metric has letters, digits and _ alone.
fn label_name(key: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("label_{}", key.chars().map(plain).collect::<String>())
}

/// The metrics of a run.
pub struct Metrics {
    step: Gauge,
    phase: Family<InPhase, Gauge>,
    clients: Family<Side, Gauge>,
    operations: Family<Ended, Counter>,
    retries: Family<Operations, Counter>,
    response: Family<Quantile, Reals>,
    interval: Reals,
}

impl Metrics {
    /// Those of this run, all in a registry of their own.
    pub fn register(about: &About<'_>) -> (Metrics, Registry) {
        let mut registry = Registry::with_prefix("hoap");
        let metrics = Metrics {
            step: Gauge::default(),
            phase: Family::default(),
            clients: Family::default(),
            operations: Family::default(),
            retries: Family::default(),
            response: Family::default(),
            interval: Reals::default(),
        };
        let mut names = vec![
            ("benchmark".to_owned(), about.benchmark.to_owned()),
            ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ];
        names.extend(about.labels.iter().map(|(key, value)| (label_name(key), value.clone())));
        let about = Info::new(names);
        registry.register("run", "What runs", about);
        registry.register("step", "Number of the step", metrics.step.clone());
        registry.register("phase", "1 for the phase that the step is in", metrics.phase.clone());
        registry.register("clients", "Clients of the step", metrics.clients.clone());
        registry.register(
            "operations",
            "Operations that ended, by kind and outcome",
            metrics.operations.clone(),
        );
        registry.register(
            "retries",
            "Times an operation was begun again after a conflict",
            metrics.retries.clone(),
        );
        registry.register_with_unit(
            "interval_response",
            "Response times of the successes of the last interval; quantile 1 is the slowest",
            Unit::Seconds,
            metrics.response.clone(),
        );
        registry.register_with_unit(
            "interval_length",
            "Length of the last interval",
            Unit::Seconds,
            metrics.interval.clone(),
        );
        (metrics, registry)
    }
}

impl Observer for Metrics {
    fn phase(&self, step: &StepPlan, phase: Phase) {
        self.step.set(step.number as i64);
        for one in PHASES {
            let label = InPhase { phase: one.name() };
            self.phase.get_or_create(&label).set((one == phase).into());
        }
        for (side, n) in clients(step) {
            self.clients.get_or_create(&Side { side }).set(n as i64);
        }
    }

    fn tick(&self, tick: &Tick<'_>) {
        self.interval.set(tick.length.as_secs_f64());
        // A kind that did nothing in this interval has no response times in it.
        self.response.clear();
        for sample in operations(tick) {
            let (step, phase, kind) = (sample.step, sample.phase.clone(), sample.kind.clone());
            for (outcome, n) in outcomes(sample) {
                let label = Ended { step, phase: phase.clone(), kind: kind.clone(), outcome };
                self.operations.get_or_create(&label).inc_by(n);
            }
            self.retries.get_or_create(&Operations { step, phase, kind }).inc_by(sample.retries);
        }
        for sample in tick.samples {
            for (quantile, seconds) in quantiles(sample) {
                let label = Quantile { kind: sample.kind.clone(), quantile };
                self.response.get_or_create(&label).set(seconds);
            }
        }
    }
}
