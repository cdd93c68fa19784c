//! Tables of freshness, and of how long the database of the queries took to catch up.

use hoap_record::{CatchUp, Freshness, Percentile, Run, Step};

use super::by_run::{OfRun, items, sheet};
use super::steps::latencies;
use crate::format::number::{Unit, duration};
use crate::format::table::{Cell, Table};
use crate::run::{Entry, step_name};

/// How old what the queries saw was, per step that measured it.
pub fn freshness(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, &'a Freshness);
    let share = |f: &Freshness| (f.probes > 0).then(|| f.all_seen as f64 / f.probes as f64);
    let title = "Freshness: age of the oldest acknowledged commit that queries do not see";
    let sheet = sheet(entries, "freshness", title)
        .text("step", |of: &OfRun<Item>| step_name(of.item.0))
        .cells("sees all", Some(Unit::Share), move |of| {
            Cell::maybe(share(of.item.1).map(|share| (share * 1e3).round() / 1e3))
        });
    let shown = [Percentile::P50, Percentile::P95, Percentile::P99, Percentile::Max];
    // An age is nothing where everything was seen.
    latencies(sheet, Unit::Seconds, false, &shown, |of| {
        (of.item.1.probes > 0).then_some(&of.item.1.unseen)
    })
    .number("probes", Unit::Count, |of| of.item.1.probes as f64)
    .number("failed", Unit::Count, |of| of.item.1.failed as f64)
    .wide()
    .cells("newest seen p50", Some(Unit::Seconds), |of| newest(of.item.1, Percentile::P50))
    .wide()
    .cells("newest seen p99", Some(Unit::Seconds), |of| newest(of.item.1, Percentile::P99))
    .wide()
    .cells("a probe took p99", Some(Unit::Latency), |of| {
        let took = of.item.1.took.p99_us as f64 / 1e6;
        Cell::maybe((of.item.1.probes > 0).then_some(took))
    })
    .wide()
    .rows(items(entries, |run| {
        run.steps.iter().filter_map(|s| Some((s, s.freshness.as_ref()?))).collect()
    }))
}

fn newest(f: &Freshness, percentile: Percentile) -> Cell {
    Cell::maybe((f.newest_seen.max_us > 0).then(|| percentile.of(&f.newest_seen) as f64 / 1e6))
}

/// How long the database of the queries took to hold what that of the transactions held, in one
/// sentence, where they are two.
pub fn caught_up(run: &Run) -> Option<String> {
    let CatchUp { before_seconds, after_seconds } = run.catch_up.as_ref()?;
    let after = after_seconds.map(|s| format!(", {} after the last step", duration(s)));
    Some(format!(
        "{} before the first step{}",
        duration(*before_seconds),
        after.unwrap_or_default()
    ))
}
