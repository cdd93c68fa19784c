//! Series over the runs of a history: small plots whose runs stand at the same places.

use super::parts::item;
use super::scale;
use super::spec::{Axis, Chart, Look, Mark, Number, Plot, Quantity, Sample, Series};
use crate::format::number::Unit;

/// A series.
#[derive(Clone, Debug)]
pub struct Past {
    /// Its heading.
    pub name: String,
    /// What its values are.
    pub unit: Unit,
    /// Its values, in the order of their runs.
    pub runs: Vec<PastRun>,
    /// Where it changed.
    pub changes: Vec<PastChange>,
}

/// A value of a series.
#[derive(Clone, Debug)]
pub struct PastRun {
    /// Which run of the history it is of.
    pub run: usize,
    /// The value.
    pub value: f64,
    /// Both ends of its interval, in words.
    pub known: String,
}

/// A change of a series.
#[derive(Clone, Debug)]
pub struct PastChange {
    /// The run that is the first after it.
    pub run: usize,
    /// What it says.
    pub words: String,
    /// Whether it is worse, and nobody has acknowledged that.
    pub bad: bool,
}

/// Ticks of the axis of runs.
const TICKS: usize = 4;

const VALUE: Look = Look { colour: "c0", symbol: Some("circle"), dash: None };
const BAD: Look = Look { colour: "bad", symbol: None, dash: Some("none") };
const OTHER: Look = Look { colour: "good", symbol: None, dash: Some("6 3") };
const MEAN: Look = Look { colour: "c1", symbol: None, dash: Some("none") };

/// The plots. `names` has a name for each run.
pub fn history(names: &[String], series: &[Past]) -> Chart {
    let legend = vec![
        item("a run", VALUE, Sample::Line),
        item("mean between changes", MEAN, Sample::Line),
        item("worse from here on", BAD, Sample::Line),
        item("better, or acknowledged", OTHER, Sample::Line),
    ];
    let x = axis(names);
    let plots = series.iter().map(|of| plot(of, names, x.clone())).collect();
    Chart { legend, plots, least: 280, ..Chart::default() }
}

fn axis(names: &[String]) -> Axis {
    let last = names.len().saturating_sub(1);
    let each = names.len().div_ceil(TICKS).max(1);
    let ticks = (0..names.len()).step_by(each).map(|n| (n as f64, names[n].clone())).collect();
    Axis { domain: vec![-0.5, last as f64 + 0.5], ticks, ..Axis::default() }
}

fn plot(of: &Past, names: &[String], x: Axis) -> Plot {
    let y = scale::near(Quantity::of(of.unit), of.runs.iter().map(|run| run.value));
    let at = |bad: bool| {
        let those = of.changes.iter().filter(move |change| change.bad == bad);
        those.map(|change| (Number(change.run as f64 - 0.5), None)).collect::<Vec<_>>()
    };
    let mut marks = Vec::new();
    for (look, at) in [(OTHER, at(false)), (BAD, at(true))] {
        if !at.is_empty() {
            marks.push(Mark::Rule { look, upright: true, at });
        }
    }
    let bounds = of.changes.iter().map(|change| change.run);
    let bounds: Vec<usize> = [0].into_iter().chain(bounds).chain([usize::MAX]).collect();
    for ends in bounds.windows(2) {
        let those: Vec<&PastRun> =
            of.runs.iter().filter(|run| (ends[0]..ends[1]).contains(&run.run)).collect();
        let (Some(first), Some(last)) = (those.first(), those.last()) else { continue };
        let logarithms: f64 = those.iter().map(|run| run.value.max(f64::MIN_POSITIVE).ln()).sum();
        let mean = Number((logarithms / those.len() as f64).exp());
        let points = [first, last].map(|run| (Number(run.run as f64), mean, 0, String::new()));
        marks.push(Mark::Line(Series { look: MEAN, points: points.into(), ..Series::default() }));
    }
    let points = of.runs.iter().map(|run| {
        let mut said = format!("{}\n{}{}", names[run.run], of.unit.show(run.value), run.known);
        for change in of.changes.iter().filter(|change| change.run == run.run) {
            said.push_str(&format!("\n{}", change.words));
        }
        (Number(run.run as f64), Number(run.value), 0, said)
    });
    let points = points.collect();
    marks.push(Mark::Dot(Series { look: VALUE, points, ..Series::default() }));
    Plot { name: of.name.clone(), height: 170, x, y, marks, ..Plot::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_a_mean_for_each_stretch_and_a_rule_for_each_change() {
        let values = [1.0, 1.0, 4.0, 4.0, 4.0];
        let runs = values.iter().enumerate().map(|(run, value)| PastRun {
            run,
            value: *value,
            known: String::new(),
        });
        let change = |run, bad| PastChange { run, words: "slower".into(), bad };
        let past = Past {
            name: "READ p99".into(),
            unit: Unit::Latency,
            runs: runs.collect(),
            changes: vec![change(2, true), change(4, false)],
        };
        let names: Vec<String> = (0..5).map(|n| format!("c{n}")).collect();
        let chart = history(&names, &[past]);
        let marks = &chart.plots[0].marks;
        let means: Vec<_> = marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Line(series) => {
                    Some(series.points.iter().map(|p| (p.0.0, p.1.0)).collect::<Vec<_>>())
                }
                _ => None,
            })
            .collect();
        let wanted = [[(0.0, 1.0), (1.0, 1.0)], [(2.0, 4.0), (3.0, 4.0)], [(4.0, 4.0); 2]];
        let near = |a: &(f64, f64), b: &(f64, f64)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12;
        assert_eq!(means.len(), 3);
        for (found, wanted) in means.iter().zip(&wanted) {
            assert!(found.iter().zip(wanted).all(|(a, b)| near(a, b)), "{found:?}");
        }
        let rules: Vec<_> = marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Rule { look, at, .. } => Some((look.colour, at[0].0.0)),
                _ => None,
            })
            .collect();
        assert_eq!(rules, [("good", 3.5), ("bad", 1.5)]);
        assert_eq!(chart.plots[0].y.domain.len(), 2);
        assert!(chart.plots[0].y.domain[0] > 0.4, "a change of some per cent must be seen");
    }
}
