//! A database that fails while a run goes on: waiting for it, and saying what cannot be known.

use std::time::{Duration, Instant};

use hoap_record::{Check, Run, Verdict};
use hoap_workload::{Error, ErrorKind};

use crate::caller::Setting;
use crate::flags::FaultArgs;

/// Wait between two attempts.
const REST: Duration = Duration::from_millis(500);
/// How often the data is read again in which a commit may have taken effect meanwhile, and the wait
/// before.
const AGAIN: u32 = 3;
const SETTLING: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 2000 });

/// Checks the data after the run, again while the database cannot be reached, until the limit has
/// passed. Only a second Ctrl-C ends this early. Says that it checks.
///
/// # Errors
/// Returns the errors of `work`.
pub async fn checking<T>(
    setting: &Setting<'_>,
    work: impl AsyncFnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    setting.say("checking the data after the run");
    patiently(setting, work).await
}

async fn patiently<T>(
    setting: &Setting<'_>,
    mut work: impl AsyncFnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    let limit = setting.common.faults.recovery_limit;
    let start = Instant::now();
    let mut told = false;
    loop {
        match work().await {
            Err(e) if is_unreachable(&e) && start.elapsed() < limit.0 => {
                if !std::mem::replace(&mut told, true) {
                    setting.say(format!("  waiting up to {limit} for the database: {e}"));
                }
                tokio::time::sleep(REST).await;
            }
            end => return end,
        }
    }
}

/// Checks the data again, at most so often, where a check failed and commits have an unknown
/// outcome: the server may complete one of them between two reads, whose sums then differ. What is
/// lost stays lost, also if the data cannot be read again.
///
/// # Errors
/// Returns the error of the first `check`.
pub async fn settled<T>(
    setting: &Setting<'_>,
    unsure: bool,
    mut check: impl AsyncFnMut() -> Result<(Vec<Check>, T), Error>,
) -> Result<(Vec<Check>, T), Error> {
    let mut end = check().await?;
    for _ in 0..AGAIN {
        let failed = end.0.iter().any(|check| check.verdict == Verdict::Fail);
        if !failed || !unsure || setting.is_stopped() {
            break;
        }
        setting.say("  a check failed while commits of unknown outcome may have taken effect");
        tokio::time::sleep(SETTLING).await;
        match check().await {
            Ok(again) => end = again,
            Err(e) => {
                setting.say(format!("  it stays failed: the data was not checked again: {e}"));
                break;
            }
        }
    }
    Ok(end)
}

/// Whether the database may answer later.
pub fn is_unreachable(e: &Error) -> bool {
    matches!(e.kind, ErrorKind::Unavailable | ErrorKind::Timeout)
}

/// The checks of a database after the run. One that could not be reached is a failed check: nobody
/// knows whether it holds what it acknowledged. So is one that answers and has lost a collection.
///
/// # Errors
/// Returns every other error.
pub fn or_unknown(
    args: &FaultArgs,
    checks: Result<Vec<Check>, Error>,
) -> Result<Vec<Check>, Error> {
    match or_gone(checks) {
        Err(e) if is_unreachable(&e) => {
            let limit = args.recovery_limit;
            let detail = format!("UNKNOWN: nothing could be checked within {limit}: {e}");
            Ok(vec![failed("database reachable", detail)])
        }
        checks => checks,
    }
}

/// The checks of a database after the run. A collection that is gone is a failed check: what was
/// acknowledged of it is lost.
///
/// # Errors
/// Returns every other error.
pub fn or_gone(checks: Result<Vec<Check>, Error>) -> Result<Vec<Check>, Error> {
    match checks {
        Err(e) if e.kind == ErrorKind::Missing => {
            // Its advice is to load, which is for those who have not run yet.
            let detail = format!("the collection is gone: {}: {}", e.tried, e.answer);
            Ok(vec![failed("nothing lost", detail)])
        }
        checks => checks,
    }
}

fn failed(name: &str, detail: String) -> Check {
    Check {
        when: "after the run".into(),
        name: name.into(),
        compares: "whether everything acknowledged is there".into(),
        verdict: Verdict::Fail,
        checked: 0,
        detail: Some(detail),
    }
}

