//! The table of the steps among the answers of a run.

use hoap_record::{Operation, Step};

use super::by_run::{OfRun, items, measure_of, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::run::interference::{complete, power};
use crate::run::measure::{Measure, all_failed, headline_kinds, none_committed};
use crate::run::{Entry, step_name};

/// Kinds of operations that it has room for.
const KINDS: usize = 3;

/// The steps in short: the headline, the 99th percentile of each kind that it counts, the queries,
/// and what failed. Those of a search are not among them: its answer says what they say.
pub fn in_short(entries: &[Entry<'_>]) -> Table {
    let measure = measure_of(entries);
    let mut kinds: Vec<&str> = entries.iter().flat_map(|e| headline_kinds(e.run)).collect();
    kinds.truncate(KINDS);
    let sheet = sheet(entries, "steps", "Steps")
        .text("step", |of: &OfRun<&Step>| step_name(of.item))
        .cells(measure.unit(), Some(measure.rate()), move |of| match measure.recorded(of.item) {
            _ if of.item.tx_clients == 0 => Cell::Empty,
            Some(value) => Cell::Number(value),
            None => Cell::text(none_committed(of.item)),
        })
        .rare();
    let sheet = kinds.into_iter().fold(sheet, |sheet, kind| {
        let title = match measure {
            Measure::Hybrid => "p99".to_owned(),
            Measure::Plain => format!("{kind} p99"),
        };
        sheet.cells(title, Some(Unit::Latency), move |of| {
            let of_kind = of.item.transactions.iter().find(|o| o.kind == kind);
            let times = of_kind.and_then(Operation::response);
            times.map_or(Cell::Empty, |times| Cell::micros(times.p99_us as f64))
        })
    });
    let of_queries = |step: &Step, value: Result<f64, String>| match step.query_clients {
        0 => Cell::Empty,
        // Its reason stands among the answers.
        _ => value.map_or_else(|_| Cell::text("incomplete"), Cell::Number),
    };
    sheet
        .cells("power", Some(Unit::Seconds), move |of| of_queries(of.item, power(of.item)))
        .rare()
        .cells("QpH", Some(Unit::Rate("QpH")), move |of| {
            of_queries(of.item, complete(of.item, of.item.queries_per_hour))
        })
        .rare()
        .number("failed", Unit::Count, |of| all_failed(of.item) as f64)
        .rare()
        .rows(items(entries, |run| run.planned_steps().iter().collect()))
}
