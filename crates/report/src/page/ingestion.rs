//! The section of ingestion.

use super::body::{Body, Figure, Panel, panels};
use super::chart::ingestion::ingestion;
use crate::run::Entry;
use crate::tables;

/// How the database of the queries took in what was loaded, where that was measured.
pub fn write(body: &mut Body, runs: &[Panel<'_>], entries: &[Entry<'_>]) {
    let made = tables::ingestion(entries);
    if made.rows.is_empty() {
        return;
    }
    body.open("ingestion-section", "Ingestion", "Ingestion");
    body.paragraph(
        "From the beginning of the load a query counted the documents of all collections in the \
         database of the queries, until none was missing. The end is known to within the time \
         between the last two counts. The rate after the load is that of the documents that came \
         in after the last one was loaded; there is none where that took no longer than one \
         interval of counting.",
    );
    let counts = tables::ingested(entries);
    panels(
        body,
        runs,
        |loaded| loaded.run.ingestion().is_some(),
        |body, panel| {
            let Some(measured) = panel.loaded.run.ingestion() else { return };
            let caption = "Documents taken in by the database of the queries over time";
            let label = format!("Chart: {caption}. Its numbers are in the table.");
            let name = format!("ingestion-{}", panel.number);
            let figure = Figure { name: &name, caption, label: &label, table: &counts.id };
            body.chart(&figure, Some(panel), ingestion(measured));
        },
    );
    body.filled(&made);
    body.folded(&counts.title.clone(), &counts, &counts.id.clone());
    body.close();
}
