//! The key figures of a run, which stand before all tables.

use std::fmt::Write as _;

use hoap_drive::record::{Run, Step, Verdict};

use super::markup::escape;
use crate::isolation::{complete, isolations, power, tpm};
use crate::number::{Unit, duration};
use crate::table::Cell;
use crate::tables::step_name;

/// One key figure.
struct Figure {
    label: &'static str,
    value: String,
    unit: &'static str,
    note: String,
    bad: bool,
}

/// The key figures as a definition list.
pub fn write(out: &mut String, run: &Run) {
    out.push_str("<dl class=\"figures\">\n");
    for figure in figures(run) {
        let bad = if figure.bad { " class=\"bad\"" } else { "" };
        let _ = write!(
            out,
            "<div{bad}><dt>{}</dt><dd class=\"value\">{}",
            figure.label,
            escape(&figure.value)
        );
        if !figure.unit.is_empty() {
            let _ = write!(out, " <span class=\"unit\">{}</span>", figure.unit);
        }
        let _ = writeln!(out, "</dd><dd class=\"note\">{}</dd></div>", escape(&figure.note));
    }
    out.push_str("</dl>\n");
}

fn figures(run: &Run) -> Vec<Figure> {
    let mut figures = Vec::new();
    let alone = best(run, |s| s.tx_clients > 0 && s.query_clients == 0);
    let beside = best(run, |s| s.tx_clients > 0 && s.query_clients > 0);
    figures.extend(alone.map(|s| transactions("Transactions alone", s, run)));
    figures.extend(beside.map(|s| transactions("Transactions + queries", s, run)));
    let queries = |label, step: &Step| {
        let note = match power(step) {
            Ok(power) => format!("{}; power {}", step_name(step), duration(power)),
            Err(why) => format!("{}: {why}", step_name(step)),
        };
        match complete(step, step.queries_per_hour) {
            Ok(qph) => figure(label, Unit::Rate("QpH").show(qph), "QpH", note),
            Err(_) => Figure { bad: true, ..figure(label, "incomplete".into(), "", note) },
        }
    };
    let only = run.steps.iter().find(|s| s.tx_clients == 0 && s.query_clients > 0);
    figures.extend(only.map(|s| queries("Queries alone", s)));
    figures.extend(beside.map(|s| queries("Queries + transactions", s)));
    figures.extend(checks(run));
    figures
}

fn figure(label: &'static str, value: String, unit: &'static str, note: String) -> Figure {
    Figure { label, value, unit, note, bad: false }
}

/// The step of most tpM; a whole one before a partial one.
fn best(run: &Run, which: fn(&Step) -> bool) -> Option<&Step> {
    run.steps.iter().filter(|s| which(s)).max_by(|a, b| {
        let rank = |s: &Step| tpm(s).unwrap_or(-1.0);
        rank(a).total_cmp(&rank(b))
    })
}

fn transactions(label: &'static str, step: &Step, run: &Run) -> Figure {
    match tpm(step) {
        Ok(tpm) => {
            let p99 = step.transactions.iter().find(|o| o.kind == "NewOrder" && o.count > 0);
            let p99 = p99.map_or(String::new(), |o| {
                format!("; p99 {}", duration(o.latency.p99_us as f64 / 1e6))
            });
            let isolation = isolations(run).into_iter().find(|i| i.step.number == step.number);
            let kept = match isolation.map(|i| i.tpm_ratio) {
                Some(Cell::Number(ratio)) => {
                    format!("; {} × the tpM without queries", Unit::Ratio.show(ratio))
                }
                _ => String::new(),
            };
            let note = format!("{}{p99}{kept}", step_name(step));
            figure(label, Unit::Rate("tpM").show(tpm), "tpM", note)
        }
        Err(why) => {
            let note = format!("{}: {why}", step.name);
            Figure { bad: true, ..figure(label, "incomplete".into(), "", note) }
        }
    }
}

fn checks(run: &Run) -> Option<Figure> {
    let count = |verdict| run.checks.iter().filter(|c| c.verdict == verdict).count();
    let (failed, passed) = (count(Verdict::Fail), count(Verdict::Pass));
    let all = run.checks.len();
    if all == 0 {
        return Some(Figure {
            bad: true,
            ..figure("Checks", "none".into(), "", "nothing was verified".into())
        });
    }
    let note = format!("{passed} of {all} passed");
    Some(match failed {
        0 if passed == all => figure("Checks", "all pass".into(), "", note),
        0 => figure("Checks", "no failure".into(), "", note),
        n => Figure { bad: true, ..figure("Checks", format!("{n} failed"), "", note) },
    })
}
