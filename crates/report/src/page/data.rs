//! The numbers behind the charts as one JSON block.

use std::fmt::Write as _;

use hoap_record::GRACE;
use serde_json::{Value, json};

use super::specs::{query_words, short};
use crate::Loaded;
use crate::curve::QUANTILES;
use crate::isolation::{complete, power};
use crate::measure::{Axis, Measure, operations_per_second};
use crate::tables::step_name;
use crate::text::harmless;
use crate::ticks::{MOST, Tick, ticks};

/// Points of all time series of a page, as far as each has its fewest.
const TICKS: usize = 6_000;
/// No time series of more ticks is merged to fewer.
const FEWEST: usize = 60;

/// Most events that the charts over time mark.
const EVENTS: usize = 100;

/// The JSON text, safe inside a `script` element: no `<`, `>` or `&` is left in it. Durations are in
/// seconds.
pub fn json(runs: &[Loaded], specs: &serde_json::Map<String, Value>) -> String {
    let kinds: usize = runs.iter().map(|r| r.measure().kinds(&r.run).len()).sum();
    let most = (TICKS / kinds.max(1)).clamp(FEWEST, MOST);
    let runs: Vec<Value> = runs.iter().map(|r| run(r, most)).collect();
    let text = json!({ "quantiles": QUANTILES, "runs": runs, "specs": specs }).to_string();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '<' | '>' | '&') || harmless(c) != c {
            // All of these are in the first plane, where one escape holds one character.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn run(loaded: &Loaded, most: usize) -> Value {
    let measure = loaded.measure();
    let kinds = measure.kinds(&loaded.run);
    let steps: Vec<Value> = loaded
        .run
        .steps
        .iter()
        .map(|s| {
            let axis = Axis::of(s);
            json!({
                "number": s.number,
                "name": step_name(s),
                "clients": s.tx_clients,
                "queries": s.query_clients,
                "start": s.start_seconds,
                "seconds": s.seconds,
                "partial": s.partial.is_some(),
                "short": s.rate_shortfall.is_some(),
                "axis": axis.name(),
                "x": axis.place(s),
                "points": points(measure, s, &kinds),
                "power": power(s).ok(),
                "qph": complete(s, s.queries_per_hour).ok(),
                "times": s.queries.iter().map(|q| {
                    let mean = if q.failed > 0 { None } else { q.mean_seconds };
                    json!([q.kind, mean.map(short), q.failed])
                }).collect::<Vec<_>>(),
            })
        })
        .collect();
    // What ended after a window is no part of any rate.
    let ticks: Vec<Value> = ticks(&loaded.samples, &kinds, most)
        .iter()
        .filter(|t| t.phase != GRACE)
        .map(|t: &Tick| {
            let kind = kinds.iter().position(|kind| *kind == t.kind);
            let (measured, rate) = (t.phase == "measured", t.rate(measure.period()));
            let p99 = t.p99_seconds.map(short);
            json!([t.step, kind, measured as u8, short(t.at_seconds), short(rate), p99])
        })
        .collect();
    let events: Vec<Value> = loaded
        .run
        .events
        .iter()
        .take(EVENTS)
        .map(|e| json!([short(e.from_seconds), short(e.to_seconds), e.side, e.what, e.count]))
        .collect();
    let curves: Vec<Value> = loaded
        .curves
        .iter()
        .map(|c| {
            let seconds: Vec<Value> = c.points.iter().map(|p| short(p.1)).collect();
            json!({ "step": c.step, "kind": c.kind, "count": c.count, "seconds": seconds })
        })
        .collect();
    let axes: serde_json::Map<String, Value> =
        Axis::ALL.iter().map(|a| (a.name().to_string(), json!(a.label(measure)))).collect();
    json!({
        "name": loaded.name,
        "benchmark": loaded.run.benchmark,
        "hybrid": measure == Measure::Hybrid,
        "unit": measure.unit(),
        "axes": axes,
        "kinds": kinds,
        "steps": steps,
        "ticks": ticks,
        "events": events,
        "curveKinds": loaded.kinds(),
        "curves": curves,
    })
}

/// The points of a step in the charts of its headline measure and of response times: those of one
/// `series` are joined, and `order` is the order of the series.
fn points(measure: Measure, step: &hoap_record::Step, kinds: &[&str]) -> Vec<Value> {
    if step.tx_clients == 0 {
        return Vec::new();
    }
    let seconds = |us: u64| us as f64 / 1e6;
    let mut points: Vec<Value> = measure
        .operations(step)
        .map(|o| {
            let n = step.query_clients;
            let (series, order, value) = match measure {
                Measure::Hybrid => (query_words(n), n, step.tpm),
                Measure::Plain => {
                    let order = kinds.iter().position(|kind| *kind == o.kind).unwrap_or(0);
                    (o.kind.clone(), order, Some(o.per_second))
                }
            };
            let latency = (o.timed > 0).then(|| {
                json!({
                    "p50": seconds(o.latency.p50_us),
                    "p95": seconds(o.latency.p95_us),
                    "p99": seconds(o.latency.p99_us),
                })
            });
            json!({ "series": series, "order": order, "value": value, "latency": latency })
        })
        .collect();
    if measure == Measure::Plain && kinds.len() > 1 {
        let (all, order) = (operations_per_second(step), kinds.len());
        points.push(json!({ "series": "all operations", "order": order, "value": all }));
    }
    points
}
