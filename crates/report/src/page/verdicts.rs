//! The answer of a page that compares: how each configuration stands to the first one.

use hoap_record::{Result, Run};

use super::body::Body;
use super::compared::Compared;
use super::markup::escape;
use crate::compare::{
    ComparedLine, Comparison, Metric, Notation, Question, RELEVANT, Scope, Side, comparable,
    promises,
};
use crate::configurations::group::{Group, Member};
use crate::format::table::{Cell, Sheet, Table};
use crate::run::Loaded;
use crate::run::figures;
use crate::run::key::StepKey;
use crate::run::measure::Measure;
use crate::run::remarks::line;

/// Writes the table of verdicts, where there are several configurations.
pub fn write(body: &mut Body, compared: &Compared<'_>) {
    let members = &compared.group.members;
    if members.len() > 1 {
        let (sets, alone) = sets(members);
        match sets.len() + usize::from(!alone.is_empty()) {
            0 | 1 => one(body, compared, members, ""),
            _ => apart(body, compared, &sets, &alone),
        }
    }
}

/// What the verdicts are about: the chart of the headline measure, and what each database promised.
pub fn behind(body: &mut Body, compared: &Compared<'_>) {
    compared.headline(body);
    let members = &compared.group.members;
    let runs = members.iter().filter_map(|m| Some((m.label, &m.runs.first()?.1.run)));
    let promises = promises(runs);
    // Of one database with the same settings there is nothing to say beside the result.
    if promises.rows.windows(2).any(|two| two[0][1..] != two[1][1..]) {
        body.filled(&compared.own(promises));
    }
}

/// Configurations whose data or parameters differ, such as the clusters of the reports whose data
/// grows with them: a table for each set that compares.
fn apart(body: &mut Body, compared: &Compared<'_>, sets: &[Vec<Member<'_>>], alone: &[Member<'_>]) {
    body.paragraph(
        "Configurations compare where benchmark, data and parameters are equal: each table has its \
         own baseline.",
    );
    for (n, set) in sets.iter().enumerate() {
        let suffix = if n == 0 { String::new() } else { format!("-{}", n + 1) };
        one(body, compared, set, &suffix);
    }
    if !alone.is_empty() {
        body.paragraph("No other configuration has the benchmark, data and parameters of these:");
        body.filled(&compared.own(table(compared.group, alone, None, "-alone")));
    }
}

/// Members by the first one with which they compare, in their order, and those that compare with
/// none.
fn sets<'a>(members: &[Member<'a>]) -> (Vec<Vec<Member<'a>>>, Vec<Member<'a>>) {
    let mut all: Vec<(Side, Vec<Member<'a>>)> = Vec::new();
    for member in members {
        // What cannot be read is said by the comparison itself.
        let Ok(side) = side(member) else { return (vec![members.to_vec()], Vec::new()) };
        match all.iter_mut().find(|(first, _)| comparable(first, &side)) {
            Some((_, set)) => set.push(member.clone()),
            None => all.push((side, vec![member.clone()])),
        }
    }
    let all = all.into_iter().map(|(_, set)| set);
    let (sets, alone): (Vec<_>, Vec<_>) = all.partition(|set| set.len() > 1);
    (sets, alone.into_iter().flatten().collect())
}

/// The table of configurations that are held against the first of them.
fn one(body: &mut Body, compared: &Compared<'_>, members: &[Member<'_>], suffix: &str) {
    let Some((first, others)) = members.split_first() else { return };
    let comparison = comparison(first, others);
    let found = comparison.as_ref().ok();
    body.filled(&compared.own(table(compared.group, members, found, suffix)));
    match comparison {
        Ok(comparison) => words(body, first, &comparison),
        Err(why) => body.paragraph(&escape(&format!("No verdicts. {why}"))),
    }
}

fn side(member: &Member<'_>) -> Result<Side> {
    let runs: Vec<&Loaded> = member.runs.iter().map(|(_, run)| *run).collect();
    Side::of(member.label, &runs)
}

