//! Every number of `run.json` that a reader is shown, made again of histograms, rows and
//! executions, and the rows made again of the histograms.

mod driver;
mod operations;
mod queries;
mod search;
mod series;
mod step_files;

use hoap_record::{FRESHNESS, Freshness, Run, Step};
use step_files::StepFiles;

use crate::finding::Findings;
use crate::open::Folder;
use crate::rows::Series;

/// Holds a run against its files.
pub fn run(folder: &Folder, run: &Run, findings: &mut Findings) {
    let place = format!("{}/run.json", folder.at);
    let mut before = 0.0;
    for (n, step) in run.steps.iter().enumerate() {
        let log = folder.logs.get(&step.number);
        let place = format!("{place}, step {}", step.number);
        let of = StepFiles { folder, run, step, log, place };
        findings.same(&of.place, "number", step.number, n + 1);
        one(&of, before, findings);
        before = of.end();
    }
    if run.seconds + 1e-3 < before {
        let text = format!("seconds is {}, and the last step ended at {before}", run.seconds);
        findings.void(&place, text);
    }
    let steps = run.steps.len();
    for unknown in folder.logs.keys().chain(folder.samples.keys()).filter(|n| **n > steps) {
        findings
            .void(&place, format!("it has no step {unknown}, of which there are rows or a log"));
    }
    search::held(run, &place, findings);
}

/// `before`: when the step before it ended.
fn one(of: &StepFiles<'_>, before: f64, findings: &mut Findings) {
    let step = of.step;
    findings.same(&of.place, "name", step.name.as_str(), name(step).as_str());
    if step.start_seconds + 1e-3 < before {
        let text = format!("it starts at {}, before the last one ended", step.start_seconds);
        findings.void(&of.place, text);
    }
    if let Some(word) = step.arrivals.as_deref().filter(|w| !["constant", "poisson"].contains(w)) {
        findings.void(&of.place, format!("arrivals is {word}, which nothing is"));
    }
    if let Some(clients) = step.clients {
        findings.same(&of.place, "clients", clients, step.tx_clients);
    }
    if of.log.is_none() && (!step.transactions.is_empty() || step.freshness.is_some()) {
        findings
            .void(&of.place, "its log is not there, so that no response time can be made again");
    }
    let empty = Default::default();
    let kinds = of.folder.samples.get(&step.number).unwrap_or(&empty);
    let known = |kind: &str| {
        step.transactions.iter().any(|o| o.kind == kind)
            || step.queries.iter().any(|q| q.kind == kind)
            || (kind == FRESHNESS && step.freshness.is_some())
    };
    for (kind, series) in kinds.iter().filter(|(kind, _)| !known(kind)) {
        if series.sum(|cell| cell.count + cell.failed) > 0 {
            findings.void(&of.place, format!("it has no {kind}, of which there are rows"));
        }
    }
    for operation in &step.transactions {
        let place = of.at(&operation.kind);
        let series = kinds.get(&operation.kind);
        operations::operation(of, operation, series, findings);
        if let (Some(series), Some(log)) = (series, of.log) {
            series::held(of, &operation.kind, series, log.get(&operation.kind), findings);
        } else if operation.count + operation.timed > 0 && series.is_none() {
            findings.void(&place, "there are no rows of it");
        }
    }
    operations::together(of, kinds, findings);
    queries::queries(of, kinds, findings);
    if let Some(freshness) = &step.freshness {
        probes(of, freshness, kinds.get(FRESHNESS), findings);
    }
    driver::held(of, findings);
}

/// The name of a step: what ran in it.
fn name(step: &Step) -> String {
    let some = |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
    let clients = match step.clients {
        Some(clients) if step.query_clients == 0 => some(clients, "client", "clients"),
        _ => {
            format!("{} tx, {}", step.tx_clients, some(step.query_clients, "query", "queries"))
        }
    };
    match step.rate_intended {
        None => clients,
        Some(rate) if rate >= 100.0 => format!("{clients}, {rate:.0}/s"),
        Some(rate) => format!("{clients}, {}/s", (rate * 100.0).round() / 100.0),
    }
}

/// The probes of freshness.
fn probes(
    of: &StepFiles<'_>,
    freshness: &Freshness,
    series: Option<&Series>,
    findings: &mut Findings,
) {
    let place = of.at(FRESHNESS);
    let Some(series) = series else {
        return findings.void(&place, "there are no rows of it");
    };
    // After a merge it stands in the drivers' folders.
    findings.same(&place, "probes", freshness.probes, series.in_window(|cell| cell.count));
    findings.same(&place, "failed", freshness.failed, series.in_window(|cell| cell.failed));
    let Some(tagged) = of.log.and_then(|log| log.get(FRESHNESS)) else { return };
    operations::latency(&place, "unseen.", &freshness.unseen, &tagged.whole, findings);
    let whole = &tagged.whole;
    findings.within(&place, "all_seen", freshness.all_seen as f64, (0.0, whole.zeros() as f64));
    series::held(of, FRESHNESS, series, Some(tagged), findings);
}
