//! Operations: counts, rates and response times.

use std::collections::BTreeMap;

use hoap_record::{Latency, Operation};

use super::step_files::StepFiles;
use crate::finding::Findings;
use crate::histogram::Histogram;
use crate::rows::{Series, sum};

/// The longest time that a histogram tells from longer ones, microseconds.
const HOUR: u64 = 3_600_000_000;

/// One kind.
pub(super) fn operation(
    of: &StepFiles<'_>,
    there: &Operation,
    series: Option<&Series>,
    findings: &mut Findings,
) {
    let place = of.at(&there.kind);
    of.rate(&place, "per_second", (there.per_second, there.count as f64), findings);
    let failed = sum(there.failures.values().copied());
    if let Some(series) = series {
        findings.same(&place, "count", there.count, series.in_window(|cell| cell.count));
        findings.same(&place, "failures", failed, series.sum(|cell| cell.failed));
        findings.same(&place, "retries", there.retries, series.sum(|cell| cell.retries));
        let longest = series.measured.iter().map(|cell| cell.max).max().unwrap_or(0);
        findings.same(&place, "longest_ended_us", there.longest_ended_us, longest);
    }
    for (name, part, whole) in [
        ("at_least", there.at_least, there.timed.min(there.unfinished)),
        ("rolled_back", there.rolled_back, there.count),
        ("empty", there.empty, there.count),
    ] {
        if part > whole {
            findings.void(&place, format!("{name} is {part}, of {whole} at most"));
        }
    }
    if there.unfinished == 0 && there.oldest_us > 0 {
        findings.void(&place, "oldest_us is the age of what was unfinished, and nothing was");
    }
    let Some(log) = of.log else { return };
    for (tag, latency) in [
        ("", Some(&there.latency)),
        (":service", there.service.as_ref()),
        (":wait", there.wait.as_ref()),
    ] {
        let whole = log.get(&format!("{}{tag}", there.kind)).map(|tagged| &tagged.whole);
        let none = Histogram::default();
        match (latency, whole) {
            (None, None) => continue,
            (None, Some(_)) => findings.void(&place, format!("it has no times of {tag}")),
            (Some(latency), whole) => {
                let whole = whole.unwrap_or(&none);
                let name = tag.trim_start_matches(':');
                let name = if name.is_empty() { "latency." } else { &format!("{name}.") };
                findings.same(&place, &format!("timed ({name})"), there.timed, whole.total);
                self::latency(&place, name, latency, whole, findings);
            }
        }
    }
    // A wait is from when an operation was due, and only open loops have it.
    if of.closed() && (there.service.is_some() || there.wait.is_some()) {
        findings.void(&place, "it has waits, and the step is a closed loop");
    }
}

/// Response times against their histogram.
pub(super) fn latency(
    place: &str,
    name: &str,
    there: &Latency,
    whole: &Histogram,
    findings: &mut Findings,
) {
    let longest = there.max_us;
    for (percentile, share, value) in [
        ("p50_us", 0.5, there.p50_us),
        ("p90_us", 0.9, there.p90_us),
        ("p95_us", 0.95, there.p95_us),
        ("p99_us", 0.99, there.p99_us),
        ("p999_us", 0.999, there.p999_us),
    ] {
        let again = whole.quantile(share).min(longest);
        findings.same(place, &format!("{name}{percentile}"), value, again);
    }
    let (lowest, highest) = whole.top();
    let max = longest.min(HOUR) as f64;
    findings.within(place, &format!("{name}max_us"), max, (lowest as f64, highest as f64));
    let mean = if longest > HOUR { (0.0, f64::MAX) } else { whole.mean() };
    let mean = if whole.total == 0 { (0.0, 0.0) } else { mean };
    findings.within(place, &format!("{name}mean_us"), there.mean_us, mean);
}