/// What `hoap compare` says of the headlines, with the first configuration as its baseline.
fn comparison(first: &Member<'_>, others: &[Member<'_>]) -> Result<Comparison> {
    let candidates = others.iter().map(side).collect::<Result<_>>()?;
    let question = Question { gates: Vec::new(), relevant: RELEVANT, details: false };
    Comparison::new(side(first)?, candidates, question)
}

/// What the table says and does not say.
fn words(body: &mut Body, first: &Member<'_>, comparison: &Comparison) {
    let sides = std::iter::once(&comparison.baseline).chain(&comparison.candidates);
    let runs: Vec<&Run> = sides.flat_map(|side| &side.runs).map(|of| &of.run).collect();
    let machine = figures::machine(&runs);
    let machine = machine.map(|of| format!(" {}", of.sentence()));
    body.paragraph(&escape(&format!(
        "Against {}, over the steps that both have: verdict, change, 95 % interval, as of hoap compare.{}",
        first.label,
        machine.unwrap_or_default()
    )));
    for remark in comparison.remarks() {
        body.paragraph(&escape(&format!("Note: {}.", line(&remark, &[]))));
    }
    if !comparison.left_out.is_empty() {
        body.behind("Steps that are not compared", |body| body.list(&comparison.left_out));
    }
}

/// A row a configuration: its highest throughput, and each headline against the first
/// configuration.
fn table(
    group: &Group<'_>,
    members: &[Member<'_>],
    comparison: Option<&Comparison>,
    suffix: &str,
) -> Table {
    let first = members.first().map_or("", |first| first.label);
    let measure = group.measure;
    let hybrid = measure == Measure::Hybrid;
    let metrics: &[Metric] = if hybrid { &[Metric::Tpm, Metric::Power] } else { &[Metric::Ops] };
    let metrics = metrics.iter().filter(|metric| {
        comparison.is_some_and(|c| c.lines.iter().any(|line| line.metric == **metric))
    });
    let notation = ComparedLine::notation(comparison.iter().flat_map(|c| &c.lines));
    // A step that one of them lacks says nothing of how they compare.
    let keys: Vec<Vec<StepKey>> =
        members.iter().map(|m| m.places(0).into_iter().map(|p| p.key).collect()).collect();
    let all = comparison.is_none();
    let shared = move |key: &StepKey| all || keys.iter().all(|of| of.contains(key));
    let best = move |m: &Member<'_>| m.sustained_of(measure, &shared).map(|(_, s)| s.mean);
    let mut sheet = Sheet::new(format!("verdicts{suffix}"), "How the configurations compare")
        .text("configuration", |(_, m): &(usize, Member<'_>)| m.label)
        .cells("highest", Some(measure.rate()), move |(_, m)| Cell::maybe(best(m)));
    for metric in metrics {
        let title = format!("{} against {}", metric.title(None), first);
        sheet = sheet.cells(title, None, move |(n, _)| match n.checked_sub(1) {
            None => Cell::text("baseline"),
            Some(candidate) => {
                comparison.map_or(Cell::Empty, |c| said(c, (candidate, *metric), notation))
            }
        });
    }
    sheet.text("checks", |(_, m)| m.checks()).rows(members.iter().cloned().enumerate())
}

/// The verdict on a headline: over all steps, or of the only step that compares.
fn said(comparison: &Comparison, (candidate, metric): (usize, Metric), notation: Notation) -> Cell {
    let verdict = |line: &ComparedLine| verdict(line, notation);
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

fn verdict(line: &ComparedLine, notation: Notation) -> Cell {
    let word = line.finding.verdict.word();
    if let Some(nothing) = line.nothing() {
        return Cell::text(format!("{word}: {nothing}"));
    }
    let Some(ratio) = line.ratio else {
        let why =
            [&line.candidate_value, &line.baseline].into_iter().find_map(|v| v.as_ref().err());
        return Cell::text(why.map_or("not compared", String::as_str));
    };
    Cell::text(match line.interval() {
        Some((interval, within)) => {
            format!("{word}: {}", notation.with_interval(ratio.value, interval, within))
        }
        None => format!("{}, without an interval", notation.change(ratio.value)),
    })
}
