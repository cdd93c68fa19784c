//! Tables of freshness, and of how long the database of the queries took to catch up.

use hoap_record::{CatchUp, Freshness, Run, Step};

use super::steps::latencies;
use super::{Entry, Of, items, sheet, step_name};
use crate::number::{Unit, duration};
use crate::table::{Cell, Table};

/// How old what the queries saw was, per step that measured it.
pub fn freshness(entries: &[Entry<'_>]) -> Table {
    type Item<'a> = (&'a Step, &'a Freshness);
    let share = |f: &Freshness| (f.probes > 0).then(|| f.all_seen as f64 / f.probes as f64);
    let title = "Freshness: age of the oldest acknowledged commit that queries do not see";
    let sheet = sheet(entries, "freshness", title)
        .text("step", |of: &Of<Item>| step_name(of.item.0))
        .cells("sees all", Some(Unit::Share), move |of| {
            Cell::maybe(share(of.item.1).map(|share| (share * 1e3).round() / 1e3))
        });
    let shown = ["p50", "p95", "p99", "max"];
    // An age is nothing where everything was seen.
    latencies(sheet, Unit::Seconds, &shown, |of| {
        (of.item.1.probes > 0).then_some(&of.item.1.unseen)
    })
    .number("probes", Unit::Count, |of| of.item.1.probes as f64)
    .number("failed", Unit::Count, |of| of.item.1.failed as f64)
    .wide()
    .cells("newest seen p50", Some(Unit::Seconds), |of| newest(of.item.1, |l| l.p50_us))
    .wide()
    .cells("newest seen p99", Some(Unit::Seconds), |of| newest(of.item.1, |l| l.p99_us))
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

fn newest(f: &Freshness, take: fn(&hoap_record::Latency) -> u64) -> Cell {
    Cell::maybe((f.newest_seen.max_us > 0).then(|| take(&f.newest_seen) as f64 / 1e6))
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
