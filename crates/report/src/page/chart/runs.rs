//! Charts of one run. Runs of one benchmark share scales and looks, so that they compare by eye.

use hoap_record::{Percentile, Step};

use super::parts::{item, items, joined, note, rows_of_bars, unique};
use super::scale::{self, vertical};
use super::spec::{
    Bar, Chart, Item, Look, Margins, Mark, Number, Plot, Point, Quantity, Sample, Series,
};
use crate::format::number::latency;
use crate::run::measure::{
    Axis, Measure, headline_kinds, headline_operations, operations_per_second,
};
use crate::run::{Loaded, step_name};

/// The percentiles that the charts of response times show.
const PERCENTILES: [Percentile; 3] = [Percentile::P50, Percentile::P95, Percentile::P99];

/// A run among the runs of its benchmark, itself one of them.
#[derive(Clone, Copy)]
pub struct Among<'a> {
    pub run: &'a Loaded,
    pub all: &'a [&'a Loaded],
    /// The number of its configuration, where the page compares: then it has the configuration's
    /// colour.
    pub configuration: Option<usize>,
}

/// What a step shows of one series.
struct Shown<'a> {
    step: &'a Step,
    series: String,
    order: usize,
    value: Option<f64>,
    latency: Option<&'a hoap_record::Latency>,
}

/// How many queries transactions ran beside.
pub fn query_words(n: usize) -> String {
    match n {
        0 => "without queries".into(),
        n => format!("with {}", hoap_record::words::counted(n, "query client", "query clients")),
    }
}

/// A kind of operation that ran beside so many query clients.
fn beside(kind: String, n: usize) -> String {
    if n == 0 { kind } else { format!("{kind}, {}", query_words(n)) }
}

/// The points of a run's steps in the charts of its headline measure and of response times, by
/// place on the axis.
fn shown(loaded: &Loaded, axis: Option<Axis>) -> Vec<Shown<'_>> {
    let measure = loaded.measure();
    let kinds = headline_kinds(&loaded.run);
    let steps = loaded.run.planned_steps().iter().filter(|s| s.tx_clients > 0);
    let mut out = Vec::new();
    for step in steps.filter(|s| axis.is_none_or(|axis| Axis::of(s) == axis)) {
        for o in headline_operations(step) {
            let n = step.query_clients;
            let (series, order, value) = match measure {
                Measure::Hybrid => (query_words(n), n, step.tpm),
                Measure::Plain => {
                    let order = kinds.iter().position(|kind| *kind == o.kind).unwrap_or(0);
                    (beside(o.kind.clone(), n), order + n * (kinds.len() + 1), Some(o.per_second))
                }
            };
            let latency = o.response();
            out.push(Shown { step, series, order, value, latency });
        }
        if measure == Measure::Plain && kinds.len() > 1 {
            let (n, value) = (step.query_clients, Some(operations_per_second(step)));
            let (series, order) =
                (beside("all operations".into(), n), kinds.len() + n * (kinds.len() + 1));
            out.push(Shown { step, series, order, value, latency: None });
        }
    }
    if let Some(axis) = axis {
        out.sort_by(|a, b| axis.place(a.step).total_cmp(&axis.place(b.step)));
    }
    out
}

impl<'a> Among<'a> {
    pub(super) fn measure(self) -> Measure {
        self.run.measure()
    }

