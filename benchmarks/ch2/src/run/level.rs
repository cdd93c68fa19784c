//! How much the checks before and after a run read.

use std::fmt;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hoap_record::{Check, Remark, RemarkId, Run, Verdict};
use hoap_workload::{Error, ErrorKind, Result};

use crate::data::DataSet;

/// The most warehouses whose documents are all read where nobody says how much.
const SMALL: u32 = 10;

/// How much the checks before and after a run read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Every document
    Full,
    /// As touched; and the conditions of every document, which the database adds up by its own
    /// queries
    Database,
    /// Every warehouse and district; of the rest what the run's ledger leads to, by key, and a
    /// sample
    Touched,
    /// Every warehouse and district, and a sample of the rest
    Sample,
    /// Nothing; the run is marked as unchecked
    Off,
}

impl Level {
    /// The level that the user asked for, or the default for this data.
    pub fn of(asked: Option<Level>, data: &DataSet) -> Level {
        let small = data.spec().warehouses <= SMALL;
        asked.unwrap_or(if small { Level::Full } else { Level::Touched })
    }

    /// The level of a run on record. Before there were levels all was read.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the record names none that this program has.
    pub fn of_run(run: &Run) -> Result<Level> {
        let name = run.configuration.get("check").filter(|name| !name.is_null());
        let Some(name) = name else { return Ok(Level::Full) };
        let level = name.as_str().and_then(|name| Level::from_str(name, false).ok());
        let wrong = || Error::new(ErrorKind::Invalid, "check the runs", format!("--check {name}"));
        level.ok_or_else(wrong)
    }

    /// Reads the level of a check of all documents, which needs no run's ledger.
    pub fn of_all() -> impl TypedValueParser<Value = Level> {
        let names = PossibleValuesParser::new(["full", "database"]);
        names.try_map(|name| Level::from_str(&name, false))
    }

    /// Whether each document that the ledger names is looked for.
    pub fn by_key(self) -> bool {
        matches!(self, Level::Full | Level::Database | Level::Touched)
    }

    /// A check that says what is not checked at this level. `None` where everything is, and where
    /// nothing is, which [`unchecked`] says.
    pub fn left_out(self, when: &str) -> Option<Check> {
        let (name, detail) = match self {
            Level::Full | Level::Off => return None,
            Level::Database => (
                "other fields",
                "--check database: fields that no condition adds up, and s_quantity, are compared \
                 in a sample, and in what a run's ledger leads to",
            ),
            Level::Touched => (
                "other documents",
                "--check touched: what the run's ledger does not lead to is compared in a sample \
                 only, and not counted",
            ),
            Level::Sample => (
                "conditions, nothing lost",
                "--check sample: no acknowledged order, payment or delivery was looked for, and \
                 the conditions on documents were not evaluated",
            ),
        };
        Some(Check {
            when: when.into(),
            name: name.into(),
            compares: "documents with the load and the ledger".into(),
            verdict: Verdict::Skip,
            checked: 0,
            detail: Some(detail.into()),
        })
    }
}

/// What a reader must know of a run whose data nobody looked at.
pub fn unchecked() -> Remark {
    let text = "--check off read nothing: nobody knows whether the data was consistent, or holds \
                what was acknowledged";
    Remark::new(RemarkId::Unchecked, text)
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Full => "full",
            Level::Database => "database",
            Level::Touched => "touched",
            Level::Sample => "sample",
            Level::Off => "off",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Spec};

    #[test]
    fn small_data_is_read_as_a_whole_and_large_data_where_the_run_was() {
        let data = |warehouses| DataSet::new(Spec::new(Schema::Ch2, warehouses)).unwrap();
        assert_eq!(Level::of(None, &data(10)), Level::Full);
        assert_eq!(Level::of(None, &data(11)), Level::Touched);
        assert_eq!(Level::of(Some(Level::Full), &data(1000)), Level::Full);
        assert_eq!(Level::of(Some(Level::Off), &data(1)), Level::Off);
    }

    #[test]
    fn each_level_is_read_back_by_its_name() {
        for level in Level::value_variants() {
            assert_eq!(Level::from_str(&level.to_string(), false).as_ref(), Ok(level));
        }
    }
}
