//! What several kinds of chart are made of.

use super::scale;
use super::spec::{Bar, Chart, Item, Look, Margins, Mark, Number, Plot, Point, Sample, Series};

pub fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut out: Vec<T> = Vec::new();
    for value in values {
        if !out.contains(&value) {
            out.push(value);
        }
    }
    out
}

pub fn item(label: &str, look: Look, sample: Sample) -> Item {
    Item { label: label.to_string(), look, sample, opacity: None }
}

pub fn items(looks: &[(String, Look)], sample: Sample) -> Vec<Item> {
    looks.iter().map(|(label, look)| item(label, *look, sample)).collect()
}

pub fn note(label: &str) -> Item {
    item(label, Look::default(), Sample::Note)
}

/// The lines of these series, and their marks above all lines. If a series has several values at a
/// place, its line goes through their mean, and a band reaches from the lowest to the highest.
pub fn joined(series: Vec<Series>) -> Vec<Mark> {
    let mut marks = Vec::new();
    for s in &series {
        let places = || s.points.chunk_by(|a, b| a.0 == b.0);
        let values = |of: &[Point]| of.iter().map(|point| point.1.0).collect::<Vec<_>>();
        if places().any(|of| of.len() > 1) && places().nth(1).is_some() {
            let reach = |of: &[Point]| {
                let (low, high) = ends(&values(of));
                (of[0].0, Number(low), Number(high))
            };
            let reach = places().map(reach).collect();
            marks.push(Mark::Area { colour: s.look.colour, fx: s.fx, reach });
        }
        // The tooltip is the dot's.
        let mean = |of: &[Point]| values(of).iter().sum::<f64>() / of.len() as f64;
        let bare = places().map(|of| (of[0].0, Number(mean(of)), 0, String::new())).collect();
        marks.push(Mark::Line(Series { title: String::new(), points: bare, ..s.clone() }));
    }
    marks.extend(series.into_iter().map(Mark::Dot));
    marks
}

/// The lowest and the highest.
pub fn ends(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
}

/// Rows of bars, one for each of so many series, from 0 to the longest duration.
pub fn rows_of_bars(rows: &[String], series: usize, longest: f64, bars: Vec<Bar>) -> Plot {
    let thick = if series <= 4 { 12 } else { 9 };
    Plot {
        height: 50 + rows.len() * (series * thick + 8),
        margins: Margins::Rows,
        x: scale::durations("mean time", longest),
        y: scale::lanes(series),
        fy: Some(scale::bands(rows)),
        marks: vec![Mark::Bar { lying: true, hollow: false, bars }],
        ..Plot::default()
    }
}

impl Chart {
    /// A chart of one plot.
    pub fn one(legend: Vec<Item>, plot: Plot) -> Chart {
        Chart { legend, plots: vec![plot], ..Chart::default() }
    }
}
