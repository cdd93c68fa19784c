//! A comparison as headings, paragraphs and tables, which text and Markdown print.

use hoap_record::words::counted;
use hoap_record::{Percentile, Remark, RemarkId, Run, Severity};

use super::comparable::Difference;
use super::comparison::Comparison;
use super::gate::Outcome;
use super::line::{ComparedLine, Scope, Shown};
use super::metric::Metric;
use super::side::Side;
use crate::format::number::Unit;
use crate::format::table::{Cell, Column, Table, Without};
use crate::format::text;
use crate::run::figures;
use crate::run::frontier::Frontier;
use crate::run::measure::{Measure, headline_operations};
use crate::run::remarks::{in_common, line, of as remarks_of};
use crate::run::title::title as title_of;
use crate::run::{Entry, key};
use crate::statistics::{Basis, ChangeVerdict, Estimate, FALSE_VERDICTS, FEWEST};

/// A piece of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A remark.
    Remark(String),
    /// A heading, of the first level or the second.
    Heading(usize, String),
    /// Words.
    Paragraph(String),
    /// A table, its title not to be shown again.
    Table(Table),
    /// A table that is folded behind a line, whose words are the program's own; the terminal has the
    /// line and the names of the rows.
    Folded(String, Table),
}

/// What differs, in lines that are not folded.
const DIFFERENCES: usize = 5;

/// The whole comparison.
pub fn document(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = remarks(&comparison.remarks());
    for (number, candidate) in comparison.candidates.iter().enumerate() {
        blocks.push(Block::Heading(1, title(&comparison.baseline, candidate)));
        let mut places: Vec<&Scope> = Vec::new();
        for line in comparison.of(number) {
            if !places.contains(&&line.place) {
                places.push(&line.place);
            }
        }
        places.sort_by_key(|place| matches!(place, Scope::Step(_)));
        let said = match places.is_empty() {
            true => "Nothing is compared: the numbers of a void run are none.".into(),
            false => verdicts(comparison.of(number)),
        };
        blocks.push(Block::Paragraph(said));
        for place in places {
            let here = |l: &&ComparedLine| l.place == *place;
            let heading = match place {
                Scope::Overall(steps) => format!("Geometric mean of {steps} steps"),
                Scope::Step(name) => name.clone(),
            };
            let (queries, rest): (Vec<&ComparedLine>, Vec<&ComparedLine>) =
                comparison.of(number).filter(here).partition(|l| l.metric == Metric::Query);
            if !rest.is_empty() {
                blocks.push(Block::Heading(2, heading.clone()));
                blocks.push(Block::Table(table(&heading, &rest)));
                let nothing =
                    |line: &&ComparedLine| Some(format!("{}: {}.", line.title(), line.nothing()?));
                blocks.extend(rest.iter().filter_map(nothing).map(Block::Paragraph));
            }
            if !queries.is_empty() {
                let heading = format!("{heading}: queries");
                blocks.push(Block::Heading(2, heading.clone()));
                blocks.push(Block::Table(table(&heading, &queries)));
            }
        }
    }
    if !comparison.left_out.is_empty() {
        blocks.push(Block::Heading(2, "Not compared".into()));
        blocks.extend(comparison.left_out.iter().cloned().map(Block::Paragraph));
    }
    if !comparison.differences.is_empty() {
        blocks.push(Block::Heading(2, "What differs".into()));
        let (first, rest) =
            comparison.differences.split_at(DIFFERENCES.min(comparison.differences.len()));
        blocks.push(Block::Table(differences(comparison, first)));
        if !rest.is_empty() {
            let summary = format!("and {} more", rest.len());
            blocks.push(Block::Folded(summary, differences(comparison, rest)));
        }
    }
    if !comparison.gates.is_empty() {
        blocks.push(Block::Heading(2, "Bounds".into()));
        blocks.push(Block::Table(gates(comparison)));
    }
    if !comparison.lines.is_empty() {
        blocks.push(Block::Paragraph(method(comparison)));
    }
    blocks
}

/// The kinds of operation whose 99th percentile repeated runs tell.
const KINDS: usize = 2;

