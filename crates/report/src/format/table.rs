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
    /// When a screen does without it. CSV never does.
    pub without: Without,
}

/// When a screen does without a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Without {
    /// Never.
    #[default]
    Never,
    /// Where it is 0 or empty in every row.
    Zero,
    /// Where it is the same in several rows: then the title has it.
    Same,
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
    /// The table as a screen shows it: without columns that say nothing, and with what all its rows
    /// have in common in the title.
    pub fn shown(&self) -> Table {
        let (mut keep, mut common) = (Vec::new(), Vec::new());
        for (at, column) in self.columns.iter().enumerate() {
            let mut cells = self.rows.iter().map(|row| &row[at]);
            let zero = |cell: &Cell| matches!(cell, Cell::Empty) || cell.number() == Some(0.0);
            let first = self.rows.first().map_or(&Cell::Empty, |row| &row[at]);
            let left_out = match column.without {
                Without::Never => false,
                Without::Zero => cells.all(zero),
                Without::Same if *first == Cell::Empty => cells.all(|cell| cell == first),
                Without::Same => self.rows.len() > 1 && cells.all(|cell| cell == first),
            };
            if left_out && column.without == Without::Same && *first != Cell::Empty {
                common.push(format!("{} {}", column.heading(), first.show(column.unit)));
            }
            if !left_out {
                keep.push(at);
            }
        }
        let title = [self.title.clone()].into_iter().chain(common).collect::<Vec<_>>().join("; ");
        let columns = keep.iter().map(|at| self.columns[*at].clone()).collect();
        let row = |row: &Vec<Cell>| keep.iter().map(|at| row[*at].clone()).collect();
        Table { title, columns, rows: self.rows.iter().map(row).collect(), id: self.id.clone() }
    }

    /// A table of facts, with a column for each of several runs, as what differs and what is the same
    /// in all of them; `None` of another table, or where nothing is the same.
    pub fn apart(&self) -> Option<(Table, Table)> {
        let (first, runs) = self.columns.split_first()?;
        let facts = first.title.is_empty() && runs.len() > 1 && !runs.iter().any(Column::numeric);
        let same = |row: &&Vec<Cell>| row[1..].windows(2).all(|two| two[0] == two[1]);
        let (same, differ): (Vec<_>, Vec<_>) = self.rows.iter().partition(same);
        if !facts || same.is_empty() {
            return None;
        }
        let value = Column { title: String::new(), ..runs[0].clone() };
        let common = Table {
            id: if differ.is_empty() { self.id.clone() } else { format!("{}-same", self.id) },
            title: format!("{}: the same in all {} runs", self.title, runs.len()),
            columns: vec![first.clone(), value],
            rows: same.into_iter().map(|row| row[..2].to_vec()).collect(),
        };
        let rows = differ.into_iter().cloned().collect();
        let title = format!("{}: what differs", self.title);
        Some((Table { title, rows, ..self.clone() }, common))
    }

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
        let column = Column { title: title.into(), unit, wide: false, without: Without::Never };
        self.columns.push((column, Box::new(take)));
        self
    }

    /// Keeps the column added last off the terminal.
    pub fn wide(self) -> Self {
        self.last(|column| column.wide = true)
    }

    /// Shows the column added last only where it is not 0 everywhere.
    pub fn rare(self) -> Self {
        self.last(|column| column.without = Without::Zero)
    }

    /// Shows the column added last only where its rows differ.
    pub fn common(self) -> Self {
        self.last(|column| column.without = Without::Same)
    }

    fn last(mut self, change: impl FnOnce(&mut Column)) -> Self {
        if let Some((column, _)) = self.columns.last_mut() {
            change(column);
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
    fn facts_that_are_the_same_in_all_runs_stand_once() {
        let facts = |rows: [[&str; 3]; 2]| {
            let sheet = Sheet::new("setup", "Setup").text("", |row: &[&str; 3]| row[0].to_owned());
            sheet.text("a", |row| row[1].to_owned()).text("b", |row| row[2].to_owned()).rows(rows)
        };
        let words = |table: Table| {
            let cells = table.rows.iter().flatten().map(|cell| cell.show(None));
            (table.id, table.title, cells.collect::<Vec<_>>().join(" "))
        };
        let wanted = |id: &str, title: &str, cells: &str| (id.into(), title.into(), cells.into());
        let (differ, same) = facts([["seed", "1", "2"], ["tick", "1s", "1s"]]).apart().unwrap();
        assert_eq!(words(differ), wanted("setup", "Setup: what differs", "seed 1 2"));
        let title = "Setup: the same in all 2 runs";
        assert_eq!(words(same), wanted("setup-same", title, "tick 1s"));
        let (differ, same) = facts([["seed", "1", "1"], ["tick", "1s", "1s"]]).apart().unwrap();
        assert_eq!(differ.rows.len(), 0);
        assert_eq!(words(same), wanted("setup", title, "seed 1 tick 1s"));
        assert_eq!(facts([["seed", "1", "2"], ["tick", "1s", "2s"]]).apart(), None);
        let numbers = Sheet::new("n", "N").text("", |n: &f64| n.to_string());
        let numbers = numbers.number("a", Unit::Count, |n| *n).number("b", Unit::Count, |n| *n);
        assert_eq!(numbers.rows([1.0]).apart(), None);
    }

    #[test]
    fn a_screen_does_without_what_is_zero_or_the_same_everywhere_and_csv_does_not() {
        let of = |rows: &[(f64, &'static str, f64)]| {
            Sheet::new("t", "Title")
                .text("step", |(_, _, n): &(f64, &str, f64)| n.to_string())
                .number("failed", Unit::Count, |row| row.0)
                .rare()
                .text("kind", |row| row.1)
                .common()
                .rows(rows.to_vec())
        };
        let titles = |table: &Table| {
            let columns = table.columns.iter().map(|column| column.title.clone());
            (table.title.clone(), columns.collect::<Vec<_>>().join(" "))
        };
        let shown = |rows| titles(&of(rows).shown());
        let wanted = |title: &str, columns: &str| (title.to_owned(), columns.to_owned());
        assert_eq!(shown(&[(0.0, "READ", 1.0)]), wanted("Title", "step kind"));
        let equal = [(0.0, "READ", 1.0), (0.0, "READ", 2.0)];
        assert_eq!(shown(&equal), wanted("Title; kind READ", "step"));
        assert_eq!(titles(&of(&equal)), wanted("Title", "step failed kind"));
        let differ = [(0.0, "READ", 1.0), (2.0, "SCAN", 2.0)];
        assert_eq!(shown(&differ), wanted("Title", "step failed kind"));
        assert_eq!(shown(&[(0.0, "", 1.0), (0.0, "", 2.0)]), wanted("Title", "step"));
    }
}
