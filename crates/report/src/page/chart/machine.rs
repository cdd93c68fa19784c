//! The driver's machine and the observed servers over time.

use hoap_record::{MachineRow, Step};

use super::parts::items;
use super::scale::{self, vertical};
use super::spec::{Axis, Chart, Look, Mark, Number, Plot, Quantity, Sample, Series, Word};
use crate::format::number::Unit;
use crate::run::machine::at_most;
use crate::run::observed::Class;
use crate::run::ticks::MOST;
use crate::run::{Loaded, step_name};

/// A line: its name, and what of a row it shows, in cores.
type Line = (&'static str, fn(&MachineRow) -> f64);

const LINES: [Line; 4] = [
    ("driver, user", |row| row.user),
    ("driver, system", |row| row.system),
    ("steal", |row| row.steal),
    ("all processes", |row| row.machine),
];

/// CPU time in cores, of the driver's process and of everything.
pub fn cpu(loaded: &Loaded) -> Chart {
    let rows = at_most(&loaded.machine, MOST);
    let steps = &loaded.run.steps;
    let values = rows.iter().flat_map(|row| LINES.iter().map(|(_, of)| of(row)));
    let y = vertical(Quantity::Rates, "cores", values).linear();
    let mut marks = Vec::new();
    let looks = (0..LINES.len()).map(|n| Look::colour(n).dashed(n));
    let looks: Vec<(String, Look)> =
        LINES.iter().zip(looks).map(|((name, _), look)| ((*name).to_owned(), look)).collect();
    for of_step in rows.chunk_by(|a, b| a.step == b.step) {
        let step = steps.iter().find(|s| s.number == of_step[0].step);
        let title = step.map_or_else(|| format!("step {}", of_step[0].step), step_name);
        for ((name, of), (_, look)) in LINES.iter().zip(&looks) {
            let at = |row: &MachineRow| Number((row.at_seconds * 10.0).round() / 10.0);
            let points = of_step.iter().map(|row| (at(row), Number(of(row)), 0, String::new()));
            let (points, title) = (points.collect(), format!("{title}\n{name}"));
            marks.push(Mark::Line(Series { look: *look, title, points, ..Series::default() }));
        }
    }
    let end = rows.iter().map(|row| row.at_seconds).fold(0.0, f64::max);
    Chart::one(items(&looks, Sample::Line), beside_the_steps(steps, end, y, marks))
}

/// The most lines of a chart, which colours and dashes tell apart.
pub const LINES_AT_MOST: usize = Look::COLOURS * Look::DASHES;

/// Series of one class. Of too many those with the highest values are drawn.
pub fn observed(loaded: &Loaded, class: Class) -> Chart {
    let of_class = loaded.observed.iter().filter(|series| series.class() == class);
    let several = loaded.run.observed.len() > 1;
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = of_class
        .map(|of| match several {
            true => (format!("{} {}", of.source, of.series), of.points(MOST)),
            false => (of.series.clone(), of.points(MOST)),
        })
        // What stayed at 0 has a line in no chart, only in its table.
        .filter(|(_, points)| points.iter().any(|(_, value)| *value != 0.0))
        .collect();
    if lines.len() > LINES_AT_MOST {
        let highest = |(_, points): &(String, Vec<(f64, f64)>)| {
            points.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max)
        };
        lines.sort_by(|a, b| highest(b).total_cmp(&highest(a)));
        lines.truncate(LINES_AT_MOST);
    }
    let points = || lines.iter().flat_map(|(_, points)| points);
    let label = class.unit().in_heading().unwrap_or("");
    let y = match class.unit() {
        Unit::Bytes => {
            let high = points().map(|(_, value)| *value).fold(0.0, f64::max);
            let label = if class == Class::Held { "bytes" } else { "bytes/s" };
            scale::from_zero(Quantity::Bytes, label, high)
        }
        _ => vertical(Quantity::Rates, label, points().map(|(_, value)| *value)).linear(),
    };
    let look = |n: usize| Look::colour(n).dashed(n / Look::COLOURS);
    let mut looks = Vec::new();
    let mut marks = Vec::new();
    for (n, (name, points)) in lines.iter().enumerate() {
        let at = |at: f64| Number((at * 10.0).round() / 10.0);
        let words = |value: f64| match class.unit() {
            Unit::Bytes => format!("\n{}", Unit::Bytes.show(value)),
            _ => String::new(),
        };
        let points = points.iter().map(|(x, value)| (at(*x), Number(*value), 0, words(*value)));
        let (points, title) = (points.collect(), name.clone());
        marks.push(Mark::Line(Series { look: look(n), title, points, ..Series::default() }));
        looks.push((name.clone(), look(n)));
    }
    let end = points().map(|(at, _)| *at).fold(0.0, f64::max);
    let plot = beside_the_steps(&loaded.run.steps, end, y, marks);
    Chart::one(items(&looks, Sample::Line), plot)
}

/// A plot over the run's time, with the measured window of each step behind the marks.
fn beside_the_steps(steps: &[Step], end: f64, y: Axis, marks: Vec<Mark>) -> Plot {
    let ends = steps.iter().map(|s| s.start_seconds + s.seconds);
    let end = ends.fold(end, f64::max);
    let x = scale::from_zero(Quantity::Moments, "seconds since the run's start", end.max(1e-3));
    let window =
        |s: &Step| (Number(s.start_seconds), Number(s.start_seconds + s.seconds), String::new());
    let spans = steps.iter().map(window).collect();
    let words = steps.iter().map(|s| Word {
        x: Number(s.start_seconds + s.seconds / 2.0),
        room: Number(s.seconds),
        long: step_name(s),
        short: s.number.to_string(),
    });
    let mut all = vec![Mark::Band { colour: "ink", opacity: 0.06, spans }];
    all.extend(marks);
    all.push(Mark::Words { words: words.collect() });
    Plot { height: 200, x, y, marks: all, ..Plot::default() }
}
