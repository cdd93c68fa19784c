//! The comparison of two answers to one query.

use hoap_database::Answer;

use super::canonical::{Canonical, Cell, Cells, show};
use super::query::Query;
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

/// The difference of two answers to one query. Pairs are in the order in which the answers were
/// given.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// One is not an answer to the query: wrong columns, a value of the wrong type, more rows than
    /// the LIMIT, or rows out of order.
    NoAnswer {
        /// Its position, 0 or 1.
        which: usize,
        /// The reason.
        error: Error,
    },
    /// A row that the query decides is in one of them only.
    Row {
        /// The number of rows of each.
        rows: [usize; 2],
        /// The first row that differs, money in cents, or "no row".
        has: [String; 2],
    },
    /// The rows that tie with the last one at a LIMIT differ in sort key or number.
    Tie {
        /// The number of rows of each.
        rows: [usize; 2],
        /// The number of tied rows and their sort key in each, money in cents.
        has: [String; 2],
    },
}

impl Difference {
    /// One line that describes the difference. `places` name the two: "expected" and "found", or
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

/// Checks that `found` equals `expected` (spec: answers are equal across engines).
///
/// # Errors
/// Returns [`ErrorKind::Broken`] where one has the wrong shape or order, or where they differ. The
/// message names the query, both numbers of rows and the first rows that differ.
pub fn compare(benchmark: &str, query: &Query, expected: &Answer, found: &Answer) -> Result<()> {
    match difference(benchmark, query, [expected, found]) {
        None => Ok(()),
        Some(Difference::NoAnswer { error, .. }) => Err(error),
        Some(difference) => Err(Error::new(
            ErrorKind::Broken,
            format!("compare the answers of {}", query.name),
            difference.words(["expected", "found"]),
        )),
    }
}

/// The difference of two answers, or `None` where they are equal (spec: answers are equal across
/// engines).
pub fn difference(benchmark: &str, query: &Query, answers: [&Answer; 2]) -> Option<Difference> {
    let canonical = |which: usize| {
        Canonical::new(benchmark, query, answers[which])
            .map_err(|error| Difference::NoAnswer { which, error })
    };
    match (canonical(0), canonical(1)) {
        (Ok(a), Ok(b)) => between(&a, &b),
        (Err(none), _) | (_, Err(none)) => Some(none),
    }
}

fn between(a: &Canonical, b: &Canonical) -> Option<Difference> {
    let rows = [a.rows(), b.rows()];
    // The first place at which the decided rows differ, in the order of both.
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
