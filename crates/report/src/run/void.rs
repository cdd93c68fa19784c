//! Void runs. A run is void where one of its checks failed: its numbers are marked where they are
//! shown, and are neither compared, averaged nor priced.

use hoap_record::words::counted;
use hoap_record::{Check, Run, Verdict};
use hoap_record::{Error, ErrorKind, Result};

/// The mark of the numbers of a void run.
pub const VOID: &str = "VOID";

/// The check whose failure voids the numbers of the run: the first one that failed. A line of the
/// audit voids nothing; it says that what ran is not the benchmark.
pub fn void(run: &Run) -> Option<&Check> {
    run.checks.iter().find(|check| check.verdict == Verdict::Fail)
}

/// The check that failed, in a few words: `check "condition 9" failed`.
pub fn cause(run: &Run) -> Option<String> {
    Some(format!("check \"{}\" failed", void(run)?.name))
}

/// The check that failed, what it found, and how many others failed.
pub fn reason(run: &Run) -> Option<String> {
    let check = void(run)?;
    let found = check.detail.as_deref().unwrap_or(&check.compares);
    let others = run.checks.iter().filter(|check| check.verdict == Verdict::Fail).count() - 1;
    let others = match others {
        0 => String::new(),
        n => format!("; {} failed", counted(n, "more check", "more checks")),
    };
    Some(format!("{}: {found}{others}", cause(run)?))
}

/// What checks say: `all pass`, or how many did what.
pub fn verdicts<'a>(checks: impl IntoIterator<Item = &'a Check>) -> String {
    let checks: Vec<&Check> = checks.into_iter().collect();
    let count = |verdict| checks.iter().filter(|c| c.verdict == verdict).count();
    let passed = count(Verdict::Pass);
    if passed == checks.len() {
        return "all pass".to_string();
    }
    let parts =
        [(count(Verdict::Fail), "FAIL"), (count(Verdict::Skip), "skipped"), (passed, "pass")];
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// Refuses a void run for what needs its numbers.
///
/// # Errors
/// Returns `Broken`, with the name of the check, where the run is void.
pub fn refuse(run: &Run, tried: impl FnOnce() -> String) -> Result<()> {
    match reason(run) {
        None => Ok(()),
        Some(reason) => Err(Error::new(ErrorKind::Broken, tried(), format!("{VOID}: {reason}"))
            .advise("a void run has no numbers: find out why the check failed, and run again")),
    }
}
