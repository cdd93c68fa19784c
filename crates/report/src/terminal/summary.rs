//! What the terminal shows at the end of a run.

use hoap_record::{AuditLine, Run, Severity, Verdict};

use crate::format::markdown::{self, escaped};
use crate::format::number::Unit;
use crate::format::table::Table;
use crate::format::text;
use crate::run::homes::homes;
use crate::run::measure::Measure;
use crate::run::search::search_line;
use crate::run::{Entry, remarks};
use crate::tables;

/// How to print a [`summary`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'a> {
    /// Whether the terminal understands ANSI colours.
    pub colour: bool,
    /// Where the run folder is.
    pub folder: Option<&'a str>,
    /// Where the page is, if there is one.
    pub page: Option<&'a str>,
}

/// The run in plain words and tables, no line wider than [`text::COLUMNS`].
pub fn summary(run: &Run, style: Style<'_>) -> String {
    paper(run, style).text(style.colour)
}

/// The same as Markdown.
pub fn summary_markdown(run: &Run, style: Style<'_>) -> String {
    paper(run, style).markdown()
}

fn paper(run: &Run, style: Style<'_>) -> Paper {
    let entries = [Entry { name: "run", run }];
    let mut out = Paper::default();

    for remark in remarks::shown(run) {
        let colour = if remark.severity() <= Severity::Fails { RED } else { BOLD };
        out.marked(colour, "! ", &remarks::line(&remark, &run.steps));
    }
    if !out.0.is_empty() {
        out.gap();
    }
    if let Some(search) = &run.search {
        let answer = tables::highest_rate(&entries);
        out.marked(BOLD, "", &answer.title);
        out.bare(&answer);
        out.marked("", "", &format!("{}.", search_line(search)));
        out.gap();
    }
    out.bare(&tables::overview(&entries));
    let throughput = tables::throughput(&entries);
    out.table(&throughput.title, &throughput);
    for sentence in homes(run) {
        out.marked("", "think times  ", &sentence);
    }
    match Measure::of(run) {
        Measure::Hybrid => out.table("NewOrder response times", &tables::transactions(&entries)),
        Measure::Plain => {
            for kind in tables::operations(&entries).split("operation") {
                out.table(&format!("{} response times", kind.title), &kind);
            }
        }
    }
    for kind in tables::waits(&entries).split(Measure::of(run).operation()) {
        out.table(&format!("{} in an open loop: service and wait", kind.title), &kind);
    }
    retries(run, &mut out);
    out.table("Failures by kind", &tables::failures_in_short(&entries));
    events(run, &mut out);
    out.table("Queries", &tables::query_rates(&entries));
    let isolation = tables::isolation(&entries);
    out.table(&isolation.title.clone(), &isolation);
    let frontier = tables::frontier(&entries);
    out.table(&frontier.title.clone(), &frontier);
    freshness(run, &entries, &mut out);
    for table in [tables::witness(&entries), tables::anomalies(&entries)] {
        out.table(&table.title.clone(), &table);
    }
    for table in tables::observed(&entries) {
        out.table(&table.title.clone(), &table);
    }
    // What too few operations decide is in the record and on the page.
    let decided = |line: &&AuditLine| line.verdict != Verdict::Skip;
    let audit = tables::audit(&entries, decided);
    out.table(&audit.title.clone(), &audit);
    checks(run, &mut out);
    if style.folder.is_some() || style.page.is_some() {
        out.gap();
    }
    if let Some(folder) = style.folder {
        out.marked("", "run folder  ", folder);
    }
    if let Some(page) = style.page {
        out.marked("", "page        ", page);
    }
    out
}

fn retries(run: &Run, out: &mut Paper) {
    let retried: Vec<String> = run
        .steps
        .iter()
        .map(|s| (s, s.transactions.iter().map(|o| o.retries).sum::<u64>()))
        .filter(|(_, retries)| *retries > 0)
        .map(|(s, retries)| format!("{} in {}", Unit::Count.show(retries as f64), s.name))
        .collect();
    if !retried.is_empty() {
        let first = format!("retries of all {}s  ", Measure::of(run).operation());
        out.marked("", &first, &retried.join("; "));
    }
}

