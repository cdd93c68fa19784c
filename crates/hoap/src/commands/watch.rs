//! The line that a step shows while it runs, and the words for its time.

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use hoap_conduct::schedule::{Span, StepPosition};
use hoap_drive::{End, Observer, Phase, StepPlan, Tick, WarmAt};
use hoap_report::number::{Unit, latency};
use hoap_workload::words::counted;
use serde_json::{Value, json};

use crate::console::{Console, Line, rounded};
use crate::live::Live;

/// A warm-up that took so many times what was asked for was as long as the queries' loops.
const LONGER: f64 = 1.1;

/// Draws what the driver tells of one step.
pub struct Watch {
    console: Console,
    position: StepPosition,
    live: Live,
    line: RefCell<Option<Line>>,
    /// Operations of the measured window so far.
    done: Cell<u64>,
    /// When the phase began, and how long the warm-up was.
    begun: Cell<Instant>,
    warmed: Cell<Duration>,
}

impl Watch {
    /// A watch on this console, for those outside too.
    pub fn new(console: Console, position: StepPosition, live: Live) -> Self {
        let line = RefCell::new(None);
        let (done, begun, warmed) = (Cell::new(0), Cell::new(Instant::now()), Cell::default());
        Watch { console, position, live, line, done, begun, warmed }
    }

    fn show(&self, step: &StepPlan, phase: Phase, tick: Option<&Tick<'_>>) {
        let mut line = self.line.borrow_mut();
        let line = line.get_or_insert_with(|| self.console.line());
        let (done, warmed) = (self.done.get(), self.warmed.get());
        let now = Now { step, position: self.position, phase, tick, done, warmed };
        line.set(|columns| now.line(columns), || now.pairs());
        self.live.set("now", || now.value(), false);
    }
}

impl Observer for Watch {
    fn phase(&self, step: &StepPlan, phase: Phase) {
        let last = self.begun.replace(Instant::now());
        if phase == Phase::Measured {
            self.warmed.set(last.elapsed());
        }
        match phase {
            Phase::Ended => {
                *self.line.borrow_mut() = None;
                let ended = || json!({ "step": step.number, "phase": phase.name() });
                self.live.set("now", ended, false);
            }
            _ => self.show(step, phase, None),
        }
    }

    fn tick(&self, tick: &Tick<'_>) {
        // What is told after the end has no line any more.
        if self.line.borrow().is_none() {
            return;
        }
        if tick.phase == Phase::Measured {
            self.done.set(self.done.get() + tick.tx_ended);
        }
        self.show(tick.plan, tick.phase, Some(tick));
    }
}

/// What is known of a step at a moment.
struct Now<'a> {
    step: &'a StepPlan,
    position: StepPosition,
    phase: Phase,
    /// The interval that ended, if one has.
    tick: Option<&'a Tick<'a>>,
    /// Operations of the measured window so far.
    done: u64,
    /// How long the warm-up was, if it has ended.
    warmed: Duration,
}

/// The speed of an interval, as the tables have it: NewOrder of CH2, all operations of the others.
struct Speed {
    unit: &'static str,
    per: f64,
    /// Median and 99th percentile, microseconds.
    times: Option<(u64, u64)>,
}

