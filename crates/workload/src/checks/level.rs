//! How much the checks before and after a run read.

use hoap_data::named;
use hoap_record::check::Check;
use hoap_record::{Remark, RemarkId, Run};

use super::finding::skipped;
use crate::{Error, ErrorKind, Result};

named! {
    /// How much the checks before and after a run read.
    Level, "level of check":
    /// Every document.
    Full = "full",
    /// As touched; and the conditions of every document, which the database adds up by its own
    /// queries.
    Database = "database",
    /// What the run wrote, by key, and a sample of the rest.
    Touched = "touched",
    /// A sample.
    Sample = "sample",
    /// Nothing; the run is marked as unchecked.
    Off = "off",
}

impl Level {
    /// The level that the user asked for, or the default for data that is small or not.
    pub fn of(asked: Option<Level>, small: bool) -> Level {
        asked.unwrap_or(if small { Level::Full } else { Level::Touched })
    }

    /// The level of a run on record. Before there were levels all was read.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the record names none that this program has.
    pub fn of_run(run: &Run) -> Result<Level> {
        let name = run.configuration.get("check").filter(|name| !name.is_null());
        let Some(name) = name else { return Ok(Level::Full) };
        let level = name.as_str().and_then(|name| name.parse().ok());
        let wrong = || Error::new(ErrorKind::Invalid, "check the runs", format!("--check {name}"));
        level.ok_or_else(wrong)
    }

    /// That the data is checked now. Where nobody `asked` and not all is read, it says above which
    /// size that is so.
    pub fn announced(self, asked: Option<Level>, most: &str) -> String {
        let why = match (asked, self) {
            (None, Level::Touched) => format!(
                ", the default above {most}: what the run does, and a sample; --check full reads all"
            ),
            _ => String::new(),
        };
        format!("checking the data before the run (--check {self}{why})")
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
                "--check database: what the database does not add up is compared in a sample, and \
                 in what a run's ledger leads to",
            ),
            Level::Touched => (
                "other documents",
                "--check touched: what the run's ledger does not lead to is compared in a sample \
                 only",
            ),
            Level::Sample => (
                "conditions, nothing lost",
                "--check sample: nothing that was acknowledged was looked for, and the conditions \
                 on documents were not evaluated",
            ),
        };
        Some(skipped(when, name, detail.into()))
    }
}

/// What a reader must know of a run whose data nobody looked at.
pub fn unchecked() -> Remark {
    let text = "--check off read nothing: nobody knows whether the data was consistent, or holds \
                what was acknowledged";
    Remark::new(RemarkId::Unchecked, text)
}

#[cfg(test)]
mod tests {
    use hoap_record::check::Verdict;

    use super::*;

    #[test]
    fn small_data_is_read_as_a_whole_and_large_data_where_the_run_was() {
        assert_eq!(Level::of(None, true), Level::Full);
        assert_eq!(Level::of(None, false), Level::Touched);
        assert_eq!(Level::of(Some(Level::Full), false), Level::Full);
        assert_eq!(Level::of(Some(Level::Off), true), Level::Off);
        let told = |asked| Level::of(asked, false).announced(asked, "10 warehouses");
        assert!(told(None).contains("the default above 10 warehouses"));
        assert!(told(Some(Level::Touched)).ends_with("(--check touched)"));
    }

    #[test]
    fn each_level_but_full_and_off_says_what_it_leaves_out() {
        for level in Level::ALL {
            let skip = level.left_out("now").map(|check| check.verdict);
            let all = matches!(level, Level::Full | Level::Off);
            assert_eq!(skip, (!all).then_some(Verdict::Skip), "{level}");
        }
    }
}
