//! A comparison as JSON; `docs/compare.md` has the fields.

use serde_json::{Value, json};

use super::comparison::Comparison;
use super::gate::{Outcome, Reason};
use super::line::{ComparedLine, Scope, Shown};
use super::side::Side;
use crate::statistics::{Basis, FALSE_VERDICTS};

/// The version of this format. It moves when a field changes its meaning or goes away.
pub const FORMAT: u32 = 2;

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
        let reasons = |reasons: &[Reason]| -> Vec<Value> {
            let reason = |of: &Reason| {
                let candidate = &comparison.candidates[of.candidate].name;
                json!({ "candidate": candidate, "what": of.what, "why": of.why })
            };
            reasons.iter().map(reason).collect()
        };
        let outcome = judged.outcome();
        json!({
            "fail_if": judged.gate.to_string(),
            "outcome": outcome.words(),
            "holds": outcome == Outcome::Holds,
            "lines": judged.looked_at,
            "broken": reasons(&judged.broken),
            "unproven": reasons(&judged.unproven),
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
        "remarks": comparison.remarks(),
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
        "interval": line.interval().map(|((low, high), _)| [low, high]),
        "within_the_run": line.interval().is_some_and(|(_, within)| within),
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
