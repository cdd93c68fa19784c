//! The chart of the throughput frontier.

use hoap_record::Percentile;

use super::parts::item;
use super::scale::{self, axis_rate, vertical};
use super::spec::{Chart, Look, Mark, Number, Plot, Point, Quantity, Sample, Series};
use crate::configurations::group::{Group, Place, Spread};
use crate::format::number::latency;
use crate::run::frontier::{Frontier, point};
use crate::tables::unseen;

/// How old what the queries did not see is, below so many seconds, in words.
const AGES: [(f64, &str); 4] = [
    (0.1, "queries see all but the last 0.1 s"),
    (1.0, "all but the last second"),
    (10.0, "all but the last 10 s"),
    (f64::INFINITY, "older commits unseen"),
];

/// A step or its repetitions: where they are, their 99th percentile of freshness, their name.
struct Spot {
    at: (f64, f64),
    unseen: Option<f64>,
    name: String,
}

impl Spot {
    fn of(place: &Place<'_>) -> Option<Spot> {
        let at = |of: fn((f64, f64)) -> f64| place.spread(|s| point(s).map(of)).map(|s| s.mean);
        let at = (at(|p| p.0)?, at(|p| p.1)?);
        let ages = place.steps.iter().filter_map(|s| unseen(s, Percentile::P99));
        let unseen = Spread::arithmetic(ages).map(|s| s.mean);
        Some(Spot { at, unseen, name: place.name.clone() })
    }

    fn point(&self) -> Point {
        let (tpm, qph) = self.at;
        let mut words = format!("{}\n{} tpM, {} QpH", self.name, axis_rate(tpm), axis_rate(qph));
        if let Some(age) = self.unseen {
            words += &format!("\nunseen p99: {}", latency(age));
        }
        (Number(tpm), Number(qph), 0, words)
    }

    /// Its number among the [`AGES`].
    fn age(&self) -> Option<usize> {
        let unseen = self.unseen?;
        AGES.iter().position(|(below, _)| unseen < *below)
    }
}

/// The frontiers of the configurations in their boxes. Of one configuration the steps are coloured
/// by their freshness, where it was measured.
pub fn frontier(group: &Group<'_>) -> Option<Chart> {
    let of_member = |n: usize| {
        let places = group.members[n].places(n);
        let spots: Vec<Spot> = places.iter().filter_map(Spot::of).collect();
        let frontier = Frontier::of(&spots.iter().map(|s| s.at).collect::<Vec<_>>())?;
        let any = group.members[n].runs.iter().any(|(_, r)| Frontier::of_run(&r.run).is_some());
        any.then_some((n, spots, frontier))
    };
    let drawn: Vec<_> = (0..group.members.len()).filter_map(of_member).collect();
    let corners = || drawn.iter().map(|(_, _, frontier)| frontier.corner);
    if drawn.is_empty() {
        return None;
    }
    let (mut marks, mut legend) = (Vec::new(), Vec::new());
    for (n, _, frontier) in &drawn {
        let look = Look { symbol: None, ..Look::of_configuration(*n) };
        let ((right, top), thin) = (frontier.corner, Look { dash: Some("2 3"), ..look });
        let edge = |upright, at: f64, end: f64| Mark::Rule {
            look: thin,
            upright,
            at: vec![(Number(at), Some((Number(0.0), Number(end))))],
        };
        marks.extend([edge(true, right, top), edge(false, top, right)]);
        let bare = |line: &[(f64, f64)]| {
            line.iter().map(|(x, y)| (Number(*x), Number(*y), 0, String::new())).collect()
        };
        let line = |look, points| Mark::Line(Series { look, points, ..Series::default() });
        marks.push(line(Look { dash: Some("9 3 2 3"), ..look }, bare(&[(0.0, top), (right, 0.0)])));
        marks.push(line(look, bare(&frontier.line)));
        legend.push(item(group.members[*n].label, look, Sample::Line));
    }
    let by_age = drawn.len() == 1 && drawn[0].1.iter().any(|spot| spot.unseen.is_some());
    for (n, spots, _) in &drawn {
        let title = group.members[*n].label.to_owned();
        let mut dots = |look: Look, spots: &mut dyn Iterator<Item = &Spot>| {
            let points: Vec<Point> = spots.map(Spot::point).collect();
            let any = !points.is_empty();
            let title = title.clone();
            marks.push(Mark::Dot(Series { look, title, points, ..Series::default() }));
            any
        };
        if !by_age {
            dots(Look::of_configuration(*n), &mut spots.iter());
            continue;
        }
        let alone = Look { dash: None, ..Look::of_configuration(*n) };
        dots(alone, &mut spots.iter().filter(|spot| spot.age().is_none()));
        for (age, (_, words)) in AGES.iter().enumerate() {
            let look = Look { dash: None, ..Look::of_configuration(age + 1) };
            if dots(look, &mut spots.iter().filter(|spot| spot.age() == Some(age))) {
                legend.push(item(words, look, Sample::Line));
            }
        }
    }
    legend.push(item("box of the highest throughputs", Look::line("c6", "2 3"), Sample::Line));
    legend.push(item("one shared resource", Look::line("c6", "9 3 2 3"), Sample::Line));
    let x = scale::rates("transactions: tpM", corners().map(|corner| corner.0));
    // The lines of a box and of a shared resource are straight on a linear scale alone.
    let y = vertical(Quantity::Rates, "QpH", corners().map(|corner| corner.1)).linear();
    let y = super::spec::Axis { switch: false, ..y };
    Some(Chart::one(legend, Plot { height: 340, x, y, marks, ..Plot::default() }))
}
