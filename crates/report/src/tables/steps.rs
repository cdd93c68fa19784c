//! Tables of the measured steps.

use std::borrow::Cow;

use hoap_record::Percentile::{Max, P50, P95, P99, P999};
use hoap_record::{Latency, Operation, Percentile, Query, Step};

use super::by_run::{Of, items, measure_of, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Sheet, Table};
use crate::run::isolation::{Isolation, complete, isolations, power};
use crate::run::measure::{Measure, NONE_COMMITTED, exceeded, failed, operations_per_second};
use crate::run::{Entry, step_name};

const TPM: Unit = Unit::Rate("tpM");
const OPS: Unit = Unit::Rate("ops/s");

/// Adds the columns of times of this unit: the mean and every percentile. The terminal has room for
/// the mean where `mean` says so, and for the percentiles in `shown`.
pub fn latencies<'a, T: 'a>(
    sheet: Sheet<'a, T>,
    unit: Unit,
    mean: bool,
    shown: &[Percentile],
    of: impl Fn(&T) -> Option<&Latency> + Copy + 'a,
) -> Sheet<'a, T> {
    let cell = move |t: &T, take: &dyn Fn(&Latency) -> f64| {
        of(t).map_or(Cell::Empty, |latency| Cell::micros(take(latency)))
    };
    let sheet =
        sheet.cells("mean", Some(unit), move |t| cell(t, &|l| l.mean_us)).when(!mean, Sheet::wide);
    Percentile::ALL.into_iter().fold(sheet, |sheet, p| {
        sheet
            .cells(p.name(), Some(unit), move |t| cell(t, &|l| p.of(l) as f64))
            .when(!shown.contains(&p), Sheet::wide)
    })
}

