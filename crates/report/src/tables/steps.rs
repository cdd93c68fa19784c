//! Tables of the measured steps.

use hoap_record::Percentile::{Max, P50, P95, P99, P999};
use hoap_record::{Latency, Operation, Percentile, Query, Step};

use super::by_run::{OfRun, items, measure_of, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Sheet, Table};
use crate::run::interference::{Interference, complete, interferences, power};
use crate::run::measure::{
    Measure, exceeded, failed, headline, headline_operations, none_committed, operations_per_second,
};
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

/// Adds what was in flight when the windows ended.
fn in_flight<'a, T: 'a>(
    sheet: Sheet<'a, OfRun<'a, T>>,
    of: impl Fn(&T) -> (u64, u64, u64) + Copy + 'a,
) -> Sheet<'a, OfRun<'a, T>> {
    sheet
        .number("in flight at the end", Unit::Count, move |t| of(&t.item).0 as f64)
        .wide()
        .rare()
        .cells("the oldest for", Some(Unit::Seconds), move |t| match of(&t.item) {
            (0, ..) => Cell::Empty,
            (_, oldest_us, _) => Cell::micros(oldest_us as f64),
        })
        .wide()
        .rare()
        .number("lower bounds", Unit::Count, move |t| of(&t.item).2 as f64)
        .wide()
        .rare()
}

