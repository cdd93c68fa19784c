//! Queries: every number from the executions in `queries.csv`.

use std::collections::BTreeMap;

use hoap_record::{Execution, Query};

use super::operations::optional;
use super::step_files::StepFiles;
use crate::finding::Findings;
use crate::rows::Series;

/// A step's queries.
pub(super) fn queries(
    of: &StepFiles<'_>,
    kinds: &BTreeMap<String, Series>,
    findings: &mut Findings,
) {
    let step = of.step;
    let mine = || of.folder.executions.iter().filter(|e| e.step == step.number);
    let unknown = mine().find(|e| !step.queries.iter().any(|query| query.kind == e.query));
    if let Some(unknown) = unknown {
        findings.void(&of.place, format!("it has no {}, which queries.csv has", unknown.query));
    }
    let mut means = Vec::new();
    for query in &step.queries {
        let executions: Vec<&Execution> = mine().filter(|e| e.query == query.kind).collect();
        means.extend(one(of, query, &executions, findings));
        if let Some(series) = kinds.get(&query.kind) {
            let place = of.at(&query.kind);
            findings.same(&place, "count (rows)", query.count, series.in_window(|cell| cell.count));
            let longest = measured(&executions).map(|e| micros(e.seconds)).max().unwrap_or(0);
            let told = series.measured.iter().map(|cell| cell.max).max().unwrap_or(0);
            let file = format!("{}/samples.csv, step {}", of.folder.at, step.number);
            findings.same(&format!("{file}, {}", query.kind), "max_us", told, longest);
        }
    }
    // A step of several drivers has a score of all streams; one that misses a query has none.
    let whole = !means.is_empty()
        && means.len() == step.queries.len()
        && step.queries.iter().all(|query| query.failed == 0);
    let (sum, number) = (means.iter().sum::<f64>(), means.len() as f64);
    let power = (means.iter().map(|mean| mean.max(1e-9).ln()).sum::<f64>() / number).exp();
    let hour = number * 3600.0 / sum.max(1e-9) * step.query_clients as f64;
    optional(of, "power_seconds", step.power_seconds, whole.then_some(power), findings);
    optional(of, "queries_per_hour", step.queries_per_hour, whole.then_some(hour), findings);
}

fn measured<'a>(executions: &'a [&Execution]) -> impl Iterator<Item = &'a &'a Execution> {
    executions.iter().filter(|e| e.phase == "measured" && e.error.is_empty())
}

fn micros(seconds: f64) -> u64 {
    (seconds * 1e6).round() as u64
}

/// One query; its mean.
fn one(
    of: &StepFiles<'_>,
    there: &Query,
    executions: &[&Execution],
    findings: &mut Findings,
) -> Option<f64> {
    let place = of.at(&there.kind);
    let times: Vec<f64> = measured(executions).map(|e| e.seconds).collect();
    let phase = |phase: &'static str| executions.iter().filter(move |e| e.phase == phase);
    let failed = phase("measured").filter(|e| !e.error.is_empty()).count();
    let empty = measured(executions).filter(|e| e.rows == 0).count();
    findings.same(&place, "count", there.count, times.len() as u64);
    findings.same(&place, "failed", there.failed, failed as u64);
    if of.folder.counts_empty && of.run.drivers.is_empty() {
        findings.same(&place, "empty", there.empty, empty as u64);
    }
    findings.same(&place, "unfinished", there.unfinished, phase("unfinished").count() as u64);
    let shortest = times.iter().copied().reduce(f64::min);
    let longest = times.iter().copied().reduce(f64::max);
    // Those in flight at the end count if they ran longer than the slowest success.
    let longer =
        |longest: f64| phase("unfinished").map(|e| e.seconds).filter(move |s| *s > longest);
    let bounds: Vec<f64> = longest.map_or(Vec::new(), |longest| longer(longest).collect());
    findings.same(&place, "at_least", there.at_least, bounds.len() as u64);
    let all = times.len() + bounds.len();
    let mean = longest.map(|_| times.iter().chain(&bounds).sum::<f64>() / all as f64);
    let longest = bounds.iter().copied().chain(longest).reduce(f64::max);
    for (name, there, again) in [
        ("mean_seconds", there.mean_seconds, mean),
        ("min_seconds", there.min_seconds, shortest),
        ("max_seconds", there.max_seconds, longest),
    ] {
        optional_at(&place, name, there, again, findings);
    }
    mean
}

fn optional_at(
    place: &str,
    name: &str,
    there: Option<f64>,
    again: Option<f64>,
    findings: &mut Findings,
) {
    // `queries.csv` has nanoseconds.
    let slack = |again: f64| 1e-9 + 1e-9 * again;
    match (there, again) {
        (Some(there), Some(again)) => {
            let bounds = (again - slack(again), again + slack(again));
            findings.within(place, name, there, bounds);
        }
        (None, None) => findings.made_again += 1,
        (there, again) => {
            let words = |of: Option<f64>| of.map_or("none".to_owned(), |n| n.to_string());
            let (there, again) = (words(there), words(again));
            findings.void(place, format!("{name} is {there}, made again it is {again}"));
        }
    }
}
