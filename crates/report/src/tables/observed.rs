//! What the observed servers did in each step.

use hoap_record::{ObservedSeries, ObservedSource, Step};

use super::by_run::{OfRun, items, sheet};
use super::series::name_of;
use crate::format::number::Unit;
use crate::format::table::{Cell, Sheet, Table};
use crate::run::observed::{Class, operations_per_second};
use crate::run::ticks::MOST;
use crate::run::{Entry, Loaded, step_name};

/// A series in a step.
type Row<'a> = (&'a Step, &'a ObservedSeries);

/// A table for each class of series that was observed, without those that stayed at 0.
pub fn observed(entries: &[Entry<'_>]) -> Vec<Table> {
    Class::ALL.into_iter().map(|class| of_class(entries, class)).filter(is_there).collect()
}

fn is_there(table: &Table) -> bool {
    !table.rows.is_empty()
}

fn of_class(entries: &[Entry<'_>], class: Class) -> Table {
    let sources = entries.iter().map(|entry| entry.run.observed.len()).max().unwrap_or(0);
    let mut sheet = sheet(entries, &format!("observed-{}", class.name()), class.title())
        .text("step", |of: &OfRun<Row<'_>>| step_name(of.item.0))
        .when(sources > 1, |s| s.text("source", |of| of.item.1.source.clone()))
        .text("series", |of| of.item.1.series.clone())
        .number("mean", class.unit(), |of| of.item.1.mean)
        .number("highest", class.unit(), |of| of.item.1.highest);
    if let Some(unit) = class.each() {
        let each = |(step, series): Row<'_>| Some(series.mean / operations_per_second(step)?);
        sheet = sheet.cells("per operation", Some(unit), move |of| Cell::maybe(each(of.item)));
    }
    sheet.number("seen for", Unit::Seconds, |of| of.item.1.seconds).wide().rows(items(
        entries,
        |run| {
            let of_step = |step: &'_ Step| -> Vec<usize> {
                let of = |(n, series): (usize, &ObservedSeries)| {
                    let is_there = series.mean != 0.0 || series.highest != 0.0;
                    (Class::of(&series.series, series.kind) == class && is_there).then_some(n)
                };
                step.observed.iter().enumerate().filter_map(of).collect()
            };
            let steps = run.steps.iter();
            steps.flat_map(|s| of_step(s).into_iter().map(move |n| (s, &s.observed[n]))).collect()
        },
    ))
}

/// What was observed, and how it went.
pub fn sources(entries: &[Entry<'_>]) -> Table {
    type S<'a> = OfRun<'a, &'a ObservedSource>;
    sheet(entries, "observed-sources", "Observed servers")
        .text("source", |of: &S| of.item.name.clone())
        .text("read from", |of| of.item.from.clone())
        .number("readings", Unit::Count, |of| of.item.readings as f64)
        .number("missed", Unit::Count, |of| of.item.missed as f64)
        .text("first miss", |of| of.item.first_miss.clone().unwrap_or_default())
        .rows(items(entries, |run| run.observed.iter().collect()))
}

/// The numbers of a class over time.
pub fn observed_over_time(loaded: &Loaded, class: Class) -> Table {
    let title = format!("{} over time", class.title());
    Sheet::new(format!("observed-{}-over-time", class.name()), title)
        .text("source", |(series, _): &(&crate::run::observed::Series, (f64, f64))| {
            series.source.clone()
        })
        .text("series", |(series, _)| series.series.clone())
        .text("step", |(_, (at, _))| step_at(loaded, *at))
        .number("at", Unit::Moment, |(_, (at, _))| *at)
        .number("value", class.unit(), |(_, (_, value))| *value)
        .rows(
            loaded
                .observed
                .iter()
                .filter(|series| series.class() == class)
                .flat_map(|series| series.points(MOST).into_iter().map(move |p| (series, p))),
        )
}

/// The step in whose measured window the moment lies; empty between windows.
fn step_at(loaded: &Loaded, at: f64) -> String {
    let within = |s: &&Step| (s.start_seconds..=s.start_seconds + s.seconds).contains(&at);
    let step = loaded.run.steps.iter().find(within);
    step.map_or(String::new(), |step| name_of(&loaded.run, step.number))
}
