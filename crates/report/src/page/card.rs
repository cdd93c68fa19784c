//! The card of a page: its result as a picture of the size that sites show beside a link.
//!
//! A site that shows a link fetches the picture from an address of its own: neither SVG nor a
//! `data:` URL will do, and the page does not know where it will lie. So the page has the card in
//! itself, to be saved as PNG, and what a site reads from the page are words: `og:title` and
//! `og:description`.

use std::fmt::Write as _;

use hoap_record::Severity;

use super::body::Body;
use super::markup::escape;
use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::run::Entry;
use crate::run::figures;
use crate::run::remarks::Line;
use crate::run::void::{self, VOID};

/// Lines that have room.
const LINES: usize = 6;

/// The result of a page in a few lines.
pub struct Card<'a> {
    /// What was measured.
    pub title: &'a str,
    /// What a reader must know first.
    pub remarks: &'a [Line],
    /// Name and result, a line each.
    pub lines: Vec<(String, String)>,
    /// What the checks say, and which version measured.
    pub foot: String,
}

impl<'a> Card<'a> {
    /// Of these runs; `tables` are those of the page.
    pub fn of(
        title: &'a str,
        remarks: &'a [Line],
        entries: &[Entry<'_>],
        tables: &[Table],
    ) -> Card<'a> {
        let verdicts = tables.iter().find(|t| t.id == "verdicts");
        let lines = match (verdicts, entries) {
            (Some(table), _) => table.rows.iter().map(|row| verdict(table, row)).collect(),
            (None, [one]) if void::mark(one.run).is_none() => figures::of_run(one.run)
                .into_iter()
                .map(|f| (f.label.to_string(), f.number()))
                .collect(),
            // The remarks say why there are no numbers, or what they are worth.
            _ => Vec::new(),
        };
        let checks: Vec<_> = entries.iter().flat_map(|e| &e.run.checks).collect();
        let marked = [VOID, void::FAILED].into_iter().filter_map(|mark| {
            let number = entries.iter().filter(|e| void::mark(e.run) == Some(mark)).count();
            (number > 0).then(|| format!("; {number} of {} runs {mark}", entries.len()))
        });
        let checks = match (checks.len(), marked.collect::<String>()) {
            (0, _) => "nothing was verified".to_string(),
            (all, none) if none.is_empty() => format!("{all} checks: {}", void::verdicts(checks)),
            (all, marked) => format!("{all} checks{marked}"),
        };
        let mut versions: Vec<&str> = entries.iter().map(|e| e.run.hoap.as_str()).collect();
        versions.sort_unstable();
        versions.dedup();
        let foot = format!("{checks}; hoap {}", versions.join(", "));
        Card { title, remarks, lines, foot }
    }

    /// The same in one line.
    pub fn words(&self) -> String {
        let lines = self.lines.iter().take(LINES).map(|(name, result)| format!("{name}: {result}"));
        let remark = self.remarks.first().map(|line| line.words.clone());
        lines.chain([self.foot.clone()]).chain(remark).collect::<Vec<_>>().join("; ")
    }

    /// The section with the picture.
    pub fn write(&self, body: &mut Body) {
        body.open("share", "Share", "Share");
        body.paragraph("The result as a picture, to be sent or shown.");
        let mut text = String::new();
        let mut line = |x: i32, y: i32, size: i32, colour: &str, weight: i32, words: &str| {
            // Letters of this weight are at most so wide on average. The longest
            // verdict has fewer letters than a line has room for: no interval loses its end.
            let room = ((1_140 - x) as f64 / (f64::from(size) * 0.56)) as usize;
            let _ = writeln!(
                text,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" font-weight=\"{weight}\" \
                 fill=\"{colour}\">{}</text>",
                escape(&shortened(words, room))
            );
        };
        line(60, 100, 46, "#1c2430", 700, self.title);
        let mut y = 110;
        for (name, result) in self.lines.iter().take(LINES) {
            y += 60;
            line(60, y, 24, "#5a6675", 500, &shortened(name, 18));
            line(320, y, 26, "#1c2430", 600, result);
        }
        if self.lines.len() > LINES {
            line(
                320,
                y + 42,
                24,
                "#5a6675",
                500,
                &format!("and {} more", self.lines.len() - LINES),
            );
        }
        if let Some(remark) = self.remarks.first() {
            let red = remark.severity == Severity::Void;
            let colour = if red { "#a8290f" } else { "#1c2430" };
            let more = match self.remarks.len() - 1 {
                0 => String::new(),
                n => format!(" (and {n} more)"),
            };
            line(60, 595, 24, colour, 600, &format!("{}{more}", shortened(&remark.words, 66)));
        }
        line(60, 545, 26, "#5a6675", 500, &self.foot);
        let _ = write!(
            body.html,
            "<figure class=\"card\">\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 630\" \
             width=\"1200\" height=\"630\" role=\"img\" aria-label=\"{}\" \
             font-family=\"system-ui, sans-serif\">\n\
             <rect width=\"1200\" height=\"630\" fill=\"#ffffff\"/>\n\
             <rect width=\"16\" height=\"630\" fill=\"#0072b2\"/>\n{text}</svg>\n</figure>\n",
            escape(&self.words())
        );
        body.close();
    }
}

/// "fast: 43,120 tpM; better: +40.1 % (+38.2 … +42.0 %)".
fn verdict(table: &Table, row: &[Cell]) -> (String, String) {
    let shown = |at: usize| row[at].show(table.columns[at].unit);
    let unit = table.columns[1].unit.and_then(Unit::in_heading).unwrap_or_default();
    // The last column is what the checks say.
    let said = if row.len() > 3 { format!("; {}", shown(2)) } else { String::new() };
    (shown(0), format!("{} {unit}{said}", shown(1)))
}

fn shortened(words: &str, room: usize) -> String {
    match words.chars().count() > room {
        true => words.chars().take(room.saturating_sub(1)).chain(['…']).collect(),
        false => words.to_string(),
    }
}
