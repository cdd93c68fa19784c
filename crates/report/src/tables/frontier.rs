//! Tables of the throughput frontier.

use hoap_record::{Percentile, Run, Step};

use super::by_run::{OfRun, items, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::run::frontier::{Frontier, point};
use crate::run::{Entry, step_name};

/// The box and the area ratio of each run.
pub fn frontier(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "frontier", "Throughput frontier of transactions and queries")
        .number("highest", Unit::Rate("tpM"), |of: &OfRun<Frontier>| of.item.corner.0)
        .number("highest", Unit::Rate("QpH"), |of| of.item.corner.1)
        .number("area ratio", Unit::Ratio, |of| of.item.ratio)
        .rows(items(entries, |run| Frontier::of_run(run).into_iter().collect()))
}

/// The steps of the frontiers.
pub fn frontier_steps(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, Frontier);
    let steps = |run: &'_ Run| -> Vec<(usize, Frontier)> {
        let frontier = Frontier::of_run(run);
        let all = frontier.iter().flat_map(|f| (0..run.steps.len()).map(|at| (at, f.clone())));
        all.collect()
    };
    let rows = items(entries, |run| {
        steps(run).into_iter().map(|(at, frontier)| (&run.steps[at], frontier)).collect()
    });
    sheet(entries, "frontier-steps", "Steps of the throughput frontier")
        .text("step", |of: &OfRun<Item>| step_name(of.item.0))
        .cells("tpM", Some(Unit::Rate("tpM")), |of| Cell::maybe(point(of.item.0).map(|p| p.0)))
        .cells("QpH", Some(Unit::Rate("QpH")), |of| Cell::maybe(point(of.item.0).map(|p| p.1)))
        .cells("unseen p99", Some(Unit::Seconds), |of| {
            Cell::maybe(unseen(of.item.0, Percentile::P99))
        })
        .text("frontier", |of| match point(of.item.0) {
            Some(point) if of.item.1.has(point) => "on it",
            Some(_) => "below",
            None => "not complete",
        })
        .rows(rows)
}

/// The age in seconds of the oldest commit that queries of a step did not see.
pub fn unseen(step: &Step, percentile: Percentile) -> Option<f64> {
    let freshness = step.freshness.as_ref().filter(|f| f.probes > 0 && step.query_clients > 0)?;
    Some(percentile.of(&freshness.unseen) as f64 / 1e6)
}
