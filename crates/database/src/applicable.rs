//! Capabilities that a database lacks, and why.

use std::fmt;

use crate::{Error, ErrorKind};

/// A capability, or the reason why the database does not have it.
pub type Applicable<T> = std::result::Result<T, NotApplicable>;

/// Why a database lacks a capability that a benchmark needs. This is an answer, not a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotApplicable {
    /// The capability, such as "document transactions".
    pub capability: &'static str,
    /// The database's name.
    pub database: String,
    /// The reason, a clause that completes "not applicable, because …".
    pub because: &'static str,
}

impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {}: not applicable, because {}",
            self.capability, self.database, self.because
        )
    }
}

impl From<NotApplicable> for Error {
    fn from(n: NotApplicable) -> Self {
        Error::new(
            ErrorKind::Invalid,
            format!("{} on {}", n.capability, n.database),
            format!("not applicable, because {}", n.because),
        )
    }
}
