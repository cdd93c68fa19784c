//! What the terminal shows at the end of a run.

use hoap_record::{Run, Verdict};

use crate::format::number::Unit;
use crate::format::table::Table;
use crate::format::text;
use crate::run::Entry;
use crate::run::alerts::alerts;
use crate::run::measure::Measure;
use crate::run::search::search_line;
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
    let entries = [Entry { name: "run", run }];
    let mut out = Paper { text: String::new(), colour: style.colour };

    for alert in alerts(run) {
        out.marked(RED, "! ", &alert);
    }
    if !out.text.is_empty() {
        out.text.push('\n');
    }
    if let Some(search) = &run.search {
        let answer = tables::highest_rate(&entries);
        out.marked(BOLD, "", &answer.title);
        out.bare(&answer);
        out.marked("", "", &format!("{}.", search_line(search)));
        out.text.push('\n');
    }
    out.bare(&tables::overview(&entries));
    let throughput = tables::throughput(&entries);
    out.table(&throughput.title, &throughput);
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
    let audit = tables::audit(&entries);
    out.table(&audit.title.clone(), &audit);
    checks(run, &mut out);
    if style.folder.is_some() || style.page.is_some() {
        out.text.push('\n');
    }
    if let Some(folder) = style.folder {
        out.marked("", "run folder  ", folder);
    }
    if let Some(page) = style.page {
        out.marked("", "page        ", page);
    }
    out.text
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
            out.text.push('\n');
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
        out.text.push_str(&text::paragraph(&format!("{when:moment$}  "), &sentence));
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

/// The text so far.
struct Paper {
    text: String,
    colour: bool,
}

impl Paper {
    fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        self.marked(BOLD, "", heading);
    }

    /// A paragraph in a colour.
    fn marked(&mut self, colour: &str, first: &str, words: &str) {
        let paragraph = text::paragraph(first, words);
        for line in paragraph.lines() {
            if self.colour && !colour.is_empty() {
                self.text.push_str(&format!("{colour}{line}{PLAIN}\n"));
            } else {
                self.text.push_str(line);
                self.text.push('\n');
            }
        }
    }

    /// A table under its heading with the reasons for what is incomplete, if it has rows.
    fn table(&mut self, heading: &str, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        self.heading(heading);
        self.bare(table);
        for reason in table.reasons() {
            self.text.push_str(&text::paragraph("incomplete  ", &reason));
        }
    }

    fn bare(&mut self, table: &Table) {
        self.text.push_str(&text::table(table));
    }
}
