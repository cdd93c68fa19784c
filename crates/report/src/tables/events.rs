//! What went wrong and when.

use hoap_record::Event;

use super::by_run::{OfRun, items, sheet};
use crate::format::number::Unit;
use crate::format::table::Table;
use crate::run::Entry;

/// Bursts of failures in the order in which they began.
pub fn events(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "events", "What went wrong and when")
        .number("step", Unit::Count, |of: &OfRun<&Event>| of.item.step as f64)
        .number("from", Unit::Moment, |of| of.item.from_seconds)
        .number("to", Unit::Moment, |of| of.item.to_seconds)
        .text("side", |of| of.item.side.clone())
        .text("error", |of| of.item.what.clone())
        .number("times", Unit::Count, |of| of.item.count as f64)
        .text("the first one", |of| of.item.first.clone())
        .rows(items(entries, |run| run.events.iter().collect()))
}
