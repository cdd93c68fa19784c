//! Several databases side by side: what each does in each step, and how it stands to the first.

use hoap_record::search::Search;
use hoap_record::{Percentile, Run};

use super::change::factor;
use super::comparison::Comparison;
use super::document::{Block, checked, column, remarks, warned};
use super::line::{ComparedLine, Scope, Shown};
use super::metric::Metric;
use super::side::Side;
use crate::format::number::{Unit, rate};
use crate::format::table::{Cell, Column, Table, Without};
use crate::format::text::tame;
use crate::run::promised::{Promised, promised};
use crate::run::search::search_bounds;
use crate::run::title::scaled;
use crate::statistics::ChangeVerdict;

/// The most kinds of operation whose percentile is a column: more do not fit 80.
const KINDS: usize = 2;

/// The first database is the baseline, the others are candidates.
pub fn side_by_side(comparison: &Comparison) -> Vec<Block> {
    let first = &comparison.baseline;
    let sides: Vec<&Side> = std::iter::once(first).chain(&comparison.candidates).collect();
    let names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
    let (what, names) = (first.first().title(), names.join(", "));
    let scaled = scaled(first.first());
    let title = format!("{what} on {names}{scaled}: {} each, by turns", first.size());
    let mut blocks = vec![Block::Heading(1, title)];
    blocks.push(Block::Heading(2, "What each database promised".into()));
    blocks.extend(sides.iter().map(|side| Block::Paragraph(told(&side.name, side.first()))));
    for metric in metrics(comparison) {
        blocks.push(Block::Heading(2, format!("{} per step", metric.title(None))));
        blocks.push(Block::Table(table(comparison, &sides, metric)));
    }
    blocks.extend(highest_rates(&sides));
    if !comparison.left_out.is_empty() {
        blocks.push(Block::Heading(2, "Not compared".into()));
        blocks.extend(comparison.left_out.iter().cloned().map(Block::Paragraph));
    }
    blocks.push(Block::Heading(2, "Result".into()));
    blocks.extend(remarks(&comparison.remarks()));
    blocks.extend(warned(&sides).into_iter().map(Block::Remark));
    blocks.extend(checked(&sides));
    blocks.extend(answers(comparison).into_iter().map(Block::Paragraph));
    blocks
}

/// The headlines that the comparison has, in the order of its lines.
fn metrics(comparison: &Comparison) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for line in comparison.lines.iter().filter(|line| line.headline) {
        if !metrics.contains(&line.metric) {
            metrics.push(line.metric);
        }
    }
    metrics
}

/// The steps that have it, by their names.
fn steps(comparison: &Comparison, metric: Metric) -> Vec<&str> {
    let mut steps = Vec::new();
    for line in comparison.lines.iter().filter(|line| line.headline && line.metric == metric) {
        if let Scope::Step(name) = &line.place
            && !steps.contains(&name.as_str())
        {
            steps.push(name);
        }
    }
    steps
}

/// "5.30 (4.90 … 5.80)", "undecided (0.96 … 1.05)".
fn times(line: &ComparedLine) -> Option<String> {
    let value = match line.finding.verdict {
        ChangeVerdict::Undecided => ChangeVerdict::Undecided.word().to_owned(),
        _ => factor(line.ratio?.value),
    };
    Some(format!("{value}{}", between(line)))
}

/// " (4.90 … 5.80)"; of one run a side with what that is.
fn between(line: &ComparedLine) -> String {
    match line.interval() {
        Some(((low, high), within)) => {
            let within = if within { " within the run" } else { "" };
            format!(" ({} … {}{within})", factor(low), factor(high))
        }
        None => String::new(),
    }
}

/// "redis against pg: ops/s 5.30 × (4.90 … 5.80) over 2 steps, better.", of each candidate, as the
/// page has it: over all steps, or of the only one.
pub fn answers(comparison: &Comparison) -> Vec<String> {
    let undecided = std::cell::Cell::new(false);
    let of = |(number, side): (usize, &Side)| {
        let told = metrics(comparison).into_iter().filter_map(|metric| {
            let here = |l: &&ComparedLine| l.headline && l.metric == metric;
            let lines = || comparison.of(number).filter(here);
            let overall = lines().find(|line| matches!(line.place, Scope::Overall(_)));
            let line = overall.or_else(|| lines().last())?;
            let (what, verdict) = (metric.title(None), line.finding.verdict);
            let place = match &line.place {
                Scope::Overall(steps) => format!("over {steps} steps"),
                Scope::Step(step) => format!("at {step}"),
            };
            if let Some(nothing) = line.nothing() {
                return Some(format!("{what} {place}: {nothing}"));
            }
            let (ratio, between) = (factor(line.ratio?.value), between(line));
            undecided.set(undecided.get() | (verdict == ChangeVerdict::Undecided));
            Some(format!("{what} {ratio} ×{between} {place}, {}", verdict.word()))
        });
        let told: Vec<String> = told.collect();
        let first = &comparison.baseline.name;
        (!told.is_empty()).then(|| format!("{} against {first}: {}.", side.name, told.join("; ")))
    };
    let mut all: Vec<String> = comparison.candidates.iter().enumerate().filter_map(of).collect();
    all.extend(undecided.get().then(|| {
        "Undecided: chance may explain the difference; more runs (--repeat) decide.".to_owned()
    }));
    all
}