/// What all kinds have together: tpM, the rates of an open loop, and the longest gap.
pub(super) fn together(
    of: &StepFiles<'_>,
    kinds: &BTreeMap<String, Series>,
    findings: &mut Findings,
) {
    let step = of.step;
    let orders =
        step.transactions.iter().find(|operation| Some(operation.kind.as_str()) == step.headline());
    let orders = orders.filter(|orders| orders.count > orders.rolled_back && step.seconds > 0.0);
    match (step.tpm, orders) {
        (Some(there), Some(orders)) => {
            of.rate(&of.place, "tpm", (there, orders.count as f64 * 60.0), findings);
        }
        (there, orders) => {
            let again = orders.map(|orders| orders.count as f64 / step.seconds * 60.0);
            optional(of, "tpm", there, again, findings);
        }
    }
    if let (Some(begun), Some(achieved)) = (step.begun, step.rate_achieved)
        && !of.counted()
    {
        // Over the window by the clients' clock. It is as long as the operations that were due in it
        // take at their rate; by the collector's, which a busy machine lets see an edge late, longer.
        let seen = begun as f64 / step.seconds.max(1e-9);
        let due = step.rate_intended.zip(step.intended_starts).filter(|(_, starts)| *starts > 0);
        let due = due.map_or(seen, |(rate, starts)| begun as f64 * rate / starts as f64);
        let (low, high) = (seen.min(due), seen.max(due));
        findings.within(
            &of.place,
            "rate_achieved",
            achieved,
            (0.99 * low - 0.01, 1.01 * high + 0.01),
        );
    }
    if let Some(intended) = step.intended_starts {
        let failed = |o: &Operation| sum(o.failures.values().copied());
        let ended = |o: &Operation| o.timed.saturating_sub(o.at_least).saturating_add(failed(o));
        let known = sum(step.transactions.iter().map(ended).chain(step.not_started));
        // Those cut off at the end were in flight, one a client.
        let most = known.saturating_add(step.tx_clients as u64);
        let bounds = (known as f64, most as f64);
        findings.within(&of.place, "intended_starts", intended as f64, bounds);
    }
    if let (Some(intended), Some(rate), Some("constant")) =
        (step.intended_starts, step.rate_intended, step.arrivals.as_deref())
        && of.run.drivers.is_empty()
        && step.partial.is_none()
        && !of.counted()
    {
        let due = rate * step.seconds;
        let slack = 2.0 + due * 1e-3;
        findings.within(&of.place, "intended_starts", intended as f64, (due - slack, due + slack));
    }
    gap(of, kinds, findings);
}

/// A number that may not be there.
pub(super) fn optional(
    of: &StepFiles<'_>,
    name: &str,
    there: Option<f64>,
    again: Option<f64>,
    findings: &mut Findings,
) {
    match (there, again) {
        (Some(there), Some(again)) => findings.near(&of.place, name, there, again),
        (None, None) => findings.made_again += 1,
        (Some(there), None) => {
            findings
                .void(&of.place, format!("{name} is {there}, and nothing is there to make it of"));
        }
        (None, Some(again)) => {
            findings.void(&of.place, format!("{name} is not there, made again it is {again}"));
        }
    }
}

/// The longest time without a success covers the longest run of cells without one, and lies in the
/// window.
fn gap(of: &StepFiles<'_>, kinds: &BTreeMap<String, Series>, findings: &mut Findings) {
    let Some(gap) = &of.step.longest_gap else { return };
    let to = gap.from_seconds + gap.seconds;
    if gap.from_seconds + 1e-2 < of.step.start_seconds || to > of.end() + 1e-2 {
        findings.void(&of.place, "longest_gap is not within the window");
    }
    let mut cells: BTreeMap<u64, (f64, u64)> = BTreeMap::new();
    for operation in &of.step.transactions {
        for cell in kinds.get(&operation.kind).iter().flat_map(|series| &series.measured) {
            let (seconds, count) = cells.entry((cell.at * 1e6) as u64).or_default();
            *seconds = cell.seconds;
            *count = cell.count.saturating_add(*count);
            let begin = cell.at - cell.seconds;
            if cell.count > 0 && gap.from_seconds + 1e-3 < begin && cell.at + 1e-3 < to {
                let text =
                    format!("longest_gap ends at {to}, and {} succeeded in it", operation.kind);
                findings.void(&of.place, text);
                return;
            }
        }
    }
    let (mut longest, mut now) = (0.0f64, 0.0);
    for (seconds, count) in cells.values() {
        now = if *count == 0 { now + seconds } else { 0.0 };
        longest = longest.max(now);
    }
    findings.within(&of.place, "longest_gap", gap.seconds, (longest - 1e-2, f64::MAX));
}
