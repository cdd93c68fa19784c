//! The language of charts, which Rust writes and the script draws. Durations are in seconds.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

pub use super::look::Look;

/// A chart: a legend and one plot or several.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Chart {
    /// What the looks mean.
    pub legend: Vec<Item>,
    /// Plots that stand side by side where there is room.
    pub plots: Vec<Plot>,
    /// Fewest pixels that each of several plots has.
    pub least: u32,
    /// Where the points of [`Chart::shared`] are, with the words of each place.
    #[serde(serialize_with = "places")]
    pub places: Vec<(Number, String)>,
}

impl Chart {
    /// The same with places that points share: the first number of a point becomes the number of
    /// its place, and its words lose their first line. Of a series without words those that follow
    /// each other become its values alone. Together that makes the page's data less than half as
    /// long.
    pub fn shared(mut self) -> Chart {
        let mut known: HashMap<(u64, String), usize> = HashMap::new();
        for mark in self.plots.iter_mut().flat_map(|plot| &mut plot.marks) {
            let (Mark::Line(series) | Mark::Dot(series)) = mark else { continue };
            for (x, _, _, words) in &mut series.points {
                let (place, value) = words.split_once('\n').unwrap_or((words, ""));
                let key = (x.0.to_bits(), place.to_string());
                let next = self.places.len();
                let at = *known.entry(key).or_insert(next);
                if at == next {
                    self.places.push((*x, place.to_string()));
                }
                (*x, *words) = (Number(at as f64), value.to_string());
            }
            let Some(first) = series.points.first().map(|p| p.0.0) else { continue };
            let next = |(n, (at, _, hollow, words)): &(usize, &Point)| {
                at.0 == first + *n as f64 && *hollow == 0 && words.is_empty()
            };
            let count = series.points.iter().enumerate().take_while(next).count();
            // Four digits are more than a line on a screen shows, and the tooltips have three.
            let round = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
            let values = series.points.drain(..count).map(|p| Number(round(p.1.0))).collect();
            series.run = (first as usize, values);
        }
        self
    }
}

/// An entry of a legend.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// Its words.
    pub label: String,
    /// How what it names is drawn.
    #[serde(flatten)]
    pub look: Look,
    /// What stands before the words.
    pub sample: Sample,
    /// How dense it is drawn, where not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opacity: Option<f64>,
}

/// What stands before the words of a legend's entry.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sample {
    /// A line, with its mark if the look has one.
    Line,
    /// A filled square.
    Bar,
    /// A square with a dashed edge.
    Hollow,
    /// A hollow mark, for a note on marks.
    Note,
}

/// A plot.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Plot {
    /// Its heading, empty for none.
    pub name: String,
    /// Pixels.
    pub height: usize,
    /// Margins where they are not the usual ones.
    pub margins: Margins,
    pub x: Axis,
    pub y: Axis,
    /// Columns of plots that share an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fx: Option<Axis>,
    /// Rows of plots that share an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fy: Option<Axis>,
    /// Whether there are lines of a grid in both directions.
    pub grid: bool,
    pub marks: Vec<Mark>,
}

/// Which margins a plot has.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Margins {
    /// Room for the words of both axes.
    #[default]
    Usual,
    /// Room for a line of words above.
    Headed,
    /// Rows of bars with short names, the axis of values above them.
    Rows,
    /// The same with names as long as they come.
    Names,
}

/// How values become places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Linear,
    Log,
    /// Each value has the same room.
    Point,
    /// The same, as wide as its room.
    Band,
}

/// What the values of an axis measure, which decides how they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// Response times and durations, seconds.
    Times,
    /// Rates; the label of the axis is their unit.
    Rates,
    /// Seconds since a run's start.
    Moments,
    Bytes,
    /// Parts of a whole.
    Shares,
    /// Counts and money.
    Amounts,
}

/// An axis. Its ticks are made by the script of what it measures, or are names of places. One
/// without either is not drawn.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Axis {
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The lowest value above 0 and the highest one, or every place.
    #[serde(serialize_with = "numbers")]
    pub domain: Vec<f64>,
    /// Places with their words. The script leaves out words that have no room.
    #[serde(serialize_with = "named")]
    pub ticks: Vec<(f64, String)>,
    /// Empty for none.
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// Whether a reader may switch to the other scale, linear or logarithmic.
    #[serde(skip_serializing_if = "is_false")]
    pub switch: bool,
    /// Whether a value is 0, which has no logarithm.
    #[serde(skip_serializing_if = "is_false")]
    pub zero: bool,
    /// Whether a linear one begins at the lowest value, not at 0.
    #[serde(skip_serializing_if = "is_false")]
    pub near: bool,
    /// Whether what is shorter than the lowest value has a place before it.
    #[serde(skip_serializing_if = "is_false")]
    pub least: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What is drawn, in this order.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "mark", rename_all = "lowercase")]
