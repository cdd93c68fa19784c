//! The key figures of a run: its answers, which come before all tables.

use hoap_record::search::Search;
use hoap_record::words::counted;
use hoap_record::{Ingestion, Run, Step, Verdict};

use super::interference::{complete, interferences, power};
use super::measure::{self, Axis, Measure, all_failed, exceeded, operations_per_second, shortfall};
use super::search::search_bounds;
use super::step_name;
use crate::format::number::{Unit, duration, latency, rate};

/// One key figure.
#[derive(Clone, Debug)]
pub struct KeyFigure {
    /// What it is.
    pub label: &'static str,
    /// The number as text.
    pub value: String,
    /// Its unit, empty for none.
    pub unit: &'static str,
    /// What it is of.
    pub note: String,
    /// Whether it says that something is wrong.
    pub bad: bool,
}

impl KeyFigure {
    /// The value with its unit.
    pub fn number(&self) -> String {
        format!("{} {}", self.value, self.unit).trim_end().to_owned()
    }

    /// "Checks: all pass; 45 of 45 passed; nothing failed."
    pub fn sentence(&self) -> String {
        format!("{}: {}; {}.", self.label, self.number(), self.note)
    }
}

/// The figures that were measured.
pub fn of_run(run: &Run) -> Vec<KeyFigure> {
    let has_queries = run.steps.iter().any(|step| step.query_clients > 0);
    let mut figures = match Measure::of(run) {
        Measure::Plain if !has_queries => plain(run),
        _ => hybrid(run),
    };
    match &run.search {
        Some(search) => figures.insert(0, highest_rate(search)),
        None => figures.extend(shortfalls(run)),
    }
    figures.extend(failures(run));
    figures
}

fn hybrid(run: &Run) -> Vec<KeyFigure> {
    let mut figures = Vec::new();
    // No rate that was not reached, and none that a search tried: its answer is a figure of its
    // own.
    let searched = run.search.is_some();
    let sustained = |s: &Step| match Axis::of(s) {
        Axis::Clients => true,
        Axis::Rate => s.rate_shortfall.is_none() && !searched,
    };
    let alone = best(run, |s| s.tx_clients > 0 && s.query_clients == 0 && sustained(s));
    let beside = best(run, |s| s.tx_clients > 0 && s.query_clients > 0 && sustained(s));
    let [only_they, both, queries_too] = match Measure::of(run) {
        Measure::Hybrid => {
            ["Transactions alone", "Transactions + queries", "Queries + transactions"]
        }
        Measure::Plain => ["Operations alone", "Operations + queries", "Queries + operations"],
    };
    figures.extend(alone.map(|s| operations(only_they, s, run)));
    figures.extend(beside.map(|s| operations(both, s, run)));
    let queries = |label, step: &Step| {
        let note = match power(step) {
            Ok(power) => format!("{}; power {}", step_name(step), duration(power)),
            Err(why) => format!("{}: {why}", step_name(step)),
        };
        match complete(step, step.queries_per_hour) {
            Ok(qph) => figure(label, Unit::Rate("QpH").show(qph), "QpH", note),
            Err(_) => KeyFigure { bad: true, ..figure(label, "incomplete".into(), "", note) },
        }
    };
    let only = run.steps.iter().find(|s| s.tx_clients == 0 && s.query_clients > 0);
    figures.extend(only.map(|s| queries("Queries alone", s)));
    figures.extend(beside.map(|s| queries(queries_too, s)));
    figures.extend(beside.or(alone).and_then(freshness));
    figures.extend(run.ingestion().map(ingestion));
    figures
}

/// The age of the oldest commit that queries did not see beside the transactions of a step.
fn freshness(step: &Step) -> Option<KeyFigure> {
    let freshness = step.freshness.as_ref()?;
    let label = "Freshness, p99";
    let of = step_name(step);
    if freshness.probes == 0 {
        let note = format!("{of}: {} failed", counted(freshness.failed, "probe", "probes"));
        return Some(KeyFigure { bad: true, ..figure(label, "none".into(), "", note) });
    }
    let age = |us: u64| duration(us as f64 / 1e6);
    let (p50, p99) = (age(freshness.unseen.p50_us), age(freshness.unseen.p99_us));
    let all =
        Unit::Share.show((freshness.all_seen as f64 / freshness.probes as f64 * 1e3).round() / 1e3);
    let note = format!("{of}; p50 {p50}; {all} saw all");
    Some(figure(label, p99, "", note))
}

