//! What several kinds of chart are made of.

use super::scale;
use super::spec::{Bar, Chart, Item, Look, Margins, Mark, Plot, Sample, Series};

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

/// The lines of these series, and their marks above all lines.
pub fn joined(series: Vec<Series>) -> Vec<Mark> {
    let lines = series.iter().map(|s| {
        // The tooltip is the dot's.
        let bare = s.points.iter().map(|(x, y, ..)| (*x, *y, 0, String::new())).collect();
        Mark::Line(Series { title: String::new(), points: bare, ..s.clone() })
    });
    lines.collect::<Vec<_>>().into_iter().chain(series.into_iter().map(Mark::Dot)).collect()
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