/// The headline's transactions per step of hybrid runs: tpM and response times.
pub fn transactions(entries: &[Entry<'_>]) -> Table {
    let kinds = entries.iter().find_map(|entry| headline(entry.run)).unwrap_or("Headline");
    let sheet = sheet(entries, "transactions", &format!("{kinds} transactions per step"))
        .text("step", |of: &OfRun<&Step>| step_name(of.item))
        .number("transaction clients", Unit::Count, |of| of.item.tx_clients as f64)
        .wide()
        .common()
        .number("query clients", Unit::Count, |of| of.item.query_clients as f64)
        .wide()
        .common()
        .number("measured", Unit::Seconds, |of| of.item.seconds)
        .wide()
        .common()
        .cells("clients at work", Some(Unit::Ratio), |of| Cell::maybe(of.item.clients_at_work()))
        .cells("tpM", Some(TPM), |of| match of.item.tpm {
            Some(tpm) => Cell::Number(tpm),
            None => Cell::Incomplete(none_committed(of.item)),
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
    headline_operations(step).next().and_then(Operation::response)
}

/// Operations of all kinds per second: every step of a workload without two sides, and every step
/// of an open loop with what was intended and what came.
pub fn throughput(entries: &[Entry<'_>]) -> Table {
    let total = |of: fn(&Operation) -> u64| {
        move |step: &OfRun<'_, &Step>| step.item.transactions.iter().map(of).sum::<u64>() as f64
    };
    let rate = Some(Unit::Rate("/s"));
    let count = |value: Option<u64>| value.map_or(Cell::Empty, Cell::count);
    sheet(entries, "throughput", "Throughput per step, all operations together")
        .text("step", |of: &OfRun<&Step>| step_name(of.item))
        .number("clients", Unit::Count, |of| of.item.tx_clients as f64)
        .wide()
        .common()
        .cells("clients at work", Some(Unit::Ratio), |of| Cell::maybe(of.item.clients_at_work()))
        .number("measured", Unit::Seconds, |of| of.item.seconds)
        .wide()
        .common()
        .text("arrivals", |of| of.item.arrivals.clone().unwrap_or_default())
        .wide()
        .common()
        .cells("intended", rate, |of| Cell::maybe(of.item.rate_intended))
        .rare()
        .cells("begun", rate, |of| Cell::maybe(of.item.rate_achieved))
        .rare()
        .text("reached", |of| match (of.item.rate_intended, &of.item.rate_shortfall) {
            (None, _) => "",
            (Some(_), None) => "yes",
            (Some(_), Some(_)) if exceeded(of.item) => "exceeded",
            (Some(_), Some(_)) => "NO",
        })
        .rare()
        .number("ops/s", OPS, |of| operations_per_second(of.item))
        .number("done", Unit::Count, total(|o| o.count))
        .wide()
        .number("retries", Unit::Count, total(|o| o.retries))
        .wide()
        .rare()
        .number("failed", Unit::Count, |of| failed(of.item) as f64)
        .rare()
        .cells("due", Some(Unit::Count), move |of| count(of.item.intended_starts))
        .wide()
        .rare()
        .cells("begun in the window", Some(Unit::Count), move |of| count(of.item.begun))
        .wide()
        .rare()
        .cells("not started", Some(Unit::Count), move |of| count(of.item.not_started))
        .wide()
        .rare()
        .cells("backlog", Some(Unit::Count), move |of| count(of.item.backlog))
        .wide()
        .rare()
        .text("why not reached", |of| of.item.rate_shortfall.clone().unwrap_or_default())
        .wide()
        .rare()
        .rows(items(entries, |run| {
            let stands =
                |s: &&Step| Measure::of_step(s) == Measure::Plain || s.rate_intended.is_some();
            run.steps.iter().filter(|s| s.tx_clients > 0).filter(stands).collect()
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
        .text("step", |of: &OfRun<Item>| step_name(of.item.0))
        .text(column, |of| of.item.1.kind.clone())
        .common()
        .number("done", Unit::Count, |of| of.item.1.count as f64)
        .when(!hybrid, Sheet::wide)
        .number("ops/s", OPS, |of| of.item.1.per_second)
        .when(hybrid, Sheet::wide);
    let shown = [P50, P95, P99, P999, Max];
    let sheet = latencies(sheet, Unit::Latency, true, &shown, |of| of.item.1.response());
    let sheet = sheet
        .when(hybrid, |sheet| {
            sheet.number("rolled back", Unit::Count, |of| of.item.1.rolled_back as f64).rare()
        })
        .when(!hybrid, |sheet| {
            let share = |of: u64, all: u64| if all == 0 { 0.0 } else { of as f64 / all as f64 };
            let refused = move |o: &Operation| share(o.rolled_back, o.count);
            let nothing = move |o: &Operation| share(o.empty, o.count);
            let sheet = sheet.number("refused", Unit::Share, move |of| refused(of.item.1)).rare();
            sheet.number("found nothing", Unit::Share, move |of| nothing(of.item.1)).rare()
        })
        .number("retries", Unit::Count, |of| of.item.1.retries as f64)
        .rare()
        .when(!hybrid, Sheet::wide)
        .number("failed", Unit::Count, |of| of.item.1.failures.values().sum::<u64>() as f64)
        .rare()
        .when(!hybrid, Sheet::wide);
    in_flight(sheet, |(_, o): &Item| (o.unfinished, o.oldest_us, o.at_least))
        .rows(items(entries, |run| {
            run.steps.iter().flat_map(|s| s.transactions.iter().map(move |o| (s, o))).collect()
        }))
}

/// What the response times of an open loop are made of: the wait from the intended start to the
/// actual one, and the service from there to the end.
pub fn waits(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, &'a Operation, &'static str, &'a Latency);
    let sheet = sheet(entries, "waits", "Open loop: service, wait, and both together")
        .text("step", |of: &OfRun<Item>| step_name(of.item.0))
        .text(measure_of(entries).operation(), |of| of.item.1.kind.clone())
        .common()
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
    kind: &'a str,
    error: &'a str,
    count: u64,
    first: &'a str,
}

/// Everything that was given up, by kind of error.
pub fn failures(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "failures", "Failures by kind")
        .text("step", |of: &OfRun<Failure>| step_name(of.item.step))
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

fn with_queries(run: &hoap_record::Run) -> Vec<&Step> {
    run.steps.iter().filter(|s| s.query_clients > 0).collect()
}

fn number(value: Result<f64, String>) -> Cell {
    value.map_or_else(Cell::Incomplete, Cell::Number)
}

/// Power and queries per hour of the steps with query clients.
pub fn query_rates(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "query-rates", "Queries per step")
        .text("step", |of: &OfRun<&Step>| step_name(of.item))
        .number("transaction clients", Unit::Count, |of| of.item.tx_clients as f64)
        .wide()
        .common()
        .number("query clients", Unit::Count, |of| of.item.query_clients as f64)
        .wide()
        .common()
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
        .rare()
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
        .text("step", |of: &OfRun<Item>| step_name(of.item.0))
        .text("query", |of| of.item.1.kind.clone())
        .number("executions", Unit::Count, |of| of.item.1.count as f64)
        .cells("mean", s, |of| mean(of.item.1))
        .cells("fastest", s, |of| Cell::maybe(of.item.1.min_seconds))
        .cells("slowest", s, |of| Cell::maybe(of.item.1.max_seconds))
        .number("in flight at the end", Unit::Count, |of| of.item.1.unfinished as f64)
        .rare()
        .cells("the oldest for", s, |of| Cell::maybe(of.item.1.oldest_seconds))
        .rare()
        .number("failed", Unit::Count, |of| of.item.1.failed as f64)
        .rare()
        .rows(items(entries, |run| {
            run.steps.iter().flat_map(|s| s.queries.iter().map(move |q| (s, q))).collect()
        }))
}

/// What each side takes from the other at equal numbers of clients.
pub fn interference(entries: &[Entry<'_>]) -> Table {
    let (s, measure) = (Some(Unit::Seconds), measure_of(entries));
    let ratio = Some(Unit::Ratio);
    sheet(entries, "interference", "Interference: each side with the other ÷ alone, equal clients")
        .text("step", |of: &OfRun<Interference>| step_name(of.item.step))
        .cells(measure.unit(), Some(measure.rate()), move |of| {
            Cell::maybe(measure.recorded(of.item.step))
        })
        .wide()
        .cells("alone", Some(measure.rate()), |of| of.item.tpm_alone.clone())
        .cells(format!("{} ratio", measure.unit()), ratio, |of| of.item.tpm_ratio.clone())
        .cells("power", s, |of| number(power(of.item.step)))
        .wide()
        .cells("power alone", s, |of| of.item.power_alone.clone())
        .cells("power ratio", ratio, |of| of.item.power_ratio.clone())
        .rows(items(entries, interferences))
}
