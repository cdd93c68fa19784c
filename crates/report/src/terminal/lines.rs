//! Lines that a terminal shows during a run, and lists of checks.

use hoap_record::words::{counted, noun};
use hoap_record::{Check, Run, Step, Verdict};

use crate::format::number::{Unit, duration, latency};
use crate::format::text;
use crate::run::figures;
use crate::run::interference::power_of_others;
use crate::run::measure::{
    Measure, all_failed, exceeded, failed, headline_operations, none_committed, shortfall,
};

/// A step in one line, when it ends: "1,234 tpM; NewOrder p50 2.1 ms, p99 9.8 ms; power 0.12 s",
/// "5,678 ops/s; READ p50 0.21 ms, p99 1.2 ms; UPDATE p50 0.34 ms, p99 2.1 ms".
pub fn step_line(step: &Step) -> String {
    let measure = Measure::of_step(step);
    let mut parts = Vec::new();
    if let Some(short) = shortfall(step) {
        let what = if exceeded(step) { "RATE EXCEEDED" } else { "RATE NOT REACHED" };
        parts.push(format!("{what}: {short}"));
    }
    match measure.recorded(step) {
        Some(value) => parts.push(format!("{} {}", measure.rate().show(value), measure.unit())),
        None if step.tx_clients > 0 => parts.push(none_committed(step)),
        None => {}
    }
    let timed = headline_operations(step).filter_map(|o| Some((&o.kind, o.response()?)));
    for (kind, times) in timed {
        let time = |us: u64| latency(us as f64 / 1e6);
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
        parts.extend(power_of_others(step).map(|others| format!("power {others}")));
    }
    parts.join("; ")
}

/// The first answer of the only run, and what the checks of these runs say, none of which failed, in
/// one line: "highest throughput 726 ops/s; 25 checks passed, 4 skipped".
pub fn verdict_line(runs: &[&Run]) -> String {
    let (mut passed, mut skipped, mut audit) = (0, 0, 0);
    for run in runs {
        let checks = |verdict| run.checks.iter().filter(|check| check.verdict == verdict).count();
        passed += checks(Verdict::Pass);
        skipped += checks(Verdict::Skip);
        audit += run.audit.iter().filter(|line| line.verdict == Verdict::Fail).count();
    }
    let mut parts = vec![match passed {
        0 => "nothing was checked".to_owned(),
        _ => format!("{} passed", counted(passed, "check", "checks")),
    }];
    if skipped > 0 {
        parts.push(format!("{skipped} skipped"));
    }
    if audit > 0 {
        let lines = counted(audit, "line of the audit", "lines of the audit");
        parts.push(format!("{lines} failed: what ran is not the benchmark"));
    }
    // Of one run it stands among the answers.
    if runs.len() > 1 {
        let failed: u64 = runs.iter().flat_map(|run| &run.steps).map(all_failed).sum();
        parts.push(match failed {
            0 => "nothing failed".to_owned(),
            n => format!("{} failed", counted(n, "operation", "operations")),
        });
    }
    let answer = match runs {
        [one] => figures::of_run(one).into_iter().next(),
        _ => None,
    };
    let answer =
        answer.map(|figure| format!("{} {}; ", figure.label.to_lowercase(), figure.number()));
    format!("verdict: {}{}", answer.unwrap_or_default(), parts.join(", "))
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
