//! The result of one check.

use hoap_record::check::{Check, Verdict};

/// The most failing places that a check lists.
const EXAMPLES: usize = 3;

/// The result of one check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    checked: u64,
    failed: u64,
    /// Whether more may have failed than were counted.
    at_least: bool,
    examples: Vec<String>,
}

impl Finding {
    /// Counts a place that was checked. Describes it where it fails and is one of the first few.
    pub fn expect(&mut self, holds: bool, describe: impl FnOnce() -> String) {
        self.add(1, u64::from(!holds), describe);
    }

    /// Counts places that were checked together, so many of which fail. Describes these where they
    /// are among the first few.
    pub fn add(&mut self, checked: u64, failed: u64, describe: impl FnOnce() -> String) {
        self.checked += checked;
        self.failed += failed;
        if failed > 0 && self.examples.len() < EXAMPLES {
            self.examples.push(describe());
        }
    }

    /// Counts a place that fails.
    pub fn fail(&mut self, describe: impl FnOnce() -> String) {
        self.expect(false, describe);
    }

    /// Counts one failure where there may be more, among places that are counted already.
    pub fn at_least_one(&mut self, describe: impl FnOnce() -> String) {
        self.at_least = true;
        self.add(0, 1, describe);
    }

    /// The places that fail.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Counts a place where two named values must be equal.
    pub fn equal<T: PartialEq + std::fmt::Display>(
        &mut self,
        place: impl FnOnce() -> String,
        (left_name, left): (&str, T),
        (right_name, right): (&str, T),
    ) {
        let holds = left == right;
        self.expect(holds, || format!("{}: {left_name} {left}, {right_name} {right}", place()));
    }

    /// The check with this result.
    pub fn check(self, when: &str, name: &str, compares: &str) -> Check {
        let verdict = if self.failed == 0 { Verdict::Pass } else { Verdict::Fail };
        let detail = (self.failed > 0).then(|| {
            let at_least = if self.at_least { "at least " } else { "" };
            let examples = self.examples.join("; ");
            format!("{at_least}{} of {} fail; {examples}", self.failed, self.checked)
        });
        Check {
            when: when.into(),
            name: name.into(),
            compares: compares.into(),
            verdict,
            checked: self.checked,
            detail,
        }
    }
}

/// Makes a check fail that held until now.
pub fn fail(check: &mut Check, why: String) {
    (check.verdict, check.detail) = (Verdict::Fail, Some(why));
}

/// The check of what the database added up, which says so.
pub fn by_the_database(check: Check) -> Check {
    let Check { name, compares, .. } = check;
    Check {
        name: format!("{name}, by the database"),
        compares: format!("{compares}; computed by the database"),
        ..check
    }
}

/// A check of documents that was not made.
pub fn skipped(when: &str, name: &str, why: String) -> Check {
    let check = Finding::default().check(when, name, "documents with the load and the ledger");
    Check { verdict: Verdict::Skip, detail: Some(why), ..check }
}
