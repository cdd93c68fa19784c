//! Charts over several configurations, as the script takes them: every number in them is computed
//! here, the script only draws.

use hoap_record::words::counted;
use serde_json::{Value, json};

use crate::group::{Group, Place, Spread};
use crate::measure::{Axis, Measure};
use crate::table::{Cell, Table};
use crate::tables::{self, Costed, Percentile};

/// Six digits are more than a line on a screen shows.
pub fn short(value: f64) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    let text = format!("{value:.5e}");
    text.parse::<f64>().map_or(Value::Null, |v| json!(v))
}

/// What a chart shows of a place, if it is there.
type Shown<'a> = dyn Fn(&Place<'_>) -> Option<Spread> + 'a;

/// A facet of a line chart: its name and which places it takes.
struct Facet<'a> {
    name: String,
    value: Box<Shown<'a>>,
}

/// How many queries transactions ran beside.
pub fn query_words(n: usize) -> String {
    match n {
        0 => "without queries".into(),
        n => format!("with {}", counted(n, "query client", "query clients")),
    }
}

/// The numbers of query clients of the group's places.
fn query_counts(places: &[Place<'_>]) -> Vec<usize> {
    let mut counts: Vec<usize> = places.iter().map(|p| p.query_clients).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

fn lines(
    group: &Group<'_>,
    axis: Axis,
    label: &str,
    unit: &str,
    places: &[Place<'_>],
    facets: Vec<Facet<'_>>,
) -> Option<Value> {
    let mut points = Vec::new();
    for (f, facet) in facets.iter().enumerate() {
        for place in places {
            let Some(s) = (facet.value)(place) else { continue };
            let short_rate = place.steps.iter().any(|s| s.rate_shortfall.is_some());
            let (mean, low, high) = (short(s.mean), short(s.low), short(s.high));
            let (member, x) = (place.member, short(place.x()));
            points.push(json!([f, member, x, mean, low, high, s.count, short_rate]));
        }
    }
    if points.is_empty() {
        return None;
    }
    Some(json!({
        "type": "lines",
        "x": { "label": axis.label(group.measure), "ordinal": axis == Axis::Clients },
        "y": { "label": label, "unit": unit },
        "facets": facets.iter().map(|f| &f.name).collect::<Vec<_>>(),
        "series": group.members.iter().map(|m| m.label).collect::<Vec<_>>(),
        "points": points,
    }))
}

/// The headline measure against clients or rates, a line a configuration.
pub fn throughput(group: &Group<'_>, axis: Axis) -> Option<Value> {
    let measure = group.measure;
    let places = places(group, axis, |p| p.clients > 0);
    let facets = by_queries(measure, &places, move |p| p.spread(|s| measure.value(s).ok()));
    lines(group, axis, measure.unit(), measure.unit(), &places, facets)
}

/// One number of the response times against clients or rates, a line a configuration; a facet for
/// each number of query clients of a hybrid benchmark, for each kind of operation of another.
pub fn latency(group: &Group<'_>, axis: Axis, percentile: Percentile) -> Option<Value> {
    let places = places(group, axis, |p| p.clients > 0);
    let kinds = tables::kinds(group);
    let facets = match group.measure {
        Measure::Hybrid => {
            let kind = kinds.into_iter().next()?;
            by_queries(group.measure, &places, move |p| p.latency(&kind, percentile.1))
        }
        Measure::Plain => kinds
            .into_iter()
            .map(|kind| Facet {
                name: kind.clone(),
                value: Box::new(move |p: &Place<'_>| p.latency(&kind, percentile.1)),
            })
            .collect(),
    };
    lines(group, axis, percentile.0, "s", &places, facets)
}

/// Power against transaction clients, a line a configuration.
pub fn power(group: &Group<'_>) -> Option<Value> {
    let places = places(group, Axis::Clients, |p| p.query_clients > 0);
    let value = |p: &Place<'_>| p.spread(|s| crate::isolation::power(s).ok());
    let facets = by_queries(group.measure, &places, value);
    lines(group, Axis::Clients, "power", "s", &places, facets)
}

fn places<'a>(group: &Group<'a>, axis: Axis, which: impl Fn(&Place<'_>) -> bool) -> Vec<Place<'a>> {
    group.places().into_iter().filter(|p| p.axis() == axis && which(p)).collect()
}

fn by_queries<'a>(
    measure: Measure,
    places: &[Place<'_>],
    value: impl Fn(&Place<'_>) -> Option<Spread> + Clone + 'a,
) -> Vec<Facet<'a>> {
    if measure == Measure::Plain {
        return vec![Facet { name: String::new(), value: Box::new(value) }];
    }
    let facet = |n: usize| {
        let value = value.clone();
        Facet {
            name: query_words(n),
            value: Box::new(move |p: &Place<'_>| (p.query_clients == n).then(|| value(p))?),
        }
    };
    query_counts(places).into_iter().map(facet).collect()
}

/// The mean time of each query, a bar a configuration.
pub fn queries(places: &[(&str, Place<'_>)], table: &Table) -> Value {
    let kinds: Vec<String> = table.rows.iter().map(|row| row[0].show(None)).collect();
    let mut values = Vec::new();
    for (k, kind) in kinds.iter().enumerate() {
        for (s, (_, place)) in places.iter().enumerate() {
            values.push(match tables::query_mean(place, kind) {
                Cell::Number(mean) => json!([k, s, short(mean), ""]),
                Cell::Incomplete(why) => json!([k, s, null, why]),
                _ => json!([k, s, null, "not measured"]),
            });
        }
    }
    let series: Vec<&str> = places.iter().map(|(label, _)| *label).collect();
    json!({ "type": "grouped", "rows": kinds, "series": series, "values": values })
}

/// A column of a chart by cluster size.
pub struct Column {
    pub nodes: u32,
    pub series: String,
    pub value: f64,
}

/// Columns by cluster size. `top` is the scale's end, so that two charts can share it.
pub fn columns(columns: &[Column], label: &str, unit: &str, top: f64, published: bool) -> Value {
    let mut nodes: Vec<u32> = columns.iter().map(|c| c.nodes).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut series: Vec<&str> = Vec::new();
    for column in columns {
        if !series.contains(&column.series.as_str()) {
            series.push(&column.series);
        }
    }
    let at = |c: &Column| {
        let n = nodes.iter().position(|n| *n == c.nodes);
        json!([n, series.iter().position(|s| *s == c.series), short(c.value)])
    };
    json!({
        "type": "columns",
        "groups": nodes.iter().map(|n| counted(*n, "node", "nodes")).collect::<Vec<_>>(),
        "series": series,
        "values": columns.iter().map(at).collect::<Vec<_>>(),
        "y": { "label": label, "unit": unit },
        "top": short(top),
        "published": published,
    })
}

/// The share of operations that failed, a bar a configuration and kind of operation, a part an error.
pub fn failed(failed: &[tables::Failed<'_>]) -> Value {
    let mut rows: Vec<String> = Vec::new();
    let mut errors: Vec<&str> = Vec::new();
    let mut values = Vec::new();
    for f in failed {
        let row = format!("{}, {}", f.label, f.kind);
        let r = rows.iter().position(|known| *known == row).unwrap_or_else(|| {
            rows.push(row);
            rows.len() - 1
        });
        let e = errors.iter().position(|known| *known == f.error).unwrap_or_else(|| {
            errors.push(&f.error);
            errors.len() - 1
        });
        values.push(json!([r, e, short(f.failed as f64 / f.ended.max(1) as f64)]));
    }
    json!({ "type": "bars", "rows": rows, "series": errors, "values": values, "unit": "%",
        "label": "share of the operations" })
}

/// One number of the costs, a bar a configuration.
pub fn costs(costed: &[Costed<'_>], label: &str, value: fn(&Costed<'_>) -> Option<f64>) -> Value {
    let rows: Vec<&str> = costed.iter().map(|c| c.label).collect();
    let values: Vec<Value> = costed
        .iter()
        .enumerate()
        .filter_map(|(r, c)| Some(json!([r, 0, short(value(c)?)])))
        .collect();
    json!({ "type": "bars", "rows": rows, "series": [""], "values": values, "unit": "",
        "label": label })
}

/// The probes of a search against its bounds.
pub fn search(search: &hoap_record::search::Search) -> Value {
    let seconds = |us: u64| us as f64 / 1e6;
    let bounds: Vec<Value> = search
        .bounds
        .slas
        .iter()
        .map(|s| json!({ "name": s.percentile.name(), "seconds": seconds(s.limit_us) }))
        .collect();
    let mut points = Vec::new();
    for probe in &search.probes {
        for time in &probe.times {
            let bound = search.bounds.slas.iter().position(|s| s.percentile == time.percentile);
            let why = probe.broken.as_deref().or(probe.undecided.as_deref()).unwrap_or("");
            let rate = short(probe.rate);
            points.push(json!([bound, rate, seconds(time.us), probe.holds(), time.kind, why]));
        }
    }
    json!({ "type": "search", "bounds": bounds, "points": points, "best": search.rate,
        "below": search.below })
}