impl Now<'_> {
    fn elapsed(&self) -> Duration {
        self.tick.map_or(Duration::ZERO, |tick| tick.elapsed)
    }

    /// What is left of the run, connecting and checks apart.
    fn left(&self) -> Span {
        let (step, elapsed, Span { time, open }) = (self.step, self.elapsed(), self.position.own);
        let without = |gone: Duration| {
            let time = time.saturating_sub(gone);
            // It takes longer than was expected: nobody knows how much.
            Span { time, open: open || time.is_zero() }
        };
        let own = match self.phase {
            Phase::Connecting => self.position.own,
            Phase::Warmup => without(elapsed),
            Phase::Measured | Phase::Ended => match step.end {
                End::After(time) => Span::known(time.saturating_sub(elapsed)),
                // At the pace so far.
                End::Operations(all) if self.done > 0 => {
                    let more = all.saturating_sub(self.done) as f64 / self.done as f64;
                    let time = Duration::try_from_secs_f64(elapsed.as_secs_f64() * more);
                    Span::known(time.unwrap_or(Duration::MAX))
                }
                End::Loops { warmup, measured } => match self.loops(warmup, measured) {
                    Some(all) if all > elapsed => Span::known(all - elapsed),
                    Some(_) => Span::at_least(Duration::ZERO),
                    None => without(self.warmed + elapsed),
                },
                End::Operations(_) => without(self.warmed + elapsed),
            },
        };
        own + self.position.rest
    }

    /// How long the measured loops take at the pace of those of the warm-up, if it lasted as long as
    /// they did.
    fn loops(&self, warmup: usize, measured: usize) -> Option<Duration> {
        let by_loops = warmup > 0 && self.warmed > self.step.warmup.mul_f64(LONGER);
        by_loops.then(|| self.warmed.mul_f64(measured as f64 / warmup as f64))
    }

    fn speed(&self) -> Option<Speed> {
        let tick = self.tick.filter(|tick| tick.plan.tx_clients > 0)?;
        Some(match tick.headline() {
            Some(new_orders) => Speed {
                unit: "tpM",
                per: new_orders.count as f64 / tick.length.as_secs_f64() * 60.0,
                times: (new_orders.count > 0).then_some((new_orders.p50_us, new_orders.p99_us)),
            },
            None => Speed { unit: "ops/s", per: tick.tx_per_second, times: tick.times_us },
        })
    }

    /// "connecting 64 clients", "warm-up 2 of 5 s", "measured 1,200 of 5,000 operations".
    fn phase(&self) -> String {
        let seconds = |of: Option<Duration>| {
            let now = self.elapsed().as_secs();
            match of.map(|of| of.as_secs_f64()) {
                Some(of) if of >= now as f64 && of > 0.0 => {
                    format!("{now} of {} s", (of * 10.0).round() / 10.0)
                }
                _ => format!("{now} s"),
            }
        };
        match (self.phase, self.step.end) {
            (Phase::Connecting, _) => {
                let clients = self.step.tx_clients.saturating_add(self.step.query_clients);
                format!("connecting {}", counted(clients, "client", "clients"))
            }
            (Phase::Warmup, _) if self.step.warm_at != WarmAt::Time => {
                let most = (self.step.warmup.as_secs_f64() * 10.0).round() / 10.0;
                let at = if self.step.warm_at == WarmAt::Level { "level" } else { "warm" };
                format!("warm-up {} s, until {at} or {most} s", self.elapsed().as_secs())
            }
            (Phase::Warmup, End::Loops { .. }) => format!("warm-up {}", seconds(None)),
            (Phase::Warmup, _) => format!("warm-up {}", seconds(Some(self.step.warmup))),
            (_, End::After(time)) => format!("measured {}", seconds(Some(time))),
            (_, End::Operations(all)) => {
                let count = |n: u64| Unit::Count.show(n as f64);
                format!("measured {} of {} operations", count(self.done.min(all)), count(all))
            }
            (_, End::Loops { .. }) => format!("measured {}", seconds(None)),
        }
    }

    /// In so many columns: what matters least goes first.
    fn line(&self, columns: usize) -> String {
        let of = self.position.of.map(|of| format!(" of {of}")).unwrap_or_default();
        // Each with its rank: the highest is left out first.
        let mut parts = vec![(0, format!("step {}{of}", self.step.number)), (1, self.phase())];
        parts.extend(left(self.left()).map(|left| (4, format!("{left} left"))));
        if let Some(Speed { unit, per, times }) = self.speed() {
            parts.push((2, format!("{} {unit}", Unit::Rate(unit).show(per))));
            if let Some((p50, p99)) = times {
                parts.push((6, format!("p50 {}", latency(p50 as f64 / 1e6))));
                parts.push((5, format!("p99 {}", latency(p99 as f64 / 1e6))));
            }
        }
        if let Some(tick) = self.tick {
            if tick.plan.query_clients > 0 {
                parts.push((3, counted(tick.queries_finished, "query", "queries")));
                let running: Vec<_> = tick.running.iter().flatten().copied().collect();
                if !running.is_empty() {
                    parts.push((7, format!("in {}", running.join(" "))));
                }
            }
            if tick.failed > 0 {
                parts.push((1, format!("{} failed", Unit::Count.show(tick.failed as f64))));
            }
        }
        loop {
            let words: Vec<_> = parts.iter().map(|(_, words)| words.as_str()).collect();
            let line = words.join(" · ");
            let least = parts.iter().enumerate().max_by_key(|(_, (rank, _))| *rank);
            match least {
                Some((at, _)) if line.chars().count() > columns && parts.len() > 1 => {
                    parts.remove(at);
                }
                _ => return line,
            }
        }
    }

    /// For the page of the run.
    fn value(&self) -> Value {
        let span = self.left();
        let speed = self.speed();
        let times = speed.as_ref().and_then(|speed| speed.times);
        let speed = speed.map(|Speed { unit, per, .. }| json!([per, unit]));
        let tick = self.tick.map(|tick| {
            let running: Vec<_> = tick.running.iter().flatten().collect();
            let queries = (tick.plan.query_clients > 0).then_some(tick.queries_finished);
            json!({ "failed": tick.failed, "queries": queries, "running": running })
        });
        json!({
            "step": self.step.number, "of": self.position.of, "name": self.step.name(),
            "phase": self.phase.name(), "words": self.phase(), "left": span.time.as_secs_f64(),
            "told": left(span), "open": span.open, "speed": speed, "times": times, "tick": tick,
        })
    }

    /// For scripts: `name=value`, numbers bare, times in the unit of the name. What is not known is
    /// left out.
    fn pairs(&self) -> String {
        let mut text = format!("progress step={}", self.step.number);
        let mut pair = |name: &str, value: &dyn std::fmt::Display| {
            text.push_str(&format!(" {name}={value}"));
        };
        if let Some(of) = self.position.of {
            pair("steps", &of);
        }
        pair("phase", &self.phase.name());
        pair("seconds", &format!("{:.1}", self.elapsed().as_secs_f64()));
        let left = self.left();
        let name = if left.open { "least_seconds_left" } else { "seconds_left" };
        pair(name, &left.time.as_secs());
        if let Some(Speed { unit, per, times }) = self.speed() {
            pair(if unit == "tpM" { "tpm" } else { "ops_per_second" }, &format!("{per:.1}"));
            if let Some((p50, p99)) = times {
                pair("p50_us", &p50);
                pair("p99_us", &p99);
            }
        }
        if let Some(tick) = self.tick {
            if tick.plan.query_clients > 0 {
                pair("queries", &tick.queries_finished);
            }
            pair("failed", &tick.failed);
        }
        text
    }
}

/// "40 s", "≥ 2 h"; nothing where nothing is known.
fn left(span: Span) -> Option<String> {
    let words = rounded(span.time);
    match (span.open, span.time.is_zero()) {
        (true, true) => None,
        (true, false) => Some(format!("≥ {words}")),
        (false, _) => Some(words),
    }
}