pub enum Mark {
    /// Points of a series, joined by a line.
    Line(Series),
    /// Points of a series, each a mark; a hollow one is explained in the legend.
    Dot(Series),
    /// Straight lines through the plot, or between two values.
    Rule {
        #[serde(flatten)]
        look: Look,
        /// Whether they stand upright.
        upright: bool,
        /// Where, with both ends where they do not go through the plot.
        at: Vec<Span>,
    },
    /// A band from the lowest to the highest of several values at each place.
    Area {
        colour: &'static str,
        /// Which column of plots, where there are several.
        #[serde(skip_serializing_if = "Option::is_none")]
        fx: Option<usize>,
        /// Place, lowest and highest.
        reach: Vec<(Number, Number, Number)>,
    },
    /// Upright bands.
    Band {
        colour: &'static str,
        opacity: f64,
        /// Both ends of each, with the words of its tooltip.
        spans: Vec<(Number, Number, String)>,
    },
    /// Cells of a grid, the denser the more there is in them.
    Heat {
        colour: &'static str,
        /// Of each level.
        opacity: Vec<f64>,
        /// The lower end of each row, and what it holds in words; last the upper end of the last
        /// one.
        rows: Vec<(Number, String)>,
        /// Both ends of a column, the number of its first row, and the levels from there on, a
        /// digit each, with "-" for nothing.
        cells: Vec<(Number, Number, usize, String)>,
    },
    /// Words above the plot, with the width that they may take.
    Words { words: Vec<Word> },
    /// Bars.
    Bar {
        /// Whether they lie, as long as their values, or stand.
        lying: bool,
        /// Whether they are hollow, with a dashed edge.
        hollow: bool,
        bars: Vec<Bar>,
    },
}

/// Points of a series.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    #[serde(flatten)]
    pub look: Look,
    /// Which column of plots, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fx: Option<usize>,
    /// The first lines of every tooltip. Without them there is none.
    pub title: String,
    #[serde(serialize_with = "points", skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Point>,
    /// Values without words, before `points`: at this place of the chart and those that follow it.
    pub run: (usize, Vec<Number>),
}

/// Place, value, whether it is hollow, and the further lines of its tooltip: the place's first.
pub type Point = (Number, Number, u8, String);

/// Where a rule is, and its ends.
pub type Span = (Number, Option<(Number, Number)>);

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Row or column of plots.
    pub facet: Option<usize>,
    /// Place within it.
    pub lane: usize,
    /// Where it begins.
    pub from: Number,
    /// Length; none where only words stand.
    pub value: Option<Number>,
    pub colour: &'static str,
    /// Words at its end.
    pub label: String,
    /// The words of its tooltip. Empty for the names of its place and its series with the label.
    pub title: String,
}

impl Serialize for Bar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Bar { facet, lane, from, value, colour, label, title } = self;
        (facet, lane, from, value, colour, label, title).serialize(serializer)
    }
}

/// Words above the plot.
#[derive(Clone, Debug, Serialize)]
pub struct Word {
    /// The middle.
    pub x: Number,
    /// The room that they have, in the units of the axis.
    pub room: Number,
    /// The words, and shorter ones for less room.
    pub long: String,
    pub short: String,
}

/// A number with as many digits as a screen can show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = short(self.0);
        // Short and exact: 12, not 12.0.
        if value.fract() == 0.0 && value.abs() < 1e9 {
            serializer.serialize_i64(value as i64)
        } else {
            serializer.serialize_f64(value)
        }
    }
}

/// Six digits are more than a line on a screen shows.
pub fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn numbers<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|v| Number(*v)))
}

fn named<S: Serializer>(ticks: &[(f64, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ticks.iter().map(|(value, words)| (Number(*value), words)))
}

/// A place without words is only its number.
fn places<S: Serializer>(places: &[(Number, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(places.iter().map(|(at, words)| {
        let words = Some(words).filter(|words| !words.is_empty());
        std::iter::once(serde_json::json!(at))
            .chain(words.map(|w| w.as_str().into()))
            .collect::<Vec<_>>()
    }))
}

/// A full point without words is only its place and its value.
fn points<S: Serializer>(points: &[Point], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Shown<'a> {
        Bare(Number, Number),
        Whole(&'a Point),
    }
    serializer.collect_seq(points.iter().map(|point| match point {
        (x, y, 0, words) if words.is_empty() => Shown::Bare(*x, *y),
        point => Shown::Whole(point),
    }))
}
