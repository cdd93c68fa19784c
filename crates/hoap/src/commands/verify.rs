//! `hoap verify`: consistency conditions and answers.

use hoap_ch2::run::verify::{Verified, Verify, checks};
use hoap_record::{Check, Verdict};
use hoap_workload::words::counted;
use serde_json::json;

use super::context::Context;
use crate::args::OrFile;
use crate::failure::Failure;

/// Checks a benchmark's documents, or those of a workload file.
pub async fn any(
    context: &Context,
    args: &OrFile<Verify, hoap_own::verify::Verify>,
) -> Result<(), Failure> {
    match args {
        OrFile::Named(args) => verify(context, args).await,
        OrFile::File(args) => {
            let checks = hoap_own::verify::checks(context, args).await?;
            context.result(&json!({ "checks": checks }), || hoap_report::check_lines(&checks));
            verdict(&Verified { checks, unanswered: Vec::new() })
        }
    }
}

/// Checks, prints each check, and fails where one failed.
async fn verify(context: &Context, args: &Verify) -> Result<(), Failure> {
    let verified = checks(context, args).await?;
    let checks = &verified.checks;
    context.result(&json!({ "checks": checks }), || hoap_report::check_lines(checks));
    verdict(&verified)
}

/// Fails where a check failed. Where all that failed is that queries gave no answer, it fails as
/// the first of them.
pub fn verdict(Verified { checks, unanswered }: &Verified) -> Result<(), Failure> {
    let failed = checks.iter().filter(|c| c.verdict == Verdict::Fail).count();
    let told = format!("{failed} of {} failed", counted(checks.len(), "check", "checks"));
    match unanswered.first() {
        _ if failed == 0 => Ok(()),
        Some(first) if failed == unanswered.len() => {
            Err(Failure::from(first.clone()).because(&told))
        }
        _ => Err(Failure::check(told)),
    }
}

/// "58 checks: 56 pass, 2 skipped".
pub fn in_short(checks: &[Check]) -> String {
    let count = |verdict| checks.iter().filter(|c| c.verdict == verdict).count();
    let all = counted(checks.len(), "check", "checks");
    let mut text = format!("{all}: {} pass", count(Verdict::Pass));
    for (verdict, word) in [(Verdict::Fail, "fail"), (Verdict::Skip, "skipped")] {
        match count(verdict) {
            0 => {}
            n => text.push_str(&format!(", {n} {word}")),
        }
    }
    text
}
