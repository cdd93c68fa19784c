//! The data behind the charts over time and of percentiles.

use hoap_record::{MachineRow, Run};

use crate::format::number::{Unit, latency};
use crate::format::table::{Cell, Sheet, Table};
use crate::run::Loaded;
use crate::run::curve::Curve;
use crate::run::heat::{Heat, HeatColumn, edge};
use crate::run::machine::at_most;
use crate::run::measure::{Measure, headline};
use crate::run::step_name;
use crate::run::ticks::{MOST, Tick};

pub(super) fn name_of(run: &Run, number: usize) -> String {
    run.steps
        .iter()
        .find(|s| s.number == number)
        .map_or_else(|| format!("step {number}"), step_name)
}

/// What the run measures over time.
pub fn ticks(loaded: &Loaded) -> Table {
    let measure = loaded.measure();
    let ticks = &loaded.ticks;
    let what = headline(&loaded.run).unwrap_or("Operations");
    let title = match ticks.resolution() {
        None => format!("{what} over time"),
        Some(each) => format!(
            "{what} over time, {each} a row (p99: of all their operations; in the warm-up, and where \
             there is no log, the highest of the ticks)"
        ),
    };
    Sheet::new("ticks", title)
        .text("step", |t: &Tick| name_of(&loaded.run, t.step))
        .when(measure == Measure::Plain, |s| s.text("operation", |t| t.kind.clone()))
        .text("phase", |t| t.phase.clone())
        .number("until", Unit::Moment, |t| t.at_seconds)
        .number("done", Unit::Count, |t| t.count as f64)
        .number(measure.unit(), measure.rate(), move |t| t.rate(measure.period()))
        .cells("p99", Some(Unit::Latency), |t| Cell::maybe(t.p99_seconds))
        .number("retries", Unit::Count, |t| t.retries as f64)
        .number("failed", Unit::Count, |t| t.failed as f64)
        .rows(ticks.all.clone())
}

/// What the driver's machine did over time.
pub fn machine_over_time(loaded: &Loaded) -> Table {
    let cores = Unit::Rate("cores");
    let maybe = |unit, of: fn(&MachineRow) -> Option<f64>| {
        (Some(unit), move |point: &MachineRow| Cell::maybe(of(point)))
    };
    let (thread, busiest) = maybe(cores, |row| row.busiest_thread);
    let (waited, waiting) = maybe(cores, |row| row.waited);
    let (pressure, pressed) = maybe(Unit::Share, |row| row.cpu_pressure);
    Sheet::new("machine-over-time", "The driver's machine over time")
        .text("step", |point: &MachineRow| name_of(&loaded.run, point.step))
        .text("phase", |point| point.phase.clone())
        .number("until", Unit::Moment, |point| point.at_seconds)
        .number("driver, user", cores, |point| point.user)
        .number("driver, system", cores, |point| point.system)
        .cells("its busiest thread", thread, busiest)
        .cells("its threads waited", waited, waiting)
        .number("steal", cores, |point| point.steal)
        .number("all processes", cores, |point| point.machine)
        .number("busiest core", Unit::Share, |point| point.busiest_core)
        .cells("CPU pressure", pressure, pressed)
        .number("memory", Unit::Bytes, |point| point.resident_bytes as f64)
        .number("received", Unit::Bytes, |point| point.received_bytes as f64)
        .number("sent", Unit::Bytes, |point| point.sent_bytes as f64)
        .number("loopback", Unit::Bytes, |point| point.loopback_bytes as f64)
        .rows(at_most(&loaded.machine, MOST))
}

/// Response times over time: a row a kind and part of a step, a column a range of times.
pub fn heat(loaded: &Loaded) -> Table {
    type Part<'a> = (&'a Heat, &'a HeatColumn);
    let parts = || loaded.heat.iter().flat_map(|h| h.columns.iter().map(move |c| (h, c)));
    let rows = || parts().flat_map(|(_, column)| column.counts.keys().copied());
    let title = "Response times over time: operations from the time above the column to the next";
    let mut sheet = Sheet::new("heat", title)
        .number("step", Unit::Count, |(heat, _): &Part<'_>| heat.step as f64)
        .when(loaded.measure() == Measure::Plain, |s| s.text("operation", |(h, _)| h.kind.clone()))
        .number("from", Unit::Moment, |(_, column)| column.from_seconds)
        .number("until", Unit::Moment, |(_, column)| column.to_seconds);
    for row in rows().min().unwrap_or(0)..=rows().max().unwrap_or(-1) {
        sheet = sheet.cells(latency(edge(row)), Some(Unit::Count), move |(_, column)| {
            Cell::maybe(column.counts.get(&row).map(|count| *count as f64))
        });
    }
    sheet.rows(parts())
}

/// Response times by percentile: a row a kind and percentile, a column a step.
pub fn percentiles(loaded: &Loaded) -> Table {
    let mut sheet = Sheet::new("percentiles", "Response times by percentile")
        .text("operation", |(kind, _): &(String, f64)| kind.clone())
        .number("percentile", Unit::Share, |(_, quantile)| *quantile);
    for step in loaded.run.steps.iter().filter(|s| s.tx_clients > 0) {
        let of_step = |kind: &str| -> Option<&Curve> {
            loaded.curves.iter().find(|c| c.step == step.number && c.kind == kind)
        };
        sheet = sheet.cells(step_name(step), Some(Unit::Latency), move |(kind, quantile)| {
            let point = of_step(kind).and_then(|c| c.points.iter().find(|p| p.0 == *quantile));
            Cell::maybe(point.map(|p| p.1))
        });
    }
    sheet.rows(loaded.kinds().into_iter().flat_map(|kind| {
        let mut quantiles: Vec<f64> = loaded
            .curves
            .iter()
            .filter(|c| c.kind == kind)
            .flat_map(|c| c.points.iter().map(|p| p.0))
            .collect();
        quantiles.sort_by(f64::total_cmp);
        quantiles.dedup();
        quantiles.into_iter().map(move |q| (kind.clone(), q)).collect::<Vec<_>>()
    }))
}
