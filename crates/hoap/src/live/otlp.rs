//! Metrics to an OpenTelemetry collector, by OTLP over HTTP.

use std::time::Duration;

use hoap_databases::url::{redact, scrub};
use hoap_drive::{Observer, Phase, StepPlan, Tick};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Gauge, MeterProvider};
use opentelemetry_otlp::{MetricExporter, Protocol, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};

use super::about::About;
use super::rows::{PHASES, clients, operations, outcomes, quantiles};
use crate::failure::Failure;

/// How often metrics leave; and how long the end of a run waits for the last ones at most.
const EVERY: Duration = Duration::from_secs(1);

/// Sends what the run measures until it is dropped.
pub struct Exporter {
    provider: SdkMeterProvider,
    step: Gauge<u64>,
    phase: Gauge<u64>,
    clients: Gauge<u64>,
    operations: Counter<u64>,
    retries: Counter<u64>,
    response: Gauge<f64>,
}

impl Exporter {
    /// To a collector such as `http://127.0.0.1:4318`. The collector need not be there: what cannot
    /// be sent is lost, and the run goes on.
    pub fn start(collector: &str, about: &About<'_>) -> Result<Exporter, Failure> {
        let host = collector.strip_prefix("http://").map(|rest| rest.trim_start_matches('/'));
        if host.is_none_or(|host| host.is_empty() || host.starts_with(':')) {
            return Err(Failure::usage(format!(
                "send metrics to {}: metrics go by OTLP over HTTP, without TLS and gRPC; give --otlp \
                 an address such as http://127.0.0.1:4318",
                redact(collector)
            )));
        }
        let endpoint = format!("{}/v1/metrics", collector.trim_end_matches('/'));
        let to = endpoint.clone();
        let build = move || -> Result<MetricExporter, String> {
            // What OTEL_EXPORTER_OTLP_HEADERS has, such as a key, is for this address alone.
            let client = reqwest::blocking::Client::builder()
                .timeout(EVERY)
                .redirect(reqwest::redirect::Policy::none())
                .build();
            MetricExporter::builder()
                .with_http()
                .with_http_client(client.map_err(|e| e.to_string())?)
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(to)
                .with_timeout(EVERY)
                .build()
                .map_err(|e| e.to_string())
        };
        // The client keeps a runtime of its own, which must not be made inside of ours.
        let exporter = std::thread::spawn(build)
            .join()
            .map_err(|_| "its client could not be made".to_owned())
            .flatten()
            .map_err(|e| {
                // Its words repeat the address, which may hold white space that nobody encoded.
                let e = e.replace(&endpoint, &redact(&endpoint));
                let (collector, e) = (redact(collector), scrub(&e));
                Failure::usage(format!("send metrics to {collector}: {e}"))
            })?;
        let label = |(key, value): (&String, &String)| {
            KeyValue::new(format!("hoap.label.{key}"), value.clone())
        };
        let resource = Resource::builder()
            .with_service_name("hoap")
            .with_attributes(about.labels.iter().map(label))
            .with_attributes([
                KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
                KeyValue::new("hoap.benchmark", about.benchmark.to_owned()),
            ])
            .build();
        let reader = PeriodicReader::builder(exporter).with_interval(EVERY).build();
        let provider =
            SdkMeterProvider::builder().with_resource(resource).with_reader(reader).build();
        let meter = provider.meter("hoap");
        Ok(Exporter {
            step: meter.u64_gauge("hoap.step").with_description("Number of the step").build(),
            phase: meter
                .u64_gauge("hoap.phase")
                .with_description("1 for the phase that the step is in")
                .build(),
            clients: meter
                .u64_gauge("hoap.clients")
                .with_description("Clients of the step")
                .build(),
            operations: meter
                .u64_counter("hoap.operations")
                .with_description("Operations that ended, by kind and outcome")
                .build(),
            retries: meter
                .u64_counter("hoap.retries")
                .with_description("Times an operation was begun again after a conflict")
                .build(),
            response: meter
                .f64_gauge("hoap.interval.response")
                .with_unit("s")
                .with_description(
                    "Response times of the successes of the last interval; quantile 1 is the slowest",
                )
                .build(),
            provider,
        })
    }
}

impl Observer for Exporter {
    fn phase(&self, step: &StepPlan, phase: Phase) {
        self.step.record(step.number as u64, &[]);
        for one in PHASES {
            self.phase.record((one == phase).into(), &[KeyValue::new("phase", one.name())]);
        }
        for (side, n) in clients(step) {
            self.clients.record(n as u64, &[KeyValue::new("side", side)]);
        }
    }

    fn tick(&self, tick: &Tick<'_>) {
        for sample in operations(tick) {
            let which = [
                KeyValue::new("step", sample.step as i64),
                KeyValue::new("phase", sample.phase.clone()),
                KeyValue::new("kind", sample.kind.clone()),
            ];
            for (outcome, n) in outcomes(sample) {
                let mut ended = which.to_vec();
                ended.push(KeyValue::new("outcome", outcome));
                self.operations.add(n, &ended);
            }
            self.retries.add(sample.retries, &which);
        }
        for sample in tick.samples {
            for (quantile, seconds) in quantiles(sample) {
                let which = [
                    KeyValue::new("kind", sample.kind.clone()),
                    KeyValue::new("quantile", quantile),
                ];
                self.response.record(seconds, &which);
            }
        }
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        // What the collector does not take now nobody can bring it later.
        let _ = self.provider.shutdown_with_timeout(EVERY);
    }
}
