//! What the terminal shows at the end of a run.

use hoap_record::words::counted;
use hoap_record::{Run, Severity, Verdict};

use crate::format::markdown::{self, escaped};
use crate::format::table::{Sheet, Table};
use crate::format::text;
use crate::run::again::again;
use crate::run::figures::{self, KeyFigure};
use crate::run::homes::homes;
use crate::run::remarks::{self, Line};
use crate::run::search::search_line;
use crate::run::title::title;
use crate::run::{Entry, void};
use crate::tables;

/// How to print a [`summary`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'a> {
    /// Whether the terminal understands ANSI colours.
    pub colour: bool,
    /// Where the run folder is.
    pub folder: Option<&'a str>,
    /// Whether it has every table, check and sentence, and not the answers alone.
    pub full: bool,
}

/// Steps that the answers have room for.
const ROWS: usize = 8;

/// The run in plain words and tables, no line wider than [`text::COLUMNS`]: title, answers, verdict,
/// remarks. All that stands on the page follows only where the style says so.
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
    let is_void = void::void(run).is_some();
    out.marked(if is_void { RED } else { BOLD }, "", &title(&entries));
    out.marked("", "", &tables::origin(run));
    out.gap();
    out.bare(&answers(run));
    if let Some(search) = run.search.as_ref().filter(|_| !is_void) {
        out.marked("", "", &format!("{}.", search_line(search)));
    }
    let mut steps = tables::in_short(&entries).shown();
    let told = figures::of_run(run);
    let tells_more = run.partial.is_some() && !steps.rows.is_empty()
        || run.planned_steps().iter().any(|step| !figures::tell_of(&told, step));
    if !style.full && !is_void && tells_more {
        let more = steps.rows.len().saturating_sub(ROWS);
        steps.rows.truncate(ROWS);
        out.gap();
        out.bare(&steps);
        if more > 0 {
            out.marked("", "", &format!("and {}", counted(more, "more step", "more steps")));
        }
    }
    let remarks = remarks::shown(run);
    if !remarks.is_empty() {
        out.gap();
    }
    // What stands and is said elsewhere is left to the whole.
    let grave = remarks.iter().filter(|line| style.full || line.severity < Severity::Note);
    for Line { severity, words, behind } in grave {
        let colour = if *severity == Severity::Void { RED } else { BOLD };
        match behind.as_slice() {
            all @ [_, ..] if style.full => all.iter().for_each(|w| out.marked(colour, "! ", w)),
            _ => out.marked(colour, "! ", words),
        }
    }
    if style.full {
        details(run, &entries, &mut out);
    }
    if let Some(folder) = style.folder {
        let full = if style.full { String::new() } else { format!("hoap show --full {folder}; ") };
        let more = format!("{full}hoap report {folder} -o report.html");
        out.places(folder, None, &again(run), &more);
    }
    out
}

/// Where runs are, how to repeat them, and what else can be asked of them: the end of what is
/// printed of them.
pub fn places(folder: &str, page: Option<&str>, again: &str, more: &str) -> String {
    let mut out = Paper::default();
    out.places(folder, page, again, more);
    out.text(false)
}

/// The key figures and what the checks say, a row each. A void run has no numbers.
fn answers(run: &Run) -> Table {
    let measured = figures::of_run(run).into_iter().filter(|_| void::void(run).is_none());
    let mark = void::mark(run).map(|mark| format!(" {mark}")).unwrap_or_default();
    let measured = measured.map(|figure| (format!("{}{mark}", figure.label), figure));
    let beside = std::iter::once(figures::checks(run)).chain(figures::machine(&[run]));
    let beside = beside.map(|figure| (figure.label.to_owned(), figure));
    Sheet::new("answers", "Result")
        .text("", |(label, _): &(String, KeyFigure)| label.clone())
        .text("", |(_, figure)| figure.number())
        .text("", |(_, figure)| figure.note.clone())
        .rows(measured.chain(beside))
}

/// Every table, and what the checks say.
fn details(run: &Run, entries: &[Entry<'_>], out: &mut Paper) {
    homes(run).iter().for_each(|sentence| out.marked("", "think times  ", sentence));
    for table in tables::of_records(entries).iter().filter(|table| table.id != "checks") {
        let shown = table.shown();
        out.heading(&shown.title);
        out.bare(&shown);
    }
    checks(run, out);
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

    fn places(&mut self, folder: &str, page: Option<&str>, again: &str, more: &str) {
        self.gap();
        let page = page.unwrap_or_default();
        for (name, words) in [("folder", folder), ("page", page), ("again", again), ("more", more)]
        {
            if !words.is_empty() {
                self.marked("", &format!("{name:8}"), words);
            }
        }
    }

    fn marked(&mut self, colour: &'static str, first: &str, words: &str) {
        self.0.push(Piece::Words(colour, first.to_owned(), words.to_owned()));
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
