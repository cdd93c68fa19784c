//! Text and tables as HTML.

use std::fmt::Write as _;

use hoap_record::Verdict;

use super::glossary::{self, Explained};
use crate::format::csv::csv;
use crate::format::table::{Cell, Column, Table};
use crate::format::text::harmless;

/// Text that is safe between tags and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c => out.push(harmless(c)),
        }
    }
    out
}

/// Words of the program, the first of which that the glossary has says what it means where the mouse
/// rests on it.
pub fn explained(words: &str) -> String {
    match glossary::explained(words) {
        None => escape(words),
        Some(Explained { before, word, behind, meaning }) => format!(
            "{}<abbr title=\"{}\">{}</abbr>{}",
            escape(before),
            escape(meaning),
            escape(word),
            escape(behind)
        ),
    }
}

/// The table as a screen shows it, and a link to all of it. `id` is unique on the page. Facts that are
/// the same in all runs are a table of their own.
pub fn table(out: &mut String, whole: &Table, id: &str) {
    let shown = Table { id: id.to_owned(), ..whole.shown() };
    match shown.apart() {
        None => element(out, &shown),
        Some((differ, same)) => {
            let tables = [differ, same].into_iter().filter(|table| !table.rows.is_empty());
            tables.for_each(|table| element(out, &table));
        }
    }
    csv_link(out, whole, id);
    let reasons = shown.reasons();
    if !reasons.is_empty() {
        out.push_str("<ul class=\"reasons\">\n");
        for reason in reasons {
            let _ = writeln!(out, "<li>incomplete: {}</li>", escape(&reason));
        }
        out.push_str("</ul>\n");
    }
}

/// The table with its title as caption, in a box that scrolls sideways on a narrow screen.
fn element(out: &mut String, table: &Table) {
    let title = escape(&table.title);
    let _ = write!(
        out,
        "<div class=\"scroll\" role=\"region\" aria-label=\"{title}\" tabindex=\"0\">\n\
         <table id=\"{}\">\n<caption><span>{title}</span></caption>\n",
        escape(&table.id)
    );
    if table.columns.iter().any(|c| !c.heading().is_empty()) {
        out.push_str("<thead><tr>");
        for column in &table.columns {
            let class = if column.numeric() { " class=\"n\"" } else { "" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", explained(&column.heading()));
        }
        out.push_str("</tr></thead>\n");
    }
    out.push_str("<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (i, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
            let text = escape(&cell.show(column.unit));
            let class = class(cell, column);
            let class =
                if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
            let _ = match i {
                0 if !column.numeric() => write!(out, "<th scope=\"row\"{class}>{text}</th>"),
                _ => write!(out, "<td{class}>{text}</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

/// The class of a cell: what it is, or whether its column has numbers.
pub fn class(cell: &Cell, column: &Column) -> &'static str {
    match cell {
        Cell::Verdict(Verdict::Pass) => "pass",
        Cell::Verdict(Verdict::Fail) => "fail",
        Cell::Verdict(Verdict::Skip) => "skip",
        Cell::Incomplete(_) => "n incomplete",
        _ if column.numeric() => "n",
        _ => "",
    }
}

/// A table too long to be in every page: its CSV, from which the script makes it when it is opened.
pub fn late(out: &mut String, table: &Table, id: &str) {
    let _ = writeln!(
        out,
        "<div class=\"late\" id=\"{}\" data-title=\"{}\">",
        escape(id),
        escape(&table.title)
    );
    csv_link(out, table, id);
    out.push_str("</div>\n");
}

/// A link to the table as CSV, which the file itself holds.
fn csv_link(out: &mut String, table: &Table, id: &str) {
    let _ = writeln!(
        out,
        "<p class=\"csv\"><a download=\"{}.csv\" href=\"data:text/csv;charset=utf-8,{}\">CSV\
         <span class=\"unseen\"> of {}</span></a></p>",
        escape(id),
        url(&csv(table)),
        escape(&table.title)
    );
}

/// Text as the path of a `data:` URL that may stand between double quotes.
fn url(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match harmless(c) {
            c @ (' ' | '!' | '$' | '('..=';' | '=' | '@'..='Z' | '_' | 'a'..='z') => out.push(c),
            _ => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(out, "%{byte:02X}");
                }
            }
        }
    }
    out
}
