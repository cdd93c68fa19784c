//! Tables of the measured steps.

use hoap_drive::record::{Latency, Operation, Query, Step};

use super::{Entry, Of, items, sheet, step_name};
use crate::isolation::{Isolation, complete, isolations, power};
use crate::number::Unit;
use crate::table::{Cell, Sheet, Table};

const TPM: Unit = Unit::Rate("tpM");

/// The NewOrder operations of a step.
pub fn new_order(step: &Step) -> Option<&Operation> {
    step.transactions.iter().find(|o| o.kind == "NewOrder")
}

fn latency(operation: Option<&Operation>, take: impl Fn(&Latency) -> f64) -> Cell {
    operation.filter(|o| o.count > 0).map_or(Cell::Empty, |o| Cell::micros(take(&o.latency)))
}

/// Adds the response-time columns, of which the terminal shows the five that matter most.
fn latencies<'a, T: 'a>(
    sheet: Sheet<'a, T>,
    of: impl Fn(&T) -> Option<&Operation> + Copy + 'a,
) -> Sheet<'a, T> {
    let s = Some(Unit::Seconds);
    sheet
        .cells("mean", s, move |t| latency(of(t), |l| l.mean_us))
        .cells("p50", s, move |t| latency(of(t), |l| l.p50_us as f64))
        .cells("p90", s, move |t| latency(of(t), |l| l.p90_us as f64))
        .wide()
        .cells("p95", s, move |t| latency(of(t), |l| l.p95_us as f64))
        .cells("p99", s, move |t| latency(of(t), |l| l.p99_us as f64))
        .cells("p99.9", s, move |t| latency(of(t), |l| l.p999_us as f64))
        .wide()
        .cells("max", s, move |t| latency(of(t), |l| l.max_us as f64))
}

/// NewOrder per step: tpM and response times.
pub fn transactions(entries: &[Entry<'_>]) -> Table {
    let sheet = sheet(entries, "transactions", "NewOrder transactions per step")
        .text("step", |of: &Of<&Step>| step_name(of.item))
        .number("transaction clients", Unit::Count, |of| of.item.tx_clients as f64)
        .wide()
        .number("query clients", Unit::Count, |of| of.item.query_clients as f64)
        .wide()
        .number("measured", Unit::Seconds, |of| of.item.seconds)
        .wide()
        .cells("tpM", Some(TPM), |of| Cell::maybe(of.item.tpm));
    latencies(sheet, |of| new_order(of.item))
        .rows(items(entries, |run| run.steps.iter().filter(|s| s.tx_clients > 0).collect()))
}

/// Every kind of transaction per step: numbers, retries, failures and response times.
pub fn operations(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, &'a Operation);
    let sheet = sheet(entries, "operations", "All transactions")
        .text("step", |of: &Of<Item>| step_name(of.item.0))
        .text("transaction", |of| of.item.1.kind.clone())
        .number("done", Unit::Count, |of| of.item.1.count as f64)
        .number("rate", Unit::Rate("/s"), |of| of.item.1.per_second)
        .wide()
        .number("rolled back", Unit::Count, |of| of.item.1.rolled_back as f64)
        .number("retries", Unit::Count, |of| of.item.1.retries as f64)
        .number("failed", Unit::Count, |of| of.item.1.failures.values().sum::<u64>() as f64);
    latencies(sheet, |of| Some(of.item.1)).rows(items(entries, |run| {
        run.steps.iter().flat_map(|s| s.transactions.iter().map(move |o| (s, o))).collect()
    }))
}

/// A kind of failure in a step: transaction or query, error, number, first error in words.
struct Failure<'a> {
    step: &'a Step,
    kind: &'a str,
    error: &'a str,
    count: u64,
    first: &'a str,
}

/// Everything that was given up, by kind of error.
pub fn failures(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "failures", "Failures by kind")
        .text("step", |of: &Of<Failure>| step_name(of.item.step))
        .text("operation", |of| of.item.kind)
        .text("error", |of| of.item.error)
        .number("times", Unit::Count, |of| of.item.count as f64)
        .text("the first one", |of| of.item.first)
        .rows(items(entries, |run| run.steps.iter().flat_map(step_failures).collect()))
}

