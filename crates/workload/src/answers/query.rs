//! What is asked, and how answers to it compare.

use serde::{Deserialize, Serialize};

/// A question of a benchmark, the same on every database.
#[derive(Debug, PartialEq, Eq)]
pub struct Query {
    /// From 1.
    pub number: u8,
    /// "Q01" …: its name in results.
    pub name: &'static str,
    /// Its meaning, in one sentence.
    pub asks: &'static str,
    /// Names of its parameters, in order.
    pub parameters: &'static [&'static str],
    /// The columns of its answer, in order.
    pub columns: &'static [Column],
    /// The keys of its ORDER BY; empty where the order of the rows is free.
    pub order: &'static [SortKey],
    /// Its LIMIT.
    pub limit: Limit,
}

/// A column of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// How its values are compared.
    pub kind: Kind,
}

/// How the values of a column are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Integers and strings: equal.
    Exact,
    /// Money: equal after rounding to cents.
    Cents,
    /// Averages, ratios and halves of cents: equal within
    /// [`RATIO_TOLERANCE`](super::RATIO_TOLERANCE), relative.
    Ratio,
    /// A string (CH2) or an object (CH2++; engines may return it as its JSON text): equal as JSON.
    Json,
}

/// One key of an ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// Position in [`Query::columns`]. Never a [`Kind::Ratio`] or [`Kind::Json`].
    pub column: usize,
    /// Which values come first.
    pub direction: Direction,
}

/// Which values come first. Strings sort by their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The smallest.
    Ascending,
    /// The largest.
    Descending,
}

/// The most rows of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As many as there are.
    None,
    /// This many.
    Rows(usize),
    /// This many in one of the benchmarks that ask this, and as many as there are in the others.
    RowsOf(&'static str, usize),
}

impl Query {
    /// The most rows its answer may have in this benchmark.
    pub fn limit_of(&self, benchmark: &str) -> Option<usize> {
        match self.limit {
            Limit::Rows(n) => Some(n),
            Limit::RowsOf(one, n) => (one == benchmark).then_some(n),
            Limit::None => None,
        }
    }
}

/// What answers are of: a benchmark, or one of several that ask the same.
#[derive(Debug)]
pub struct Questions {
    /// The benchmark's name.
    pub benchmark: &'static str,
    /// Its questions, in the order of their numbers; of one that this program does not have those
    /// that were answered.
    pub all: &'static [Query],
}

impl Questions {
    /// The question of this number, from 1.
    pub fn get(&self, number: u8) -> Option<&'static Query> {
        self.all.iter().find(|query| query.number == number)
    }
}
