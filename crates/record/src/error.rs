//! Errors, by what the caller can do about them.

use std::fmt;

/// The result of a call to a database.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of an [`Error`]: what the caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The operation conflicted with another transaction (write conflict, CAS mismatch,
    /// serialization failure, busy). Nothing was applied: run the whole transaction again.
    Conflict,
    /// A document with this key exists already.
    Duplicate,
    /// There is no document with this key, and there should be.
    NotFound,
    /// The database answers and lacks what a load creates: the collection (table, bucket), its
    /// index, or the database (schema, keyspace) that contains them. Nothing was applied, and
    /// waiting does not help.
    Missing,
    /// The commit may or may not have been applied. The ledger keeps it separate from successes and
    /// failures.
    Ambiguous,
    /// The operation took longer than its limit.
    Timeout,
    /// The database rejected the request because of its rate. Nothing was applied.
    Throttled,
    /// The caller asked the operation to end.
    Cancelled,
    /// The database could not be reached, refused, is read-only, full, locked or half-loaded.
    Unavailable,
    /// The request is wrong: a bad URL, option, query text or parameter.
    Invalid,
    /// The database or the benchmark violated an invariant: a document that must exist does not, or
    /// an answer has the wrong shape.
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

/// An error, displayed as one line: what was tried, on what, the answer and the advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What the caller can do about it.
    pub kind: ErrorKind,
    /// What was tried and on what, as in "insert orders 1.2.3001 into sqlite:bench.db".
    pub tried: String,
    /// The answer, in the database's own words.
    pub answer: String,
    /// What the user can do about it, if known.
    pub advice: Option<String>,
}

impl Error {
    /// An error without advice.
    pub fn new(kind: ErrorKind, tried: impl Into<String>, answer: impl fmt::Display) -> Self {
        Error { kind, tried: tried.into(), answer: answer.to_string(), advice: None }
    }

    /// The same error with advice to the user.
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
    fn an_error_is_one_line_with_what_was_tried_the_answer_and_the_advice() {
        let e = Error::new(ErrorKind::Unavailable, "open sqlite:a.db", "file is locked")
            .advise("close the other program");
        assert_eq!(e.to_string(), "open sqlite:a.db: file is locked; close the other program");
    }
}
