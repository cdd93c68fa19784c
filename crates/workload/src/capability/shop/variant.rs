//! The variants of the JOIN and their names.

use std::fmt;
use std::str::FromStr;

use crate::{Error, ErrorKind};

/// How a database runs the JOIN (the variants that the reports name).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinVariant {
    /// From each customer's list of order keys by key or index (ON KEYS, index nested loop).
    Index,
    /// A join of two collections in standard SQL.
    Ansi,
    /// The same with a hash table.
    Hash,
    /// Reads customers first, then their orders by key; the client joins them.
    TwoPhase,
    /// MongoDB's `$lookup`.
    Lookup,
    /// Reads a third table, which holds the joined rows (Cassandra).
    JoiningTable,
}

impl JoinVariant {
    /// All variants.
    pub const ALL: [JoinVariant; 6] = [
        JoinVariant::Index,
        JoinVariant::Ansi,
        JoinVariant::Hash,
        JoinVariant::TwoPhase,
        JoinVariant::Lookup,
        JoinVariant::JoiningTable,
    ];

    /// The name in commands and results.
    pub const fn name(self) -> &'static str {
        match self {
            JoinVariant::Index => "index",
            JoinVariant::Ansi => "ansi",
            JoinVariant::Hash => "hash",
            JoinVariant::TwoPhase => "two-phase",
            JoinVariant::Lookup => "lookup",
            JoinVariant::JoiningTable => "joining-table",
        }
    }

    /// The names of these variants, separated by commas.
    pub fn names(variants: &[JoinVariant]) -> String {
        variants.iter().map(|v| v.name()).collect::<Vec<_>>().join(", ")
    }

    /// The error of a session with a variant that the database at `url` lacks.
    pub fn refused(self, database: &str, url: &str) -> Error {
        let answer = format!("{database} has no {self} join");
        Error::new(ErrorKind::Invalid, format!("join in {url}"), answer)
    }
}

impl fmt::Display for JoinVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for JoinVariant {
    type Err = Error;

    fn from_str(s: &str) -> Result<JoinVariant, Error> {
        JoinVariant::ALL.into_iter().find(|v| v.name() == s).ok_or_else(|| {
            Error::new(ErrorKind::Invalid, format!("join by '{}'", s.escape_debug()), "no such way")
                .advise(format!("choose one of {}", JoinVariant::names(&JoinVariant::ALL)))
        })
    }
}
