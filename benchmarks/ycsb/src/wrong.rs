//! Errors of properties: all of them at once.

use std::fmt::Display;

use hoap_record::ErrorParts;
use hoap_record::error::clipped;
use hoap_workload::{Error, ErrorKind, Result};

/// How what was tried begins.
pub(super) const SET: &str = "set property ";

/// An error of a property's value.
pub(super) fn invalid(name: &str, value: &str, answer: impl Display) -> Error {
    Error::new(ErrorKind::Invalid, format!("{SET}{name}={value}"), answer)
}

/// One error of all: the first one with its reason, and the names of the others by theirs.
pub(super) fn all_wrong(wrong: Vec<Error>) -> Result<()> {
    let mut wrong = wrong.into_iter();
    let Some(mut first) = wrong.next() else { return Ok(()) };
    let mut others: Vec<(String, Vec<String>)> = Vec::new();
    for ErrorParts { tried, answer, .. } in wrong.map(Error::into_parts) {
        let name = tried.strip_prefix(SET).unwrap_or(&tried).to_owned();
        match others.iter_mut().find(|(reason, _)| *reason == answer) {
            Some((_, names)) => names.push(name),
            None => others.push((answer, vec![name])),
        }
    }
    for (n, (reason, names)) in others.iter().enumerate() {
        let before = if n == 0 { "; also wrong: " } else { "; " };
        first.answer += &format!("{before}{} ({reason})", names.join(", "));
    }
    first.answer = clipped(std::mem::take(&mut first.answer));
    Err(first)
}
