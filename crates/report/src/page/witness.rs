//! The isolation of the transactions, with examples of anomalies drawn: a row for each transaction,
//! a box for each operation, arrows for what binds them.

use std::fmt::Write as _;

use hoap_record::history::{Attempt, Did, End};
use hoap_record::witness::{Edge, Example, Why};

use super::body::Body;
use super::markup::escape;
use crate::run::Entry;

/// Drawings of examples that a run has at most.
const EXAMPLES: usize = 16;

/// Rows, and boxes of a row, that are drawn at most.
const MOST: usize = 16;
/// Values at the end of a list that are shown.
const VALUES: usize = 3;
/// Pixels: where the boxes of a row begin, from row to row, a box's height, a letter's width,
/// between boxes.
const LEFT: usize = 96;
const ROW: usize = 92;
const HEIGHT: usize = 30;
const LETTER: usize = 8;
const GAP: usize = 18;

/// A box: left edge and width.
type BoxSpan = (usize, usize);

/// Writes the examples.
pub fn write(body: &mut Body, entries: &[Entry<'_>]) {
    for (run, entry) in entries.iter().enumerate() {
        let anomalies = entry.run.witness.iter().flat_map(|witness| &witness.anomalies);
        for (number, anomaly) in anomalies.take(EXAMPLES).enumerate() {
            let name = if entries.len() > 1 { format!("{}: ", entry.name) } else { String::new() };
            let heading = format!("{name}{}, an example", anomaly.name);
            body.heading(&escape(&heading));
            body.list(&anomaly.example.words);
            let drawing = svg(&format!("example-{run}-{number}"), &anomaly.example);
            let _ = write!(body.html, "<div class=\"scroll\">\n{drawing}</div>\n");
        }
    }
}

/// The drawing as an SVG element. `id` is unique on the page.
fn svg(id: &str, example: &Example) -> String {
    let rows: Vec<Vec<BoxSpan>> = example.transactions.iter().take(MOST).map(places).collect();
    let ends = rows.iter().filter_map(|row| row.last()).map(|(left, width)| left + width);
    let (width, height) = (ends.max().unwrap_or(LEFT) + 4 * GAP, ROW * rows.len().max(1));
    let label = escape(&format!("Drawing: {}", example.words.join(" ")));
    let id = escape(id);
    let mut out = format!(
        "<svg class=\"example\" role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\">\n<defs><marker id=\"{id}-tip\" viewBox=\"0 0 8 8\" \
         refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\">\
         <path d=\"M0 0 8 4 0 8z\" fill=\"context-stroke\"/></marker></defs>\n"
    );
    for (number, (attempt, places)) in example.transactions.iter().zip(&rows).enumerate() {
        row(&mut out, number, attempt, places);
    }
    for (number, edge) in example.edges.iter().take(2 * MOST).enumerate() {
        arrow(&mut out, &id, number, edge, example, &rows);
    }
    out.push_str("</svg>\n");
    out
}

/// The words of an operation.
fn words(did: &Did) -> String {
    match did {
        Did::Read(list, values) => {
            let last: Vec<String> =
                values[values.len().saturating_sub(VALUES)..].iter().map(u32::to_string).collect();
            let cut = if values.len() > VALUES { "… " } else { "" };
            format!("read {list}: [{cut}{}]", last.join(" "))
        }
        Did::Write(list, value) => format!("write {list}: +{value}"),
        Did::Append(list, value) => format!("append {list}: +{value}"),
    }
}

fn places(attempt: &Attempt) -> Vec<BoxSpan> {
    let mut left = LEFT;
    let place = |did: &Did| {
        let width = words(did).chars().count() * LETTER + 16;
        let place = (left, width);
        left += width + GAP;
        place
    };
    attempt.did.iter().take(MOST).map(place).collect()
}

fn row(out: &mut String, number: usize, attempt: &Attempt, places: &[BoxSpan]) {
    let top = number * ROW + (ROW - HEIGHT) / 2;
    let middle = top + HEIGHT / 2;
    let end = match attempt.end {
        End::Committed => "committed",
        End::RolledBack => "rolled back",
        End::Unknown => "unknown",
    };
    let right = places.last().map_or(LEFT, |(left, width)| left + width);
    let _ = write!(
        out,
        "<text x=\"0\" y=\"{}\"><tspan class=\"name\">T{}</tspan><tspan x=\"0\" dy=\"16\" \
         class=\"end\">{end}</tspan></text>\n\
         <line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{middle}\" y2=\"{middle}\"/>\n",
        middle - 2,
        number + 1
    );
    for (did, (left, width)) in attempt.did.iter().zip(places) {
        let class = if did.written().is_some() { "writes" } else { "reads" };
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" \
             height=\"{HEIGHT}\" rx=\"5\"/><text x=\"{}\" y=\"{}\">{}</text>",
            left + 8,
            middle + 5,
            escape(&words(did))
        );
    }
}

/// The box at one end of an arrow: where a transaction read or wrote the document.
fn at(edge: &Edge, attempt: &Attempt, places: &[BoxSpan], first: bool) -> Option<BoxSpan> {
    let writes = match (edge.why, first) {
        (Why::Overwrites, _) | (Why::Reads, true) | (Why::Misses, false) => true,
        (Why::Reads, false) | (Why::Misses, true) => false,
        (Why::Later, true) => return places.last().copied(),
        (Why::Later, false) => return places.first().copied(),
    };
    let mut of = attempt
        .did
        .iter()
        .zip(places)
        .filter(|(did, _)| Some(did.list()) == edge.list && did.written().is_some() == writes);
    let place = if first { of.next_back() } else { of.next() };
    place.map(|(_, place)| *place)
}

fn arrow(
    out: &mut String,
    id: &str,
    number: usize,
    edge: &Edge,
    example: &Example,
    rows: &[Vec<BoxSpan>],
) {
    let end = |transaction: usize, first| {
        let places = rows.get(transaction)?;
        at(edge, example.transactions.get(transaction)?, places, first)
    };
    let (Some(from), Some(to)) = (end(edge.from, true), end(edge.to, false)) else { return };
    let down = edge.to > edge.from;
    let side =
        |row: usize, bottom: bool| row * ROW + (ROW - HEIGHT) / 2 + if bottom { HEIGHT } else { 0 };
    // Arrows that go up and down between the same boxes stand beside each other.
    let across = |(left, width): BoxSpan| left + width * if down { 1 } else { 2 } / 3;
    let (x1, y1) = (across(from), side(edge.from, down));
    let (x2, y2) = (across(to), side(edge.to, !down));
    let (label_x, label_y) =
        ((x1 + x2) / 2 + 6, (y1 + y2) / 2 + if number.is_multiple_of(2) { 0 } else { 12 });
    let why = edge.why.name();
    let _ = writeln!(
        out,
        "<path class=\"{why}\" d=\"M{x1} {y1}L{x2} {y2}\" marker-end=\"url(#{id}-tip)\"/>\
         <text class=\"{why}\" x=\"{label_x}\" y=\"{label_y}\">{why}</text>"
    );
}