/// The rate at which the database of the queries took in the load.
fn ingestion(ingestion: &Ingestion) -> KeyFigure {
    let (seconds, within) = (ingestion.whole_seconds, ingestion.resolution_seconds);
    let mut note =
        format!("all of the load in {}, to within {}", duration(seconds), duration(within));
    if let Some(rate) = ingestion.per_second_after {
        let rate = Unit::Rate("documents/s").show(rate);
        let after = duration(ingestion.after_seconds);
        note += &format!("; {rate} documents/s in the {after} after the load");
    }
    let rate = ingestion.per_second.unwrap_or(f64::NAN);
    let value = Unit::Rate("documents/s").show(rate);
    figure("Ingestion", value, "documents/s", note)
}

fn plain(run: &Run) -> Vec<KeyFigure> {
    let mut figures = Vec::new();
    let closed = best(run, |s| Axis::of(s) == Axis::Clients);
    let open = best(run, |s| Axis::of(s) == Axis::Rate && s.rate_shortfall.is_none());
    figures.extend(closed.map(|s| operations("Highest throughput", s, run)));
    // The rates of a search are its own: its answer is the figure, and no probe that broke a bound.
    let open = open.filter(|_| run.search.is_none());
    figures.extend(open.map(|s| operations("Open loop, rate reached", s, run)));
    figures
}

/// Operations and queries that were given up, and in which steps.
fn failures(run: &Run) -> Option<KeyFigure> {
    let failed: Vec<(&Step, u64)> =
        run.steps.iter().map(|s| (s, all_failed(s))).filter(|(_, n)| *n > 0).collect();
    if failed.is_empty() {
        return None;
    }
    let all = failed.iter().fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
    let steps: Vec<String> = failed.iter().map(|(s, _)| step_name(s)).collect();
    let note = match steps.as_slice() {
        [a, b, c, more @ ..] if !more.is_empty() => {
            format!("in {a}; {b}; {c} and {}", counted(more.len(), "more step", "more steps"))
        }
        steps => format!("in {}", steps.join("; ")),
    };
    let value = Unit::Count.show(all as f64);
    Some(KeyFigure { bad: true, ..figure("Failed operations", value, "", note) })
}

/// The answer of a search: its lower end, which held.
fn highest_rate(search: &Search) -> KeyFigure {
    let label = "Highest rate that held";
    let mut note = search_bounds(search);
    note.extend(search.below.map(|rate| format!("; not at {}/s", Unit::Rate("/s").show(rate))));
    match search.rate {
        Some(rate) => figure(label, Unit::Rate("ops/s").show(rate), "ops/s", note),
        None => KeyFigure { bad: true, ..figure(label, "none".into(), "", note) },
    }
}

/// The lowest intended rate of an open loop that was not reached.
fn shortfalls(run: &Run) -> Option<KeyFigure> {
    let short = run.steps.iter().filter_map(|s| Some((s, shortfall(s)?)));
    let (step, words) = short.min_by(|(a, _), (b, _)| {
        let intended = |s: &Step| s.rate_intended.unwrap_or(f64::MAX);
        intended(a).total_cmp(&intended(b))
    })?;
    let note = format!("{}: {words}", step_name(step));
    let value = Unit::Rate("ops/s").show(operations_per_second(step));
    let label = if exceeded(step) { "Rate exceeded" } else { "Rate not reached" };
    Some(KeyFigure { bad: true, ..figure(label, value, "ops/s", note) })
}

fn figure(label: &'static str, value: String, unit: &'static str, note: String) -> KeyFigure {
    KeyFigure { label, value, unit, note, bad: false }
}

/// The step of the highest number; a whole one before a partial one.
fn best(run: &Run, which: impl Fn(&Step) -> bool) -> Option<&Step> {
    run.steps.iter().filter(|s| which(s)).max_by(|a, b| {
        let rank = |s: &Step| Measure::of(run).value(s).unwrap_or(-1.0);
        rank(a).total_cmp(&rank(b))
    })
}

