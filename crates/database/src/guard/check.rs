//! Names and paths, which an engine writes into its statements, and the error of a failure.

use hoap_record::{Error, Result};

use crate::applicable::{Applicable, NotApplicable};
use crate::engine::About;
use crate::failure::{Done, Failure};
use crate::names;
use crate::offers::What;
use crate::patch::{Bounds, Change, Condition, DIGITS, Is, Patch};
use crate::path::{self, Step};

impl About {
    /// What the engine has, unless its options or its server lack it.
    pub(super) fn offer<T>(&self, what: What, engine: Option<T>) -> Applicable<T> {
        let because = match (self.offers.has(what), engine) {
            (Ok(()), Some(engine)) => return Ok(engine),
            (Ok(()), None) => "it was not made for that",
            (Err(because), _) => because,
        };
        Err(self.lacks(what.in_words(), because))
    }

    /// Why a capability is lacking.
    pub(super) fn lacks(&self, capability: &'static str, because: &'static str) -> NotApplicable {
        NotApplicable { capability, database: self.name.clone(), because }
    }

    /// Refuses the name of a collection that the engine cannot have.
    pub(super) fn check_name(&self, name: &str) -> Result<()> {
        names::collection(name, self.reserved, self.longest_name).map(drop)
    }

    /// Refuses the name of an index that the engine cannot have.
    pub(super) fn check_index(&self, name: &str) -> Result<()> {
        names::collection(name, self.reserved, self.longest_index).map(drop)
    }

    /// The error of a failure, with the sentence `what` in the database.
    #[cold]
    pub(super) fn error(&self, failure: Failure, what: &str) -> Error {
        failure.into_error(format!("{what} {}", self.url))
    }
}

/// Refuses text that is no path.
pub(super) fn check_paths(paths: &[impl AsRef<str>]) -> Result<()> {
    paths.iter().try_for_each(|path| path::check(path.as_ref()).map(drop))
}

/// Refuses a patch that no database takes.
pub(super) fn check_patch(patch: &Patch<'_>) -> Done<()> {
    path::check(patch.path)?;
    let last = path::last(patch.path).1;
    match &patch.change {
        _ if patch.path == path::WHOLE => Err(Failure::invalid("a patch is of a field")),
        Change::AddDecimal { digits, .. } if *digits > DIGITS => {
            Err(Failure::invalid(format!("a sum keeps {DIGITS} decimals at most")))
        }
        Change::Remove if matches!(last, Step::Position(_)) => {
            Err(Failure::invalid("an element of an array cannot be removed"))
        }
        _ => Ok(()),
    }
}

/// Refuses a condition that no database takes.
pub(super) fn check_condition(condition: &Condition<'_>) -> Done<()> {
    path::check(condition.path)?;
    match condition.is {
        Is::Equal(value) if value.is_array() || value.is_object() => {
            Err(Failure::invalid(format!("{value} cannot be a condition")))
        }
        Is::Equal(_) => Ok(()),
        Is::Within(bounds) => check_bounds(&bounds),
    }
}

/// Refuses bounds that are not all numbers or all texts.
pub(super) fn check_bounds(bounds: &Bounds<'_>) -> Done<()> {
    match bounds.is_sound() {
        true => Ok(()),
        false => Err(Failure::invalid("bounds are numbers or texts, at least one")),
    }
}