/// The end of a run that an error ended early. A failed check comes before the error, which the
/// record keeps: the run ends as one whose numbers are void.
///
/// # Errors
/// Returns the error where no check has failed.
pub fn unless_void(run: &Run, error: Error) -> Result<(), Error> {
    if run.checks.iter().any(|check| check.verdict == Verdict::Fail) { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::tests::Nobody;
    use crate::flags::Common;
    use crate::flags::tests::parse;

    fn common(limit: &str) -> Common {
        parse(&format!("--recovery-limit {limit}"))
    }

    /// Does work that fails so often with this kind of error.
    fn work(limit: &str, fails: usize, kind: ErrorKind) -> (Result<usize, Error>, usize) {
        let (caller, common) = (Nobody::default(), common(limit));
        let setting = Setting { caller: &caller, common: &common, repetition: None };
        let mut attempts = 0;
        let end = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let end = end.block_on(patiently(&setting, async || {
            attempts += 1;
            match attempts > fails {
                true => Ok(attempts),
                false => Err(Error::new(kind, "scan orders", "connection refused")),
            }
        }));
        (end, attempts)
    }

    #[test]
    fn a_database_that_cannot_be_reached_is_waited_for_and_any_other_error_is_not() {
        assert_eq!(work("1m", 2, ErrorKind::Unavailable).0.unwrap(), 3);
        let (end, attempts) = work("1m", 9, ErrorKind::Broken);
        assert_eq!((end.unwrap_err().kind, attempts), (ErrorKind::Broken, 1));
        let (end, attempts) = work("1m", 9, ErrorKind::Missing);
        assert_eq!((end.unwrap_err().kind, attempts), (ErrorKind::Missing, 1));
        let (end, attempts) = work("600ms", 1_000, ErrorKind::Timeout);
        assert_eq!(end.unwrap_err().kind, ErrorKind::Timeout);
        assert!((2..=4).contains(&attempts), "{attempts}");
    }

    /// The verdict of checks of which the first ones fail, and how often the data was read; from
    /// read number `gone` on, counted from 1, it cannot be.
    fn settling(unsure: bool, fails: usize, gone: usize) -> (Verdict, usize) {
        let (caller, common) = (Nobody::default(), common("1m"));
        let setting = Setting { caller: &caller, common: &common, repetition: None };
        let mut reads = 0;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let end = runtime.unwrap().block_on(settled(&setting, unsure, async || {
            reads += 1;
            if reads >= gone {
                return Err(Error::new(
                    ErrorKind::Unavailable,
                    "scan orders",
                    "connection refused",
                ));
            }
            let check = failed("stock counts", String::new());
            let verdict = if reads > fails { Verdict::Pass } else { Verdict::Fail };
            Ok((vec![Check { verdict, ..check }], ()))
        }));
        (end.unwrap().0[0].verdict, reads)
    }

    #[test]
    fn a_commit_of_unknown_outcome_may_take_effect_while_the_data_is_read_and_a_loss_stays() {
        assert_eq!(settling(true, 0, 99), (Verdict::Pass, 1));
        assert_eq!(settling(true, 2, 99), (Verdict::Pass, 3));
        assert_eq!(settling(true, 99, 99), (Verdict::Fail, 4));
        assert_eq!(settling(false, 1, 99), (Verdict::Fail, 1));
        assert_eq!(settling(true, 99, 2), (Verdict::Fail, 2), "what failed before stays");
    }

    #[test]
    fn what_could_not_be_checked_is_a_failed_check_that_says_unknown() {
        let error = |kind| Err(Error::new(kind, "scan orders", "connection refused"));
        let checks = or_unknown(&common("1m").faults, error(ErrorKind::Unavailable)).unwrap();
        assert_eq!((checks.len(), checks[0].verdict), (1, Verdict::Fail));
        let detail = checks[0].detail.as_deref().unwrap();
        assert!(
            detail.starts_with("UNKNOWN: ") && detail.contains("connection refused"),
            "{detail}"
        );
        assert!(or_unknown(&common("1m").faults, error(ErrorKind::Broken)).is_err());
        assert!(or_gone(error(ErrorKind::Unavailable)).is_err());
        assert_eq!(or_unknown(&common("1m").faults, Ok(Vec::new())).unwrap(), []);
    }

    #[test]
    fn a_collection_that_is_gone_is_known_to_be_lost() {
        let error = Error::new(ErrorKind::Missing, "scan orders in x", "no such table: orders");
        let checks =
            or_unknown(&common("1m").faults, Err(error.advise("run `hoap load` first"))).unwrap();
        let [check] = &checks[..] else { panic!("{checks:?}") };
        assert_eq!((check.name.as_str(), check.verdict), ("nothing lost", Verdict::Fail));
        let gone = "the collection is gone: scan orders in x: no such table: orders";
        assert_eq!(check.detail.as_deref(), Some(gone));
    }
}
