//! The variants of the JOIN and their names.

use hoap_data::named;

use crate::{Error, ErrorKind};

named! {
    /// How a database runs the JOIN (the variants that the reports name).
    JoinVariant, "way to join":
    /// From each customer's list of order keys by key or index (ON KEYS, index nested loop).
    Index = "index",
    /// A join of two collections in standard SQL.
    Ansi = "ansi",
    /// The same with a hash table.
    Hash = "hash",
    /// Reads customers first, then their orders by key; the client joins them.
    TwoPhase = "two-phase",
    /// MongoDB's `$lookup`.
    Lookup = "lookup",
    /// Reads customers that have their orders in them.
    Embedded = "embedded",
    /// Reads a third table by its key, which holds what the join would find.
    JoiningTable = "joining-table",
}

impl JoinVariant {
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
