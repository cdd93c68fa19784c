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
use crate::tables;

/// A step that all may have, and where it begins in the chart.
struct Stretch {
    key: StepKey,
    name: String,
    from: f64,
    seconds: f64,
}

/// A configuration's runs at a place: where, their mean, lowest and highest; none where one has no
/// value.
type Reached = Option<(f64, f64, f64, f64)>;

/// What ticks that end at one time have to show.
type Value<'a> = dyn Fn(&[&Tick]) -> Option<f64> + 'a;

/// A plot: its name, and what the ticks have to show.
struct Facet<'a> {
    name: String,
    value: Box<Value<'a>>,
}

/// The headline measure over the measured time of each step, a line a configuration; of repeated
/// runs their mean, in a band from the lowest to the highest. None where nobody has two points.
pub fn throughput(group: &Group<'_>) -> Option<Chart> {
    let period = group.measure.period();
    let value = move |ticks: &[&Tick]| Some(ticks.iter().map(|tick| tick.rate(period)).sum());
    let facet = Facet { name: String::new(), value: Box::new(value) };
    chart(group, Quantity::Rates, group.measure.unit(), vec![facet])
}

/// The same of the 99th percentile of the response times, a plot for each kind of operation.
pub fn p99(group: &Group<'_>) -> Option<Chart> {
    let facet = |kind: String| {
        let name = if group.measure == Measure::Plain { kind.clone() } else { String::new() };
        let value = move |ticks: &[&Tick]| ticks.iter().find(|t| t.kind == kind)?.p99_seconds;
        Facet { name, value: Box::new(value) }
    };
    let facets = tables::kinds(group).into_iter().map(facet).collect();
    chart(group, Quantity::Times, "p99", facets)
}

fn chart(
    group: &Group<'_>,
    quantity: Quantity,
    label: &str,
    facets: Vec<Facet<'_>>,
) -> Option<Chart> {
    let stretches = stretches(group);
    let reached = |facet: &Facet<'_>, member: &Member<'_>| -> Vec<Vec<Reached>> {
        stretches.iter().map(|stretch| along(facet, member, stretch)).collect()
    };
    let all: Vec<(String, Vec<Vec<Vec<Reached>>>)> = facets
        .iter()
        .map(|facet| {
            (facet.name.clone(), group.members.iter().map(|m| reached(facet, m)).collect())
        })
        .collect();
    let series = || all.iter().flat_map(|(_, members)| members).flatten();
    if !series().any(|points| points.iter().flatten().count() > 1) {
        return None;
    }
    let values = series().flatten().flatten().flat_map(|(_, _, low, high)| [*low, *high]);
    let y = vertical(quantity, label, values);
    let end = stretches.last().map_or(1.0, |last| last.from + last.seconds);
    let x = scale::from_zero(Quantity::Moments, "seconds measured, step after step", end);
    let plots = all.iter().map(|(name, members)| {
        let (x, y, marks) = (x.clone(), y.clone(), marks(group, &stretches, members));
        let (name, margins) = (name.clone(), Margins::Headed);
        Plot { name, height: 270, margins, x, y, marks, ..Plot::default() }
    });
    let plots = plots.collect();
    let named = group.members.iter().enumerate().map(|(number, member)| {
        (member.label.to_owned(), Look { symbol: None, ..Look::of_configuration(number) })
    });
    let legend = items(&named.collect::<Vec<_>>(), Sample::Line);
    Some(Chart { legend, plots, least: 340, ..Chart::default() })
}

/// What is drawn in a plot: the windows, and of each member a line in its band.
fn marks(group: &Group<'_>, stretches: &[Stretch], members: &[Vec<Vec<Reached>>]) -> Vec<Mark> {
    let (mut areas, mut lines) = (Vec::new(), Vec::new());
    for (number, steps) in members.iter().enumerate() {
        let look = Look { symbol: None, ..Look::of_configuration(number) };
        for (points, stretch) in steps.iter().zip(stretches) {
            // A gap is a gap: no line joins what lies on both sides of it.
            for part in points.split(Option::is_none).filter(|part| !part.is_empty()) {
                let part = || part.iter().flatten();
                if part().any(|(_, _, low, high)| high > low) {
                    let reach =
                        part().map(|(x, _, low, high)| (Number(*x), Number(*low), Number(*high)));
                    areas.push(Mark::Area {
                        colour: look.colour,
                        fx: None,
                        reach: reach.collect(),
                    });
                }
                let title = format!("{}\n{}", group.members[number].label, stretch.name);
                let points =
                    part().map(|(x, mean, ..)| (Number(*x), Number(*mean), 0, String::new()));
                let points = points.collect();
                lines.push(Mark::Line(Series { look, title, points, ..Series::default() }));
            }
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
    marks
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
fn along(facet: &Facet<'_>, member: &Member<'_>, stretch: &Stretch) -> Vec<Reached> {
    let of = |(_, run): &(usize, &Loaded)| {
        let (_, step) = key::steps(&run.run).into_iter().find(|(key, _)| *key == stretch.key)?;
        Some(values(facet, run, step))
    };
    let runs: Vec<Vec<(f64, Option<f64>)>> = member.runs.iter().filter_map(of).collect();
    let points = runs.iter().map(Vec::len).min().unwrap_or(0);
    let point = |n: usize| {
        let values: Option<Vec<f64>> = runs.iter().map(|run| run[n].1).collect();
        let values = values?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let (low, high) = ends(&values);
        Some((((stretch.from + runs[0][n].0) * 10.0).round() / 10.0, mean, low, high))
    };
    (0..points).map(point).collect()
}

/// What a run has to show in the ticks of a step: their ends, seconds since its start, and the value.
fn values(facet: &Facet<'_>, run: &Loaded, step: &Step) -> Vec<(f64, Option<f64>)> {
    let own = |tick: &&Tick| tick.step == step.number && tick.phase == "measured";
    let mut ticks: Vec<&Tick> = run.ticks.all.iter().filter(own).collect();
    ticks.sort_by(|a, b| a.at_seconds.total_cmp(&b.at_seconds));
    let of = |ticks: &[&Tick]| (ticks[0].at_seconds - step.start_seconds, (facet.value)(ticks));
    ticks.chunk_by(|a, b| a.at_seconds == b.at_seconds).map(of).collect()
}
