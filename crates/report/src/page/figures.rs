//! The key figures of a run, which come before all tables.

use std::fmt::Write as _;

use hoap_record::search::Search;
use hoap_record::words::counted;
use hoap_record::{Ingestion, Run, Step, Verdict};

use super::markup::escape;
use crate::format::number::{Unit, duration, latency};
use crate::run::isolation::{complete, isolations, power};
use crate::run::measure::{Axis, Measure, exceeded, failed, operations_per_second, shortfall};
use crate::run::search::search_line;
use crate::run::step_name;
use crate::run::void::{self, VOID};

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

/// Key figures as a definition list.
pub fn all(out: &mut String, figures: &[KeyFigure]) {
    out.push_str("<dl class=\"figures\">\n");
    figures.iter().for_each(|figure| write_one(out, figure));
    out.push_str("</dl>\n");
}

/// The key figures as a definition list. Those of a run that has a mark stand beside the name of
/// the check; those of a void run are struck out.
pub fn write(out: &mut String, run: &Run) {
    out.push_str("<dl class=\"figures\">\n");
    let mark = void::mark(run).zip(void::cause(run));
    for figure in of_run(run) {
        match &mark {
            None => write_one(out, &figure),
            Some((mark, cause)) => write_marked(out, &figure, mark, cause),
        }
    }
    checks(run).iter().for_each(|figure| write_one(out, figure));
    out.push_str("</dl>\n");
}

fn write_one(out: &mut String, figure: &KeyFigure) {
    let bad = if figure.bad { " class=\"bad\"" } else { "" };
    let (label, value, note) = (figure.label, figure.shown(), escape(&figure.note));
    let _ = writeln!(
        out,
        "<div{bad}><dt>{label}</dt><dd class=\"value\">{value}</dd><dd class=\"note\">{note}</dd></div>"
    );
}

/// The mark is a word before the number, because a screen reader does not announce that text is
/// struck out.
fn write_marked(out: &mut String, figure: &KeyFigure, mark: &str, cause: &str) {
    let (label, value, note) = (figure.label, figure.shown(), escape(&figure.note));
    let (class, from, to) = if mark == VOID { ("void", "<s>", "</s>") } else { ("bad", "", "") };
    let _ = writeln!(
        out,
        "<div class=\"{class}\"><dt>{label} <strong>{mark}</strong></dt><dd class=\"value\">{from}{value}{to}</dd>\
         <dd class=\"note\"><strong>{}</strong> {from}{note}{to}</dd></div>",
        escape(cause)
    );
}

impl KeyFigure {
    /// The value with its unit, as HTML.
    fn shown(&self) -> String {
        match self.unit {
            "" => escape(&self.value),
            unit => format!("{} <span class=\"unit\">{unit}</span>", escape(&self.value)),
        }
    }
}

/// The figures that were measured.
pub fn of_run(run: &Run) -> Vec<KeyFigure> {
    let mut figures = match Measure::of(run) {
        Measure::Hybrid => hybrid(run),
        Measure::Plain => plain(run),
    };
    match &run.search {
        Some(search) => figures.insert(0, highest_rate(search)),
        None => figures.extend(shortfalls(run)),
    }
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
    figures.extend(alone.map(|s| operations("Transactions alone", s, run)));
    figures.extend(beside.map(|s| operations("Transactions + queries", s, run)));
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
    figures.extend(beside.map(|s| queries("Queries + transactions", s)));
    figures.extend(run.ingestion().map(ingestion));
    figures
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
    let failed: Vec<(&Step, u64)> =
        run.steps.iter().map(|s| (s, failed(s))).filter(|(_, n)| *n > 0).collect();
    if !failed.is_empty() {
        let all = failed.iter().fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
        let steps: Vec<String> = failed.iter().map(|(s, _)| step_name(s)).collect();
        let value = Unit::Count.show(all as f64);
        let note = format!("in {}", steps.join("; "));
        figures.push(KeyFigure { bad: true, ..figure("Failed operations", value, "", note) });
    }
    figures
}

/// The answer of a search: its lower end, which held.
fn highest_rate(search: &Search) -> KeyFigure {
    let label = "Highest rate that held";
    let note = search_line(search);
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
            for (o, times) in measure.operations(step).filter_map(|o| Some((o, o.response()?))) {
                let kind = match measure {
                    Measure::Hybrid => String::new(),
                    Measure::Plain => format!("{} ", o.kind),
                };
                note += &format!("; {kind}p99 {}", latency(times.p99_us as f64 / 1e6));
            }
            let isolation = isolations(run).into_iter().find(|i| i.step.number == step.number);
            // The figure beside this one may be of other clients: the ratio brings what it is of.
            if let Some((ratio, alone)) =
                isolation.and_then(|i| i.tpm_ratio.number().zip(i.tpm_alone.number()))
            {
                let (ratio, alone) = (Unit::Ratio.show(ratio), measure.rate().show(alone));
                let clients = counted(step.tx_clients, "transaction client", "transaction clients");
                note += &format!("; {ratio} × the {alone} tpM of {clients} alone");
            }
            figure(label, measure.rate().show(value), measure.unit(), note)
        }
        Err(why) => {
            let note = format!("{}: {why}", step.name);
            KeyFigure { bad: true, ..figure(label, "incomplete".into(), "", note) }
        }
    }
}

/// What the checks say.
fn checks(run: &Run) -> Option<KeyFigure> {
    let count = |verdict| run.checks.iter().filter(|c| c.verdict == verdict).count();
    let (failed, passed) = (count(Verdict::Fail), count(Verdict::Pass));
    let all = run.checks.len();
    // What was skipped verified nothing.
    if failed + passed == 0 {
        return Some(KeyFigure {
            bad: true,
            ..figure("Checks", "none".into(), "", "nothing was verified".into())
        });
    }
    let note = format!("{passed} of {all} passed");
    Some(match failed {
        0 if passed == all => figure("Checks", "all pass".into(), "", note),
        0 => {
            let skipped = format!("{} skipped", all - passed);
            figure("Checks", format!("{passed} pass"), "", skipped)
        }
        n => KeyFigure { bad: true, ..figure("Checks", format!("{n} failed"), "", note) },
    })
}
