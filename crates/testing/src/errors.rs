//! What an error says, and of what kind it is.

use std::borrow::Borrow;

use hoap_record::{Error, ErrorKind, Result};

/// Asserts that it is one line with these words, and without a password of the tests.
#[track_caller]
pub fn has(e: impl Borrow<Error>, words: &[&str]) {
    let e: &Error = e.borrow();
    let line = e.to_string();
    assert!(words.iter().all(|word| line.contains(word)), "{line} lacks one of {words:?}");
    assert!(!["\n", "secret", "hunter2"].iter().any(|word| line.contains(word)), "{line}");
}

/// The same of one of this kind.
#[track_caller]
pub fn of_kind(kind: ErrorKind, e: impl Borrow<Error>, words: &[&str]) {
    let e: &Error = e.borrow();
    assert_eq!(e.kind, kind, "{e}");
    has(e, words);
}

/// The same of what was tried, which failed.
#[track_caller]
pub fn fails<T>(tried: Result<T>, kind: ErrorKind, words: &[&str]) -> Error {
    let e = tried.map(drop).unwrap_err();
    of_kind(kind, &e, words);
    e
}

/// The same of a database that cannot be used.
#[track_caller]
pub fn unavailable(e: impl Borrow<Error>, words: &[&str]) {
    of_kind(ErrorKind::Unavailable, e, words);
}

/// The same where what a load makes is not there.
#[track_caller]
pub fn missing(e: impl Borrow<Error>, words: &[&str]) {
    of_kind(ErrorKind::Missing, e, words);
}