    /// The colour of what is the run as a whole.
    pub fn colour_of_run(self) -> &'static str {
        Look::colour(self.configuration.unwrap_or(0)).colour
    }

    /// The look of a series by its number. Its colour is that of its kind of operation, unless the
    /// page has a configuration or a run in that colour.
    pub(super) fn look(self, n: usize) -> Look {
        match (self.configuration, self.measure()) {
            (None, Measure::Plain) => Look::of(n),
            _ => Look { colour: self.colour_of_run(), ..Look::of(n) },
        }
    }

    /// The names of the series of all these runs, in order.
    pub(super) fn series(self) -> Vec<String> {
        let mut all: Vec<_> = self.all.iter().flat_map(|run| shown(run, None)).collect();
        all.sort_by_key(|s| s.order);
        unique(all.into_iter().map(|s| s.series))
    }

    /// Those of them that this run shows, with their looks.
    fn looks(self, shown: &[Shown<'_>]) -> Vec<(String, Look)> {
        let named = self.series().into_iter().enumerate().map(|(n, name)| (name, self.look(n)));
        named.filter(|(name, _)| shown.iter().any(|s| s.series == *name)).collect()
    }

    fn horizontal(self, axis: Axis) -> super::spec::Axis {
        let all = self.all.iter().flat_map(|run| shown(run, Some(axis)));
        let places = all.map(|s| axis.place(s.step));
        let label = axis.label(self.measure());
        match axis {
            Axis::Clients => scale::points(label, places),
            Axis::Rate => scale::rates(label, places),
        }
    }

    /// The headline measure against what the steps differ in.
    pub fn headline(self, axis: Axis) -> Chart {
        let measure = self.measure();
        let mut points = shown(self.run, Some(axis));
        points.retain(|s| s.value.is_some());
        let everything: Vec<_> = self.all.iter().flat_map(|run| shown(run, Some(axis))).collect();
        let most = everything.iter().map(|s| axis.place(s.step)).fold(0.0, f64::max);
        let intended = (axis == Axis::Rate).then(|| Look::line("soft", "2 3"));
        let values = everything.iter().filter_map(|s| s.value);
        let y = vertical(Quantity::Rates, measure.unit(), values.chain(intended.map(|_| most)));
        let looks = self.looks(&points);
        let unit = measure.unit();
        let mut marks: Vec<Mark> = intended
            .iter()
            .map(|look| {
                // Straight on a linear scale alone, so it has more points than its ends.
                let places = (0..=40).map(|n| Number(most * f64::from(n) / 40.0));
                let points = places.map(|v| (v, v, 0, String::new())).collect();
                Mark::Line(Series { look: *look, points, ..Series::default() })
            })
            .collect();
        let series = lines_and_dots(&looks, &points, None, |s| {
            let value = s.value?;
            Some((axis.place(s.step), value, format!("{} {unit}", scale::axis_rate(value))))
        });
        marks.extend(series);
        let mut legend = items(&looks, Sample::Line);
        legend.extend(intended.map(|look| item("as intended", look, Sample::Line)));
        legend.extend(hollow_notes(&points));
        let x = self.horizontal(axis);
        Chart::one(legend, Plot { height: 300, x, y, marks, ..Plot::default() })
    }

    /// Response times against what the steps differ in, a column for each percentile.
    pub fn latency(self, axis: Axis) -> Chart {
        let mut points = shown(self.run, Some(axis));
        points.retain(|s| s.latency.is_some());
        let everything = self.all.iter().flat_map(|run| shown(run, Some(axis)));
        let values: Vec<f64> = everything
            .filter_map(|s| s.latency)
            .flat_map(|l| PERCENTILES.map(|p| p.of(l) as f64 / 1e6))
            .collect();
        let y = vertical(Quantity::Times, "response time", values.into_iter());
        let looks = self.looks(&points);
        let columns = PERCENTILES.iter().enumerate();
        let marks = columns.flat_map(|(n, p)| {
            lines_and_dots(&looks, &points, Some(n), |s| {
                let seconds = p.of(s.latency?) as f64 / 1e6;
                let words = format!("{} {}", p.name(), latency(seconds));
                Some((axis.place(s.step), seconds, words))
            })
        });
        let marks: Vec<Mark> = marks.collect();
        let mut legend = items(&looks, Sample::Line);
        legend.extend(hollow_notes(&points));
        let fx = scale::bands(&PERCENTILES.map(|p| p.name().to_string()));
        let (x, margins) = (self.horizontal(axis), Margins::Headed);
        Chart::one(
            legend,
            Plot { height: 280, margins, x, y, fx: Some(fx), marks, ..Plot::default() },
        )
    }

    /// Mean times of the queries, a bar for each step.
    pub fn queries(self) -> Chart {
        let measured = |run: &'a Loaded| run.run.steps.iter().filter(|s| !s.queries.is_empty());
        let steps: Vec<&Step> = measured(self.run).collect();
        let mean = |q: &hoap_record::Query| q.mean_seconds.filter(|_| q.failed == 0);
        let kinds = steps.iter().flat_map(|s| s.queries.iter().map(|q| q.kind.clone()));
        let mut kinds = unique(kinds);
        kinds.sort();
        let means = self.all.iter().flat_map(|run| measured(run)).flat_map(|s| &s.queries);
        let longest = means.filter_map(mean).fold(0.0, f64::max);
        let clients: Vec<usize> = steps.iter().map(|s| s.tx_clients).collect();
        let distinct = unique(clients.iter().copied()).len() == steps.len();
        // One colour for each number of clients; where two steps would share it, one for each step.
        let look = |n: usize| match distinct {
            true => self.colour_of_clients(clients[n]),
            false => Look::part(n),
        };
        let mut bars = Vec::new();
        for (n, step) in steps.iter().enumerate() {
            for query in &step.queries {
                let row = kinds.iter().position(|kind| *kind == query.kind);
                let name = step_name(step);
                let (label, title) = match mean(query) {
                    Some(mean) => (latency(mean), String::new()),
                    None => {
                        let why = if query.failed > 0 { "failed" } else { "not measured" };
                        (format!("{name}: {why}"), format!("{}, {name}: {why}", query.kind))
                    }
                };
                bars.push(Bar {
                    facet: row,
                    lane: n,
                    from: Number(0.0),
                    value: mean(query).map(Number),
                    colour: look(n).colour,
                    label,
                    title,
                });
            }
        }
        let named = steps.iter().enumerate().map(|(n, s)| (step_name(s), look(n)));
        let legend = items(&named.collect::<Vec<_>>(), Sample::Bar);
        Chart::one(legend, rows_of_bars(&kinds, steps.len(), longest, bars))
    }

    pub(super) fn colour_of_clients(self, clients: usize) -> Look {
        let mut all: Vec<usize> =
            self.all.iter().flat_map(|r| &r.run.steps).map(|s| s.tx_clients).collect();
        all.sort_unstable();
        all.dedup();
        Look::part(all.iter().position(|n| *n == clients).unwrap_or(0))
    }
}

