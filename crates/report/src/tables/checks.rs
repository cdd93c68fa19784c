//! Tables of checks and of the audit of the mix.

use hoap_record::check::ChecksRead;
use hoap_record::{AuditLine, Check, Run};

use super::by_run::{OfRun, items, sheet};
use crate::format::number::Unit;
use crate::format::table::{Cell, Table};
use crate::run::Entry;
use crate::run::void::verdicts;

/// Every check with its verdict.
pub fn checks(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "checks", "Checks")
        .text("when", |of: &OfRun<&Check>| of.item.when.clone())
        .text("check", |of| of.item.name.clone())
        .text("compares", |of| of.item.compares.clone())
        .number("places", Unit::Count, |of| of.item.checked as f64)
        .cells("verdict", None, |of| Cell::Verdict(of.item.verdict))
        .text("detail", |of| of.item.detail.clone().unwrap_or_default())
        .rows(items(entries, |run| run.checks.iter().collect()))
}

/// What the checks read, which may have warmed caches for what was measured after them.
pub fn checks_read(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "checks-read", "What the checks read, and so may have put into caches")
        .text("checks", |of: &OfRun<&ChecksRead>| of.item.when.clone())
        .number("documents", Unit::Count, |of| of.item.documents as f64)
        .number("bytes", Unit::Bytes, |of| of.item.bytes as f64)
        .number("took", Unit::Seconds, |of| of.item.seconds)
        .rows(items(entries, |run| run.checks_read.iter().collect()))
}

/// The audit of the mix (TPC-C 9.2).
pub fn audit(entries: &[Entry<'_>]) -> Table {
    sheet(entries, "audit", "Audit of the mix (TPC-C 9.2)")
        .text("share", |of: &OfRun<&AuditLine>| of.item.name.clone())
        .text("clause", |of| of.item.clause.clone())
        .wide()
        .text("seen", |of| of.item.seen.clone())
        .text("wanted", |of| of.item.wanted.clone())
        .cells("verdict", None, |of| Cell::Verdict(of.item.verdict))
        .rows(items(entries, |run| run.audit.iter().collect()))
}

/// A family of checks: its name for one, for many, and the check names that belong to it.
type Family = (&'static str, &'static str, fn(&str) -> bool);

/// The checks of one moment in one sentence: ("after the run", "12 conditions, 2 ledger checks: all
/// pass").
pub fn groups(run: &Run) -> Vec<(String, String)> {
    let mut moments: Vec<&str> = Vec::new();
    for check in &run.checks {
        if !moments.contains(&check.when.as_str()) {
            moments.push(&check.when);
        }
    }
    let families: [Family; 4] = [
        ("condition", "conditions", |n| n.starts_with("condition")),
        ("ledger check", "ledger checks", |n| n.starts_with("nothing ")),
        ("answer", "answers", |n| n.starts_with("answer")),
        ("other check", "other checks", |_| true),
    ];
    moments
        .into_iter()
        .map(|when| {
            // Where there is nothing to tell them from, others are just checks.
            let alone =
                run.checks.iter().all(|c| !families[..3].iter().any(|(_, _, of)| of(&c.name)));
            let here: Vec<&Check> = run.checks.iter().filter(|c| c.when == when).collect();
            let mut counts = [0usize; 4];
            for check in &here {
                let family = families.iter().position(|(_, _, of)| of(&check.name)).unwrap_or(3);
                counts[family] += 1;
            }
            let what: Vec<String> = families
                .iter()
                .zip(counts)
                .filter(|(_, n)| *n > 0)
                .map(|((one, many, _), n)| {
                    let name = if n == 1 { one } else { many };
                    format!("{n} {}", if alone { name.trim_start_matches("other ") } else { name })
                })
                .collect();
            (when.to_string(), format!("{}: {}", what.join(", "), verdicts(here.iter().copied())))
        })
        .collect()
}
