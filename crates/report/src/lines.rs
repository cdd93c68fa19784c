//! Lines that a terminal shows while a run goes on, and lists of checks.

use hoap_record::search::Search;
use hoap_record::words::noun;
use hoap_record::{Check, Step, Verdict};

use crate::measure::{Measure, failed, shortfall};
use crate::number::{Unit, duration, latency};
use crate::text;

/// A step in one line, when it ends: "1,234 tpM; NewOrder p50 2.1 ms, p99 9.8 ms; power 0.12 s",
/// "5,678 ops/s; READ p50 0.21 ms, p99 1.2 ms; UPDATE p50 0.34 ms, p99 2.1 ms".
pub fn step_line(step: &Step) -> String {
    let measure = Measure::of_step(step);
    let mut parts = Vec::new();
    if let Some(short) = shortfall(step) {
        parts.push(format!("RATE NOT REACHED: {short}"));
    }
    if let Some(value) = measure.recorded(step) {
        parts.push(format!("{} {}", measure.rate().show(value), measure.unit()));
    }
    for operation in measure.operations(step).filter(|o| o.timed > 0) {
        let time = |us: u64| latency(us as f64 / 1e6);
        let (kind, times) = (&operation.kind, &operation.latency);
        let (p50, p99) = (time(times.p50_us), time(times.p99_us));
        parts.push(format!("{kind} p50 {p50}, p99 {p99}"));
    }
    let failed = failed(step);
    if failed > 0 {
        let (one, more) = measure.operation_or_more();
        parts.push(format!(
            "{} {} failed",
            Unit::Count.show(failed as f64),
            noun(failed, one, more)
        ));
    }
    if let Some(power) = step.power_seconds {
        parts.push(format!("power {}", duration(power)));
    }
    if let Some(why) = &step.incomplete {
        parts.push(format!("power incomplete: {why}"));
    }
    parts.join("; ")
}

/// What a search for the highest rate found: "The highest rate that holds p99 ≤ 10.0 ms is
/// between 4,757 and 5,657 operations a second; …", or why it found none.
pub fn search_line(search: &Search) -> String {
    let rate = |rate: f64| Unit::Rate("/s").show(rate);
    let bounds = search_bounds(search);
    let broke = || search.broken.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let mut parts = vec![match (search.rate, search.below) {
        (Some(held), Some(below)) => format!(
            "The highest rate that holds {bounds} is between {} and {} operations a second",
            rate(held),
            rate(below)
        ),
        (Some(held), None) => {
            format!("{} operations a second hold {bounds}; none is known that does not", rate(held))
        }
        (None, Some(below)) => format!(
            "No rate was found that holds {bounds}; {} operations a second do not{}",
            rate(below),
            broke()
        ),
        (None, None) => format!("No rate was found that holds {bounds}"),
    }];
    if let (Some(first), Some(last)) = (search.undecided.first(), search.undecided.last()) {
        let (few, many) = (rate(first.rate), rate(last.rate));
        let at = if few == many { few } else { format!("{few} to {many}") };
        parts.push(format!("undecided at {at}/s: {}", last.why));
    }
    parts.extend(search.unfinished.clone());
    parts.join("; ")
}

/// "p99 ≤ 10 ms, max ≤ 1 s".
pub(crate) fn search_bounds(search: &Search) -> String {
    let slas = search.bounds.slas.iter();
    let bounds: Vec<String> = slas
        .map(|s| format!("{} ≤ {}", s.percentile.name(), duration(s.limit_us as f64 / 1e6)))
        .collect();
    bounds.join(", ")
}

/// Checks, a line each, with the details of those that did not pass below them.
pub fn check_lines(checks: &[Check]) -> String {
    let mut out = String::new();
    for check in checks {
        let (name, compares) = (text::tame(&check.name), text::tame(&check.compares));
        let word = match check.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::Skip => "skip",
        };
        out.push_str(&text::paragraph(&format!("{word}  "), &format!("{name}: {compares}")));
        if let Some(detail) = &check.detail {
            out.push_str(&text::paragraph("      ", &text::tame(detail)));
        }
    }
    out
}
