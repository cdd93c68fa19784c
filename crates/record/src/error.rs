//! What a database answered, sorted by what the caller may do about it.

use std::fmt;

/// The result of anything a database was asked to do.
pub type Result<T> = std::result::Result<T, Error>;

/// What the caller may do about an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// Another transaction was in the way (write conflict, CAS mismatch, serialization failure,
    /// busy). Nothing was applied: run the whole transaction again.
    Conflict,
    /// A document with this key exists already.
    Duplicate,
    /// There is no record with this key, and there should be.
    NotFound,
    /// The database answers, and has not what a load makes: the collection (table, bucket), its index, or
    /// the database (schema, keyspace) that holds them. Nothing was applied, and waiting does not bring
    /// it back.
    Missing,
    /// The commit may or may not have been applied. Neither a success nor a failure: the ledger
    /// keeps it apart.
    Ambiguous,
    /// The operation took longer than its limit.
    Timeout,
    /// The database asks for fewer requests than it gets. Nothing was applied.
    Throttled,
    /// Somebody asked for the end of the work.
    Cancelled,
    /// The database could not be reached, refused, is read-only, full, locked or half-loaded.
    Unavailable,
    /// What was asked is wrong in itself: a bad URL, option, query text or parameter.
    Invalid,
    /// The database or the benchmark broke a promise: a document that must exist is not there, an
    /// answer has the wrong shape.
    Broken,
}

impl ErrorKind {
    /// All kinds, in the order in which they are declared.
    pub const ALL: [ErrorKind; 11] = [
        ErrorKind::Conflict,
        ErrorKind::Duplicate,
        ErrorKind::NotFound,
        ErrorKind::Missing,
        ErrorKind::Ambiguous,
        ErrorKind::Timeout,
        ErrorKind::Throttled,
        ErrorKind::Cancelled,
        ErrorKind::Unavailable,
        ErrorKind::Invalid,
        ErrorKind::Broken,
    ];

    /// The name of this kind in results and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Conflict => "conflict",
            ErrorKind::Duplicate => "duplicate",
            ErrorKind::NotFound => "not-found",
            ErrorKind::Missing => "missing",
            ErrorKind::Ambiguous => "ambiguous",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Throttled => "throttled",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Broken => "broken",
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One line that says what was tried, on what, what came back and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What the caller may do about it.
    pub kind: ErrorKind,
    /// What was tried and on what, as in "insert orders 1.2.3001 into sqlite:bench.db".
    pub tried: String,
    /// What came back, in the database's own words.
    pub answer: String,
    /// What the user can do, if that is known.
    pub advice: Option<String>,
}

impl Error {
    /// An error without advice.
    pub fn new(kind: ErrorKind, tried: impl Into<String>, answer: impl fmt::Display) -> Self {
        Error { kind, tried: tried.into(), answer: answer.to_string(), advice: None }
    }

    /// The same error with what the user can do about it.
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.tried, self.answer)?;
        match &self.advice {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own_and_is_found_by_it() {
        for (place, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            assert_eq!(ErrorKind::parse(kind.name()), Some(kind));
        }
        assert_eq!(ErrorKind::parse("Conflict"), None);
    }

    #[test]
    fn an_error_is_one_line_with_what_was_tried_what_came_back_and_what_to_do() {
        let e = Error::new(ErrorKind::Unavailable, "open sqlite:a.db", "file is locked")
            .advise("close the other program");
        assert_eq!(e.to_string(), "open sqlite:a.db: file is locked; close the other program");
    }
}
