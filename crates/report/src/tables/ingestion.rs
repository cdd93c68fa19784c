//! Tables of ingestion: how the database of the queries took in what was loaded.

use hoap_record::{Ingested, Ingestion};

use super::by_run::{OfRun, items, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::run::Entry;

const RATE: Unit = Unit::Rate("documents/s");

/// Rates and moments of the ingestion of each run's load.
pub fn ingestion(entries: &[Entry<'_>]) -> Table {
    type I<'a> = OfRun<'a, &'a Ingestion>;
    sheet(entries, "ingestion", "Ingestion: what the database of the queries took in")
        .number("documents", Unit::Count, |of: &I| of.item.came_in() as f64)
        .number("bytes", Unit::Bytes, |of| of.item.bytes as f64)
        .wide()
        .cells("documents/s", Some(RATE), |of| Cell::maybe(of.item.per_second))
        .number("in", Unit::Seconds, |of| of.item.whole_seconds)
        .cells("after the load", Some(RATE), |of| Cell::maybe(of.item.per_second_after))
        .number("in that time", Unit::Seconds, |of| of.item.after_seconds)
        .number("to within", Unit::Seconds, |of| of.item.resolution_seconds)
        .number("there before", Unit::Count, |of| of.item.documents_at_begin as f64)
        .wide()
        .number("there after the load", Unit::Count, |of| of.item.documents_at_written as f64)
        .wide()
        .number("load written", Unit::Moment, |of| of.item.written_seconds)
        .wide()
        .number("load settled", Unit::Moment, |of| of.item.settled_seconds)
        .rows(items(entries, |run| run.ingestion().into_iter().collect()))
}

/// The counts of the documents over time.
pub fn ingested(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "ingestion-counts", "Documents in the database of the queries over time")
        .number("seconds", Unit::Moment, |of: &OfRun<'_, &Ingested>| of.item.seconds)
        .number("documents", Unit::Count, |of| of.item.documents as f64)
        .rows(items(entries, |run| run.ingestion().iter().flat_map(|i| &i.curve).collect()))
}
