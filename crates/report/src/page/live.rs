//! The page of a run while it goes on. Its script (`assets/script/6-live.js`) is told what is new.

use hoap_record::{Run, Severity};
use serde_json::{Value, json};

use super::body::{Body, Figure};
use super::chart::spec::{Chart, Look};
use super::frame::Frame;
use super::markup::class;
use crate::format::table::Table;
use crate::format::text::tame;
use crate::run::figures::{checks, of_run};
use crate::run::measure::{Measure, headline};
use crate::run::{Entry, remarks, title::title, void};
use crate::tables;

/// The charts: names, captions.
const CHARTS: [(&str, &str); 4] = [
    ("throughput", "Throughput over time"),
    ("p99", "Response time over time, 99th percentile"),
    ("freshness", "Freshness over time: age of the oldest commit that queries do not see"),
    ("cpu", "CPU of the driver and its machine over time"),
];

/// The sections of the report whose tables the page has, as far as they are known.
const SECTIONS: [&str; 5] =
    ["search-section", "measured", "failures-section", "freshness-section", "verification"];

const NOW: &str = "<p id=\"live-state\" role=\"status\">Waiting for the run.</p>\n\
    <progress id=\"live-left\" max=\"1\" value=\"0\" aria-label=\"How much of the run is done\"></progress>\n\
    <dl class=\"figures\" id=\"live-figures\"></dl>\n\
    <aside class=\"warnings\" id=\"live-remarks\" aria-label=\"Warnings\" hidden><ul></ul></aside>\n\
    <noscript><p>This page needs JavaScript. The terminal shows the same numbers.</p></noscript>\n";

/// The page of a run of which only the title is known.
pub fn page(title: &str) -> String {
    let mut body = Body::default();
    body.open("now", "Now", "Now");
    body.html.push_str(NOW);
    body.close();
    body.open("time", "Over time", "Over time");
    body.paragraph(
        "Shaded: the measured window of each step. A point of a long run is several intervals; its \
         percentile is the highest of theirs.",
    );
    body.beside(|body| {
        for (name, caption) in CHARTS {
            let figure = Figure { name, caption, label: caption, table: "" };
            body.chart(&figure, None, Chart::default());
        }
    });
    body.close();
    body.open("steps", "Steps", "Steps");
    body.html.push_str("<ol id=\"live-plan\"></ol>\n<div id=\"live-tables\"></div>\n");
    body.close();
    let looks: Vec<Look> = (0..Look::COLOURS * Look::DASHES)
        .map(|n| Look { symbol: None, ..Look::of_configuration(n) })
        .collect();
    body.charts.insert("looks".into(), json!(looks));
    let frame = Frame {
        title,
        description: "A run that goes on",
        about: &["The run goes on. Numbers count once a step has ended.".to_owned()],
        from: "what the run tells",
    };
    frame.live(&body)
}

/// What the page shows of the record so far. Words are text, not markup.
pub fn so_far(run: &Run) -> Value {
    let entry = [Entry { name: "", run }];
    let measure = Measure::of(run);
    let mut figures = of_run(run);
    figures.extend((!run.checks.is_empty()).then(|| checks(run)));
    let figures = figures.iter().map(|figure| {
        json!([figure.label, tame(&figure.value), figure.unit, tame(&figure.note), figure.bad])
    });
    let remarks = remarks::shown(run).into_iter();
    let remarks = remarks.map(|line| json!([tame(&line.words), line.severity == Severity::Void]));
    let tables = SECTIONS.iter().flat_map(|section| tables::of_section(section, &entry));
    json!({
        "title": tame(&title(&entry)),
        "about": format!("started {}, hoap {}", tables::moment(&run.started), tame(&run.hoap)),
        "void": void::mark(run),
        "unit": measure.unit(), "period": measure.period(), "headline": headline(run),
        "figures": figures.collect::<Value>(),
        "remarks": remarks.collect::<Value>(),
        "tables": tables.map(|table| shown(&table)).collect::<Value>(),
    })
}

/// A table: each column with its heading and whether it has numbers, each cell with its words and
/// its class.
fn shown(table: &Table) -> Value {
    let table = table.shown();
    let columns = table.columns.iter().map(|column| json!([column.heading(), column.numeric()]));
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().zip(&table.columns);
        cells
            .map(|(cell, column)| json!([tame(&cell.show(column.unit)), class(cell, column)]))
            .collect::<Value>()
    });
    json!({
        "id": table.id, "title": tame(&table.title),
        "columns": columns.collect::<Value>(), "rows": rows.collect::<Value>(),
    })
}