/// A line for each step and database.
fn table(comparison: &Comparison, sides: &[&Side], metric: Metric) -> Table {
    let p99 = Metric::Percentile(Percentile::P99);
    let mut kinds: Vec<&str> = Vec::new();
    if metric != Metric::Power {
        for line in comparison.lines.iter().filter(|line| line.metric == p99) {
            kinds.extend(line.kind.as_deref().filter(|kind| !kinds.contains(kind)));
        }
        kinds.truncate(KINDS);
    }
    // A unit makes a column stand flush right; the cells are words with units of their own.
    let right = Some(Unit::Ratio);
    let mut columns = vec![
        column("step", None),
        column("database", None),
        column(&metric.title(None), right),
        column(&format!("× {} (95 %)", tame(&comparison.baseline.name)), right),
    ];
    columns.extend(kinds.iter().map(|kind| column(&p99.title(Some(kind)), right)));
    let mut rows = Vec::new();
    for step in steps(comparison, metric) {
        let place = Scope::Step(step.to_owned());
        for (number, side) in sides.iter().enumerate() {
            let find = |metric: Metric, kind: Option<&str>| {
                let mut lines = comparison.of(number.saturating_sub(1));
                let line = lines.find(|line| {
                    line.metric == metric && line.place == place && line.kind.as_deref() == kind
                })?;
                Some((line, if number == 0 { &line.baseline } else { &line.candidate_value }))
            };
            let shown = |metric: Metric, found: Option<(&ComparedLine, &Result<Shown, String>)>| {
                match found {
                    Some((_, Ok(shown))) => Cell::Text(metric.unit().show(shown.value)),
                    Some((_, Err(why))) => Cell::Incomplete(why.clone()),
                    None => Cell::Empty,
                }
            };
            let own = find(metric, None);
            let line = own.map(|(line, _)| line).filter(|_| number > 0);
            let mut row = vec![
                Cell::Text(if number == 0 { step.to_owned() } else { String::new() }),
                Cell::Text(tame(&side.name)),
                shown(metric, own),
                line.and_then(times).map_or(Cell::Empty, Cell::Text),
            ];
            row.extend(kinds.iter().map(|kind| shown(p99, find(p99, Some(kind)))));
            rows.push(row);
        }
    }
    let title = format!("{} per step", metric.title(None));
    Table { id: format!("databases-{}", metric.name()), title, columns, rows }
}

/// Of runs that searched: the rate that held in each, and the one from which on none did.
fn highest_rates(sides: &[&Side]) -> Vec<Block> {
    let right = Some(Unit::Ratio);
    let mut bounds = None;
    let rows = sides.iter().filter_map(|side| {
        let searches: Option<Vec<&Search>> =
            side.runs.iter().map(|of| of.run.search.as_ref()).collect();
        let searches = searches?;
        bounds.get_or_insert_with(|| search_bounds(searches[0]));
        let held: Option<Vec<f64>> = searches.iter().map(|search| search.rate).collect();
        let below: Option<Vec<f64>> = searches.iter().map(|search| search.below).collect();
        let lowest = held.as_ref().map(|all| all.iter().copied().fold(f64::INFINITY, f64::min));
        let highest = below.map(|all| all.into_iter().fold(0.0, f64::max));
        let text = |value: Option<f64>| value.map_or(Cell::Empty, |rate_| Cell::Text(rate(rate_)));
        let each: Vec<String> = held.iter().flatten().map(|held| rate(*held)).collect();
        Some(vec![
            Cell::Text(tame(&side.name)),
            text(lowest),
            text(highest),
            Cell::Text(each.join(", ")),
        ])
    });
    let rows: Vec<_> = rows.collect();
    let Some(bounds) = bounds else { return Vec::new() };
    let title = format!("Highest rate that holds {bounds} (operations a second)");
    let columns = vec![
        column("database", None),
        column("held in each run", right),
        column("in none from", right),
        column("highest of each run", None),
    ];
    let table = Table { id: "databases-rates".into(), title: title.clone(), columns, rows };
    vec![Block::Heading(2, title), Block::Table(table)]
}

/// "pg: PostgreSQL 18.4 (postgres://…); durability …; data 24.2 MB stored on disk".
fn told(name: &str, run: &Run) -> String {
    let mut told = Vec::new();
    for Promised { database, facts } in promised(run) {
        told.push(format!("{} {} ({})", database.name, database.version, database.url));
        let fact = |(name, value): &(_, Option<String>)| {
            format!("{name} {}", value.as_deref().unwrap_or("not told"))
        };
        told.extend(facts.iter().map(fact));
    }
    format!("{name}: {}.", told.join("; "))
}

/// The same as a table: a row for each database.
pub fn promises<'a>(named: impl Iterator<Item = (&'a str, &'a Run)>) -> Table {
    let mut rows = Vec::new();
    let mut columns = vec![column("configuration", None), column("database", None)];
    for (name, run) in named {
        for (at, Promised { database, facts }) in promised(run).into_iter().enumerate() {
            columns.truncate(2);
            let shown =
                |(name, _): &(&str, _)| Column { without: Without::Same, ..column(name, None) };
            columns.extend(facts.iter().map(shown));
            let name = if at == 0 { tame(name) } else { format!("{}, queries", tame(name)) };
            let database = format!("{} {}", database.name, database.version);
            let mut row = vec![Cell::Text(name), Cell::Text(database)];
            let values = facts.into_iter().map(|(_, value)| value.map_or(Cell::Empty, Cell::Text));
            row.extend(values);
            rows.push(row);
        }
    }
    Table { id: "promises".into(), title: "What each database promised".into(), columns, rows }
}
