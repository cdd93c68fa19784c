//! A run of which a check failed has no result. Whoever shows, compares, averages or prices the numbers
//! of a run asks here first.

use hoap_record::words::counted;
use hoap_record::{Check, Run, Verdict};
use hoap_record::{Error, ErrorKind, Result};

/// What stands beside every number of a void run.
pub const VOID: &str = "VOID";

/// The check whose failure voids the numbers of the run: the first one that failed. A line of the audit
/// voids nothing; it says that what ran is not the benchmark.
pub fn void(run: &Run) -> Option<&Check> {
    run.checks.iter().find(|check| check.verdict == Verdict::Fail)
}

/// Which check it was, in a few words: `check "condition 9" failed`.
pub fn cause(run: &Run) -> Option<String> {
    Some(format!("check \"{}\" failed", void(run)?.name))
}

/// The same with what the check found, and with the number of others that failed.
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

/// Refuses a void run for what needs its numbers.
///
/// # Errors
/// `Broken`, with the name of the check, where the run is void.
pub fn refuse(run: &Run, tried: impl FnOnce() -> String) -> Result<()> {
    match reason(run) {
        None => Ok(()),
        Some(reason) => Err(Error::new(ErrorKind::Broken, tried(), format!("{VOID}: {reason}"))
            .advise("a void run has no numbers: find out why the check failed, and run again")),
    }
}
