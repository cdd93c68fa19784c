//! Tables as CSV (RFC 4180) for machines: bare numbers, their unit in the heading.
//!
//! The quoting is written here: the `csv` crate chooses it for a whole file. A field that a spreadsheet would take
//! for a formula is always quoted, others only where they must be; and with `\n` at the ends of lines the crate
//! leaves a `\r` in a field without quotes.

use std::fmt::Write as _;

use crate::format::table::{Cell, Table, verdict_word};

/// The table as CSV text, its first line the headings.
pub fn csv(table: &Table) -> String {
    let mut out = String::new();
    line(&mut out, table.columns.iter().map(|c| c.bare_heading()));
    for row in &table.rows {
        line(&mut out, row.iter().map(bare));
    }
    out
}

fn bare(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number(value) if value.is_finite() => value.to_string(),
        Cell::Number(_) | Cell::Empty => String::new(),
        Cell::Incomplete(why) => format!("incomplete: {why}"),
        Cell::Verdict(verdict) => verdict_word(*verdict).to_lowercase(),
    }
}

fn line(out: &mut String, fields: impl Iterator<Item = String>) {
    for (i, field) in fields.enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let formula = field.starts_with(['=', '@']);
        if field.contains([',', '"', '\n', '\r']) || formula {
            // A spreadsheet must not evaluate text from a run folder.
            let guard = if formula { "'" } else { "" };
            let _ = write!(out, "{comma}\"{guard}{}\"", field.replace('"', "\"\""));
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
}
