//! The search for the highest rate under bounds: every probe is evidence.

use hoap_record::search::{Probe, Search, Time};

use super::by_run::{OfRun, items, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::run::Entry;
use crate::run::search::search_bounds;

/// A probe with one of its bounds, or with none where the rate had only to be reached.
struct Row<'a> {
    number: usize,
    probe: &'a Probe,
    bound: Option<u64>,
    time: Option<&'a Time>,
}

/// The answer of every search: the highest rate that held and the lowest that did not.
pub fn highest_rate(entries: &[Entry<'_>]) -> Table {
    let rate = |rate: Option<f64>| Cell::maybe(rate);
    sheet(entries, "highest-rate", "Highest rate that holds the bounds")
        .text("bounds", |of: &OfRun<&Search>| search_bounds(of.item))
        .cells("held", Some(Unit::Rate("/s")), move |of| rate(of.item.rate))
        .cells("did not hold", Some(Unit::Rate("/s")), move |of| rate(of.item.below))
        .number("undecided rates", Unit::Count, |of| of.item.undecided.len() as f64)
        .cells("noise", Some(Unit::Share), |of| Cell::maybe(of.item.noise))
        .number("probes", Unit::Count, |of| of.item.probes.len() as f64)
        .rows(items(entries, |run| run.search.iter().collect()))
}

/// Every probe of every search, a row for each bound.
pub fn search(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "search", "Search for the highest rate: every probe")
        .number("probe", Unit::Count, |of: &OfRun<Row<'_>>| of.item.number as f64)
        .number("intended", Unit::Rate("/s"), |of| of.item.probe.rate)
        .number("lasted", Unit::Seconds, |of| of.item.probe.seconds)
        .wide()
        .number("achieved", Unit::Rate("/s"), |of| of.item.probe.achieved)
        .number("failed", Unit::Share, |of| of.item.probe.failures)
        .rare()
        .text("percentile", |of| of.item.time.map_or("", |t| t.percentile.name()))
        .common()
        .cells("time", Some(Unit::Latency), |of| {
            of.item.time.map_or(Cell::Empty, |t| Cell::micros(t.us as f64))
        })
        .cells("bound", Some(Unit::Seconds), |of| {
            of.item.bound.map_or(Cell::Empty, |us| Cell::micros(us as f64))
        })
        .common()
        .text("slowest", |of| of.item.time.map_or("", |t| t.kind.as_str()))
        .common()
        .cells("operations", Some(Unit::Count), |of| {
            Cell::maybe(of.item.time.map(|t| t.operations as f64))
        })
        .text("holds", |of| match of.item.probe {
            probe if probe.broken.is_some() => "NO",
            probe if probe.undecided.is_some() => "undecided",
            _ => "yes",
        })
        .text("why not", |of| {
            let Probe { broken, undecided, .. } = of.item.probe;
            broken.as_ref().or(undecided.as_ref()).cloned().unwrap_or_default()
        })
        .rows(items(entries, |run| run.search.iter().flat_map(rows).collect()))
}

fn rows(search: &Search) -> Vec<Row<'_>> {
    let bound = |time: &Time| {
        let sla = search.bounds.slas.iter().find(|s| s.percentile == time.percentile);
        sla.map(|s| s.limit_us)
    };
    let mut rows = Vec::new();
    for (n, probe) in search.probes.iter().enumerate() {
        if probe.times.is_empty() {
            rows.push(Row { number: n + 1, probe, bound: None, time: None });
        }
        for time in &probe.times {
            rows.push(Row { number: n + 1, probe, bound: bound(time), time: Some(time) });
        }
    }
    rows
}
