//! Errors, by what the caller can do about them.

use std::fmt;
use std::ops::{Deref, DerefMut};

use hoap_data::{SpecError, named};

/// The most letters of each part of an error: what a server or a file said may be of any length.
const LONGEST: usize = 2000;

/// The result of a call to a database.
pub type Result<T> = std::result::Result<T, Error>;

named! {
    /// The kind of an [`Error`]: what the caller can do about it.
    #[derive(Hash, PartialOrd, Ord)]
    ErrorKind, "kind of error":
    /// The operation conflicted with another transaction (write conflict, CAS mismatch,
    /// serialization failure, busy). Nothing was applied: run the whole transaction again.
    Conflict = "conflict",
    /// A document with this key exists already.
    Duplicate = "duplicate",
    /// There is no document with this key, and there should be.
    NotFound = "not-found",
    /// The database answers and lacks what a load creates: the collection (table, bucket), its
    /// index, or the database (schema, keyspace) that contains them. Nothing was applied, and
    /// waiting does not help.
    Missing = "missing",
    /// The commit may or may not have been applied. The ledger keeps it separate from successes and
    /// failures.
    Ambiguous = "ambiguous",
    /// The operation took longer than its limit.
    Timeout = "timeout",
    /// The database rejected the request because of its rate. Nothing was applied.
    Throttled = "throttled",
    /// The caller asked the operation to end.
    Cancelled = "cancelled",
    /// The database could not be reached, refused, is read-only, full, locked or half-loaded.
    Unavailable = "unavailable",
    /// The request is wrong: a bad URL, option, query text or parameter.
    Invalid = "invalid",
    /// The database or the benchmark violated an invariant: a document that must exist does not, or
    /// an answer has the wrong shape.
    Broken = "broken",
}

/// An error, displayed as one line: what was tried, on what, the answer and the advice.
///
/// It is one pointer, so that the result of an operation that succeeded is small: every operation
/// moves several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<ErrorParts>);

/// The text, of which the middle is left out where it is long.
pub fn clipped(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    let before = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (begin, end) = (before(LONGEST * 3 / 4), before(text.len() - LONGEST / 8));
    let out = end - begin;
    format!("{}… ({out} bytes left out) …{}", &text[..begin], &text[end..])
}

/// What an [`Error`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorParts {
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
        let (tried, answer) = (clipped(tried.into()), clipped(answer.to_string()));
        Error(Box::new(ErrorParts { kind, tried, answer, advice: None }))
    }

    /// The same error with advice to the user.
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// What it says.
    pub fn into_parts(self) -> ErrorParts {
        *self.0
    }
}

impl Deref for Error {
    type Target = ErrorParts;

    fn deref(&self) -> &ErrorParts {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut ErrorParts {
        &mut self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{}: {}", self.tried, self.answer);
        if self.answer.contains("Too many open files") {
            text.push_str("; raise the limit of open files (ulimit -n), or use fewer clients");
        }
        if let Some(advice) = &self.advice {
            text.push_str("; ");
            text.push_str(advice);
        }
        // A value that it repeats may have ends of lines.
        f.write_str(&text.replace(['\n', '\r'], " "))
    }
}

impl From<SpecError> for Error {
    fn from(e: SpecError) -> Self {
        Error::new(ErrorKind::Invalid, "make the data", e)
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
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("Conflict".parse::<ErrorKind>().is_err());
    }

    #[test]
    fn an_error_is_one_line_with_what_was_tried_the_answer_and_the_advice() {
        let e = Error::new(ErrorKind::Unavailable, "open sqlite:a.db", "file is locked")
            .advise("close the other program");
        assert_eq!(e.to_string(), "open sqlite:a.db: file is locked; close the other program");
        let long = format!("{}é{}", "x".repeat(LONGEST), "y".repeat(50_000_000));
        let e = Error::new(ErrorKind::Invalid, "read f", long).to_string();
        assert!(e.len() < LONGEST && e.starts_with("read f: xxx") && e.ends_with("yyy"), "{e}");
        assert!(e.contains("(50000252 bytes left out)"), "{e}");
        assert_eq!(clipped("é".repeat(LONGEST / 2)), "é".repeat(LONGEST / 2));
        let e = Error::new(ErrorKind::Unavailable, "open", "Too many open files (os error 24)");
        assert!(e.to_string().contains("(ulimit -n)"), "{e}");
        let e = Error::new(ErrorKind::Invalid, "set a=1\r\n2", "it is\nno number").advise("a\nb");
        assert_eq!(e.to_string(), "set a=1  2: it is no number; a b");
    }
}
