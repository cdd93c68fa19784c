//! What one check found.

use hoap_record::check::{Check, Verdict};

/// How many failing places a check names.
const EXAMPLES: usize = 3;

/// What one check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    checked: u64,
    failed: u64,
    examples: Vec<String>,
}

impl Finding {
    /// Counts a place, and where it does not hold, keeps the first few descriptions.
    pub fn expect(&mut self, holds: bool, describe: impl FnOnce() -> String) {
        self.checked += 1;
        if !holds {
            self.failed += 1;
            if self.examples.len() < EXAMPLES {
                self.examples.push(describe());
            }
        }
    }

    /// Counts a place that does not hold.
    pub fn fail(&mut self, describe: impl FnOnce() -> String) {
        self.expect(false, describe);
    }

    /// Counts a place where two values must be equal.
    pub fn equal<T: PartialEq + std::fmt::Display>(
        &mut self,
        place: impl FnOnce() -> String,
        (left_name, left): (&str, T),
        (right_name, right): (&str, T),
    ) {
        let holds = left == right;
        self.expect(holds, || format!("{}: {left_name} {left}, {right_name} {right}", place()));
    }

    /// Makes the check of it.
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