fn step_failures(step: &Step) -> Vec<Failure<'_>> {
    let transactions = step.transactions.iter().flat_map(move |o| {
        o.failures.iter().map(move |(error, &count)| Failure {
            step,
            kind: &o.kind,
            error,
            count,
            first: o.first_errors.get(error).map_or("", String::as_str),
        })
    });
    let queries = step.queries.iter().filter(|q| q.failed > 0).map(|q| Failure {
        step,
        kind: &q.kind,
        error: "query failed",
        count: q.failed,
        first: q.error.as_deref().unwrap_or(""),
    });
    transactions.chain(queries).collect()
}

fn with_queries(run: &hoap_drive::record::Run) -> Vec<&Step> {
    run.steps.iter().filter(|s| s.query_clients > 0).collect()
}

fn number(value: Result<f64, String>) -> Cell {
    value.map_or_else(Cell::Incomplete, Cell::Number)
}

/// Power and queries per hour of the steps with query clients.
pub fn query_rates(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "query-rates", "Queries per step")
        .text("step", |of: &Of<&Step>| step_name(of.item))
        .number("transaction clients", Unit::Count, |of| of.item.tx_clients as f64)
        .wide()
        .number("query clients", Unit::Count, |of| of.item.query_clients as f64)
        .wide()
        .cells("power", Some(Unit::Seconds), |of| number(power(of.item)))
        .cells("QpH", Some(Unit::Rate("QpH")), |of| {
            number(complete(of.item, of.item.queries_per_hour))
        })
        .number("executions", Unit::Count, |of| {
            of.item.queries.iter().map(|q| q.count).sum::<u64>() as f64
        })
        .number("failed", Unit::Count, |of| {
            of.item.queries.iter().map(|q| q.failed).sum::<u64>() as f64
        })
        .rows(items(entries, with_queries))
}

/// Mean time of a query, a column a step. One run: columns of different runs share no steps.
pub fn query_times(entry: Entry<'_>) -> Table {
    let steps = with_queries(entry.run);
    let mut kinds: Vec<&str> =
        steps.iter().flat_map(|s| s.queries.iter().map(|q| q.kind.as_str())).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let title = format!("Mean time of each query: {}", entry.name);
    let mut sheet = Sheet::new("query-times", title).text("query", |kind: &&str| kind.to_string());
    for step in steps {
        sheet = sheet.cells(step_name(step), Some(Unit::Seconds), move |kind| {
            step.queries.iter().find(|q| q.kind == *kind).map_or(Cell::Empty, mean)
        });
    }
    sheet.rows(kinds)
}

fn mean(query: &Query) -> Cell {
    if query.failed > 0 {
        return Cell::Incomplete(query.error.clone().unwrap_or_else(|| "it failed".to_string()));
    }
    Cell::maybe(query.mean_seconds)
}

/// Every query per step: number, mean, fastest, slowest, failures.
pub fn query_detail(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, &'a Query);
    let s = Some(Unit::Seconds);
    sheet(entries, "query-detail", "Each query in each step")
        .text("step", |of: &Of<Item>| step_name(of.item.0))
        .text("query", |of| of.item.1.kind.clone())
        .number("executions", Unit::Count, |of| of.item.1.count as f64)
        .cells("mean", s, |of| mean(of.item.1))
        .cells("fastest", s, |of| Cell::maybe(of.item.1.min_seconds))
        .cells("slowest", s, |of| Cell::maybe(of.item.1.max_seconds))
        .number("failed", Unit::Count, |of| of.item.1.failed as f64)
        .rows(items(entries, |run| {
            run.steps.iter().flat_map(|s| s.queries.iter().map(move |q| (s, q))).collect()
        }))
}

/// What each side takes from the other at equal numbers of clients.
pub fn isolation(entries: &[Entry<'_>]) -> Table {
    let s = Some(Unit::Seconds);
    let ratio = Some(Unit::Ratio);
    sheet(entries, "isolation", "Isolation: each side with the other ÷ alone, equal clients")
        .text("step", |of: &Of<Isolation>| step_name(of.item.step))
        .cells("tpM", Some(TPM), |of| Cell::maybe(of.item.step.tpm))
        .wide()
        .cells("alone", Some(TPM), |of| of.item.tpm_alone.clone())
        .cells("tpM ratio", ratio, |of| of.item.tpm_ratio.clone())
        .cells("power", s, |of| number(power(of.item.step)))
        .wide()
        .cells("power alone", s, |of| of.item.power_alone.clone())
        .cells("power ratio", ratio, |of| of.item.power_ratio.clone())
        .rows(items(entries, isolations))
}
