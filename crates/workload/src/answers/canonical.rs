//! The canonical form of an answer, in which engines must agree.

use std::cmp::Ordering;

use hoap_database::Answer;
use serde_json::Value;

use super::query::{Column, Direction, Kind, Query};
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

/// The largest relative difference of equal averages and ratios.
pub const RATIO_TOLERANCE: f64 = 1e-9;

/// A value in canonical form. Ordered by kind, then by value; strings by their bytes.
#[derive(Clone, Debug)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number, or an amount of money in cents.
    Integer(i64),
    /// A string, or an object as JSON text with sorted names.
    Text(String),
    /// An average or a ratio.
    Ratio(f64),
}

impl Cell {
    /// The value as JSON: money in cents.
    pub fn value(&self) -> Value {
        match self {
            Cell::Null => Value::Null,
            Cell::Integer(i) => Value::from(*i),
            Cell::Text(s) => Value::from(s.as_str()),
            Cell::Ratio(r) => Value::from(*r),
        }
    }

    /// The ratio, if it is one.
    pub fn ratio(&self) -> Option<f64> {
        match self {
            Cell::Ratio(r) => Some(*r),
            _ => None,
        }
    }

    /// Whether both are equal; ratios within the tolerance.
    pub fn equals(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Null, Cell::Null) => true,
            (Cell::Integer(a), Cell::Integer(b)) => a == b,
            (Cell::Text(a), Cell::Text(b)) => a == b,
            (Cell::Ratio(a), Cell::Ratio(b)) => close(*a, *b),
            _ => false,
        }
    }

    fn order(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Integer(a), Cell::Integer(b)) => a.cmp(b),
            (Cell::Text(a), Cell::Text(b)) => a.cmp(b),
            (Cell::Ratio(a), Cell::Ratio(b)) => a.total_cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Cell::Null => 0,
            Cell::Integer(_) => 1,
            Cell::Text(_) => 2,
            Cell::Ratio(_) => 3,
        }
    }
}

/// Whether two ratios are equal within [`RATIO_TOLERANCE`].
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= RATIO_TOLERANCE * a.abs().max(b.abs())
}

/// A row in canonical form.
pub type Cells = Vec<Cell>;

/// An answer of the right shape and order, in canonical form.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// The rows that the query decides, sorted, so that equal multisets are equal lists.
    pub decided: Vec<Cells>,
    /// The sort key of the last row, where a LIMIT cut the answer.
    pub tie: Option<Cells>,
    /// The number of rows with that sort key.
    pub tied: usize,
}

impl Canonical {
    /// The canonical form of an answer to a query of this benchmark.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where it has the wrong columns, a value of the wrong type,
    /// more rows than the LIMIT, or rows out of order.
    pub fn new(benchmark: &str, query: &Query, answer: &Answer) -> Result<Canonical> {
        let broken = |what: String| {
            Err(Error::new(ErrorKind::Broken, format!("check the answer of {}", query.name), what))
        };
        if !same_columns(query, &answer.columns) {
            let wanted: Vec<_> = query.columns.iter().map(|c| c.name).collect();
            let (found, wanted) = (answer.columns.join(", "), wanted.join(", "));
            return broken(format!("its columns are {found} instead of {wanted}"));
        }
        let limit = query.limit_of(benchmark);
        if let Some(limit) = limit.filter(|limit| *limit < answer.rows.len()) {
            let rows = counted(answer.rows.len(), "row", "rows");
            return broken(format!("it has {rows}, the limit is {limit}"));
        }
        let mut rows: Vec<Cells> = Vec::with_capacity(answer.rows.len());
        for (i, row) in answer.rows.iter().enumerate() {
            if row.len() != query.columns.len() {
                return broken(format!("row {} has {} values", i + 1, row.len()));
            }
            let mut cells = Cells::with_capacity(row.len());
            for (column, value) in query.columns.iter().zip(row) {
                match cell(*column, value) {
                    Some(cell) => cells.push(cell),
                    None => {
                        let (row, name) = (i + 1, column.name);
                        return broken(format!(
                            "row {row}: {name} is {value}, which is no {}",
                            wanted(column.kind)
                        ));
                    }
                }
            }
            if rows.last().is_some_and(|last| by_key(query, last, &cells) == Ordering::Greater) {
                return broken(format!(
                    "row {} sorts before row {i}: {} after {}",
                    i + 1,
                    show(&key(query, &cells)),
                    show(&key(query, &rows[i - 1])),
                ));
            }
            rows.push(cells);
        }
        // With fewer rows than the limit nothing was cut, and every row is decided.
        let cut = rows.last().filter(|_| limit == Some(rows.len()));
        let tie = cut.map(|last| key(query, last));
        let decided = match cut {
            Some(last) => rows.iter().position(|r| by_key(query, r, last).is_eq()),
            None => None,
        }
        .unwrap_or(rows.len());
        let tied = rows.len() - decided;
        rows.truncate(decided);
        rows.sort_by(|a, b| by_all(query, a, b));
        Ok(Canonical { decided: rows, tie, tied })
    }

