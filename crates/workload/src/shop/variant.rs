//! Names of the ways to join.

use std::fmt;
use std::str::FromStr;

use crate::capability::shop::JoinVariant;
use crate::{Error, ErrorKind};

impl JoinVariant {
    /// All of them.
    pub const ALL: [JoinVariant; 6] = [
        JoinVariant::Index,
        JoinVariant::Ansi,
        JoinVariant::Hash,
        JoinVariant::TwoPhase,
        JoinVariant::Lookup,
        JoinVariant::JoiningTable,
    ];

    /// The name that commands and results use.
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
                .advise(format!("choose one of {}", names(&JoinVariant::ALL)))
        })
    }
}

/// The names, separated by commas.
pub(super) fn names(variants: &[JoinVariant]) -> String {
    variants.iter().map(|v| v.name()).collect::<Vec<_>>().join(", ")
}
