//! Lines that a terminal shows while a run goes on, and lists of checks.

use hoap_drive::record::{Check, Step, Verdict};

use crate::measure::{Measure, failed, shortfall};
use crate::number::{Unit, duration};
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
        let time = |us: u64| duration(us as f64 / 1e6);
        let latency = &operation.latency;
        let (kind, p50, p99) = (&operation.kind, time(latency.p50_us), time(latency.p99_us));
        parts.push(format!("{kind} p50 {p50}, p99 {p99}"));
    }
    let failed = failed(step);
    if failed > 0 {
        let s = if failed == 1 { "" } else { "s" };
        parts.push(format!(
            "{} {}{s} failed",
            Unit::Count.show(failed as f64),
            measure.operation()
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
