//! The checks of the documents, before a run and after it.

use std::cell::RefCell;

use hoap_record::Check;
use hoap_workload::Result;
use hoap_workload::checks::{self, At, Level, Reading};

use super::checked::{Before, Owed};
use super::kept::{self, Sums};
use super::ledger::Ledger;
use super::shared::Shared;

/// What is known of the documents of a run.
pub struct Judge<'a> {
    /// What all clients share.
    pub shared: &'a Shared,
    /// What earlier runs have left; `None` if the data was as loaded.
    pub before: Option<&'a Before>,
    /// The sums of fields over collections before the run.
    pub sums: &'a RefCell<Sums>,
}

impl Judge<'_> {
    /// Checks them: without a ledger before the run, and takes the sums then.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn checks(&self, at: &At<'_>, ledger: Option<&Ledger>) -> Result<Vec<Check>> {
        let Judge { shared, before, sums } = *self;
        let workload = shared.workload;
        let most = workload.stored.iter().map(|at| workload.plan.collections[*at].count).max();
        let reader = Reading::of(at.target, most.unwrap_or(0), at.watch).await?;
        let whole = matches!(reader, Ok(Reading::Keys(_)));
        let mut checks = checks::all(at, &Owed { shared, ledger, before, whole }, reader).await?;
        if at.level == Level::Full {
            let on = (at.target.documents()?, at.watch);
            checks.extend(kept::kept(on, workload, at.when).await?);
            let now = kept::sums(on, workload).await?;
            match ledger {
                None => *sums.borrow_mut() = now,
                Some(ledger) => {
                    let before = sums.borrow();
                    checks.extend(kept::hold_sums(shared, (&before, &now), ledger, at.when));
                }
            }
        }
        Ok(checks)
    }
}
