//! Charts of one run. Runs of one benchmark share scales and looks, so that they compare by eye.

use hoap_record::{GRACE, Percentile, Step};

use super::scale::{self, Words, vertical};
use super::spec::{
    Bar, Chart, Item, Look, Margins, Mark, Number, Plot, Point, Sample, Series, Word,
};
use crate::format::number::{decimals, latency};
use crate::run::curve::Curve;
use crate::run::measure::{Axis, Measure, operations_per_second};
use crate::run::ticks::{MOST, Tick, ticks};
use crate::run::{Loaded, step_name};

/// Points of all time series of a page, as far as each has its fewest.
const TICKS: usize = 4_000;
/// No time series of more ticks is merged to fewer.
const FEWEST: usize = 60;
/// Most events that the charts over time mark.
const EVENTS: usize = 100;
/// The percentiles that the charts of response times show.
const PERCENTILES: [Percentile; 3] = [Percentile::P50, Percentile::P95, Percentile::P99];

/// How many points each time series of a page has at most.
pub fn most_ticks<'a>(runs: impl Iterator<Item = &'a Loaded>) -> usize {
    let kinds: usize = runs.map(|r| r.measure().kinds(&r.run).len()).sum();
    (TICKS / kinds.max(1)).clamp(FEWEST, MOST)
}

/// A run among the runs of its benchmark, itself one of them.
#[derive(Clone, Copy)]
pub struct Among<'a> {
    pub run: &'a Loaded,
    pub all: &'a [&'a Loaded],
    /// The number of its configuration, where the page compares: then it has the configuration's colour.
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

/// The points of a run's steps in the charts of its headline measure and of response times, by place on
/// the axis.
fn shown(loaded: &Loaded, axis: Option<Axis>) -> Vec<Shown<'_>> {
    let measure = loaded.measure();
    let kinds = measure.kinds(&loaded.run);
    let steps = loaded.run.steps.iter().filter(|s| s.tx_clients > 0);
    let mut out = Vec::new();
    for step in steps.filter(|s| axis.is_none_or(|axis| Axis::of(s) == axis)) {
        for o in measure.operations(step) {
            let n = step.query_clients;
            let (series, order, value) = match measure {
                Measure::Hybrid => (query_words(n), n, step.tpm),
                Measure::Plain => {
                    let order = kinds.iter().position(|kind| *kind == o.kind).unwrap_or(0);
                    (o.kind.clone(), order, Some(o.per_second))
                }
            };
            let latency = (o.timed > 0).then_some(&o.latency);
            out.push(Shown { step, series, order, value, latency });
        }
        if measure == Measure::Plain && kinds.len() > 1 {
            let (series, value) = ("all operations".to_string(), Some(operations_per_second(step)));
            out.push(Shown { step, series, order: kinds.len(), value, latency: None });
        }
    }
    if let Some(axis) = axis {
        out.sort_by(|a, b| axis.place(a.step).total_cmp(&axis.place(b.step)));
    }
    out
}

impl<'a> Among<'a> {
    fn measure(self) -> Measure {
        self.run.measure()
    }