/// The headline measure of a step.
fn operations(label: &'static str, step: &Step, run: &Run) -> KeyFigure {
    let measure = Measure::of(run);
    match measure.value(step) {
        Ok(value) => {
            let mut note = step_name(step);
            for (o, times) in
                measure::headline_operations(step).filter_map(|o| Some((o, o.response()?)))
            {
                let kind = match measure {
                    Measure::Hybrid => String::new(),
                    Measure::Plain => format!("{} ", o.kind),
                };
                note += &format!("; {kind}p99 {}", latency(times.p99_us as f64 / 1e6));
            }
            let interference =
                interferences(run).into_iter().find(|i| i.step.number == step.number);
            // The figure beside this one may be of other clients: the ratio brings what it is of.
            if let Some((ratio, alone)) =
                interference.and_then(|i| i.tpm_ratio.number().zip(i.tpm_alone.number()))
            {
                let (ratio, alone) = (Unit::Ratio.show(ratio), measure.rate().show(alone));
                let clients = match measure {
                    Measure::Hybrid => format!("{} tx", step.tx_clients),
                    Measure::Plain => counted(step.tx_clients, "client", "clients"),
                };
                note += &format!("; {ratio} × the {alone} {} of {clients} alone", measure.unit());
            }
            figure(label, measure.rate().show(value), measure.unit(), note)
        }
        Err(why) => {
            let note = format!("{}: {why}", step.name);
            KeyFigure { bad: true, ..figure(label, "incomplete".into(), "", note) }
        }
    }
}

/// Whether one of these figures is of this step.
pub fn tell_of(figures: &[KeyFigure], step: &Step) -> bool {
    let name = step_name(step);
    figures.iter().any(|figure| {
        figure.note.strip_prefix(&name).is_some_and(|rest| !rest.starts_with([',', ' ']))
    })
}

/// How busy the driver's machine was in the fullest step of these runs, and what of that was the
/// driver's own; `None` where the system did not tell.
pub fn machine(runs: &[&Run]) -> Option<KeyFigure> {
    let steps = runs.iter().flat_map(|run| &run.steps);
    let uses = steps.filter_map(|step| step.driver.as_ref()).filter(|of| of.seconds > 0.0);
    let of = uses.max_by(|a, b| {
        (a.machine_seconds / a.seconds).total_cmp(&(b.machine_seconds / b.seconds))
    })?;
    let cores = |seconds: f64| rate(seconds / of.seconds);
    let value = format!("{} of {}", cores(of.machine_seconds), of.cores);
    let note = format!("busy at most; the driver {}", cores(of.cpu_seconds));
    Some(figure("Machine", value, "cores", note))
}

/// What the checks of a run say, and that nothing failed.
pub fn checks(run: &Run) -> KeyFigure {
    checks_of(&[run])
}

/// The same of several runs together.
pub fn checks_of(runs: &[&Run]) -> KeyFigure {
    let checks = || runs.iter().flat_map(|run| &run.checks);
    let count = |verdict| checks().filter(|c| c.verdict == verdict).count();
    let (failed, passed) = (count(Verdict::Fail), count(Verdict::Pass));
    let all = checks().count();
    let given_up = |run: &&Run| run.steps.iter().map(all_failed).sum::<u64>();
    let smooth = match runs.iter().map(given_up).sum::<u64>() {
        _ if runs.iter().any(|run| run.steps.is_empty()) => String::new(),
        0 if failed > 0 => "; no operation failed".into(),
        0 => "; nothing failed".into(),
        // Of one run it is a figure of its own.
        _ if runs.len() == 1 => String::new(),
        n => format!("; {} failed", counted(n, "operation", "operations")),
    };
    let (bad, value, note) = match (failed, passed) {
        // What was skipped verified nothing.
        (0, 0) => (true, "none".to_owned(), "nothing was verified".to_owned()),
        (0, _) if passed == all => {
            (false, "all pass".to_owned(), format!("{passed} of {all} passed"))
        }
        (0, _) => (false, format!("{passed} pass"), format!("{} skipped", all - passed)),
        (n, _) => (true, format!("{n} failed"), format!("{passed} of {all} passed")),
    };
    KeyFigure { bad, ..figure("Checks", value, "", format!("{note}{smooth}")) }
}
