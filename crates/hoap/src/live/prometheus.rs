//! An endpoint that Prometheus scrapes: `http://ADDRESS/metrics` in the OpenMetrics text format.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hoap_drive::{Observer, Phase, StepPlan, Tick};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::about::About;
use super::rows::{PHASES, clients, operations, outcomes, quantiles};
use crate::failure::Failure;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of a run and the task that serves them, for as long as the process lives.
pub struct Endpoint(Metrics);

impl Endpoint {
    /// Listens, serves in the background, and says where: port 0 is any free one.
    pub async fn listen(
        address: SocketAddr,
        about: &About<'_>,
    ) -> Result<(Endpoint, SocketAddr), Failure> {
        let failed = |e: std::io::Error| {
            Failure::unavailable(format!(
                "listen for Prometheus on {address}: {e}; give --metrics a free port"
            ))
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let mut registry = Registry::with_prefix("hoap");
        let metrics = Metrics::register(&mut registry, about);
        tokio::spawn(serve(listener, Arc::new(registry)));
        Ok((Endpoint(metrics), address))
    }
}

/// Connections at a time; others wait until one has ended.
const CONNECTIONS: usize = 64;
/// How long a connection may take, from its request's first byte to its answer's last.
const LONGEST: Duration = Duration::from_secs(5);
/// The largest head of a request, bytes.
const LARGEST_HEAD: usize = 16 << 10;
/// How long a failed accept waits for what it lacked, such as a free file descriptor.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers until the process ends, each connection once and within limits. What goes wrong with one
/// scrape is that scraper's to notice.
async fn serve(listener: TcpListener, registry: Arc<Registry>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    while let Ok(place) = places.clone().acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let registry = registry.clone();
        let service = service_fn(move |request| {
            let answer = answer(&request, &registry);
            async move { Ok::<_, Infallible>(answer) }
        });
        let connection = http1::Builder::new()
            .keep_alive(false)
            .max_buf_size(LARGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(LONGEST, connection).await;
            drop(place);
        });
    }
}

fn answer(request: &Request<Incoming>, registry: &Registry) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    if request.uri().path() != "/metrics" {
        *response.status_mut() = StatusCode::NOT_FOUND;
        *response.body_mut() = Full::from("the metrics are at /metrics\n");
    } else if ![Method::GET, Method::HEAD].contains(request.method()) {
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    } else {
        let mut body = String::new();
        match text::encode(&mut body, registry) {
            Ok(()) => {
                let kind = hyper::header::HeaderValue::from_static(OPEN_METRICS);
                response.headers_mut().insert(CONTENT_TYPE, kind);
                *response.body_mut() = Full::from(body);
            }
            Err(_) => *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
    response
}

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

struct Metrics {
    step: Gauge,
    phase: Family<InPhase, Gauge>,
    clients: Family<Side, Gauge>,
    operations: Family<Ended, Counter>,
    retries: Family<Operations, Counter>,
    response: Family<Quantile, Reals>,
    interval: Reals,
}

impl Metrics {
    fn register(registry: &mut Registry, about: &About<'_>) -> Metrics {
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
        metrics
    }
}

impl Observer for Endpoint {
    fn phase(&self, step: &StepPlan, phase: Phase) {
        let Endpoint(metrics) = self;
        metrics.step.set(step.number as i64);
        for one in PHASES {
            let label = InPhase { phase: one.name() };
            metrics.phase.get_or_create(&label).set((one == phase).into());
        }
        for (side, n) in clients(step) {
            metrics.clients.get_or_create(&Side { side }).set(n as i64);
        }
    }

    fn tick(&self, tick: &Tick<'_>) {
        let Endpoint(metrics) = self;
        metrics.interval.set(tick.length.as_secs_f64());
        // A kind that did nothing in this interval has no response times in it.
        metrics.response.clear();
        for sample in operations(tick) {
            let (step, phase, kind) = (sample.step, sample.phase.clone(), sample.kind.clone());
            for (outcome, n) in outcomes(sample) {
                let label = Ended { step, phase: phase.clone(), kind: kind.clone(), outcome };
                metrics.operations.get_or_create(&label).inc_by(n);
            }
            metrics.retries.get_or_create(&Operations { step, phase, kind }).inc_by(sample.retries);
        }
        for sample in tick.samples {
            for (quantile, seconds) in quantiles(sample) {
                let label = Quantile { kind: sample.kind.clone(), quantile };
                metrics.response.get_or_create(&label).set(seconds);
            }
        }
    }
}
