//! Charts over several configurations, and of published figures.

use super::bars;
use super::parts::{item, items, joined, note, rows_of_bars};
use super::runs::query_words;
use super::scale::{self, vertical};
use super::spec::{Bar, Chart, Look, Margins, Mark, Number, Plot, Quantity, Sample, Series};
use crate::configurations::group::{Group, Place, Spread};
use crate::format::number::{Unit, decimals, latency};
use crate::format::table::{Cell, Table};
use crate::run::interference;
use crate::run::measure::{Axis, Measure};
use crate::tables::{self, TimeOf};

/// More series than these have a dot each, not a bar.
const BARS: usize = 5;

/// What a chart shows of a place, if it is there.
type Shown<'a> = dyn Fn(&Place<'_>) -> Option<Spread> + 'a;

/// A plot of a chart of lines: its name and what it shows of a place.
struct Facet<'a> {
    name: String,
    value: Box<Shown<'a>>,
}

fn places<'a>(group: &Group<'a>, axis: Axis, which: impl Fn(&Place<'_>) -> bool) -> Vec<Place<'a>> {
    group.places().into_iter().filter(|p| p.axis() == axis && which(p)).collect()
}

/// The numbers of query clients whose lines share a plot, told apart by their dashes; none where
/// each configuration had one number of them (figure 8 of CH2++ has 4Q+0A, without queries, beside
/// 4Q+4A), where dashes tell configurations apart, or where all places are one: a dot has no
/// dashes.
fn dashed(measure: Measure, places: &[Place<'_>]) -> Vec<usize> {
    let counts = query_counts(places);
    let all = 2..=Look::DASHES;
    let colours = places.iter().all(|p| p.member < Look::COLOURS);
    let lines = places.windows(2).any(|two| two[0].x() != two[1].x());
    let shown = measure == Measure::Hybrid && all.contains(&counts.len()) && colours && lines;
    if shown && !one_each(places) { counts } else { Vec::new() }
}

fn query_counts(places: &[Place<'_>]) -> Vec<usize> {
    let mut counts: Vec<usize> = places.iter().map(|p| p.query_clients()).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// A facet for each number of query clients of a hybrid benchmark where they share no plot; one for
/// all of another.
fn by_queries<'a>(
    measure: Measure,
    places: &[Place<'_>],
    value: impl Fn(&Place<'_>) -> Option<Spread> + Clone + 'a,
) -> Vec<Facet<'a>> {
    if measure == Measure::Plain || one_each(places) || !dashed(measure, places).is_empty() {
        return vec![Facet { name: String::new(), value: Box::new(value) }];
    }
    let facet = |n: usize| {
        let value = value.clone();
        Facet {
            name: query_words(n),
            value: Box::new(move |p: &Place<'_>| (p.query_clients() == n).then(|| value(p))?),
        }
    };
    query_counts(places).into_iter().map(facet).collect()
}

/// Whether the configurations differ in their numbers of query clients, and each had one number.
fn one_each(places: &[Place<'_>]) -> bool {
    let any = |which: &dyn Fn(&Place<'_>, &Place<'_>) -> bool| {
        places
            .iter()
            .any(|a| places.iter().any(|b| a.query_clients() != b.query_clients() && which(a, b)))
    };
    any(&|_, _| true) && !any(&|a, b| a.member == b.member)
}

/// What a chart of lines is about.
struct Lines<'a> {
    axis: Axis,
    words: Quantity,
    label: &'a str,
    /// Stands behind values that do not carry their unit.
    unit: &'static str,
}

fn lines(
    group: &Group<'_>,
    of: &Lines<'_>,
    places: &[Place<'_>],
    facets: Vec<Facet<'_>>,
) -> Option<Chart> {
    let known = |facet: &Facet<'_>| -> Vec<(Place<'_>, Spread)> {
        let mut known: Vec<(Place<'_>, Spread)> =
            places.iter().filter_map(|p| Some((p.clone(), (facet.value)(p)?))).collect();
        known.sort_by(|(a, _), (b, _)| a.x().total_cmp(&b.x()));
        known
    };
    let facets: Vec<(String, Vec<(Place<'_>, Spread)>)> =
        facets.iter().map(|facet| (facet.name.clone(), known(facet))).collect();
    let all = || facets.iter().flat_map(|(_, known)| known);
    let mut members: Vec<usize> = all().map(|(place, _)| place.member).collect();
    members.sort_unstable();
    members.dedup();
    let first = all().map(|(place, _)| place.x()).next()?;
    if all().all(|(place, _)| place.x() == first) {
        return Some(one_place(group, of, &facets));
    }
    // The lines of a plot: a configuration, and where dashes tell them apart, its number of query
    // clients.
    let counts = dashed(group.measure, places);
    let keys: Vec<(usize, Option<usize>)> = match counts.is_empty() {
        true => members.iter().map(|n| (*n, None)).collect(),
        false => members.iter().flat_map(|n| counts.iter().map(|q| (*n, Some(*q)))).collect(),
    };
    let dash = |queries: usize| counts.iter().position(|q| *q == queries).unwrap_or(0);
    let own = |key: &(usize, Option<usize>), place: &Place<'_>| {
        place.member == key.0 && key.1.is_none_or(|q| place.query_clients() == q)
    };
    let y = vertical(of.words, of.label, all().flat_map(|(_, s)| [s.low, s.high]));
    let label = of.axis.label(group.measure);
    let x = match of.axis {
        Axis::Clients => scale::points(label, all().map(|(place, _)| place.x())),
        Axis::Rate => scale::rates(label, all().map(|(place, _)| place.x())),
    };
    let value = |value: f64| of.words.value(value);
    let short_rate = |place: &Place<'_>| place.steps.iter().any(|s| s.rate_shortfall.is_some());
    let point = |(place, s): &(Place<'_>, Spread)| {
        let mut words = format!("{label}: {}\n{}", decimals(place.x(), 0), value(s.mean));
        if !of.unit.is_empty() {
            words += &format!(" {}", of.unit);
        }
        if s.count > 1 {
            words += &format!("\n{} runs, {} to {}", s.count, value(s.low), value(s.high));
        }
        (Number(place.x()), Number(s.mean), u8::from(short_rate(place)), words)
    };
    let plots = facets.iter().filter(|(_, known)| !known.is_empty()).map(|(name, known)| {
        let of_key = |key: &(usize, Option<usize>)| {
            let points = known.iter().filter(|(place, _)| own(key, place)).map(point).collect();
            let (look, label) = (Look::of_configuration(key.0), group.members[key.0].label);
            let (look, title) = match key.1 {
                None => (look, label.to_string()),
                Some(q) => (look.dashed(dash(q)), format!("{label}, {}", query_words(q))),
            };
            Series { look, title, points, ..Series::default() }
        };
        let reach = |key: &(usize, Option<usize>)| {
            let own = known.iter().filter(|(place, _)| own(key, place));
            let reach = own.map(|(p, s)| (Number(p.x()), Number(s.low), Number(s.high)));
            band(key.0, reach.collect())
        };
        // Below the lines.
        let mut marks: Vec<Mark> = keys.iter().filter_map(reach).collect();
        marks.extend(joined(keys.iter().map(of_key).collect()));
        let (x, y) = (x.clone(), y.clone());
        Plot { name: name.clone(), height: 290, x, y, marks, ..Plot::default() }
    });
    let plots = plots.collect();
    let apart = group.measure == Measure::Plain || !one_each(places);
    let named = members.iter().map(|n| {
        let queries = places.iter().find(|p| p.member == *n && !apart);
        let queries = queries.map(|p| format!(", {}", query_words(p.query_clients())));
        let label = format!("{}{}", group.members[*n].label, queries.unwrap_or_default());
        (label, Look::of_configuration(*n))
    });
    let mut legend = items(&named.collect::<Vec<_>>(), Sample::Line);
    let line = |q: &usize| {
        item(&query_words(*q), Look::line("ink", "none").dashed(dash(*q)), Sample::Line)
    };
    legend.extend(counts.iter().map(line));
    if all().any(|(place, _)| short_rate(place)) {
        legend.push(note("hollow: rate not reached"));
    }
    Some(Chart { legend, plots, least: 340, ..Chart::default() })
}

/// From the lowest to the highest of a configuration's runs, at each place.
fn band(member: usize, reach: Vec<(Number, Number, Number)>) -> Option<Mark> {
    let colour = Look::of_configuration(member).colour;
    let wide = reach.iter().any(|(_, low, high)| high.0 > low.0);
    let along = reach.windows(2).any(|two| two[0].0 != two[1].0);
    wide.then(|| match along {
        true => Mark::Area { colour, fx: None, reach },
        false => {
            let at = reach.into_iter().map(|(x, low, high)| (x, Some((low, high))));
            Mark::Rule { look: Look::colour(member), upright: true, at: at.collect() }
        }
    })
}

/// Values of one place of the axis: lines of one dot each are bars.
fn one_place(
    group: &Group<'_>,
    of: &Lines<'_>,
    facets: &[(String, Vec<(Place<'_>, Spread)>)],
) -> Chart {
    let unit = if of.words == Quantity::Times { Unit::Latency } else { Unit::Rate(of.unit) };
    let rows = facets.iter().flat_map(|(facet, known)| {
        known.iter().map(move |(place, spread)| {
            let named = [group.members[place.member].label, facet.as_str()];
            let named: Vec<&str> = named.into_iter().filter(|name| !name.is_empty()).collect();
            let (name, number, value) = (named.join(", "), place.member, spread.mean);
            bars::Row { name, number, value, published: false }
        })
    });
    let mut chart = bars::rows(&rows.collect::<Vec<_>>(), of.label, unit);
    let mut places = facets.iter().flat_map(|(_, known)| known).map(|(place, _)| &place.name);
    let first = places.next().cloned().unwrap_or_default();
    if places.all(|name| *name == first) {
        chart.plots[0].name = first;
    }
    chart
}

/// The headline measure against clients or rates, a line a configuration.
pub fn throughput(group: &Group<'_>, axis: Axis) -> Option<Chart> {
    let measure = group.measure;
    let places = places(group, axis, |p| p.clients() > 0);
    let facets = by_queries(measure, &places, move |p| p.spread(|s| measure.value(s).ok()));
    let unit = measure.unit();
    lines(group, &Lines { axis, words: Quantity::Rates, label: unit, unit }, &places, facets)
}

/// One number of the response times against clients or rates, a line a configuration; a plot for
/// each number of query clients of a hybrid benchmark, for each kind of operation of another.
pub fn response_time(group: &Group<'_>, axis: Axis, time: TimeOf) -> Option<Chart> {
    let places = places(group, axis, |p| p.clients() > 0);
    let kinds = tables::kinds(group);
    let facets = match group.measure {
        Measure::Hybrid => {
            let kind = kinds.into_iter().next()?;
            by_queries(group.measure, &places, move |p| p.latency(&kind, |l| time.of(l)))
        }
        Measure::Plain => kinds
            .into_iter()
            .map(|kind| Facet {
                name: kind.clone(),
                value: Box::new(move |p: &Place<'_>| p.latency(&kind, |l| time.of(l))),
            })
            .collect(),
    };
    let of = Lines { axis, words: Quantity::Times, label: time.name(), unit: "" };
    lines(group, &of, &places, facets)
}

/// Power against transaction clients, a line a configuration; none of one number of clients, whose
/// power is in the bars of table 3.
pub fn power(group: &Group<'_>) -> Option<Chart> {
    let axis = Axis::Clients;
    let places = places(group, axis, |p| p.query_clients() > 0);
    let first = places.first().map(|p| (p.clients(), p.query_clients()))?;
    if places.iter().all(|p| (p.clients(), p.query_clients()) == first) {
        return None;
    }
    let value = |p: &Place<'_>| p.spread(|s| interference::power(s).ok());
    let facets = by_queries(group.measure, &places, value);
    lines(group, &Lines { axis, words: Quantity::Times, label: "power", unit: "" }, &places, facets)
}

/// The mean time of each query, a bar a configuration; a dot where there are many.
pub fn queries(places: &[(&str, Place<'_>)], table: &Table) -> Chart {
    let kinds: Vec<String> = table.rows.iter().map(|row| row[0].show(None)).collect();
    let dots = places.len() > BARS;
    let look = |n: usize| Look { dash: None, ..Look::of_configuration(n) };
    let (mut bars, mut longest) = (Vec::new(), 0.0f64);
    for (row, kind) in kinds.iter().enumerate() {
        for (lane, (name, place)) in places.iter().enumerate() {
            let (value, label, words) = match tables::query_mean(place, kind) {
                Cell::Number(mean) => (Some(mean), latency(mean), latency(mean)),
                Cell::Incomplete(why) => (None, format!("{name}: incomplete"), why),
                _ => (None, format!("{name}: incomplete"), "not measured".into()),
            };
            longest = longest.max(value.unwrap_or(0.0));
            let title = format!("{kind}, {name}: {words}");
            let (value, colour) = (value.map(Number), look(lane).colour);
            let from = Number(0.0);
            bars.push(Bar { facet: Some(row), lane, from, value, colour, label, title });
        }
    }
    let named = places.iter().enumerate().map(|(n, (label, _))| (label.to_string(), look(n)));
    let named: Vec<_> = named.collect();
    if !dots {
        let plot = rows_of_bars(&kinds, places.len(), longest, bars);
        return Chart::one(items(&named, Sample::Bar), plot);
    }
    let marks = named.iter().enumerate().map(|(lane, (label, look))| {
        let own = bars.iter().filter(|b| b.lane == lane);
        let point = |b: &Bar| {
            let (row, words) = (b.facet?, format!("{}: {}", kinds[b.facet?], b.label));
            Some((b.value?, Number(row as f64), 0, words))
        };
        let (look, points) = (*look, own.filter_map(point).collect());
        Mark::Dot(Series { look, title: label.clone(), points, ..Series::default() })
    });
    let (height, x) = (50 + kinds.len() * 20, scale::durations("mean time", longest));
    let (y, marks) = (
        super::spec::Axis { kind: super::spec::Kind::Point, ..scale::bands(&kinds) },
        marks.collect(),
    );
    let plot = Plot { height, margins: Margins::Rows, x, y, grid: true, marks, ..Plot::default() };
    Chart::one(items(&named, Sample::Line), plot)
}
