//! What the runs of a campaign say together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::plan::Kind;
use crate::result::{FaultOutcome, Recounted, RunOutcome, Verdict};

/// All runs together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Faults that occurred.
    pub faults: u64,
    /// By kind.
    pub kinds: Vec<OfKind>,
    /// Runs by verdict.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Operations that succeeded and failed.
    pub operations: u64,
    #[allow(missing_docs)]
    pub failed: u64,
    /// Sums of the recounts: see [`Count`](crate::result::Count).
    pub acknowledged: u64,
    #[allow(missing_docs)]
    pub lost: u64,
    #[allow(missing_docs)]
    pub ambiguous: u64,
    #[allow(missing_docs)]
    pub present: u64,
    #[allow(missing_docs)]
    pub absent: u64,
    #[allow(missing_docs)]
    pub added: u64,
}

/// The faults of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfKind {
    /// What happened.
    pub kind: Kind,
    /// How often.
    pub count: u64,
    /// Times without a success.
    pub outage: Option<Spread>,
    /// The parts of these times after the faults' ends.
    pub recovery: Option<Spread>,
    /// Faults after which nothing succeeded before the next one or the run's end; not of the
    /// driver's.
    pub no_success_after: u64,
    /// Operations that failed.
    pub failed: u64,
}

/// A distribution, seconds: of values in order, those nearest to these ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The longest.
    pub max: f64,
}

impl Spread {
    /// The distribution of these values; `None` of none.
    pub fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        // The nearest rank: the smallest value that so large a share does not exceed.
        let rank = |share: f64| (share * values.len() as f64).ceil() as usize;
        let at = |share: f64| values[rank(share).saturating_sub(1).min(last)];
        Some(Spread { p50: at(0.5), p90: at(0.9), p95: at(0.95), max: values[last] })
    }
}

/// A file may hold any number.
fn add(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}

impl Summary {
    /// The summary of these runs.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a RunOutcome>) -> Summary {
        let mut all = Summary::default();
        let mut kinds: BTreeMap<Kind, Vec<&FaultOutcome>> = BTreeMap::new();
        for run in runs {
            *all.verdicts.entry(run.verdict).or_default() += 1;
            add(&mut all.operations, run.operations);
            add(&mut all.failed, run.failed);
            if let Recounted::Yes(count) = &run.recount {
                add(&mut all.acknowledged, count.acknowledged);
                add(&mut all.lost, count.lost);
                add(&mut all.ambiguous, count.ambiguous);
                add(&mut all.present, count.present);
                add(&mut all.absent, count.absent);
                add(&mut all.added, count.added);
            }
            for fault in &run.faults {
                all.faults += 1;
                kinds.entry(fault.kind).or_default().push(fault);
            }
        }
        all.kinds = kinds.into_iter().map(|(kind, faults)| OfKind::of(kind, &faults)).collect();
        all
    }

    /// The runs in which something was lost, and those of them in which `hoap` found it.
    pub fn losses(&self) -> (u64, u64) {
        let found = self.runs(Verdict::LossFound);
        (found + self.runs(Verdict::LossUnnoticed), found)
    }

    /// The runs with this verdict.
    pub fn runs(&self, verdict: Verdict) -> u64 {
        self.verdicts.get(&verdict).copied().unwrap_or(0)
    }
}

impl OfKind {
    fn of(kind: Kind, faults: &[&FaultOutcome]) -> OfKind {
        let none = faults.iter().filter(|f| f.outage_seconds.is_none()).count() as u64;
        OfKind {
            kind,
            count: faults.len() as u64,
            outage: Spread::of(faults.iter().filter_map(|f| f.outage_seconds).collect()),
            recovery: Spread::of(faults.iter().filter_map(|f| f.recovery_seconds).collect()),
            no_success_after: if kind.is_of_driver() { 0 } else { none },
            failed: faults.iter().fold(0, |sum, f| sum.saturating_add(f.failed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_has_the_values_at_the_nearest_ranks() {
        assert_eq!(Spread::of(Vec::new()), None);
        let spread = |p50, p90, p95, max| Some(Spread { p50, p90, p95, max });
        assert_eq!(Spread::of(vec![3.0]), spread(3.0, 3.0, 3.0, 3.0));
        let values = |most| (1..=most).rev().map(f64::from).collect();
        assert_eq!(Spread::of(values(10)), spread(5.0, 9.0, 10.0, 10.0));
        assert_eq!(Spread::of(values(100)), spread(50.0, 90.0, 95.0, 100.0));
    }
}