/// Adds what was in flight when the windows ended, where anything was.
fn in_flight<'a, T: 'a>(
    sheet: Sheet<'a, Of<'a, T>>,
    entries: &[Entry<'_>],
    of: impl Fn(&T) -> (u64, u64, u64) + Copy + 'a,
) -> Sheet<'a, Of<'a, T>> {
    let steps = || entries.iter().flat_map(|e| &e.run.steps).flat_map(|s| &s.transactions);
    sheet.when(steps().any(|o| o.unfinished > 0), |sheet| {
        sheet
            .number("in flight at the end", Unit::Count, move |t| of(&t.item).0 as f64)
            .wide()
            .cells("the oldest for", Some(Unit::Seconds), move |t| match of(&t.item) {
                (0, ..) => Cell::Empty,
                (_, oldest_us, _) => Cell::micros(oldest_us as f64),
            })
            .wide()
            .number("lower bounds", Unit::Count, move |t| of(&t.item).2 as f64)
            .wide()
    })
}

/// NewOrder per step of hybrid runs: tpM and response times.
pub fn transactions(entries: &[Entry<'_>]) -> Table {
    let sheet = sheet(entries, "transactions", "NewOrder transactions per step")
        .text("step", |of: &Of<&Step>| step_name(of.item))
        .number("transaction clients", Unit::Count, |of| of.item.tx_clients as f64)
        .wide()
        .number("query clients", Unit::Count, |of| of.item.query_clients as f64)
        .wide()
        .number("measured", Unit::Seconds, |of| of.item.seconds)
        .wide()
        .cells("clients at work", Some(Unit::Ratio), |of| Cell::maybe(of.item.clients_at_work()))
        .wide()
        .cells("tpM", Some(TPM), |of| match of.item.tpm {
            Some(tpm) => Cell::Number(tpm),
            None => Cell::Incomplete(NONE_COMMITTED.into()),
        });
    let shown = [P50, P95, P99, Max];
    latencies(sheet, Unit::Latency, true, &shown, |of| new_order(of.item)).rows(items(
        entries,
        |run| {
            let hybrid = |s: &&Step| Measure::of_step(s) == Measure::Hybrid;
            run.steps.iter().filter(hybrid).filter(|s| s.tx_clients > 0).collect()
        },
    ))
}

fn new_order(step: &Step) -> Option<&Latency> {
    Measure::Hybrid.operations(step).next().and_then(Operation::response)
}

/// Operations of all kinds per second: every step of a workload without two sides, and every step
/// of an open loop with what was intended and what came.
pub fn throughput(entries: &[Entry<'_>]) -> Table {
    let open = |s: &Step| s.rate_intended.is_some();
    let any_open = entries.iter().any(|e| e.run.steps.iter().any(open));
    let any_short = entries.iter().any(|e| e.run.steps.iter().any(|s| s.rate_shortfall.is_some()));
    let total = |of: fn(&Operation) -> u64| {
        move |step: &Of<'_, &Step>| step.item.transactions.iter().map(of).sum::<u64>() as f64
    };
    sheet(entries, "throughput", "Throughput per step, all operations together")
        .text("step", |of: &Of<&Step>| step_name(of.item))
        .number("clients", Unit::Count, |of| of.item.tx_clients as f64)
        .wide()
        .cells("clients at work", Some(Unit::Ratio), |of| Cell::maybe(of.item.clients_at_work()))
        .wide()
        .number("measured", Unit::Seconds, |of| of.item.seconds)
        .wide()
        .when(any_open, |sheet| {
            sheet
                .text("arrivals", |of| of.item.arrivals.clone().unwrap_or_default())
                .wide()
                .cells("intended", Some(Unit::Rate("/s")), |of| Cell::maybe(of.item.rate_intended))
                .cells("begun", Some(Unit::Rate("/s")), |of| Cell::maybe(of.item.rate_achieved))
                .text("reached", |of| match (of.item.rate_intended, &of.item.rate_shortfall) {
                    (None, _) => "",
                    (Some(_), None) => "yes",
                    (Some(_), Some(_)) if exceeded(of.item) => "exceeded",
                    (Some(_), Some(_)) => "NO",
                })
        })
        .number("ops/s", OPS, |of| operations_per_second(of.item))
        .number("done", Unit::Count, total(|o| o.count))
        .wide()
        .number("retries", Unit::Count, total(|o| o.retries))
        .wide()
        .number("failed", Unit::Count, |of| failed(of.item) as f64)
        .when(any_open, |sheet| {
            let count = |value: Option<u64>| value.map_or(Cell::Empty, Cell::count);
            sheet
                .cells("due", Some(Unit::Count), move |of| count(of.item.intended_starts))
                .wide()
                .cells("begun in the window", Some(Unit::Count), move |of| count(of.item.begun))
                .wide()
                .cells("not started", Some(Unit::Count), move |of| count(of.item.not_started))
                .wide()
                .cells("backlog", Some(Unit::Count), move |of| count(of.item.backlog))
                .wide()
        })
        .when(any_short, |sheet| {
            sheet
                .text("why not reached", |of| of.item.rate_shortfall.clone().unwrap_or_default())
                .wide()
        })
        .rows(items(entries, |run| {
            let plain = |s: &Step| Measure::of_step(s) == Measure::Plain;
            run.steps.iter().filter(|s| plain(s) || open(s)).collect()
        }))
}

/// Every kind of operation per step: numbers, retries, failures and response times.
pub fn operations(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, &'a Operation);
    let hybrid = measure_of(entries) == Measure::Hybrid;
    let (title, column) = if hybrid {
        ("All transactions", "transaction")
    } else {
        ("Every kind of operation per step", "operation")
    };
    let sheet = sheet(entries, "operations", title)
        .text("step", |of: &Of<Item>| step_name(of.item.0))
        .text(column, |of| of.item.1.kind.clone())
        .number("done", Unit::Count, |of| of.item.1.count as f64)
        .when(!hybrid, Sheet::wide)
        .number("ops/s", OPS, |of| of.item.1.per_second)
        .when(hybrid, Sheet::wide)
        .when(hybrid, |sheet| {
            sheet.number("rolled back", Unit::Count, |of| of.item.1.rolled_back as f64)
        })
        .number("retries", Unit::Count, |of| of.item.1.retries as f64)
        .when(!hybrid, Sheet::wide)
        .number("failed", Unit::Count, |of| of.item.1.failures.values().sum::<u64>() as f64)
        .when(!hybrid, Sheet::wide);
    let sheet = in_flight(sheet, entries, |(_, o): &Item| (o.unfinished, o.oldest_us, o.at_least));
    let shown = [P50, P95, P99, P999, Max];
    latencies(sheet, Unit::Latency, true, &shown, |of| of.item.1.response())
        .rows(items(entries, |run| {
            run.steps.iter().flat_map(|s| s.transactions.iter().map(move |o| (s, o))).collect()
        }))
}

/// What the response times of an open loop are made of: the wait from the intended start to the
/// actual one, and the service from there to the end.
pub fn waits(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, &'a Operation, &'static str, &'a Latency);
    let sheet = sheet(entries, "waits", "Open loop: service, wait, and both together")
        .text("step", |of: &Of<Item>| step_name(of.item.0))
        .text(measure_of(entries).operation(), |of| of.item.1.kind.clone())
        .text("part", |of| of.item.2);
    let shown = [P50, P95, P99];
    latencies(sheet, Unit::Latency, true, &shown, |of| Some(of.item.3)).rows(items(
        entries,
        |run| {
            let all = run.steps.iter().flat_map(|s| s.transactions.iter().map(move |o| (s, o)));
            let parts = all.filter(|(_, o)| o.response().is_some()).flat_map(|(s, o)| {
                let (service, wait) = (o.service.as_ref(), o.wait.as_ref());
                let both = service.or(wait).map(|_| &o.latency);
                let parts = [("service", service), ("wait", wait), ("response", both)];
                parts.into_iter().filter_map(move |(part, latency)| Some((s, o, part, latency?)))
            });
            parts.collect()
        },
    ))
}

/// A kind of failure in a step: transaction or query, error, number, first error in words.
struct Failure<'a> {
    step: &'a Step,
    /// "Q01", or in short "Q01 … Q22".
    kind: Cow<'a, str>,
    error: &'a str,
    count: u64,
    first: &'a str,
}

/// Everything that was given up, by kind of error.
pub fn failures(entries: &[Entry<'_>]) -> Table {
    failures_of(entries, step_failures)
}

/// The same in short: operations that failed of the same in one row.
pub fn failures_in_short(entries: &[Entry<'_>]) -> Table {
    failures_of(entries, joined)
}

fn joined(step: &Step) -> Vec<Failure<'_>> {
    let mut rows: Vec<Failure<'_>> = Vec::new();
    for failure in step_failures(step) {
        let same = rows.iter_mut().find(|r| (r.error, r.first) == (failure.error, failure.first));
        match same {
            None => rows.push(failure),
            Some(row) => {
                row.count += failure.count;
                let first = row.kind.split(' ').next().unwrap_or_default();
                row.kind = format!("{first} … {}", failure.kind).into();
            }
        }
    }
    rows
}

fn failures_of(entries: &[Entry<'_>], of_step: fn(&Step) -> Vec<Failure<'_>>) -> Table {
    sheet(entries, "failures", "Failures by kind")
        .text("step", |of: &Of<Failure>| step_name(of.item.step))
        .text("operation", |of| of.item.kind.clone())
        .text("error", |of| of.item.error)
        .number("times", Unit::Count, |of| of.item.count as f64)
        .text("the first one", |of| of.item.first)
        .rows(items(entries, |run| run.steps.iter().flat_map(of_step).collect()))
}

fn step_failures(step: &Step) -> Vec<Failure<'_>> {
    let transactions = step.transactions.iter().flat_map(move |o| {
        o.failures.iter().map(move |(error, &count)| Failure {
            step,
            kind: o.kind.as_str().into(),
            error,
            count,
            first: o.first_errors.get(error).map_or("", String::as_str),
        })
    });
    let queries = step.queries.iter().filter(|q| q.failed > 0).map(|q| Failure {
        step,
        kind: q.kind.as_str().into(),
        error: "query failed",
        count: q.failed,
        first: q.error.as_deref().unwrap_or(""),
    });
    transactions.chain(queries).collect()
}

fn with_queries(run: &hoap_record::Run) -> Vec<&Step> {
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
        .number("in flight at the end", Unit::Count, |of| of.item.1.unfinished as f64)
        .cells("the oldest for", s, |of| Cell::maybe(of.item.1.oldest_seconds))
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