    /// The colour of what is the run as a whole.
    pub fn colour_of_run(self) -> &'static str {
        Look::colour(self.configuration.unwrap_or(0)).colour
    }

    /// The look of a series by its number. Its colour is that of its kind of operation, unless the page has a
    /// configuration or a run in that colour.
    fn look(self, n: usize) -> Look {
        match (self.configuration, self.measure()) {
            (None, Measure::Plain) => Look::of(n),
            _ => Look { colour: self.colour_of_run(), ..Look::of(n) },
        }
    }

    /// The names of the series of all these runs, in order.
    fn series(self) -> Vec<String> {
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
        let y = vertical(Words::Rates, measure.unit(), values.chain(intended.map(|_| most)));
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
        let y = vertical(Words::Times, "response time", values.into_iter());
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

    fn colour_of_clients(self, clients: usize) -> Look {
        let mut all: Vec<usize> =
            self.all.iter().flat_map(|r| &r.run.steps).map(|s| s.tx_clients).collect();
        all.sort_unstable();
        all.dedup();
        Look::part(all.iter().position(|n| *n == clients).unwrap_or(0))
    }

    fn ticks(self, run: &Loaded, most: usize) -> Vec<Tick> {
        // What ended after a window is no part of any rate.
        let mut all = ticks(&run.samples.rows, &self.measure().kinds(&run.run), most);
        all.retain(|t| t.phase != GRACE);
        all
    }

    /// The headline measure over time.
    pub fn throughput(self, most: usize) -> Chart {
        let measure = self.measure();
        let unit = measure.unit();
        self.over_time(most, Words::Rates, unit, |tick| Some(tick.rate(measure.period())))
    }

    /// The 99th percentile of the response times over time.
    pub fn p99(self, most: usize) -> Chart {
        self.over_time(most, Words::Times, "p99", |tick| tick.p99_seconds)
    }

    /// Seconds since the run's start.
    pub fn time_axis(self) -> super::spec::Axis {
        let steps = self.run.run.steps.iter().map(|s| s.start_seconds + s.seconds);
        let samples = self.run.samples.rows.iter().filter(|s| s.phase != GRACE);
        let end = steps.chain(samples.map(|s| s.at_seconds)).fold(0.0, f64::max);
        let end = if end > 0.0 && end.is_finite() { end } else { 1.0 };
        let x = scale::from_zero("seconds since the run's start", end, 10, |s| {
            format!("{} s", decimals(s, 0))
        });
        super::spec::Axis { suffix: " s".into(), ..x }
    }

    fn over_time(
        self,
        most: usize,
        words: Words,
        label: &str,
        value: impl Fn(&Tick) -> Option<f64>,
    ) -> Chart {
        let run = &self.run.run;
        let kinds = self.measure().kinds(run);
        let all = self.all.iter().flat_map(|run| self.ticks(run, most));
        let y = vertical(words, label, all.filter_map(|t| value(&t)));
        let y = if words == Words::Rates { y.linear() } else { y };
        let ticks = self.ticks(self.run, most);
        let x = self.time_axis();
        let window = |s: &Step| (Number(s.start_seconds), Number(s.start_seconds + s.seconds));
        let windows = run.steps.iter().map(|s| (window(s).0, window(s).1, String::new()));
        // What went wrong: a band as long as it lasted, with a line where it began for those that are short.
        let events = run.events.iter().take(EVENTS).map(|e| {
            let (from, to) = (decimals(e.from_seconds, 1), decimals(e.to_seconds, 1));
            let words = format!("{} × {}\n{}, {from}–{to} s", e.count, e.what, e.side);
            (Number(e.from_seconds), Number(e.to_seconds), words)
        });
        let events: Vec<_> = events.collect();
        let begins = events.iter().map(|(from, ..)| (*from, None)).collect();
        let failed = Look::line("bad", "2 2");
        let mut marks = vec![
            Mark::Band { colour: "ink", opacity: 0.06, spans: windows.collect() },
            Mark::Band { colour: "bad", opacity: 0.12, spans: events.clone() },
            Mark::Rule { look: failed, upright: true, at: begins },
        ];
        let several = kinds.len() > 1;
        let series = self.series();
        let look = |kind: &str| match several {
            true => self.look(series.iter().position(|s| s == kind).unwrap_or(0)),
            false => Look::line(self.colour_of_run(), "none"),
        };
        for kind in &kinds {
            let of_kind: Vec<&Tick> = ticks.iter().filter(|t| t.kind == *kind).collect();
            for of_step in of_kind.chunk_by(|a, b| a.step == b.step) {
                let number = of_step[0].step;
                let step = run.steps.iter().find(|s| s.number == number);
                let title = step.map_or_else(|| format!("step {number}"), step_name);
                let title = if several { format!("{title}\n{kind}") } else { title };
                let point = |t: &&Tick| -> Option<Point> {
                    let at = (t.at_seconds * 10.0).round() / 10.0;
                    Some((Number(at), Number(value(t)?), 0, String::new()))
                };
                // A gap is a gap: no line joins what lies on both sides of it.
                for part in of_step.chunk_by(|a, b| value(a).is_some() == value(b).is_some()) {
                    let points = part.iter().filter_map(point).collect();
                    let (look, title) = (Look { symbol: None, ..look(kind) }, title.clone());
                    marks.push(Mark::Line(Series { look, title, points, ..Series::default() }));
                }
            }
        }
        let words = run.steps.iter().map(|s| Word {
            x: Number(s.start_seconds + s.seconds / 2.0),
            room: Number(s.seconds),
            long: step_name(s),
            short: s.number.to_string(),
        });
        marks.push(Mark::Words { words: words.collect() });
        let kinds = kinds.iter().filter(|_| several).map(|kind| (kind.to_string(), look(kind)));
        let kinds = kinds.map(|(kind, look)| (kind, Look { symbol: None, ..look }));
        let mut legend = items(&kinds.collect::<Vec<_>>(), Sample::Line);
        if !events.is_empty() {
            legend.push(item("operations failed", failed, Sample::Line));
        }
        let margins = Margins::Headed;
        Chart::one(legend, Plot { height: 254, margins, x, y, marks, ..Plot::default() })
    }

    /// Response times by percentile, a plot for each kind and a line for each step.
    pub fn percentiles(self) -> Chart {
        let run = self.run;
        let known = |s: &&Step| run.curves.iter().any(|c| c.step == s.number);
        let steps: Vec<&Step> =
            run.run.steps.iter().filter(|s| s.tx_clients > 0).filter(known).collect();
        let mut counts: Vec<usize> =
            self.all.iter().flat_map(|r| &r.run.steps).map(|s| s.query_clients).collect();
        counts.sort_unstable();
        counts.dedup();
        let look = |n: usize| match self.measure() {
            Measure::Hybrid => {
                let queries = counts.iter().position(|q| *q == steps[n].query_clients);
                self.colour_of_clients(steps[n].tx_clients).dashed(queries.unwrap_or(0))
            }
            Measure::Plain => Look::part(n),
        };
        let plot = |kind: String| {
            let of_kind = |run: &'a Loaded| run.curves.iter().filter(|c| c.kind == kind);
            let lines: Vec<(usize, &Curve)> = steps
                .iter()
                .enumerate()
                .filter_map(|(n, s)| Some((n, of_kind(run).find(|c| c.step == s.number)?)))
                .collect();
            let all = self.all.iter().flat_map(|run| of_kind(run)).flat_map(|c| &c.points);
            let y = vertical(Words::Times, "response time", all.filter(|p| p.0 > 0.0).map(|p| p.1));
            let right = lines.iter().flat_map(|(_, c)| c.points.iter().map(|p| nines(c, p.0)));
            let right = right.fold(1.0, f64::max);
            let marks = lines.iter().map(|(n, curve)| {
                let seen = curve.points.iter().filter(|p| p.0 > 0.0 && p.1 >= y.domain[0]);
                let points = seen.map(|(q, seconds)| {
                    let which = match *q < 1.0 {
                        true => share(*q),
                        false => "maximum".to_string(),
                    };
                    (Number(nines(curve, *q)), Number(*seconds), 0, which)
                });
                let (look, title) = (look(*n), step_name(steps[*n]));
                Mark::Line(Series { look, title, points: points.collect(), ..Series::default() })
            });
            let shares: [f64; 7] = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999];
            let named = shares.map(|q| (-(1.0 - q).log10(), share(q)));
            let x = super::spec::Axis {
                domain: vec![0.0, right],
                ticks: named.into_iter().filter(|t| t.0 <= right + 0.01).collect(),
                label: "percentile".into(),
                ..Default::default()
            };
            let marks = marks.collect();
            Plot { name: kind.clone(), height: 230, x, y, grid: true, marks, ..Plot::default() }
        };
        let plots = run.kinds().into_iter().map(plot).filter(|p| !p.marks.is_empty()).collect();
        let named = steps.iter().enumerate().map(|(n, s)| (step_name(s), look(n)));
        let legend = items(&named.collect::<Vec<_>>(), Sample::Line);
        Chart { legend, plots, least: 330, ..Chart::default() }
    }
}

/// Where a quantile stands: as many units as 1 − q has nines; the maximum as those of its operations.
fn nines(curve: &Curve, quantile: f64) -> f64 {
    match quantile < 1.0 {
        true => -(1.0 - quantile).log10(),
        false => (curve.count.max(1) as f64).log10(),
    }
}

fn share(quantile: f64) -> String {
    crate::format::number::Unit::Share.show(quantile)
}

fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
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

/// The note on hollow marks, where there are any.
fn hollow_notes(points: &[Shown<'_>]) -> Vec<Item> {
    let partial = points.iter().any(|s| s.step.partial.is_some());
    let short = points.iter().any(|s| s.step.rate_shortfall.is_some());
    let notes = [(partial, "a partial step"), (short, "rate not reached")];
    let notes = notes.into_iter().filter(|(any, _)| *any);
    notes.map(|(_, what)| note(&format!("hollow: {what}"))).collect()
}

pub fn note(label: &str) -> Item {
    item(label, Look::default(), Sample::Note)
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
