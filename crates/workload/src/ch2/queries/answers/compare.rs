//! Two answers to one query.

use hoap_data::Schema;

use super::canonical::{Canonical, Cell, Cells, show};
use crate::capability::Answer;
use crate::ch2::queries::catalogue::Query;
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

/// How two answers to one query differ. What each of them has stands in the order in which they
/// were given.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// One is no answer to the query at all: wrong columns, a value of the wrong type, more rows than
    /// the LIMIT lets through, rows out of order.
    NoAnswer {
        /// Its position, 0 or 1.
        which: usize,
        /// Why it is none.
        error: Error,
    },
    /// A row whose presence the query decides is in one of them alone.
    Row {
        /// How many rows each has.
        rows: [usize; 2],
        /// The first row that differs, money in cents, or "no row".
        has: [String; 2],
    },
    /// The rows that tie with the last one at a LIMIT have another sort key, or are another number.
    Tie {
        /// How many rows each has.
        rows: [usize; 2],
        /// How many rows of which sort key each has there, money in cents.
        has: [String; 2],
    },
}

impl Difference {
    /// One line that says where each has its rows: `places` are "expected" and "found", or
    /// "in DIR" and "in DIR".
    pub fn words(&self, places: [&str; 2]) -> String {
        let [first, second] = places;
        match self {
            Difference::NoAnswer { which, error } => format!("{}: {error}", places[*which]),
            Difference::Row { rows: [m, n], has: [a, b] } => format!(
                "{} {first}, {n} {second}; \
                 first difference (money in cents): {a} {first}, {b} {second}",
                counted(*m, "row", "rows")
            ),
            Difference::Tie { rows: [m, n], has: [a, b] } => {
                let rows = counted(*m, "row", "rows");
                format!("{rows} {first}, {n} {second}; at the limit {a} {first}, {b} {second}")
            }
        }
    }
}

/// Whether `found` is the answer that `expected` is (spec: answers are equal across engines).
///
/// # Errors
/// [`ErrorKind::Broken`] where one of them has the wrong shape or order, or where they differ: the
/// message names the query, both numbers of rows and the first rows in which they differ.
pub fn compare(schema: Schema, query: &Query, expected: &Answer, found: &Answer) -> Result<()> {
    match difference(schema, query, [expected, found]) {
        None => Ok(()),
        Some(Difference::NoAnswer { error, .. }) => Err(error),
        Some(difference) => Err(Error::new(
            ErrorKind::Broken,
            format!("compare the answers of {}", query.name),
            difference.words(["expected", "found"]),
        )),
    }
}

/// How two answers differ, or `None` where they are equal (spec: answers are equal across engines).
pub fn difference(schema: Schema, query: &Query, answers: [&Answer; 2]) -> Option<Difference> {
    let canonical = |which: usize| {
        Canonical::new(schema, query, answers[which])
            .map_err(|error| Difference::NoAnswer { which, error })
    };
    match (canonical(0), canonical(1)) {
        (Ok(a), Ok(b)) => between(&a, &b),
        (Err(none), _) | (_, Err(none)) => Some(none),
    }
}

fn between(a: &Canonical, b: &Canonical) -> Option<Difference> {
    let rows = [a.len(), b.len()];
    // The first place, in the common order of both, where the decided rows differ.
    let at = |rows: &[Cells], i: usize| rows.get(i).map_or("no row".into(), |row| show(row));
    for i in 0..a.decided.len().max(b.decided.len()) {
        let pair = a.decided.get(i).zip(b.decided.get(i));
        if !pair.is_some_and(|(a, b)| equal(a, b)) {
            return Some(Difference::Row { rows, has: [at(&a.decided, i), at(&b.decided, i)] });
        }
    }
    let same = match (&a.tie, &b.tie) {
        (Some(x), Some(y)) => equal(x, y) && a.tied == b.tied,
        (None, None) => true,
        _ => false,
    };
    let tie = |c: &Canonical| match &c.tie {
        Some(key) => format!("{} of the sort key {}", counted(c.tied, "row", "rows"), show(key)),
        None => "no row cut".into(),
    };
    (!same).then(|| Difference::Tie { rows, has: [tie(a), tie(b)] })
}

fn equal(a: &[Cell], b: &[Cell]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
}
