//! Tables as CSV (RFC 4180) for machines: bare numbers, their unit in the heading.
//!
//! The quoting is written here: the `csv` crate chooses it for a whole file. A field that a
//! spreadsheet would take for a formula begins with an apostrophe and is always quoted, others only
//! where they must be.

use std::fmt::Write as _;

use crate::format::table::{Cell, Table, verdict_word};
use crate::format::text::harmless;

/// The table as CSV text, its first line the headings.
pub fn csv(table: &Table) -> String {
    let mut out = String::new();
    line(&mut out, table.columns.iter().map(|c| words(&c.bare_heading())));
    for row in &table.rows {
        line(&mut out, row.iter().map(bare));
    }
    out
}

/// Text from a run folder. A spreadsheet must not evaluate it, and a terminal not obey it.
fn words(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && !text.parse().is_ok_and(f64::is_finite);
    let shown = text.chars().map(|c| if matches!(c, '\n' | '\t') { c } else { harmless(c) });
    formula.then_some('\'').into_iter().chain(shown).collect()
}

fn bare(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => words(text),
        // Minus zero, as a sum of nothing is, is none that a reader expects.
        Cell::Number(value) if value.is_finite() => (value + 0.0).to_string(),
        Cell::Number(_) | Cell::Empty => String::new(),
        Cell::Incomplete(why) => words(&format!("incomplete: {why}")),
        Cell::Verdict(verdict) => verdict_word(*verdict).to_lowercase(),
    }
}

/// A line of CSV with these texts.
pub fn row<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    line(&mut out, texts.map(words));
    out
}

fn line(out: &mut String, fields: impl Iterator<Item = String>) {
    for (i, field) in fields.enumerate() {
        let comma = if i > 0 { "," } else { "" };
        if field.contains([',', '"', '\n']) || field.starts_with('\'') {
            let _ = write!(out, "{comma}\"{}\"", field.replace('"', "\"\""));
        } else {
            let _ = write!(out, "{comma}{field}");
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::Unit;
    use crate::format::table::Sheet;

    #[test]
    fn fields_are_quoted_as_rfc_4180_says_and_numbers_are_bare() {
        let table = Sheet::new("t", "t")
            .text("a,b", |x: &f64| format!("x \"{x}\"\ny"))
            .number("mean", Unit::Seconds, |x| *x)
            .text("f", |_| "=1+1")
            .cells("p", Some(Unit::Rate("tpM")), |_| Cell::Incomplete("Q07, failed".into()))
            .rows([1234.5]);
        assert_eq!(
            csv(&table),
            "\"a,b\",mean (s),f,p (tpM)\n\
             \"x \"\"1234.5\"\"\ny\",1234.5,\"'=1+1\",\"incomplete: Q07, failed\"\n"
        );
    }

    #[test]
    fn a_spreadsheet_evaluates_no_text_and_numbers_stay_numbers() {
        let texts = [
            "=1",
            "+1+1",
            "-a",
            "@a",
            "\ta",
            "\ra",
            "-inf",
            "-2.5",
            "+3",
            "–",
            "a=b",
            "a\u{1b}[2J",
        ];
        let table = Sheet::new("t", "t")
            .text("-t", |text: &&str| *text)
            .number("n", Unit::Count, |_| -1.5)
            .rows(texts);
        let fields = [
            "\"'=1\"",
            "\"'+1+1\"",
            "\"'-a\"",
            "\"'@a\"",
            "\"'\ta\"",
            "\"'\u{fffd}a\"",
            "\"'-inf\"",
            "-2.5",
            "+3",
            "–",
            "a=b",
            "a\u{fffd}[2J",
        ];
        let lines: Vec<_> = fields.iter().map(|field| format!("{field},-1.5\n")).collect();
        assert_eq!(csv(&table), format!("\"'-t\",n\n{}", lines.concat()));
    }
}