/// The note on hollow marks, where there are any.
fn hollow_notes(points: &[Shown<'_>]) -> Vec<Item> {
    let partial = points.iter().any(|s| s.step.partial.is_some());
    let short = points.iter().any(|s| s.step.rate_shortfall.is_some());
    let notes = [(partial, "a partial step"), (short, "rate not reached")];
    let notes = notes.into_iter().filter(|(any, _)| *any);
    notes.map(|(_, what)| note(&format!("hollow: {what}"))).collect()
}

fn lines_and_dots(
    looks: &[(String, Look)],
    points: &[Shown<'_>],
    fx: Option<usize>,
    place: impl Fn(&Shown<'_>) -> Option<(f64, f64, String)>,
) -> Vec<Mark> {
    let series = looks.iter().map(|(name, look)| {
        let point = |s: &Shown<'_>| -> Option<Point> {
            let (x, y, words) = place(s)?;
            let hollow = s.step.partial.is_some() || s.step.rate_shortfall.is_some();
            let words = format!("{}\n{words}", step_name(s.step));
            Some((Number(x), Number(y), u8::from(hollow), words))
        };
        let points = points.iter().filter(|s| s.series == *name).filter_map(point).collect();
        Series { look: *look, fx, title: name.clone(), points, ..Series::default() }
    });
    joined(series.collect())
}
