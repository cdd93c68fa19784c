//! Configurations over time in one chart: each step of all of them begins at the same place.

use hoap_record::Step;

use super::parts::{ends, items};
use super::scale::{self, vertical};
use super::spec::{Chart, Look, Margins, Mark, Number, Plot, Quantity, Sample, Series, Word};
use crate::configurations::group::{Group, Member};
use crate::run::Loaded;
use crate::run::key::{self, StepKey};
use crate::run::measure::Measure;
use crate::run::ticks::Tick;

/// A step that all may have, and where it begins in the chart.
struct Stretch {
    key: StepKey,
    name: String,
    from: f64,
    seconds: f64,
}

/// Mean, lowest and highest of a configuration's runs at a place.
type Reached = (f64, f64, f64, f64);

/// The headline measure over the measured time of each step, a line a configuration; of repeated
/// runs their mean, in a band from the lowest to the highest. None where nobody has two points.
pub fn throughput(group: &Group<'_>) -> Option<Chart> {
    let stretches = stretches(group);
    let reached = |member: &Member<'_>| -> Vec<Vec<Reached>> {
        stretches.iter().map(|stretch| along(group.measure, member, stretch)).collect()
    };
    let all: Vec<Vec<Vec<Reached>>> = group.members.iter().map(reached).collect();
    if !all.iter().flatten().any(|points| points.len() > 1) {
        return None;
    }
    let values = all.iter().flatten().flatten().flat_map(|(_, _, low, high)| [*low, *high]);
    let y = vertical(Quantity::Rates, group.measure.unit(), values);
    let end = stretches.last().map_or(1.0, |last| last.from + last.seconds);
    let x = scale::from_zero(Quantity::Moments, "seconds measured, step after step", end);
    let (mut areas, mut lines) = (Vec::new(), Vec::new());
    for (number, steps) in all.iter().enumerate() {
        let look = Look { symbol: None, ..Look::of_configuration(number) };
        for (points, stretch) in steps.iter().zip(&stretches) {
            let reach =
                points.iter().map(|(x, _, low, high)| (Number(*x), Number(*low), Number(*high)));
            if points.iter().any(|(_, _, low, high)| high > low) {
                areas.push(Mark::Area { colour: look.colour, fx: None, reach: reach.collect() });
            }
            let title = format!("{}\n{}", group.members[number].label, stretch.name);
            let points =
                points.iter().map(|(x, mean, ..)| (Number(*x), Number(*mean), 0, String::new()));
            let points = points.collect();
            lines.push(Mark::Line(Series { look, title, points, ..Series::default() }));
        }
    }
    let spans =
        stretches.iter().map(|s| (Number(s.from), Number(s.from + s.seconds), String::new()));
    let at = stretches.iter().skip(1).map(|s| (Number(s.from), None)).collect();
    let words = stretches.iter().map(|s| Word {
        x: Number(s.from + s.seconds / 2.0),
        room: Number(s.seconds),
        long: s.name.clone(),
        short: String::new(),
    });
    let mut marks = vec![
        Mark::Band { colour: "ink", opacity: 0.06, spans: spans.collect() },
        Mark::Rule { look: Look::line("soft", "2 3"), upright: true, at },
    ];
    marks.extend(areas.into_iter().chain(lines));
    marks.push(Mark::Words { words: words.collect() });
    let named = group.members.iter().enumerate().map(|(number, member)| {
        (member.label.to_owned(), Look { symbol: None, ..Look::of_configuration(number) })
    });
    let legend = items(&named.collect::<Vec<_>>(), Sample::Line);
    let margins = Margins::Headed;
    Some(Chart::one(legend, Plot { height: 270, margins, x, y, marks, ..Plot::default() }))
}

/// The steps with transactions or operations, each as long as the longest of it.
fn stretches(group: &Group<'_>) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    let runs = group.members.iter().flat_map(|member| &member.runs);
    for (key, step) in runs.flat_map(|(_, run)| key::steps(&run.run)) {
        if step.tx_clients == 0 {
            continue;
        }
        match all.iter_mut().find(|known| known.key == key) {
            Some(known) => known.seconds = known.seconds.max(step.seconds),
            None => {
                let (name, seconds) = (key.name(step), step.seconds);
                all.push(Stretch { key, name, from: 0.0, seconds });
            }
        }
    }
    let mut from = 0.0;
    for stretch in &mut all {
        stretch.from = from;
        from += stretch.seconds;
    }
    all
}

/// The points of a configuration's runs in a step: as many as each of them has.
fn along(measure: Measure, member: &Member<'_>, stretch: &Stretch) -> Vec<Reached> {
    let of = |(_, run): &(usize, &Loaded)| {
        let (_, step) = key::steps(&run.run).into_iter().find(|(key, _)| *key == stretch.key)?;
        Some(rates(measure, run, step))
    };
    let runs: Vec<Vec<(f64, f64)>> = member.runs.iter().filter_map(of).collect();
    let points = runs.iter().map(Vec::len).min().unwrap_or(0);
    let point = |n: usize| {
        let rates: Vec<f64> = runs.iter().map(|run| run[n].1).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let (low, high) = ends(&rates);
        (((stretch.from + runs[0][n].0) * 10.0).round() / 10.0, mean, low, high)
    };
    (0..points).map(point).collect()
}

/// What a run did in the ticks of a step: their ends, seconds since its start, and the rate of all
/// kinds together that the measure counts.
fn rates(measure: Measure, run: &Loaded, step: &Step) -> Vec<(f64, f64)> {
    let own = |tick: &&Tick| tick.step == step.number && tick.phase == "measured";
    let mut ticks: Vec<&Tick> = run.ticks.all.iter().filter(own).collect();
    ticks.sort_by(|a, b| a.at_seconds.total_cmp(&b.at_seconds));
    let of = |ticks: &[&Tick]| {
        let rate = ticks.iter().map(|tick| tick.rate(measure.period())).sum();
        (ticks[0].at_seconds - step.start_seconds, rate)
    };
    ticks.chunk_by(|a, b| a.at_seconds == b.at_seconds).map(of).collect()
}
