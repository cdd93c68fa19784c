//! The numbers behind the charts as one JSON block.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::Loaded;
use crate::isolation::{complete, power};
use crate::tables::step_name;
use crate::text::harmless;
use crate::ticks::{Tick, ticks};

/// The JSON text, safe inside a `script` element: no `<`, `>` or `&` is left in it. Durations are in
/// seconds.
pub fn json(runs: &[Loaded]) -> String {
    let runs: Vec<Value> = runs.iter().map(run).collect();
    let text = json!({ "runs": runs }).to_string();
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

fn run(loaded: &Loaded) -> Value {
    let steps: Vec<Value> = loaded
        .run
        .steps
        .iter()
        .map(|s| {
            let new_order = s.transactions.iter().find(|o| o.kind == "NewOrder" && o.count > 0);
            let seconds = |us: u64| us as f64 / 1e6;
            json!({
                "number": s.number,
                "name": step_name(s),
                "tx": s.tx_clients,
                "queries": s.query_clients,
                "start": s.start_seconds,
                "seconds": s.seconds,
                "partial": s.partial.is_some(),
                "tpm": s.tpm,
                "latency": new_order.map(|o| json!({
                    "p50": seconds(o.latency.p50_us),
                    "p95": seconds(o.latency.p95_us),
                    "p99": seconds(o.latency.p99_us),
                })),
                "power": power(s).ok(),
                "qph": complete(s, s.queries_per_hour).ok(),
                "times": s.queries.iter().map(|q| json!({
                    "query": q.kind,
                    "mean": if q.failed > 0 { None } else { q.mean_seconds },
                    "failed": q.failed,
                })).collect::<Vec<_>>(),
            })
        })
        .collect();
    let ticks: Vec<Value> = ticks(&loaded.samples)
        .iter()
        .map(|t: &Tick| {
            json!([t.step, t.phase == "measured", t.at_seconds, t.tpm(), t.p99_seconds])
        })
        .collect();
    let curves: Vec<Value> = loaded
        .curves
        .iter()
        .map(|c| json!({ "step": c.step, "kind": c.kind, "count": c.count, "points": c.points }))
        .collect();
    json!({ "name": loaded.name, "steps": steps, "ticks": ticks, "curves": curves })
}
