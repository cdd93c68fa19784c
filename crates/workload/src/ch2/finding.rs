//! The result of one check.

use hoap_record::check::{Check, Verdict};

/// The most failing places that a check lists.
const EXAMPLES: usize = 3;

/// The result of one check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    checked: u64,
    failed: u64,
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
            format!("{} of {} fail; {}", self.failed, self.checked, self.examples.join("; "))
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