fn events(run: &Run, out: &mut Paper) {
    let lines = tables::event_lines(run);
    if lines.is_empty() {
        return;
    }
    out.heading("What went wrong and when");
    let widest = lines.iter().map(|(moment, _)| moment.chars().count()).max().unwrap_or(0);
    for (moment, words) in lines {
        out.marked("", &format!("{moment:widest$}  "), &words);
    }
}

fn freshness(run: &Run, entries: &[Entry<'_>], out: &mut Paper) {
    let freshness = tables::freshness(entries);
    out.table(&freshness.title.clone(), &freshness);
    if let Some(sentence) = tables::caught_up(run) {
        if freshness.rows.is_empty() {
            out.gap();
        }
        out.marked("", "queries caught up  ", &sentence);
    }
}

fn checks(run: &Run, out: &mut Paper) {
    if run.checks.is_empty() {
        return;
    }
    out.heading("Checks");
    let groups = tables::groups(run);
    let moment = groups.iter().map(|(when, _)| when.chars().count()).max().unwrap_or(0).min(24);
    for (when, sentence) in groups {
        let when: String = text::tame(&when).chars().take(24).collect();
        out.marked("", &format!("{when:moment$}  "), &sentence);
    }
    for check in &run.checks {
        let detail = check.detail.as_deref().unwrap_or("no detail recorded");
        match check.verdict {
            Verdict::Pass => {}
            Verdict::Fail => out.marked(
                RED,
                "FAIL  ",
                &format!("{}, {}: {}. {detail}", check.name, check.when, check.compares),
            ),
            Verdict::Skip => {
                out.marked("", "skip  ", &format!("{}, {}: {detail}", check.name, check.when));
            }
        }
    }
}

const RED: &str = "\u{1b}[1;31m";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// What is said, in order.
#[derive(Default)]
struct Paper(Vec<Piece>);

enum Piece {
    Gap,
    Heading(String),
    /// A paragraph in a colour, with the words before it.
    Words(&'static str, String, String),
    Table(Table),
}

impl Paper {
    fn gap(&mut self) {
        self.0.push(Piece::Gap);
    }

    fn heading(&mut self, heading: &str) {
        self.0.push(Piece::Heading(heading.to_owned()));
    }

    fn marked(&mut self, colour: &'static str, first: &str, words: &str) {
        self.0.push(Piece::Words(colour, first.to_owned(), words.to_owned()));
    }

    /// A table under its heading, if it has rows.
    fn table(&mut self, heading: &str, table: &Table) {
        if !table.rows.is_empty() {
            self.heading(heading);
            self.bare(table);
        }
    }

    fn bare(&mut self, table: &Table) {
        self.0.push(Piece::Table(table.clone()));
    }

    /// For a terminal, tables with the reasons for what is incomplete.
    fn text(&self, colour: bool) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Gap => out.push('\n'),
                Piece::Heading(heading) => {
                    out.push('\n');
                    out.push_str(&paragraph(colour, BOLD, "", heading));
                }
                Piece::Words(mark, first, words) => {
                    out.push_str(&paragraph(colour, mark, first, words));
                }
                Piece::Table(table) => {
                    out.push_str(&text::table(table));
                    for reason in table.reasons() {
                        out.push_str(&text::paragraph("incomplete  ", &reason));
                    }
                }
            }
        }
        out
    }

    fn markdown(&self) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Gap => {}
                Piece::Heading(heading) => out.push_str(&format!("### {}\n\n", escaped(heading))),
                Piece::Words(_, first, words) if first == "! " => {
                    out.push_str(&format!("> **{}**\n\n", escaped(words)));
                }
                Piece::Words(RED, first, words) => {
                    out.push_str(&format!("> **{first}{}**\n\n", escaped(words)));
                }
                Piece::Words(_, first, words) => {
                    let first = Some(first.trim()).filter(|first| !first.is_empty());
                    let first = first.map(|first| format!("{}: ", escaped(first)));
                    out.push_str(&format!("{}{}\n\n", first.unwrap_or_default(), escaped(words)));
                }
                Piece::Table(table) => out.push_str(&markdown::table(table)),
            }
        }
        out
    }
}

/// A paragraph, in a colour where these are on.
fn paragraph(colour: bool, mark: &str, first: &str, words: &str) -> String {
    let paragraph = text::paragraph(first, words);
    if !colour || mark.is_empty() {
        return paragraph;
    }
    paragraph.lines().map(|line| format!("{mark}{line}{PLAIN}\n")).collect()
}
