//! The lines of a comparison: every quantity of every step that both sides have.

use std::cmp::Ordering;
use std::panic::resume_unwind;
use std::thread;

use hoap_record::{Error, ErrorKind, Percentile, Result, Step};

use super::gate::Gate;
use super::line::{ComparedLine, Scope, Shown};
use super::metric::{Metric, QUERIES, attempts};
use super::side::{Logs, Side, logs};
use crate::run::key::{StepKey, steps};
use crate::run::measure::Measure;
use crate::statistics::{Estimate, Ratio, RatioQuestion, judge};

/// The percentiles that every comparison shows.
const DEFAULTS: [Metric; 2] =
    [Metric::Percentile(Percentile::P50), Metric::Percentile(Percentile::P99)];

/// What [`lines`] found.
#[derive(Default)]
pub struct ComparedLines {
    /// All lines.
    pub lines: Vec<ComparedLine>,
    /// What could not be compared, in words.
    pub left_out: Vec<String>,
}

/// Which quantities of a step are compared.
pub struct Asked<'a> {
    /// What the runs measure.
    pub measure: Measure,
    /// What a gate is about is compared, too.
    pub gates: &'a [Gate],
    /// Whether anything but the headlines is compared.
    pub details: bool,
}

/// A line without its verdict.
struct Open {
    line: ComparedLine,
    question: RatioQuestion,
}

/// The steps of one side that are compared, each with the estimates of a candidate's and its own.
pub(super) struct Matched<'a> {
    pub name: String,
    pub baseline: Vec<&'a Step>,
    pub candidate: Vec<&'a Step>,
}

/// Compares each candidate with the baseline and judges all lines together.
pub fn lines(
    baseline: &Side,
    candidates: &[Side],
    asked: &Asked<'_>,
    relevant: f64,
) -> Result<ComparedLines> {
    let (mut open, mut left_out) = (Vec::new(), Vec::new());
    for (number, candidate) in candidates.iter().enumerate() {
        let matched = matched(baseline, candidate, &mut left_out);
        if matched.is_empty() {
            let tried = format!("compare {} with {}", candidate.name, baseline.name);
            let answer = match left_out.first() {
                None => "they have no step".into(),
                Some(why) => format!("no step is whole on both sides ({why})"),
            };
            return Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("run both sides with the same clients and rates"));
        }
        for step in &matched {
            let both = thread::scope(|scope| {
                if !asked.details {
                    return Ok([Logs::new(), Logs::new()]);
                }
                let ours = scope.spawn(|| logs(baseline, &step.baseline));
                let theirs = logs(candidate, &step.candidate);
                Ok::<_, hoap_record::Error>([
                    ours.join().unwrap_or_else(|e| resume_unwind(e))?,
                    theirs?,
                ])
            })?;
            for (metric, kind) in asked.of(step) {
                let sides = [(baseline, &step.baseline), (candidate, &step.candidate)];
                let mut values = sides.into_iter().zip(&both).zip([false, true]).map(
                    |(((side, steps), logs), is_candidate)| {
                        shown(metric, kind.as_deref(), side, steps, logs, is_candidate)
                    },
                );
                let pair = (values.next().flatten(), values.next().flatten());
                let headline = metric.is_headline(asked.measure);
                let place = Scope::Step(step.name.clone());
                open.extend(line(number, place, metric, kind, headline, pair));
            }
        }
        for metric in [Metric::Tpm, Metric::Ops, Metric::Power] {
            if metric.is_headline(asked.measure) {
                open.extend(overall(number, metric, baseline, candidate, &matched, &open));
            }
        }
    }
    let questions: Vec<RatioQuestion> = open.iter().map(|o| o.question).collect();
    let findings = judge(&questions, relevant);
    let lines =
        open.into_iter().zip(findings).map(|(o, finding)| ComparedLine { finding, ..o.line });
    Ok(ComparedLines { lines: lines.collect(), left_out })
}

