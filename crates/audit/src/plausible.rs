//! What cannot be.

use hoap_record::{Execution, Medium, Operation, Run, Step, Verdict};

use crate::finding::{Division, Findings};
use crate::open::Folder;
use crate::rows::sum;

/// No network answers sooner, microseconds.
pub const ROUND_TRIP: u64 = 20;
/// The share of operations and queries that may find nothing.
const EMPTY: f64 = 0.5;

/// Looks for what cannot be.
pub fn run(folder: &Folder, run: &Run, findings: &mut Findings) {
    let place = format!("{}/run.json", folder.at);
    let [transactions, asked] =
        [("operational", &run.operational), ("analytical", &run.analytical)].map(|(side, of)| {
            of.as_ref().map(|of| soonest(run.round_trip_us.get(side).copied(), &of.url))
        });
    let asked = asked.or(transactions).unwrap_or_default();
    let transactions = transactions.unwrap_or_default();
    for step in &run.steps {
        let at = format!("{place}, step {}", step.number);
        if run.drivers.is_empty() {
            clients(step, &at, findings);
        }
        for operation in &step.transactions {
            let at = format!("{at}, {}", operation.kind);
            one(operation, transactions, &at, findings);
        }
        queries(folder, step, asked, &at, findings);
    }
    ledger(run, &place, findings);
    let stored = run.load.as_ref().and_then(|load| load.stored.as_ref());
    if stored.is_some_and(|stored| stored.medium == Medium::Memory) {
        findings.add(Division::Tuned, &place, "the database keeps the data in memory");
    }
}

/// No answer comes sooner, microseconds, and why: half of the round trip that the run measured, or
/// what every network takes. The round trip is that of making a connection, where both ends do more
/// than for an answer.
type Soonest = (u64, &'static str);

fn soonest(measured: Option<u64>, url: &str) -> Soonest {
    let network = if is_away(url) { ROUND_TRIP } else { 0 };
    match measured.map(|us| us / 2).filter(|half| *half > network) {
        Some(half) => (half, "half of the round trip that the run measured"),
        None => (network, "what a network takes for a round trip"),
    }
}

/// Whether a database is on another machine, as far as its URL tells.
fn is_away(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let place = rest.split(['/', '?']).next().unwrap_or_default();
    let host = place.rsplit('@').next().unwrap_or_default();
    let here = ["localhost", "127.", "[::1]", "::1", "%2F"];
    let embedded = ["sqlite", "duckdb", "null"].contains(&scheme);
    !embedded && !host.is_empty() && !here.iter().any(|begin| host.starts_with(begin))
}

/// Little's law: a client waits for one answer at a time.
fn clients(step: &Step, place: &str, findings: &mut Findings) {
    if step.rate_intended.is_some() || step.seconds <= 0.0 {
        return;
    }
    let busy: f64 =
        step.transactions.iter().map(|o| o.latency.mean_us / 1e6 * o.timed as f64).sum::<f64>();
    // What began before the window and what ended after it is at most one operation a client, the
    // longest.
    let longest = step.transactions.iter().map(|o| o.latency.max_us).max().unwrap_or(0);
    let there = step.tx_clients as f64 * (step.seconds + 2.0 * longest as f64 / 1e6);
    findings.made_again += 1;
    if busy > there * 1.001 {
        let text = format!(
            "its operations took {busy:.3} s in all, and {} clients have {there:.3} s",
            step.tx_clients
        );
        findings.void(place, text);
    }
    let streams: f64 =
        step.queries.iter().filter_map(|q| Some(q.mean_seconds? * q.count as f64)).sum();
    let slowest = step.queries.iter().filter_map(|q| q.max_seconds).fold(0.0, f64::max);
    let there = step.query_clients as f64 * (step.seconds + 2.0 * slowest);
    if streams > there * 1.001 {
        let text = format!("its queries took {streams:.3} s, its clients have {there:.3} s");
        findings.void(place, text);
    }
}

fn one(operation: &Operation, (soonest, because): Soonest, place: &str, findings: &mut Findings) {
    let times = operation.service.as_ref().unwrap_or(&operation.latency);
    if operation.timed > 0 && times.p50_us < soonest {
        let p50 = times.p50_us;
        let text =
            format!("half of the answers came within {p50} µs, below {because}: {soonest} µs");
        findings.void(place, text);
    }
    if operation.count > 0 && operation.empty as f64 > EMPTY * operation.count as f64 {
        let text = format!("{} of {} found nothing", operation.empty, operation.count);
        findings.add(Division::Rehearsal, place, text);
    }
    let failed = sum(operation.failures.values().copied());
    let attempts = operation.count.saturating_add(failed);
    if failed.saturating_mul(100) > attempts {
        let text = format!("{failed} of {attempts} failed");
        findings.add(Division::Rehearsal, place, text);
    }
}

fn queries(
    folder: &Folder,
    step: &Step,
    (soonest, because): Soonest,
    place: &str,
    findings: &mut Findings,
) {
    let empty = step.queries.iter().filter(|q| q.count > 0 && q.empty == q.count).count();
    let some = step.queries.iter().filter(|q| q.count > 0).count();
    if empty as f64 > EMPTY * some as f64 {
        findings.add(
            Division::Rehearsal,
            place,
            format!("{empty} of {some} queries found nothing"),
        );
    }
    for query in &step.queries {
        if let Some(seconds) = query.min_seconds.filter(|s| s * 1e6 < soonest as f64) {
            let kind = &query.kind;
            let text = format!("{kind} took {seconds} s, below {because}: {soonest} µs");
            findings.void(place, text);
        }
        let mine =
            |e: &&Execution| e.step == step.number && e.query == query.kind && e.error.is_empty();
        let mut times: Vec<(f64, f64)> =
            folder.executions.iter().filter(mine).map(|e| (e.start_seconds, e.seconds)).collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [(_, first), rest @ ..] = &times[..] else { continue };
        let slowest = rest.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
        if rest.len() >= 2 && *first > 1e-2 && slowest * 50.0 < *first {
            let text = format!(
                "{} took {first:.3} s at first and {slowest:.6} s at most from then on: its answers \
                 may come from a cache",
                query.kind
            );
            findings.add(Division::Rehearsal, place, text);
        }
    }
}

/// The checks look for at least as many orders and payments as the steps counted.
fn ledger(run: &Run, place: &str, findings: &mut Findings) {
    for kind in ["NewOrder", "Payment"] {
        let of = run.checks.iter().find(|check| check.name == format!("nothing lost: {kind}"));
        let Some(check) = of.filter(|check| check.verdict == Verdict::Pass) else { continue };
        let operations = run.steps.iter().flat_map(|step| &step.transactions);
        let of = operations.filter(|o| o.kind == kind);
        let committed = sum(of.map(|o| o.count.saturating_sub(o.rolled_back)));
        findings.made_again += 1;
        if check.checked < committed {
            let text = format!(
                "{} looked for {}, and the steps counted {committed} commits",
                check.name, check.checked
            );
            findings.void(place, text);
        }
    }
}