/// Repeated runs: the geometric mean of each headline and of its 99th percentiles with the interval,
/// and what the checks and the runs say.
pub fn repeated(side: &Side) -> Vec<Block> {
    let right = Some(Unit::Ratio);
    let columns = vec![
        column("step", None),
        column("", None),
        column("mean", right),
        column("95 % interval", right),
        column("of each run", None),
    ];
    let measure = Measure::of(side.first());
    let mut rows = Vec::new();
    let mut add =
        |step: &str, what: String, show: &dyn Fn(f64) -> String, values: Option<Vec<f64>>| {
            let estimate = values.as_deref().and_then(Estimate::of_runs);
            let (Some(values), Some(estimate)) = (values, estimate) else { return };
            let interval = estimate.interval(1.0 - FALSE_VERDICTS);
            let interval = interval.map(|(low, high)| format!("{} … {}", show(low), show(high)));
            let each: Vec<String> = values.iter().map(|v| show(*v)).collect();
            rows.push(vec![
                Cell::Text(step.to_owned()),
                Cell::Text(what),
                Cell::Text(show(estimate.value)),
                interval.map_or(Cell::Empty, Cell::Text),
                Cell::Text(each.join(", ")),
            ]);
        };
    for (key, first) in key::steps(side.first()) {
        let Ok(steps) = side.steps(&key) else { continue };
        let headlines = [Metric::Tpm, Metric::Ops, Metric::Power];
        let headlines = headlines.into_iter().filter(|metric| metric.is_headline(measure));
        let kinds = headline_operations(first).map(|o| Some(o.kind.as_str())).take(KINDS);
        let p99 = kinds.map(|kind| (Metric::Percentile(Percentile::P99), kind));
        for (metric, kind) in headlines.map(|metric| (metric, None)).chain(p99) {
            let values = steps.iter().map(|step| metric.recorded(kind, step)?.ok()).collect();
            add(&key.name(first), metric.title(kind), &|value| metric.unit().show(value), values);
        }
    }
    let ratios = side.runs.iter().map(|run| Some(Frontier::of_run(&run.run)?.ratio)).collect();
    // No frontier is larger than its box.
    let show = |ratio: f64| Unit::Ratio.show(ratio.min(1.0));
    add("frontier", "area ratio".into(), &show, ratios);
    let entry = Entry { name: "", run: side.first() };
    let title = format!("{}: {}", title_of(&[entry]), side.size());
    let table = Table { id: "repeated".into(), title: title.clone(), columns, rows };
    let mut blocks = vec![Block::Heading(1, title), Block::Table(table)];
    blocks.extend(checked(&[side]));
    blocks.extend(remarks(&side.remarks()));
    blocks.extend(warned(&[side]).into_iter().map(Block::Remark));
    blocks
}

/// "Checks: all pass; 45 of 45 passed; nothing failed.", and how busy the driver's machine was.
pub(super) fn checked(sides: &[&Side]) -> Vec<Block> {
    let runs: Vec<&Run> = sides.iter().flat_map(|side| &side.runs).map(|of| &of.run).collect();
    let figures = std::iter::once(figures::checks_of(&runs)).chain(figures::machine(&runs));
    figures.map(|figure| Block::Paragraph(figure.sentence())).collect()
}

/// "a core of this driver's machine was busy: […] (7 of 9 runs)": what the runs warn of.
pub(super) fn warned(sides: &[&Side]) -> Vec<String> {
    let runs: Vec<&Run> = sides.iter().flat_map(|side| &side.runs).map(|of| &of.run).collect();
    let mut counts: Vec<(RemarkId, usize)> = Vec::new();
    for run in &runs {
        let warnings = remarks_of(run).into_iter().filter(|r| r.severity() == Severity::Warns);
        let mut of_run: Vec<RemarkId> = Vec::new();
        for id in warnings.map(|remark| remark.id) {
            if of_run.contains(&id) {
                continue;
            }
            of_run.push(id);
            match counts.iter_mut().find(|(known, _)| *known == id) {
                Some((_, count)) => *count += 1,
                None => counts.push((id, 1)),
            }
        }
    }
    let of = counted(runs.len(), "run", "runs");
    counts.iter().map(|(id, n)| format!("{} ({n} of {of})", in_common(*id))).collect()
}

pub(super) fn remarks(of: &[Remark]) -> Vec<Block> {
    of.iter().map(|remark| Block::Remark(line(remark, &[]))).collect()
}

fn title(baseline: &Side, candidate: &Side) -> String {
    let side = |side: &Side| format!("{} ({})", side.name, side.size());
    format!("{} against {}", side(candidate), side(baseline))
}

/// "better: tpM in 4 tx, 0 queries; worse: …", headlines first.
fn verdicts<'a>(lines: impl Iterator<Item = &'a ComparedLine>) -> String {
    let lines: Vec<&ComparedLine> = lines.collect();
    let count = |verdict, headline| {
        lines.iter().filter(|l| l.finding.verdict == verdict && l.headline == headline).count()
    };
    let row = |name: &str, headline| {
        let word =
            |verdict: ChangeVerdict| format!("{} {}", count(verdict, headline), verdict.word());
        let words =
            [ChangeVerdict::Better, ChangeVerdict::Worse, ChangeVerdict::Undecided].map(word);
        format!("{name}: {}", words.join(", "))
    };
    format!("{}; {}.", row("Headlines", true), row("details", false))
}

