//! What went wrong and when.

use hoap_record::{Event, Run};

use super::by_run::{Of, items, sheet};
use crate::format::number::Unit;
use crate::format::table::Table;
use crate::run::Entry;

/// Bursts of failures in the order in which they began.
pub fn events(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "events", "What went wrong and when")
        .number("step", Unit::Count, |of: &Of<&Event>| of.item.step as f64)
        .number("from", Unit::Moment, |of| of.item.from_seconds)
        .number("to", Unit::Moment, |of| of.item.to_seconds)
        .text("side", |of| of.item.side.clone())
        .text("error", |of| of.item.what.clone())
        .number("times", Unit::Count, |of| of.item.count as f64)
        .text("the first one", |of| of.item.first.clone())
        .rows(items(entries, |run| run.events.iter().collect()))
}

/// Most events that the terminal lists.
const LISTED: usize = 10;

/// The events as lines: ("12.3–15.8 s", "341 × unavailable (transactions): connect …").
pub fn event_lines(run: &Run) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = run.events.iter().take(LISTED).map(line).collect();
    if let Some(more) = run.events.len().checked_sub(LISTED).filter(|more| *more > 0) {
        lines.push(("…".into(), format!("and {more} more, see the page or run.json")));
    }
    lines
}

fn line(event: &Event) -> (String, String) {
    let Event { from_seconds: from, to_seconds: to, side, what, count, first, .. } = event;
    let (from, to) = (format!("{from:.1}"), format!("{to:.1}"));
    let moment = if from == to { format!("{from} s") } else { format!("{from}–{to} s") };
    (moment, format!("{} × {what} ({side}): {first}", Unit::Count.show(*count as f64)))
}
