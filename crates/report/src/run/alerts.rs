//! What a reader must know of a run before its first number.

use hoap_record::words::counted;
use hoap_record::{Run, Verdict};

use super::measure::shortfall;
use super::{trouble, void};

/// What a reader must know before the first number: which check failed, warnings, what is partial.
pub fn alerts(run: &Run) -> Vec<String> {
    let mut alerts: Vec<String> = void::alert(run).into_iter().collect();
    alerts.extend(run.warnings.iter().cloned());
    alerts.extend(run.partial.iter().map(|why| format!("partial: {why}")));
    alerts.extend(run.stopped_by.iter().map(|why| format!("the error that ended it: {why}")));
    alerts.extend(run.steps.iter().filter_map(|s| {
        s.partial.as_ref().map(|why| format!("step {} ({}) is partial: {why}", s.number, s.name))
    }));
    for step in run.planned_steps() {
        alerts.extend(shortfall(step).map(|short| {
            format!("step {} ({}) did not reach its rate: {short}", step.number, step.name)
        }));
        alerts.extend(trouble::of_step(run, step));
    }
    match run.audit.iter().filter(|line| line.verdict == Verdict::Fail).count() {
        0 => {}
        n => alerts.push(format!(
            "{} of the audit failed: what ran is not the benchmark",
            counted(n, "line", "lines")
        )),
    }
    alerts
}
