//! Lines that a terminal shows while a run goes on, and lists of checks.

use hoap_drive::record::{Check, Step, Verdict};

use crate::number::{Unit, duration};
use crate::text;

/// A step in one line, when it ends: "1,234 tpM, NewOrder p50 2.1 ms p99 9.8 ms; power 0.12 s".
pub fn step_line(step: &Step) -> String {
    let mut parts = Vec::new();
    if let Some(tpm) = step.tpm {
        parts.push(format!("{} tpM", Unit::Rate("tpM").show(tpm)));
    }
    if let Some(new_order) = step.transactions.first() {
        let time = |us: u64| duration(us as f64 / 1e6);
        let latency = &new_order.latency;
        let (kind, p50, p99) = (&new_order.kind, time(latency.p50_us), time(latency.p99_us));
        parts.push(format!("{kind} p50 {p50}, p99 {p99}"));
    }
    let failed: u64 = step.transactions.iter().flat_map(|o| o.failures.values()).sum();
    if failed > 0 {
        parts.push(format!("{failed} transactions failed"));
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
