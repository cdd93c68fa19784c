//! The model of a table. The terminal, the page and CSV print a [`Table`] and compute no cell.
//!
//! A [`Sheet`] declares the columns, each with a closure that takes a cell from an item;
//! [`Sheet::rows`] applies them to the items.

use hoap_record::Verdict;

use crate::format::number::Unit;

/// A table with all its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// A name unique on a page: anchor and CSV file name.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell a column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its heading, without unit.
    pub title: String,
    /// The unit of its numbers.
    pub unit: Option<Unit>,
    /// Whether only the page and CSV have room for it.
    pub wide: bool,
}

/// A cell of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number in the unit of its column.
    Number(f64),
    /// Not applicable, or not measured.
    Empty,
    /// A number that is missing, with the reason.
    Incomplete(String),
    /// The verdict of a check.
    Verdict(Verdict),
}

impl Column {
    /// Heading with the unit, where the cells do not carry it.
    pub fn heading(&self) -> String {
        with_unit(&self.title, self.unit.and_then(Unit::in_heading))
    }

    /// Heading for CSV, where no cell carries its unit.
    pub fn bare_heading(&self) -> String {
        with_unit(&self.title, self.unit.and_then(Unit::bare))
    }

    /// Whether its cells are numbers and stand flush right.
    pub fn numeric(&self) -> bool {
        self.unit.is_some()
    }
}

fn with_unit(title: &str, unit: Option<&str>) -> String {
    match unit {
        Some(unit) if title.is_empty() => unit.to_string(),
        Some(unit) if unit != title => format!("{title} ({unit})"),
        _ => title.to_string(),
    }
}

impl Cell {
    /// Words, or [`Cell::Empty`] where there are none.
    pub fn text(text: impl Into<String>) -> Cell {
        let text = text.into();
        if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
    }

    /// A number, or [`Cell::Empty`].
    pub fn maybe(value: Option<f64>) -> Cell {
        value.map_or(Cell::Empty, Cell::Number)
    }

    /// The number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// A count.
    pub fn count(value: u64) -> Cell {
        Cell::Number(value as f64)
    }

    /// Microseconds as seconds.
    pub fn micros(value: f64) -> Cell {
        Cell::Number(value / 1e6)
    }

    /// The words that terminal and page show.
    pub fn show(&self, unit: Option<Unit>) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(value) => unit.unwrap_or(Unit::Count).show(*value),
            Cell::Empty => "–".to_string(),
            Cell::Incomplete(_) => "incomplete".to_string(),
            Cell::Verdict(verdict) => verdict_word(*verdict).to_string(),
        }
    }
}

/// "pass", "FAIL" or "skip". Capitals make a failure visible without colour.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Skip => "skip",
    }
}

impl Table {
    /// The reasons of its incomplete cells, each once, with the row they belong to.
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = Vec::new();
        for row in &self.rows {
            for cell in row {
                if let Cell::Incomplete(why) = cell {
                    let name =
                        row.first().map(|c| c.show(self.columns[0].unit)).unwrap_or_default();
                    let reason = format!("{name}: {why}");
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
            }
        }
        reasons
    }
}

impl Table {
    /// Its rows as JSON objects by bare heading; what is missing is null.
    pub fn json(&self) -> serde_json::Value {
        use serde_json::{Map, Value};
        let cell = |cell: &Cell| match cell {
            Cell::Text(text) => Value::from(text.as_str()),
            Cell::Number(value) => Value::from(*value),
            Cell::Verdict(verdict) => Value::from(verdict_word(*verdict).to_lowercase()),
            Cell::Empty | Cell::Incomplete(_) => Value::Null,
        };
        let row = |row: &Vec<Cell>| -> Value {
            let headings = self.columns.iter().map(Column::bare_heading);
            Value::Object(headings.zip(row.iter().map(cell)).collect::<Map<_, _>>())
        };
        self.rows.iter().map(row).collect()
    }

