//! `hoap compare`: runs held against a baseline.

use hoap_record::output::Kind;
use hoap_report::compare::{
    Comparison, Outcome, Question, Side, document, json, junit, markdown, plain,
};
use hoap_report::kinds;
use hoap_workload::words::counted;

use super::context::Context;
use super::output;
use crate::args::{Compare, CompareFormat};
use crate::failure::Failure;

/// Compares, prints, and fails where a bound is broken or not proven.
pub fn compare(context: &Context, args: &Compare) -> Result<(), Failure> {
    let (baseline, candidates) = match (&args.baseline, args.runs.split_first()) {
        (Some(baseline), _) => (baseline, args.runs.as_slice()),
        (None, Some((baseline, candidates))) if !candidates.is_empty() => (baseline, candidates),
        (None, _) => {
            return Err(Failure::usage(
                "compare: there is nothing to compare with; name two runs, or --baseline RUNS",
            ));
        }
    };
    let kind: &Kind = match args.format {
        CompareFormat::Text | CompareFormat::Markdown => &kinds::COMPARISON,
        CompareFormat::Junit => &kinds::JUNIT,
    };
    let out = match &args.out {
        Some(out) if !output::is_standard(context, out, kind)? => Some(out),
        _ => None,
    };
    let baseline = Side::open(baseline)?;
    let candidates = candidates.iter().map(|path| Side::open(path));
    let candidates = candidates.collect::<Result<Vec<Side>, _>>()?;
    let question =
        Question { gates: args.fail_if.clone(), relevant: args.relevant.0, details: true };
    let comparison = Comparison::new(baseline, candidates, question)?;
    let blocks = document(&comparison);
    let written = || match args.format {
        CompareFormat::Text => plain(&blocks),
        CompareFormat::Markdown => markdown(&blocks),
        CompareFormat::Junit => junit(&comparison),
    };
    if let Some(out) = out {
        output::write(context, out, kind, &written())?;
    }
    context.result(&json(&comparison), || match out {
        Some(_) => plain(&blocks),
        None => written(),
    });
    let all = counted(comparison.gates.len(), "bound", "bounds");
    let [broken, unproven] =
        [Outcome::Broken, Outcome::NotProven].map(|o| comparison.gates_that(o));
    match (comparison.gates.len(), broken, unproven) {
        (0, ..) => Ok(()),
        (_, 0, 0) => {
            context.console.say(format!("verdict: {all} held"));
            Ok(())
        }
        (_, 0, unproven) => Err(Failure::unproven(format!("{unproven} of {all} not proven"))),
        (_, broken, 0) => Err(Failure::check(format!("{broken} of {all} broken"))),
        (_, broken, unproven) => {
            Err(Failure::check(format!("{broken} of {all} broken, {unproven} not proven")))
        }
    }
}