/// The steps that both sides have, whole in every run; the others in words.
fn matched<'a>(
    baseline: &'a Side,
    candidate: &'a Side,
    left_out: &mut Vec<String>,
) -> Vec<Matched<'a>> {
    let keys = |side: &'a Side| -> Vec<(StepKey, &'a Step)> { steps(side.first()) };
    let (ours, theirs) = (keys(baseline), keys(candidate));
    for (key, step) in &theirs {
        if !ours.iter().any(|(other, _)| other == key) {
            left_out.push(format!("step {}: {} has no such step", step.name, baseline.name));
        }
    }
    let mut matched = Vec::new();
    for (key, step) in ours {
        let name = key.name(step);
        match (baseline.steps(&key), candidate.steps(&key)) {
            (Ok(baseline), Ok(candidate)) => matched.push(Matched { name, baseline, candidate }),
            (Err(why), _) | (_, Err(why)) => left_out.push(format!("step {name}: {why}")),
        }
    }
    matched
}

impl Asked<'_> {
    /// What is compared of a step: what every comparison shows, and what a gate is about.
    pub(super) fn of(&self, step: &Matched<'_>) -> Vec<(Metric, Option<String>)> {
        let Asked { measure, gates, details } = *self;
        let sides = || step.baseline.iter().chain(&step.candidate);
        let mut kinds: Vec<&str> = Vec::new();
        let mut queries: Vec<&str> = Vec::new();
        for step in sides() {
            for operation in step.transactions.iter().filter(|o| o.timed > 0) {
                if !kinds.contains(&operation.kind.as_str()) {
                    kinds.push(&operation.kind);
                }
            }
            for query in &step.queries {
                if !queries.contains(&query.kind.as_str()) {
                    queries.push(&query.kind);
                }
            }
        }
        let gated = |metric: Metric| gates.iter().any(|gate| gate.is_about(metric));
        let failing = |kind: Option<&str>| {
            sides().any(|step| attempts(kind, step).is_some_and(|(failed, _)| failed > 0.0))
        };
        let mut asked = Vec::new();
        let mut ask = |metric, kind: Option<&str>| asked.push((metric, kind.map(str::to_owned)));
        ask(Metric::Tpm, None);
        if measure == Measure::Plain || gated(Metric::Ops) {
            ask(Metric::Ops, None);
        }
        for kind in kinds {
            for metric in Metric::percentiles() {
                if DEFAULTS.contains(&metric) || gated(metric) {
                    ask(metric, Some(kind));
                }
            }
        }
        for kind in [None, Some(QUERIES)] {
            if failing(kind) || gated(Metric::Failures) {
                ask(Metric::Failures, kind);
            }
        }
        ask(Metric::Freshness, None);
        ask(Metric::Power, None);
        ask(Metric::Qph, None);
        queries.into_iter().for_each(|query| ask(Metric::Query, Some(query)));
        asked.retain(|(metric, _)| details || metric.is_headline(measure));
        asked
    }
}

pub(super) type Value = std::result::Result<Shown, String>;

/// What a side shows of it; `None` where its step has no such thing.
pub(super) fn shown(
    metric: Metric,
    kind: Option<&str>,
    side: &Side,
    steps: &[&Step],
    logs: &Logs,
    is_candidate: bool,
) -> Option<Value> {
    if let Some(nothing) = nothing(metric, kind, steps, is_candidate) {
        return Some(nothing);
    }
    let estimate = metric.estimate(kind, side, steps, logs)?;
    Some(estimate.map(|estimate| {
        let value = match metric {
            Metric::Failures => {
                let (failed, all) = steps.iter().fold((0.0, 0.0), |sum, step| {
                    let (failed, all) = attempts(kind, step).unwrap_or_default();
                    (sum.0 + failed, sum.1 + all)
                });
                failed / f64::max(all, 1.0)
            }
            // To the microsecond that it was recorded in: it went through a logarithm.
            Metric::Freshness => ((estimate.value - metric.added()) * 1e6).round().max(0.0) / 1e6,
            _ => estimate.value,
        };
        Shown { value, estimate }
    }))
}

