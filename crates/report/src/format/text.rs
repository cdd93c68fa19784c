//! Tables and paragraphs as plain text of at most [`COLUMNS`] columns.
//!
//! The layout is written here and not taken from a library: a table that is too wide first wraps
//! its columns of words, the widest first, and then becomes several blocks that repeat the first
//! column, which no table library does; and the cells wrap as the paragraphs do.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::format::table::{Cell, Table};

/// Display columns of the terminal.
pub const COLUMNS: usize = 80;

/// Columns between two columns of a table.
const GAP: usize = 2;
/// The first column keeps at most this much where a table has to be cut into blocks.
const KEY: usize = 24;
/// A column of words is not squeezed below this.
const NARROWEST: usize = 18;

/// The text without characters that move the cursor, colour the screen or turn the direction of
/// writing. A run folder may come from an untrusted source.
pub fn tame(text: &str) -> String {
    text.chars().map(|c| if c == '\n' || c == '\t' { ' ' } else { harmless(c) }).collect()
}

/// The character, or U+FFFD for a control or direction character, or one that is none.
pub fn harmless(c: char) -> char {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let none = matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    if c.is_control() || turns || none { '\u{fffd}' } else { c }
}

/// A command as a shell takes it, whose program is found by its name.
pub fn shell(command: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,.:/@%".contains(c);
    let words = command.iter().enumerate().map(|(at, word)| {
        let word = if at == 0 { word.rsplit(['/', '\\']).next().unwrap_or(word) } else { word };
        if !word.is_empty() && word.chars().all(plain) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Breaks text into lines of at most `width` columns, at spaces where it can.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in tame(text).split(' ').filter(|w| !w.is_empty()) {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if line.width() + c.width().unwrap_or(0) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A paragraph whose first line starts with `first` and whose others are indented as far.
pub fn paragraph(first: &str, text: &str) -> String {
    let indent = first.width();
    let mut out = String::new();
    for (i, line) in wrap(text, COLUMNS - indent.min(COLUMNS / 2)).into_iter().enumerate() {
        let start = if i == 0 { first.to_string() } else { " ".repeat(indent) };
        out.push_str(format!("{start}{line}").trim_end());
        out.push('\n');
    }
    out
}

/// The table without its title. Too wide for [`COLUMNS`], it first breaks its words into lines,
/// then itself into blocks that repeat the first column.
pub fn table(table: &Table) -> String {
    let columns: Vec<usize> =
        (0..table.columns.len()).filter(|&i| !table.columns[i].wide).collect();
    let mut widths: Vec<usize> =
        (0..table.columns.len()).map(|i| natural_width(table, i).max(1)).collect();
    let words = |i: usize| !table.columns[i].numeric();

    while total(&columns, &widths) > COLUMNS {
        let widest = columns.iter().copied().filter(|&i| words(i)).max_by_key(|&i| widths[i]);
        let Some(widest) = widest.filter(|&i| widths[i] > NARROWEST) else { break };
        let excess = total(&columns, &widths) - COLUMNS;
        let second = columns
            .iter()
            .filter(|&&i| i != widest && words(i))
            .map(|&i| widths[i])
            .max()
            .unwrap_or(0);
        let floor = NARROWEST.max(if second < widths[widest] { second } else { NARROWEST });
        widths[widest] =
            (widths[widest] - excess.min(widths[widest])).max(floor.min(widths[widest] - 1));
    }

    let mut blocks: Vec<Vec<usize>> = Vec::new();
    if total(&columns, &widths) <= COLUMNS {
        blocks.push(columns);
    } else if let Some((&key, rest)) = columns.split_first() {
        widths[key] = widths[key].min(KEY);
        let mut block = vec![key];
        for &i in rest {
            widths[i] = widths[i].min(COLUMNS - KEY - GAP);
            block.push(i);
            if total(&block, &widths) > COLUMNS {
                block.pop();
                blocks.push(std::mem::replace(&mut block, vec![key, i]));
            }
        }
        blocks.push(block);
    }

    let mut out = String::new();
    for (n, block) in blocks.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let headings: Vec<String> = block.iter().map(|&i| table.columns[i].heading()).collect();
        if headings.iter().any(|h| !h.is_empty()) {
            push_row(&mut out, table, block, &widths, &headings);
        }
        for row in &table.rows {
            let cells: Vec<String> =
                block.iter().map(|&i| row[i].show(table.columns[i].unit)).collect();
            push_row(&mut out, table, block, &widths, &cells);
        }
    }
    out
}

fn natural_width(table: &Table, column: usize) -> usize {
    let unit = table.columns[column].unit;
    let cells = table.rows.iter().map(|row: &Vec<Cell>| tame(&row[column].show(unit)).width());
    cells.chain([tame(&table.columns[column].heading()).width()]).max().unwrap_or(0)
}

fn total(columns: &[usize], widths: &[usize]) -> usize {
    columns.iter().map(|&i| widths[i]).sum::<usize>() + GAP * columns.len().saturating_sub(1)
}

fn push_row(out: &mut String, table: &Table, block: &[usize], widths: &[usize], cells: &[String]) {
    let wrapped: Vec<Vec<String>> =
        block.iter().zip(cells).map(|(&i, cell)| wrap(cell, widths[i])).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    for n in 0..height {
        let mut line = String::new();
        for (at, &i) in block.iter().enumerate() {
            if at > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let text = wrapped[at].get(n).map_or("", String::as_str);
            let fill = " ".repeat(widths[i].saturating_sub(text.width()));
            if table.columns[i].numeric() {
                line.push_str(&fill);
                line.push_str(text);
            } else {
                line.push_str(text);
                line.push_str(&fill);
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::Unit;
    use crate::format::table::Sheet;

    fn fits(text: &str) {
        for line in text.lines() {
            assert!(line.width() <= COLUMNS, "{} columns: {line}", line.width());
        }
    }

    #[test]
    fn a_table_of_any_shape_fits() {
        for columns in [1, 2, 5, 12, 40] {
            for length in [0, 1, 7, 30, 90, 500] {
                let mut sheet = Sheet::new("t", "t").text("key", |_: &f64| "界".repeat(length));
                for n in 0..columns {
                    sheet = sheet.number(format!("column {n}"), Unit::Seconds, |x| *x);
                }
                let made = sheet.text("words", |_| "w".repeat(length)).rows([1e300, 1e-9, 3.0]);
                fits(&table(&made));
            }
        }
    }

    #[test]
    fn a_cut_table_repeats_its_first_column_and_loses_no_cell() {
        let mut sheet = Sheet::new("t", "t").text("key", |n: &u32| format!("row {n}"));
        for n in 0..20 {
            sheet = sheet.number(format!("c{n}"), Unit::Count, move |r| f64::from(*r * 1000 + n));
        }
        let made = sheet.rows([1, 2]);
        let text = table(&made);
        fits(&text);
        assert!(text.matches("row 1").count() > 1);
        for row in &made.rows {
            for (cell, column) in row.iter().zip(&made.columns) {
                assert!(text.contains(&cell.show(column.unit)), "{cell:?}");
            }
        }
    }

    #[test]
    fn words_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
        fits(&paragraph("! ", &"word ".repeat(100)));
    }

    #[test]
    fn terminal_escapes_lose_their_power() {
        assert!(
            !tame("\u{1b}[31mred\u{7}\u{202e}\r").contains(['\u{1b}', '\u{7}', '\u{202e}', '\r'])
        );
    }
}
