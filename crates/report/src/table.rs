//! The one table model. Terminal, page and CSV all print a [`Table`]; none computes a cell.
//!
//! A table is declared once: a [`Sheet`] names its columns, each with the closure that takes its
//! cell from an item; [`Sheet::rows`] applies it to the items.

use hoap_drive::record::Verdict;

use crate::number::Unit;

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
    /// There is no such thing here.
    Empty,
    /// A number should be here and is not; why.
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

/// "pass", "FAIL" or "skip": a failure must catch the eye without colour too.
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

type Take<'a, T> = Box<dyn Fn(&T) -> Cell + 'a>;

/// A table in the making: columns and the closures that fill them from an item.
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

    /// Fills it: a row an item.
    pub fn rows(self, items: impl IntoIterator<Item = T>) -> Table {
        let rows = items
            .into_iter()
            .map(|item| self.columns.iter().map(|(_, take)| take(&item)).collect())
            .collect();
        let columns = self.columns.into_iter().map(|(column, _)| column).collect();
        Table { id: self.id, title: self.title, columns, rows }
    }
}