    /// A table for each value of the column of this title, without that column, named by the value;
    /// in the order in which the values first come.
    pub fn split(&self, title: &str) -> Vec<Table> {
        let Some(at) = self.columns.iter().position(|c| c.title == title) else { return vec![] };
        let without = |list: &[Cell]| -> Vec<Cell> {
            let rest = list.iter().enumerate().filter(|(i, _)| *i != at);
            rest.map(|(_, cell)| cell.clone()).collect()
        };
        let mut parts: Vec<(&Cell, Table)> = Vec::new();
        for row in &self.rows {
            let n = parts.iter().position(|(value, _)| **value == row[at]).unwrap_or_else(|| {
                let mut columns = self.columns.clone();
                columns.remove(at);
                let title = row[at].show(None);
                let id = format!("{}-{title}", self.id);
                parts.push((&row[at], Table { id, title, columns, rows: vec![] }));
                parts.len() - 1
            });
            parts[n].1.rows.push(without(row));
        }
        parts.into_iter().map(|(_, table)| table).collect()
    }
}

type Take<'a, T> = Box<dyn Fn(&T) -> Cell + 'a>;

/// Builds a table: its columns, and the closures that fill them from an item.
pub struct Sheet<'a, T> {
    id: String,
    title: String,
    columns: Vec<(Column, Take<'a, T>)>,
}

impl<'a, T> Sheet<'a, T> {
    /// A table without columns.
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        Sheet { id: id.into(), title: title.into(), columns: Vec::new() }
    }

    /// A column of words.
    pub fn text<S: Into<String>>(
        self,
        title: impl Into<String>,
        take: impl Fn(&T) -> S + 'a,
    ) -> Self {
        self.cells(title, None, move |item| Cell::text(take(item)))
    }

    /// A column of numbers.
    pub fn number(
        self,
        title: impl Into<String>,
        unit: Unit,
        take: impl Fn(&T) -> f64 + 'a,
    ) -> Self {
        self.cells(title, Some(unit), move |item| Cell::Number(take(item)))
    }

    /// A column of any cells.
    pub fn cells(
        mut self,
        title: impl Into<String>,
        unit: Option<Unit>,
        take: impl Fn(&T) -> Cell + 'a,
    ) -> Self {
        self.columns.push((Column { title: title.into(), unit, wide: false }, Box::new(take)));
        self
    }

    /// Keeps the column added last off the terminal.
    pub fn wide(mut self) -> Self {
        if let Some((column, _)) = self.columns.last_mut() {
            column.wide = true;
        }
        self
    }

    /// The same sheet, changed only where `condition` holds.
    pub fn when(self, condition: bool, change: impl FnOnce(Self) -> Self) -> Self {
        if condition { change(self) } else { self }
    }

    /// The table with a row for each item.
    pub fn rows(self, items: impl IntoIterator<Item = T>) -> Table {
        let rows = items
            .into_iter()
            .map(|item| self.columns.iter().map(|(_, take)| take(&item)).collect())
            .collect();
        let columns = self.columns.into_iter().map(|(column, _)| column).collect();
        Table { id: self.id, title: self.title, columns, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_table_keeps_every_other_cell_under_its_value() {
        let whole = Sheet::new("t", "t")
            .text("step", |(step, _, _): &(&str, &str, f64)| *step)
            .text("kind", |(_, kind, _)| *kind)
            .number("p50", Unit::Seconds, |(_, _, p50)| *p50)
            .rows([("1", "READ", 0.1), ("1", "UPDATE", 0.2), ("2", "READ", 0.3)]);
        let parts = whole.split("kind");
        let titles: Vec<&str> = parts.iter().map(|t| t.title.as_str()).collect();
        assert_eq!(titles, ["READ", "UPDATE"]);
        let row = |step: &str, p50| vec![Cell::Text(step.into()), Cell::Number(p50)];
        assert_eq!(parts[0].rows, [row("1", 0.1), row("2", 0.3)]);
        assert_eq!(parts[1].rows, [row("1", 0.2)]);
        assert!(parts.iter().all(|t| t.columns[1].title == "p50" && t.columns.len() == 2));
        assert_eq!(whole.split("no such column"), []);
    }
}