pub(super) fn column(title: &str, unit: Option<Unit>) -> Column {
    Column { title: title.into(), unit, wide: false, without: Without::Never }
}

fn table(title: &str, lines: &[&ComparedLine]) -> Table {
    // A unit makes a column stand flush right; the cells are words with units of their own.
    let right = Some(Unit::Ratio);
    let notation = ComparedLine::notation(lines.iter().copied());
    let within = lines.iter().any(|line| line.interval().is_some_and(|(_, within)| within));
    let columns = vec![
        column("", None),
        column("baseline", right),
        column("candidate", right),
        column("change", right),
        column(if within { "95 % within the run" } else { "95 % interval" }, right),
        column("verdict", None),
    ];
    let rows = lines.iter().map(|line| {
        let value = |value: &std::result::Result<Shown, String>| match value {
            Ok(shown) => Cell::Text(line.metric.unit().show(shown.value)),
            Err(why) => Cell::Incomplete(why.clone()),
        };
        let interval = line.interval().map(|(interval, _)| interval);
        let text = |text: Option<String>| text.map_or(Cell::Empty, Cell::Text);
        vec![
            Cell::Text(line.title()),
            value(&line.baseline),
            value(&line.candidate_value),
            text(line.ratio.map(|ratio| notation.change(ratio.value))),
            text(interval.map(|interval| notation.span(interval))),
            text(line.is_compared().then(|| line.finding.verdict.word().to_owned())),
        ]
    });
    Table { id: id(title), title: title.into(), columns, rows: rows.collect() }
}

fn id(title: &str) -> String {
    title
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect()
}

fn differences(comparison: &Comparison, shown: &[Difference]) -> Table {
    let sides = std::iter::once(&comparison.baseline).chain(&comparison.candidates);
    let columns = std::iter::once(column("", None))
        .chain(sides.map(|side| column(&text::tame(&side.name), None)))
        .collect();
    let rows = shown.iter().map(|difference| {
        let values = difference.values.iter().map(|value| Cell::text(value.clone()));
        std::iter::once(Cell::Text(difference.name.clone())).chain(values).collect()
    });
    Table { id: "differences".into(), title: "What differs".into(), columns, rows: rows.collect() }
}

fn gates(comparison: &Comparison) -> Table {
    let columns = vec![column("fail if", None), column("", None), column("where", None)];
    let mut rows = Vec::new();
    for judged in &comparison.gates {
        let name = || Cell::Text(judged.gate.to_string());
        if judged.outcome() == Outcome::Holds {
            let all = format!("{} looked at", counted(judged.looked_at, "line", "lines"));
            rows.push(vec![name(), Cell::Text("holds".into()), Cell::Text(all)]);
        }
        for (word, reasons) in [("BROKEN", &judged.broken), ("NOT PROVEN", &judged.unproven)] {
            for reason in reasons {
                let side = &comparison.candidates[reason.candidate].name;
                let place = match comparison.candidates.len() {
                    1 => format!("{}: {}", reason.what, reason.why),
                    _ => format!("{side}: {}: {}", reason.what, reason.why),
                };
                rows.push(vec![name(), Cell::Text(word.into()), Cell::Text(place)]);
            }
        }
    }
    Table { id: "bounds".into(), title: "Bounds".into(), columns, rows }
}

/// Where the intervals come from and what the verdicts promise.
fn method(comparison: &Comparison) -> String {
    let mut smallest: Option<f64> = None;
    let mut bare = false;
    for line in comparison.lines.iter().filter(|l| l.headline) {
        for shown in [&line.baseline, &line.candidate_value].into_iter().flatten() {
            match shown.estimate.basis {
                Basis::Series(effective) => {
                    smallest = Some(smallest.map_or(effective, |s: f64| s.min(effective)));
                }
                Basis::Nothing => bare = true,
                Basis::Runs(_) | Basis::Executions(_) => {}
            }
        }
    }
    let from = match smallest {
        Some(effective) => format!(
            "A single run's intervals come from its time series, whose smallest effective sample \
             size is {effective:.0} ticks"
        ),
        None if bare => format!(
            "There is no interval where a single run has fewer than {FEWEST} ticks, or a query fewer \
             than two executions"
        ),
        None => "Intervals come from the differences between the runs of a side".into(),
    };
    format!(
        "{from}. A verdict needs a difference of at least {} %, beyond chance: in 95 of 100 comparisons of \
         equal things no headline gets one (Holm), and of 100 verdicts on details at most 5 are false \
         (Benjamini-Hochberg). An interval is its line's own: it may leave out 0 and the verdict be undecided.",
        Unit::Rate("")
            .show(comparison.relevant * 100.0)
            .trim_end_matches('0')
            .trim_end_matches('.')
    )
}
