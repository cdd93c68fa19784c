//! The CPU of the driver's machine over time.

use hoap_record::{MachineRow, Step};

use super::parts::items;
use super::scale::{self, Words, vertical};
use super::spec::{Chart, Look, Mark, Number, Plot, Sample, Series, Word};
use crate::format::number::decimals;
use crate::run::machine::at_most;
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
pub fn cpu(loaded: &Loaded, most: usize) -> Chart {
    let points = at_most(&loaded.machine, most);
    let rows: Vec<&MachineRow> = points.iter().map(|point| &point.row).collect();
    let steps = &loaded.run.steps;
    let ends = steps.iter().map(|s| s.start_seconds + s.seconds);
    let end = ends.chain(rows.iter().map(|row| row.at_seconds)).fold(0.0, f64::max);
    let x = scale::from_zero("seconds since the run's start", end.max(1e-3), 10, |s| {
        format!("{} s", decimals(s, 0))
    });
    let x = super::spec::Axis { suffix: " s".into(), ..x };
    let values = rows.iter().flat_map(|row| LINES.iter().map(|(_, of)| of(row)));
    let y = vertical(Words::Rates, "cores", values);
    let window =
        |s: &Step| (Number(s.start_seconds), Number(s.start_seconds + s.seconds), String::new());
    let spans = steps.iter().map(window).collect();
    let mut marks = vec![Mark::Band { colour: "ink", opacity: 0.06, spans }];
    let looks = (0..LINES.len()).map(|n| Look::colour(n).dashed(n));
    let looks: Vec<(String, Look)> =
        LINES.iter().zip(looks).map(|((name, _), look)| ((*name).to_owned(), look)).collect();
    for of_step in rows.chunk_by(|a, b| a.step == b.step) {
        let step = steps.iter().find(|s| s.number == of_step[0].step);
        let title = step.map_or_else(|| format!("step {}", of_step[0].step), step_name);
        for ((name, of), (_, look)) in LINES.iter().zip(&looks) {
            let at = |row: &&MachineRow| Number((row.at_seconds * 10.0).round() / 10.0);
            let points = of_step.iter().map(|row| (at(row), Number(of(row)), 0, String::new()));
            let (points, title) = (points.collect(), format!("{title}\n{name}"));
            marks.push(Mark::Line(Series { look: *look, title, points, ..Series::default() }));
        }
    }
    let words = steps.iter().map(|s| Word {
        x: Number(s.start_seconds + s.seconds / 2.0),
        room: Number(s.seconds),
        long: step_name(s),
        short: s.number.to_string(),
    });
    marks.push(Mark::Words { words: words.collect() });
    Chart::one(items(&looks, Sample::Line), Plot { height: 200, x, y, marks, ..Plot::default() })
}
