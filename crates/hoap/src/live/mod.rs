//! What a run measures, for other programs and browsers while it goes on: the same intervals that
//! `samples.csv` gets.
//!
//! `docs/metrics.md` names every metric.

mod about;
mod browser;
mod cell;
mod hub;
#[cfg(feature = "otlp")]
mod otlp;
mod prometheus;
mod rows;
mod server;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

pub use about::About;
use hoap_drive::{Observer, Phase, StepPlan, Tick};
use hoap_record::Run;
use hub::Hub;
use prometheus::Metrics;
use serde_json::{Value, json};
use server::Server;

use crate::args::LiveArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Whoever watches a run from outside the terminal.
#[derive(Clone, Default)]
pub struct Live {
    watchers: Arc<[Watcher]>,
    /// Its page, if there is one.
    hub: Option<Arc<Hub>>,
}

type Watcher = Arc<dyn Observer + Send + Sync>;

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
        let own = args.open.then_some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let mut hub = None;
        if let Some(address) = args.metrics.or(own) {
            let (metrics, registry) = Metrics::register(about);
            let page = Arc::new(Hub::new(about));
            let address = Server::listen(address, registry, page.clone()).await?;
            console.say(format!("page at http://{address}/, metrics at http://{address}/metrics"));
            if !address.ip().is_loopback() {
                console.say(
                    "  warning: whoever reaches this address reads them, without a password and in \
                     plain text; 127.0.0.1 is for this machine alone",
                );
            }
            all.extend([Arc::new(metrics) as Watcher, page.clone()]);
            hub = Some(page);
            if args.open {
                browser::open(address, console);
            }
        }
        if let Some(collector) = &args.otlp {
            all.push(exporter(collector, about)?);
        }
        Ok(Live { watchers: all.into(), hub })
    }

    /// A part of what is known has changed. It is told now, or with the next interval.
    pub fn set(&self, part: &str, value: impl FnOnce() -> Value, now: bool) {
        if let Some(hub) = &self.hub {
            hub.set(part, value(), now);
        }
    }

    /// Work of known length begins, of which [`Work::set`] is told.
    pub fn work(&self, what: &str) -> Work {
        Work { live: self.clone(), what: what.to_owned() }
    }

    /// The record so far.
    pub fn recorded(&self, folder: &Path, run: &Run) {
        if let Some(hub) = &self.hub {
            hub.recorded(folder, run);
        }
    }

    /// The run has ended: browsers that listen get the report, which `make` makes of its folder.
    pub async fn end(&self, words: &str, make: impl FnOnce(&Path) -> Option<String>) {
        if let Some(hub) = &self.hub {
            hub.end(words, make).await;
        }
    }
}

/// Work that the page shows until it is dropped.
pub struct Work {
    live: Live,
    what: String,
}

impl Work {
    /// So much of it is done.
    pub fn set(&self, done: u64, length: u64) {
        if let Some(hub) = &self.live.hub {
            let share = (done as f64 / length.max(1) as f64).min(1.0);
            hub.set_often("work", || json!({ "what": self.what, "share": share }));
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.live.set("work", || Value::Null, true);
    }
}

#[cfg(feature = "otlp")]
fn exporter(collector: &str, about: &About<'_>) -> Result<Watcher, Failure> {
    Ok(Arc::new(otlp::Exporter::start(collector, about)?))
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
        self.live.watchers.iter().for_each(|o| o.phase(step, phase));
    }

    fn tick(&self, tick: &Tick<'_>) {
        self.first.tick(tick);
        self.live.watchers.iter().for_each(|o| o.tick(tick));
    }
}
