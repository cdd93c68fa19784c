//! Names and paths, which an engine writes into its statements, and the error of a failure.

use hoap_record::{Error, Result};

use crate::applicable::{Applicable, NotApplicable};
use crate::engine::About;
use crate::failure::Failure;
use crate::offers::What;
use crate::{names, path};

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
