//! The chart of ingestion.

use hoap_record::Ingestion;

use super::parts::item;
use super::scale::{self, vertical};
use super::spec::{Chart, Look, Mark, Number, Plot, Quantity, Sample, Series};
use crate::format::number::{Unit, duration};

/// Documents in the database of the queries over time, and when the load was written and settled.
pub fn ingestion(ingestion: &Ingestion) -> Chart {
    let longest = ingestion.whole_seconds.max(ingestion.settled_seconds);
    let x = scale::durations("since the beginning of the load", longest);
    let y = vertical(Quantity::Rates, "documents", std::iter::once(ingestion.documents as f64));
    let moments = [
        (ingestion.written_seconds, Look::colour(1).dashed(1), "last document loaded"),
        (ingestion.settled_seconds, Look::colour(2).dashed(2), "indexes and statistics made"),
    ];
    let line = Look::line("c0", "none");
    let mut legend = vec![item("documents in the database of the queries", line, Sample::Line)];
    let mut marks = Vec::new();
    for (at, look, what) in moments {
        legend.push(item(&format!("{what}: {}", duration(at)), look, Sample::Line));
        marks.push(Mark::Rule { look, upright: true, at: vec![(Number(at), None)] });
    }
    let points = ingestion.curve.iter().map(|c| {
        let documents = Unit::Count.show(c.documents as f64);
        let words = format!("{}\n{documents} documents", duration(c.seconds));
        (Number(c.seconds), Number(c.documents as f64), 0, words)
    });
    let (title, points) = ("taken in".to_owned(), points.collect());
    marks.push(Mark::Line(Series { look: line, title, points, ..Series::default() }));
    Chart::one(legend, Plot { height: 260, x, y, marks, ..Plot::default() })
}
