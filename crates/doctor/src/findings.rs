//! What the steps of an examination find.

use hoap_conduct::caller::Caller;
use hoap_database::NotApplicable;
use hoap_record::{Check, Verdict};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

/// What a step proved: a number of places that it looked at, and a sentence about them.
pub(super) type Proof = (u64, String);

/// What a step came to.
pub(super) enum Step {
    /// It holds.
    Proved(Proof),
    /// The database does not have it, or there is nothing to see.
    NotThere(String),
}

impl From<Proof> for Step {
    fn from(proof: Proof) -> Step {
        Step::Proved(proof)
    }
}

impl From<NotApplicable> for Step {
    fn from(reason: NotApplicable) -> Step {
        Step::NotThere(reason.to_string())
    }
}

/// The findings so far.
pub(super) struct Findings<'a> {
    pub caller: &'a dyn Caller,
    pub checks: Vec<Check>,
}

impl Findings<'_> {
    /// Takes a step. Returns whether the steps that build on it make sense.
    pub async fn take<S: Into<Step>>(
        &mut self,
        name: &str,
        proves: &str,
        step: impl Future<Output = Result<S>>,
    ) -> bool {
        if self.caller.stop().is_set() {
            return false;
        }
        self.caller.say(name);
        let (verdict, checked, detail) = match step.await.map(Into::into) {
            Ok(Step::Proved((checked, detail))) => (Verdict::Pass, checked, detail),
            Ok(Step::NotThere(why)) => (Verdict::Skip, 0, why),
            Err(e) => (Verdict::Fail, 0, e.to_string()),
        };
        self.checks.push(Check {
            when: "doctor".into(),
            name: name.into(),
            compares: proves.into(),
            verdict,
            checked,
            detail: Some(detail).filter(|detail| !detail.is_empty()),
        });
        verdict != Verdict::Fail
    }
}

/// Why several checks failed, in a line, or how many passed.
pub(super) fn all_of(checks: &[Check]) -> Result<Proof> {
    let failed: Vec<&Check> = checks.iter().filter(|c| c.verdict == Verdict::Fail).collect();
    let of = counted(checks.len(), "check", "checks");
    match failed.first() {
        None => Ok((checks.iter().map(|c| c.checked).sum(), format!("{of} pass"))),
        Some(first) => {
            let why = first.detail.as_deref().unwrap_or_default();
            let names: Vec<&str> = failed.iter().map(|c| c.name.as_str()).collect();
            let answer = format!("{} of {of} failed ({}); {why}", failed.len(), names.join(", "));
            Err(Error::new(ErrorKind::Broken, "check the data", answer))
        }
    }
}
