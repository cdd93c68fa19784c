//! Tables as Markdown (GitHub's).

use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::format::text;

/// The table without its title, and the reasons for what is incomplete.
pub fn table(table: &Table) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = row(table.columns.iter().map(|c| escaped(&c.heading())).collect());
    let lines = table.columns.iter().map(|c| if c.numeric() { "---:" } else { "---" }.to_owned());
    out.push_str(&row(lines.collect()));
    for cells in &table.rows {
        let cells = cells.iter().zip(&table.columns).map(|(cell, column)| shown(cell, column.unit));
        out.push_str(&row(cells.collect()));
    }
    out.push('\n');
    for reason in table.reasons() {
        out.push_str(&format!("Incomplete: {}\n\n", escaped(&reason)));
    }
    out
}

fn shown(cell: &Cell, unit: Option<Unit>) -> String {
    match cell {
        Cell::Text(word) if matches!(word.as_str(), "better" | "worse" | "BROKEN") => {
            format!("**{word}**")
        }
        other => escaped(&other.show(unit)),
    }
}

/// Text from a run folder, without Markdown or HTML.
pub fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in text::tame(words).chars() {
        if matches!(c, '\\' | '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
