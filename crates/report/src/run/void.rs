//! Void and failed runs. A run is void where a check of its data or its answers failed: its numbers
//! are marked where they are shown, and are neither compared, averaged nor priced. It failed where
//! it broke a bound: its numbers are those of what ran, and are marked.

use hoap_record::words::counted;
use hoap_record::{Check, Remark, RemarkId, Run, Verdict};
use hoap_record::{Error, ErrorKind, Result};

pub use hoap_record::remark::{FAILED, VOID};

/// The check whose failure voids the numbers of the run: the first one that failed and is of no
/// bound. A line of the audit voids nothing; it says that what ran is not the benchmark.
pub fn void(run: &Run) -> Option<&Check> {
    failed(run).find(|check| !check.is_of_bound())
}

fn failed(run: &Run) -> impl Iterator<Item = &Check> {
    run.checks.iter().filter(|check| check.verdict == Verdict::Fail)
}

/// The mark of a run's numbers, with the check that it is for: of a void run, or else of one that
/// failed.
pub fn marked(run: &Run) -> Option<(&'static str, &Check)> {
    let of_void = void(run).map(|check| (VOID, check));
    of_void.or_else(|| failed(run).next().map(|check| (FAILED, check)))
}

/// The mark of a run's numbers, if they have one.
pub fn mark(run: &Run) -> Option<&'static str> {
    marked(run).map(|(mark, _)| mark)
}

/// The check that failed, in a few words: `check "condition 9" failed`.
pub fn cause(run: &Run) -> Option<String> {
    Some(format!("check \"{}\" failed", marked(run)?.1.name))
}

/// The check that failed, what it found, and how many others failed.
pub fn reason(run: &Run) -> Option<String> {
    let (_, check) = marked(run)?;
    let found = check.detail.as_deref().unwrap_or(&check.compares);
    let others = match failed(run).count() - 1 {
        0 => String::new(),
        n => format!("; {} failed", counted(n, "more check", "more checks")),
    };
    Some(format!("{}: {found}{others}", cause(run)?))
}

/// The remark that the run is void, or else that it failed.
pub fn remark(run: &Run) -> Option<Remark> {
    let id = void(run).map_or(RemarkId::BoundBroken, |_| RemarkId::CheckFailed);
    Some(Remark::new(id, reason(run)?))
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
    match (void(run), reason(run)) {
        (Some(_), Some(reason)) => {
            Err(Error::new(ErrorKind::Broken, tried(), format!("{VOID}: {reason}"))
                .advise("a void run has no numbers: find out why the check failed, and run again"))
        }
        _ => Ok(()),
    }
}
