//! Why an operation failed, in the terms of its caller: what every database sorts its driver's
//! errors into.

use std::borrow::Cow;
use std::fmt::Display;

use hoap_record::{Error, ErrorKind, ErrorParts};

/// Advice for a database that lacks what a load makes.
pub const LOAD_FIRST: &str = "run `hoap load` first, or with --resume if an index is missing";

/// What the TLS libraries say of a certificate whose time this machine's clock is not in, and what
/// to do.
const CLOCK_WORDS: [&str; 4] = [
    "certificate not valid yet",
    "certificate expired",
    "certificate has expired",
    "is not yet valid",
];
const CLOCK: &str =
    "set this machine's clock, or where it is right, renew the server's certificate";

/// Defines the trait `OrFail` of a database, which sorts its driver's errors for `?`, each type by a
/// function: neither they nor [`Failure`] are of the database's crate, so that there is no `From`.
#[macro_export]
macro_rules! or_fail {
    ($($Error:ty => $sorted:expr),+ $(,)?) => {
        /// Sorts an error of the driver, for `?`.
        pub(crate) trait OrFail<T> {
            /// The same, with what the error means for the caller.
            fn or_fail(self) -> $crate::failure::Done<T>;
        }

        $(impl<T> OrFail<T> for ::std::result::Result<T, $Error> {
            #[inline]
            fn or_fail(self) -> $crate::failure::Done<T> {
                self.map_err($sorted)
            }
        })+
    };
}

/// The result of an operation of a database module.
pub type Done<T> = Result<T, Failure>;

/// What an error means for the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the caller may do about it.
    pub kind: ErrorKind,
    /// The database's name of the error; empty where it has none.
    pub code: String,
    /// What the database or its driver said, in one line.
    pub answer: String,
    /// What to do.
    pub advice: Option<Cow<'static, str>>,
    /// What was tried, on what, where that is not the operation as a whole.
    pub tried: Option<String>,
    /// Whether a write that ended so may have been applied: its answer is missing, or does not say.
    /// Also an engine that reads says so; the guard knows which operations write, and makes those
    /// ambiguous.
    pub may_be_applied: bool,
}

impl Failure {
    /// One with advice, of which an empty text is none. A certificate out of its time has the same
    /// advice everywhere. What took too long, or was cancelled, may be applied.
    pub fn of(
        kind: ErrorKind,
        answer: impl Display,
        advice: impl Into<Option<&'static str>>,
    ) -> Failure {
        let answer = one_line(answer);
        let untimely = CLOCK_WORDS.iter().any(|words| answer.contains(words));
        let advice = if untimely { Some(CLOCK) } else { advice.into() };
        let advice = advice.filter(|advice| !advice.is_empty()).map(Cow::from);
        let may_be_applied = matches!(kind, ErrorKind::Timeout | ErrorKind::Cancelled);
        Failure { kind, code: String::new(), answer, advice, tried: None, may_be_applied }
    }

    /// The same, of which a write may have been applied.
    pub fn unsure(self) -> Failure {
        Failure { may_be_applied: true, ..self }
    }

    /// One without advice.
    pub fn new(kind: ErrorKind, answer: impl Display) -> Failure {
        Failure::of(kind, answer, None)
    }

    /// What is stored or answered is not what it should be.
    pub fn broken(answer: impl Display) -> Failure {
        Failure::new(ErrorKind::Broken, answer)
    }

    /// What was asked is wrong in itself.
    pub fn invalid(answer: impl Display) -> Failure {
        Failure::new(ErrorKind::Invalid, answer)
    }

    /// Something that a load makes is not there.
    pub fn missing(answer: impl Display) -> Failure {
        Failure::of(ErrorKind::Missing, answer, LOAD_FIRST)
    }

    /// A record or document with this key is there already.
    pub fn duplicate(key: &str) -> Failure {
        Failure::new(ErrorKind::Duplicate, format!("the key {key} is there already"))
    }

    /// The same, of a step of the operation: its sentence says what was tried, on what.
    pub fn trying(self, tried: impl Into<String>) -> Failure {
        let tried = self.tried.unwrap_or_else(|| tried.into());
        Failure { tried: Some(tried), ..self }
    }

    /// As an error that says what was tried: `tried`, where it has no sentence of its own.
    pub fn into_error(self, tried: impl Into<String>) -> Error {
        let tried = self.tried.unwrap_or_else(|| tried.into());
        let error = Error::new(self.kind, tried, self.answer);
        match self.advice {
            Some(advice) => error.advise(advice),
            None => error,
        }
    }
}

/// An error that has its sentence keeps it.
impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let ErrorParts { kind, tried, answer, advice } = error.into_parts();
        let advice = advice.map(Cow::from);
        Failure { advice, tried: Some(tried), ..Failure::new(kind, answer) }
    }
}

/// A text without line ends: an error is one line.
pub fn one_line(text: impl Display) -> String {
    text.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An error and those of its causes that it does not repeat, in one line.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |e| e.source()).map(|e| e.to_string()) {
        if !text.contains(&cause) {
            text.push_str(&format!(": {cause}"));
        }
    }
    one_line(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_becomes_an_error_of_one_line() {
        let e = Failure::of(ErrorKind::Broken, "so\n it said", "").into_error("try");
        assert_eq!((e.to_string(), e.advice.as_deref()), ("try: so it said".to_owned(), None));
        let e = Failure::missing("no such table").into_error("try");
        assert_eq!((e.kind, e.advice.as_deref()), (ErrorKind::Missing, Some(LOAD_FIRST)));
        // The step that failed is said, and an error stays what it is on its way.
        let e = Failure::broken("so").trying("make x").trying("make all").into_error("try");
        assert_eq!(e.to_string(), "make x: so");
        let e = e.advise("look");
        assert_eq!(Failure::from(e.clone()).into_error("try"), e);
    }

    #[test]
    fn causes_are_told_once() {
        let inner = std::io::Error::other("refused");
        let outer = std::io::Error::other(Outer(inner));
        assert_eq!(chain(&outer), "outer: refused");
    }

    #[derive(Debug)]
    struct Outer(std::io::Error);

    impl Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("outer")
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
}
