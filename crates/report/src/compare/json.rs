//! A comparison as JSON; `docs/compare.md` has the fields.

use serde_json::{Value, json};

use super::comparison::Comparison;
use super::line::{ComparedLine, Scope, Shown};
use super::side::Side;
use crate::statistics::{Basis, FALSE_VERDICTS};

/// The version of this format. It moves when a field changes its meaning or goes away.
pub const FORMAT: u32 = 1;

/// The whole comparison.
pub fn json(comparison: &Comparison) -> Value {
    let candidates: Vec<Value> = comparison
        .candidates
        .iter()
        .enumerate()
        .map(|(number, side)| {
            json!({
                "candidate": side_of(side),
                "lines": comparison.of(number).map(line).collect::<Vec<_>>(),
            })
        })
        .collect();
    let gates = comparison.gates.iter().map(|judged| {
        let broken = judged.broken.iter().map(|broken| {
            let candidate = &comparison.candidates[broken.candidate].name;
            json!({ "candidate": candidate, "what": broken.what, "why": broken.why })
        });
        json!({
            "fail_if": judged.gate.to_string(),
            "holds": judged.broken.is_empty(),
            "lines": judged.looked_at,
            "broken": broken.collect::<Vec<_>>(),
        })
    });
    let differences = comparison
        .differences
        .iter()
        .map(|difference| json!({ "name": difference.name, "values": difference.values }));
    json!({
        "format": FORMAT,
        "benchmark": comparison.baseline.first().benchmark,
        "baseline": side_of(&comparison.baseline),
        "comparisons": candidates,
        "differences": differences.collect::<Vec<_>>(),
        "not_compared": comparison.left_out,
        "alerts": comparison.alerts(),
        "relevant": comparison.relevant,
        "gates": gates.collect::<Vec<_>>(),
    })
}

fn side_of(side: &Side) -> Value {
    let runs = side.runs.iter().map(|r| r.folder.display().to_string());
    json!({ "name": side.name, "runs": runs.collect::<Vec<_>>() })
}

fn line(line: &ComparedLine) -> Value {
    let confidence = 1.0 - FALSE_VERDICTS;
    let value = |value: &Result<Shown, String>| match value {
        Err(why) => json!({ "missing": why }),
        Ok(Shown { value, estimate }) => {
            let basis = match estimate.basis {
                Basis::Runs(n) => json!({ "runs": n }),
                Basis::Series(effective) => json!({ "effective_ticks": effective }),
                Basis::Executions(n) => json!({ "executions": n }),
                Basis::Nothing => Value::Null,
            };
            let interval = estimate.interval(confidence).map(|(low, high)| [low, high]);
            json!({ "value": value, "interval": interval, "basis": basis })
        }
    };
    let (place, steps) = match &line.place {
        Scope::Overall(steps) => (Value::Null, Some(*steps)),
        Scope::Step(name) => (json!(name), None),
    };
    let mut of_line = json!({
        "step": place,
        "metric": line.metric.name(),
        "kind": line.kind,
        "headline": line.headline,
        "more_is_better": line.metric.more_is_better(),
        "baseline": value(&line.baseline),
        "candidate": value(&line.candidate_value),
        "ratio": line.ratio.map(|r| r.value),
        "interval": line.ratio.and_then(|r| r.interval(confidence)).map(|(low, high)| [low, high]),
        "p": line.ratio.and_then(|r| r.chance()),
        "adjusted_p": line.finding.chance,
        "verdict": line.finding.verdict.word(),
        "nothing_completed": line.nothing(),
    });
    if let Some(steps) = steps {
        of_line["steps"] = json!(steps);
    }
    of_line
}
