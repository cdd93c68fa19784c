//! Tables of what the witness transactions show of the isolation.

use hoap_record::witness::Anomaly;
use hoap_record::{Level, Run, Witness};

use super::by_run::{OfRun, items, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::run::Entry;

/// What was promised and what was seen.
pub fn witness(entries: &[Entry<'_>]) -> Table {
    let level =
        |level: Option<Level>, none: &'static str| level.map_or(none, Level::name).to_string();
    sheet(entries, "witness", "Isolation of the transactions")
        .text("promised", move |of: &OfRun<&Witness>| level(of.item.promised, "nothing"))
        .text("seen up to", move |of| level(of.item.found, "not even read uncommitted"))
        .cells("promise", None, |of| match (of.item.promised, of.item.committed) {
            (Some(_), 1..) if of.item.broken() => Cell::Text("BROKEN".into()),
            (Some(_), 1..) => Cell::Text("kept".into()),
            _ => Cell::Text("–".into()),
        })
        .number("committed", Unit::Count, |of| of.item.committed as f64)
        .number("rolled back", Unit::Count, |of| of.item.rolled_back as f64)
        .number("unknown", Unit::Count, |of| of.item.unknown as f64)
        .number("reads", Unit::Count, |of| of.item.reads as f64)
        .wide()
        .number("writes", Unit::Count, |of| of.item.writes as f64)
        .wide()
        .rows(items(entries, |run: &Run| run.witness.iter().collect()))
}

/// What contradicts the levels above the one seen.
pub fn anomalies(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "anomalies", "Anomalies of isolation")
        .text("anomaly", |of: &OfRun<&Anomaly>| of.item.name.clone())
        .text("contradicts", |of| of.item.contradicts.name().to_string())
        .number("count", Unit::Count, |of| of.item.count as f64)
        .text("example", |of| of.item.example.words.join(" "))
        .wide()
        .rows(items(entries, |run: &Run| {
            run.witness.iter().flat_map(|witness| &witness.anomalies).collect()
        }))
}
