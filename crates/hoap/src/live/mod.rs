//! What a run measures, for other programs while it goes on: the same intervals that `samples.csv`
//! gets.
//!
//! `docs/metrics.md` names every metric.

mod about;
#[cfg(feature = "otlp")]
mod otlp;
mod prometheus;
mod rows;

use std::sync::Arc;

pub use about::About;
use hoap_drive::{Observer, Phase, StepPlan, Tick};

use crate::args::LiveArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Whoever watches a run from outside the terminal.
#[derive(Clone, Default)]
pub struct Live(Arc<[Watcher]>);

type Watcher = Box<dyn Observer + Send + Sync>;

impl Live {
    /// Those that the flags ask for.
    ///
    /// # Errors
    /// An address that cannot be listened on, a collector whose address is none, an exporter that
    /// is not part of this build.
    pub async fn start(
        args: &LiveArgs,
        about: &About<'_>,
        console: &Console,
    ) -> Result<Live, Failure> {
        let mut all: Vec<Watcher> = Vec::new();
        if let Some(address) = args.metrics {
            let (endpoint, address) = prometheus::Endpoint::listen(address, about).await?;
            console.say(format!("metrics at http://{address}/metrics"));
            if !address.ip().is_loopback() {
                console.say(
                    "  warning: whoever reaches this address reads them, without a password and in \
                     plain text; 127.0.0.1 is for this machine alone",
                );
            }
            all.push(Box::new(endpoint));
        }
        if let Some(collector) = &args.otlp {
            all.push(exporter(collector, about)?);
        }
        Ok(Live(all.into()))
    }
}

#[cfg(feature = "otlp")]
fn exporter(collector: &str, about: &About<'_>) -> Result<Watcher, Failure> {
    Ok(Box::new(otlp::Exporter::start(collector, about)?))
}

#[cfg(not(feature = "otlp"))]
fn exporter(_: &str, _: &About<'_>) -> Result<Watcher, Failure> {
    Err(Failure::usage(
        "send metrics to an OpenTelemetry collector: not part of this build; build it with \
         `cargo build --release --features otlp`",
    ))
}

/// The terminal's line and everybody else.
pub struct Together<'a, O> {
    /// The terminal's line.
    pub first: O,
    /// Everybody else.
    pub live: &'a Live,
}

impl<O: Observer> Observer for Together<'_, O> {
    fn phase(&self, step: &StepPlan, phase: Phase) {
        self.first.phase(step, phase);
        self.live.0.iter().for_each(|o| o.phase(step, phase));
    }

    fn tick(&self, tick: &Tick<'_>) {
        self.first.tick(tick);
        self.live.0.iter().for_each(|o| o.tick(tick));
    }
}