/// What to show of a throughput where nothing completed. A candidate that stopped in one of its
/// runs has no geometric mean but 0; a baseline that did so in some of its runs and not in all is
/// none to compare with.
fn nothing(
    metric: Metric,
    kind: Option<&str>,
    steps: &[&Step],
    is_candidate: bool,
) -> Option<Value> {
    if !matches!(metric, Metric::Tpm | Metric::Ops) {
        return None;
    }
    let stopped = |step: &&&Step| metric.recorded(kind, step) == Some(Ok(0.0));
    match steps.iter().filter(stopped).count() {
        0 => None,
        some if is_candidate || some == steps.len() => Some(Ok(Shown::NOTHING)),
        _ => Some(Err("nothing completed in one of its runs".into())),
    }
}

/// A line, unless neither side has such a thing.
fn line(
    candidate: usize,
    place: Scope,
    metric: Metric,
    kind: Option<String>,
    headline: bool,
    (baseline, value): (Option<Value>, Option<Value>),
) -> Option<Open> {
    if baseline.is_none() && value.is_none() {
        return None;
    }
    let or_missing = |value: Option<Value>| value.unwrap_or_else(|| Err("not measured".into()));
    let (baseline, candidate_value) = (or_missing(baseline), or_missing(value));
    let (ratio, stopped) = match (&baseline, &candidate_value) {
        (Ok(a), Ok(b)) => match (a.is_nothing(), b.is_nothing()) {
            (false, false) => (Some(Ratio::of(&b.estimate, &a.estimate)), None),
            (false, true) => (Some(Ratio { value: 0.0, spread: None }), Some(Ordering::Less)),
            (true, false) => (None, Some(Ordering::Greater)),
            (true, true) => (None, Some(Ordering::Equal)),
        },
        _ => (None, None),
    };
    let question =
        RatioQuestion { ratio, stopped, more_is_better: metric.more_is_better(), headline };
    let finding = judge(&[question], 0.0)[0];
    let line = ComparedLine {
        candidate,
        place,
        metric,
        kind,
        headline,
        baseline,
        candidate_value,
        ratio,
        stopped,
        finding,
    };
    Some(Open { line, question })
}

/// The geometric mean over the steps, where there are several. Of repeated runs each run has its
/// own, for the steps of a run have their luck in common.
fn overall(
    number: usize,
    metric: Metric,
    baseline: &Side,
    candidate: &Side,
    matched: &[Matched<'_>],
    open: &[Open],
) -> Option<Open> {
    let of_steps: Vec<&ComparedLine> = open
        .iter()
        .map(|o| &o.line)
        .filter(|l| l.candidate == number && l.metric == metric && l.ratio.is_some())
        .collect();
    let number_of_steps = of_steps.len();
    if number_of_steps < 2 {
        return None;
    }
    let compared =
        |step: &&Matched<'_>| of_steps.iter().any(|l| l.place == Scope::Step(step.name.clone()));
    let steps: Vec<&Matched<'_>> = matched.iter().filter(compared).collect();
    let mean = |side: &Side,
                of: fn(&ComparedLine) -> &Value,
                runs: for<'b, 'c> fn(&'b Matched<'c>) -> &'b [&'c Step]| {
        if of_steps.iter().any(|l| of(l).as_ref().is_ok_and(Shown::is_nothing)) {
            return Some(Ok(Shown::NOTHING));
        }
        let estimate = match side.runs.len() {
            1 => {
                let parts: Option<Vec<Estimate>> =
                    of_steps.iter().map(|l| of(l).as_ref().ok().map(|s| s.estimate)).collect();
                Estimate::geometric_mean(&parts?)
            }
            n => {
                let of_run = |run: usize| -> Option<f64> {
                    let logarithms: Option<Vec<f64>> = steps
                        .iter()
                        .map(|step| Some(metric.recorded(None, runs(step)[run])?.ok()?.ln()))
                        .collect();
                    Some((logarithms?.iter().sum::<f64>() / number_of_steps as f64).exp())
                };
                Estimate::of_runs(&(0..n).map(of_run).collect::<Option<Vec<f64>>>()?)
            }
        };
        Some(Ok(Shown { value: estimate?.value, estimate: estimate? }))
    };
    let pair = (
        mean(baseline, |l| &l.baseline, |m| &m.baseline),
        mean(candidate, |l| &l.candidate_value, |m| &m.candidate),
    );
    line(number, Scope::Overall(number_of_steps), metric, None, true, pair)
}
