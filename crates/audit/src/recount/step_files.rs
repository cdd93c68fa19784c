//! A step and the files that its numbers are made of.

use hoap_record::{Run, Step};

use crate::finding::Findings;
use crate::log::Log;
use crate::open::Folder;

/// A step and the files that its numbers are made of.
pub(crate) struct StepFiles<'a> {
    /// The folder.
    pub folder: &'a Folder,
    /// Its record.
    pub run: &'a Run,
    /// The step.
    pub step: &'a Step,
    /// Its log; none where it is not there.
    pub log: Option<&'a Log>,
    /// "runs/01/run.json, step 2".
    pub place: String,
}

impl StepFiles<'_> {
    /// The place of something in the step.
    pub fn at(&self, what: &str) -> String {
        format!("{}, {what}", self.place)
    }

    /// The end of the measured window, seconds since the run's start.
    pub fn end(&self) -> f64 {
        self.step.start_seconds + self.step.seconds
    }

    /// Whether the step has a number of operations, not a time.
    pub fn counted(&self) -> bool {
        self.run.configuration.get("operations").is_some_and(|number| !number.is_null())
    }

    /// Holds a rate against its count by the window's length. Of several drivers it is the sum of
    /// theirs, each by its own window, which are in their own folders.
    pub fn rate(
        &self,
        place: &str,
        field: &str,
        (there, count): (f64, f64),
        findings: &mut Findings,
    ) {
        let again = if self.step.seconds > 0.0 { count / self.step.seconds } else { 0.0 };
        match self.run.drivers.is_empty() {
            true => findings.near(place, field, there, again),
            false => findings.within(place, field, there, (again * 0.95, again * 1.05)),
        }
    }

    /// Whether clients wait for nothing but answers.
    pub fn closed(&self) -> bool {
        self.step.rate_intended.is_none()
    }
}
