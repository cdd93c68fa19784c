//! The answer of a page that compares: how each configuration stands to the first one.

use hoap_record::Result;

use super::body::Body;
use super::compared::Compared;
use super::markup::escape;
use crate::compare::{
    ComparedLine, Comparison, Metric, Question, RELEVANT, Scope, Side, change, span,
};
use crate::configurations::group::{Group, Member};
use crate::format::table::{Cell, Sheet, Table};
use crate::run::Loaded;
use crate::run::measure::Measure;
use crate::statistics::FALSE_VERDICTS;

/// Writes the table of verdicts, where there are several configurations, and the chart of the headline
/// measure.
pub fn write(body: &mut Body, compared: &Compared<'_>) {
    let group = compared.group;
    if let Some((first, others)) = group.members.split_first().filter(|(_, o)| !o.is_empty()) {
        let comparison = comparison(first, others);
        body.filled(&compared.own(table(group, first, comparison.as_ref().ok())));
        match comparison {
            Ok(comparison) => words(body, first, &comparison),
            Err(why) => body.paragraph(&escape(&format!("No verdicts. {why}"))),
        }
    }
    compared.headline(body);
}

/// What `hoap compare` says of the headlines, with the first configuration as its baseline.
fn comparison(first: &Member<'_>, others: &[Member<'_>]) -> Result<Comparison> {
    let side = |member: &Member<'_>| {
        let runs: Vec<&Loaded> = member.runs.iter().map(|(_, run)| *run).collect();
        Side::of(member.label, &runs)
    };
    let candidates = others.iter().map(side).collect::<Result<_>>()?;
    let question = Question { gates: Vec::new(), relevant: RELEVANT, details: false };
    Comparison::new(side(first)?, candidates, question)
}

/// What the table says and does not say.
fn words(body: &mut Body, first: &Member<'_>, comparison: &Comparison) {
    body.paragraph(&escape(&format!(
        "Against {}: the change, its 95 % interval and the verdict, as hoap compare has them, over the \
         steps that both have (geometric mean where there are several).",
        first.label
    )));
    for alert in comparison.alerts() {
        body.paragraph(&escape(&format!("Note: {alert}.")));
    }
    if !comparison.left_out.is_empty() {
        body.behind("Steps that are not compared", |body| body.list(&comparison.left_out));
    }
}

/// A row a configuration: its highest throughput, and each headline against the first configuration.
fn table(group: &Group<'_>, first: &Member<'_>, comparison: Option<&Comparison>) -> Table {
    let measure = group.measure;
    let hybrid = measure == Measure::Hybrid;
    let metrics: &[Metric] = if hybrid { &[Metric::Tpm, Metric::Power] } else { &[Metric::Ops] };
    let metrics = metrics.iter().filter(|metric| {
        comparison.is_some_and(|c| c.lines.iter().any(|line| line.metric == **metric))
    });
    let best = move |m: &Member<'_>| m.sustained(measure).map(|(_, s)| s.mean);
    let mut sheet = Sheet::new("verdicts", "How the configurations compare")
        .text("configuration", |(_, m): &(usize, Member<'_>)| m.label)
        .cells("highest", Some(measure.rate()), move |(_, m)| Cell::maybe(best(m)));
    for metric in metrics {
        let title = format!("{} against {}", metric.title(None), first.label);
        sheet = sheet.cells(title, None, move |(n, _)| match n.checked_sub(1) {
            None => Cell::text("baseline"),
            Some(candidate) => comparison.map_or(Cell::Empty, |c| said(c, candidate, *metric)),
        });
    }
    sheet.text("checks", |(_, m)| m.checks()).rows(group.members.iter().cloned().enumerate())
}

/// The verdict on a headline: over all steps, or of the only step that compares.
fn said(comparison: &Comparison, candidate: usize, metric: Metric) -> Cell {
    let lines: Vec<&ComparedLine> =
        comparison.of(candidate).filter(|line| line.metric == metric).collect();
    let overall = |line: &&&ComparedLine| matches!(line.place, Scope::Overall(_));
    let compared: Vec<_> = lines.iter().copied().filter(|line| line.is_compared()).collect();
    match (compared.iter().find(overall), compared.as_slice(), lines.as_slice()) {
        (Some(line), ..) | (None, [line], [_]) => verdict(line),
        (None, [line], _) => match &line.place {
            Scope::Step(step) => {
                Cell::text(format!("{}, in {step} alone", verdict(line).show(None)))
            }
            Scope::Overall(_) => verdict(line),
        },
        (None, [], [line, ..]) => verdict(line),
        (None, [], []) => Cell::Empty,
        (None, ..) => Cell::text("nothing completed in some steps"),
    }
}

fn verdict(line: &ComparedLine) -> Cell {
    let word = line.finding.verdict.word();
    if let Some(nothing) = line.nothing() {
        return Cell::text(format!("{word}: {nothing}"));
    }
    let Some(ratio) = line.ratio else {
        let why =
            [&line.candidate_value, &line.baseline].into_iter().find_map(|v| v.as_ref().err());
        return Cell::text(why.map_or("not compared", String::as_str));
    };
    let changed = change(ratio.value);
    Cell::text(match ratio.interval(1.0 - FALSE_VERDICTS) {
        Some((low, high)) => format!("{word}: {changed} ({})", span(low, high)),
        None => format!("{changed}, without an interval"),
    })
}