    /// The number of all rows, tied ones included.
    pub fn rows(&self) -> usize {
        self.decided.len() + self.tied
    }
}

/// A row for an error message: one line, shortened.
pub fn show(cells: &[Cell]) -> String {
    const LONGEST: usize = 240;
    let text = Value::from(cells.iter().map(Cell::value).collect::<Vec<_>>()).to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Engines differ in the case of the names they return.
fn same_columns(query: &Query, found: &[String]) -> bool {
    found.len() == query.columns.len()
        && found.iter().zip(query.columns).all(|(name, c)| name.eq_ignore_ascii_case(c.name))
}

/// A value in canonical form, or `None` where it has the wrong type.
fn cell(column: Column, value: &Value) -> Option<Cell> {
    Some(match (column.kind, value) {
        (_, Value::Null) => Cell::Null,
        (Kind::Exact, Value::Number(n)) => Cell::Integer(match n.as_i64() {
            Some(i) => i,
            None => whole(n.as_f64()?)?,
        }),
        (Kind::Exact, Value::String(s)) => Cell::Text(s.clone()),
        (Kind::Cents, Value::Number(n)) => Cell::Integer(whole((n.as_f64()? * 100.0).round())?),
        (Kind::Ratio, Value::Number(n)) => Cell::Ratio(n.as_f64()?),
        (Kind::Json, Value::String(s)) => match serde_json::from_str(s) {
            Ok(object @ Value::Object(_)) => Cell::Text(sorted(object).to_string()),
            _ => Cell::Text(s.clone()),
        },
        (Kind::Json, object @ Value::Object(_)) => Cell::Text(sorted(object.clone()).to_string()),
        _ => return None,
    })
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Exact => "whole number or string",
        Kind::Cents => "amount of money",
        Kind::Ratio => "number",
        Kind::Json => "string or object",
    }
}

/// The integer of a double that holds it exactly.
fn whole(x: f64) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_992.0; // 2^53
    (x.fract() == 0.0 && x.abs() <= LARGEST).then_some(x as i64)
}

/// The same JSON with the names of every object in order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.into_iter().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().map(|(name, value)| (name, sorted(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// The values of the columns that the ORDER BY names.
fn key(query: &Query, row: &Cells) -> Cells {
    query.order.iter().map(|key| row[key.column].clone()).collect()
}

/// Compares two rows by the ORDER BY.
fn by_key(query: &Query, a: &Cells, b: &Cells) -> Ordering {
    let each = query.order.iter().map(|key| {
        let order = a[key.column].order(&b[key.column]);
        match key.direction {
            Direction::Ascending => order,
            Direction::Descending => order.reverse(),
        }
    });
    each.fold(Ordering::Equal, Ordering::then)
}

/// A total order with ratios last: rows that differ only by noise in their ratios have the same
/// place on both sides.
fn by_all(query: &Query, a: &Cells, b: &Cells) -> Ordering {
    let columns = |ratios: bool| {
        let these = query.columns.iter().enumerate();
        these.filter(move |(_, c)| (c.kind == Kind::Ratio) == ratios).map(|(i, _)| i)
    };
    let each = columns(false).chain(columns(true)).map(|i| a[i].order(&b[i]));
    each.fold(Ordering::Equal, Ordering::then)
}
