//! The record of a merged step.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use jiff::Timestamp;

use super::machine::Machine;
use crate::folder::micros;
use crate::hlog::{SERVICE, WAIT};
use crate::observed::ObservedSeries;
use crate::percentile::Latency;
use crate::step::{Gap, Operation, Query, Score, Step, longest, step_name};

/// What one driver measured of a step.
pub struct Part<'a> {
    /// The driver's name.
    pub name: &'a str,
    /// Seconds from the merged run's start to the driver's.
    pub offset: f64,
    /// Its record.
    pub step: &'a Step,
}

impl<'a> Part<'a> {
    /// Of this driver, in a merged run that started at `base`.
    pub fn of(driver: &'a Machine, number: usize, base: Timestamp) -> Part<'a> {
        let (offset, step) = (driver.offset(base), &driver.run.steps[number]);
        Part { name: &driver.name, offset, step }
    }
}

/// Merges a step of several drivers. `times` has the response times of all of them by tag.
pub fn step(parts: &[Part<'_>], times: &dyn Fn(&str) -> Histogram<u64>) -> Step {
    let steps: Vec<&Step> = parts.iter().map(|part| part.step).collect();
    let first = steps[0];
    let starts = parts.iter().map(|part| part.offset + part.step.start_seconds);
    let start = starts.clone().fold(f64::INFINITY, f64::min);
    let last = starts.clone().fold(f64::NEG_INFINITY, f64::max);
    let end = starts.zip(&steps).map(|(start, s)| start + s.seconds).fold(0.0, f64::max);
    let sum = |of: fn(&Step) -> usize| steps.iter().map(|s| of(s)).sum::<usize>();
    let tx_clients = sum(|s| s.tx_clients);
    let query_clients = sum(|s| s.query_clients);
    let queries = queries(&steps);
    let means: Option<Vec<f64>> = queries.iter().map(|q| q.mean_seconds).collect();
    let incomplete = reasons(parts, |s| s.incomplete.as_ref());
    let means = means.filter(|_| incomplete.is_none());
    let score = means.and_then(|means| Score::of(&means, query_clients));
    let rate_intended = all(steps.iter().map(|s| s.rate_intended));
    Step {
        name: step_name(
            tx_clients,
            first.clients.is_none().then_some(query_clients),
            rate_intended,
        ),
        tx_clients,
        clients: first.clients.map(|_| tx_clients),
        query_clients,
        start_seconds: start,
        // The cells of the fleet are as long as the shortest of a driver.
        cells: steps.iter().map(|s| s.cells).min_by_key(|of| of.map_or(1, |of| of.ticks)).flatten(),
        // Each driver's own folder has it by its own clock.
        start: None,
        start_skew_seconds: Some(micros(last - start)),
        warmup_seconds: steps.iter().map(|s| s.warmup_seconds).fold(0.0, f64::max),
        seconds: end - start,
        transactions: transactions(&steps, times),
        // A driver none of whose transactions of that kind committed has none.
        tpm: steps.iter().filter_map(|s| s.tpm).reduce(|a, b| a + b),
        power_seconds: score.map(|score| score.power_seconds),
        queries_per_hour: score.map(|score| score.queries_per_hour),
        incomplete,
        queries,
        rate_intended,
        rate_achieved: all(steps.iter().map(|s| s.rate_achieved)),
        intended_starts: all(steps.iter().map(|s| s.intended_starts)),
        begun: all(steps.iter().map(|s| s.begun)),
        not_started: all(steps.iter().map(|s| s.not_started)),
        backlog: all(steps.iter().map(|s| s.backlog)),
        rate_shortfall: reasons(parts, |s| s.rate_shortfall.as_ref()),
        longest_gap: gap(parts),
        standstills: standstills(parts),
        usage: usage(&steps),
        // A probe knows only its own driver's commits, so ages of two drivers give no joint age.
        freshness: None,
        // Each driver's own folder has it, and what there was to remark is among the remarks.
        driver: None,
        observed: observed(&steps),
        late_p99_us: None,
        level: None,
        ..first.clone()
    }
}

/// What was observed. Of a source that several drivers observed the first one's readings tell all.
fn observed(steps: &[&Step]) -> Vec<ObservedSeries> {
    let mut all: Vec<ObservedSeries> = Vec::new();
    for step in steps {
        let known = all.len();
        let is_known = |of: &ObservedSeries| all[..known].iter().any(|o| o.source == of.source);
        let new: Vec<_> = step.observed.iter().filter(|of| !is_known(of)).cloned().collect();
        all.extend(new);
    }
    all
}

/// What the longest gaps of all drivers have in common, on the clock of the merged run: where the
/// database stood still it is the gap of the fleet, to the microsecond.
fn gap(parts: &[Part<'_>]) -> Option<Gap> {
    let mut common = (f64::NEG_INFINITY, f64::INFINITY);
    for part in parts {
        let Gap { from_seconds, seconds } = part.step.longest_gap?;
        let from = from_seconds + part.offset;
        common = (common.0.max(from), common.1.min(from + seconds));
    }
    let (from, seconds) = (micros(common.0), micros(common.1 - common.0));
    (seconds > 0.0).then_some(Gap { from_seconds: from, seconds })
}

/// Those of all drivers, on the clock of the merged run.
fn standstills(parts: &[Part<'_>]) -> Vec<Gap> {
    let of = |part: &Part<'_>| {
        let offset = part.offset;
        let gap = move |gap: &Gap| Gap { from_seconds: micros(gap.from_seconds + offset), ..*gap };
        part.step.standstills.iter().map(gap).collect::<Vec<_>>()
    };
    longest(parts.iter().flat_map(of).collect())
}

/// What the drivers give as a reason, each by name.
fn reasons(parts: &[Part<'_>], of: fn(&Step) -> Option<&String>) -> Option<String> {
    let named = parts.iter().filter_map(|part| Some(format!("{}: {}", part.name, of(part.step)?)));
    let reasons: Vec<String> = named.collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The sums of the counters.
fn usage(steps: &[&Step]) -> BTreeMap<String, f64> {
    let mut sum = BTreeMap::new();
    for (name, amount) in steps.iter().flat_map(|s| &s.usage) {
        *sum.entry(name.clone()).or_default() += amount;
    }
    sum
}

/// The sum, if every driver has a value.
fn all<T: std::iter::Sum>(values: impl Iterator<Item = Option<T>>) -> Option<T> {
    values.sum()
}

/// Merges each kind of operation, in the order of the first driver that has it.
fn transactions(steps: &[&Step], times: &dyn Fn(&str) -> Histogram<u64>) -> Vec<Operation> {
    let mut merged: Vec<Operation> = Vec::new();
    for operation in steps.iter().flat_map(|s| &s.transactions) {
        if merged.iter().any(|done| done.kind == operation.kind) {
            continue;
        }
        let kind = &operation.kind;
        let ours: Vec<&Operation> =
            steps.iter().flat_map(|s| &s.transactions).filter(|o| o.kind == *kind).collect();
        let mut sum = Operation { kind: kind.clone(), ..Operation::default() };
        for o in &ours {
            sum.count += o.count;
            sum.per_second += o.per_second;
            sum.timed += o.timed;
            sum.at_least += o.at_least;
            sum.unfinished += o.unfinished;
            sum.oldest_us = sum.oldest_us.max(o.oldest_us);
            sum.longest_ended_us = sum.longest_ended_us.max(o.longest_ended_us);
            sum.rolled_back += o.rolled_back;
            sum.empty += o.empty;
            sum.retries += o.retries;
            for (error, times) in &o.failures {
                *sum.failures.entry(error.clone()).or_default() += times;
            }
            for (error, words) in &o.first_errors {
                sum.first_errors.entry(error.clone()).or_insert_with(|| words.clone());
            }
        }
        let counts: Vec<u64> = ours.iter().map(|o| o.timed).collect();
        let part = |of: fn(&Operation) -> Option<&Latency>, ending: &str| {
            let parts: Vec<&Latency> = ours.iter().filter_map(|o| of(o)).collect();
            let whole = parts.len() == ours.len();
            let tag = format!("{kind}{ending}");
            whole.then(|| latency(&parts, &counts, &times(&tag)))
        };
        sum.latency = part(|o| Some(&o.latency), "").unwrap_or_default();
        sum.service = part(|o| o.service.as_ref(), SERVICE);
        sum.wait = part(|o| o.wait.as_ref(), WAIT);
        merged.push(sum);
    }
    merged
}

/// Merges response times. Mean and maximum are exact; percentiles are those of the added
/// histograms.
fn latency(parts: &[&Latency], counts: &[u64], times: &Histogram<u64>) -> Latency {
    let number: u64 = counts.iter().sum();
    if number == 0 {
        return Latency::default();
    }
    let sum: f64 = parts.iter().zip(counts).map(|(l, n)| l.mean_us * *n as f64).sum();
    let max_us = parts.iter().map(|l| l.max_us).max().unwrap_or(0);
    let quantile = |q: f64| times.value_at_quantile(q).min(max_us);
    Latency {
        mean_us: sum / number as f64,
        p50_us: quantile(0.5),
        p90_us: quantile(0.9),
        p95_us: quantile(0.95),
        p99_us: quantile(0.99),
        p999_us: quantile(0.999),
        max_us,
    }
}

/// Merges each query.
fn queries(steps: &[&Step]) -> Vec<Query> {
    let mut merged: Vec<Query> = Vec::new();
    for query in steps.iter().flat_map(|s| &s.queries) {
        let Some(sum) = merged.iter_mut().find(|q| q.kind == query.kind) else {
            merged.push(query.clone());
            continue;
        };
        let of = |q: &Query| q.mean_seconds.unwrap_or(0.0) * (q.count + q.at_least) as f64;
        let total = of(sum) + of(query);
        sum.count += query.count;
        sum.at_least += query.at_least;
        sum.unfinished += query.unfinished;
        let number = sum.count + sum.at_least;
        sum.mean_seconds = (number > 0).then(|| total / number as f64);
        let either = |a: Option<f64>, b: Option<f64>, pick: fn(f64, f64) -> f64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        sum.min_seconds = either(sum.min_seconds, query.min_seconds, f64::min);
        sum.max_seconds = either(sum.max_seconds, query.max_seconds, f64::max);
        sum.oldest_seconds = either(sum.oldest_seconds, query.oldest_seconds, f64::max);
        sum.empty += query.empty;
        sum.failed += query.failed;
        sum.error = sum.error.take().or_else(|| query.error.clone());
    }
    merged
}
