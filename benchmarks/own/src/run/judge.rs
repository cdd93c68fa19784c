//! The checks of the documents, before a run and after it.

use std::cell::RefCell;

use hoap_database::Database;
use hoap_record::Check;
use hoap_workload::Result;
use hoap_workload::checks::{self, At, Level, Reading, Watch};

use super::checked::{Before, Owed};
use super::kept::{self, Sums};
use super::ledger::Ledger;
use super::shared::Shared;

/// The documents of a run.
pub struct Judge<'a> {
    /// Where they are.
    pub target: &'a Database,
    /// How much of them is read.
    pub level: Level,
    /// What all clients share.
    pub shared: &'a Shared,
    /// What earlier runs have left; `None` if the data was as loaded.
    pub before: Option<&'a RefCell<Before>>,
    /// The sums of fields over collections before the run.
    pub sums: &'a RefCell<Sums>,
}

impl Judge<'_> {
    /// Checks them: without a ledger before the run, and takes the sums then.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn checks(
        &self,
        ledger: Option<&Ledger>,
        (when, watch): (&str, &Watch<'_>),
    ) -> Result<Vec<Check>> {
        let Judge { target, level, shared, before, .. } = *self;
        let workload = shared.workload;
        let most = workload.stored.iter().map(|at| workload.plan.collections[*at].count).max();
        let reader = Reading::of(target, most.unwrap_or(0), watch).await?;
        let at = At { target, level, when, watch };
        let whole = matches!(reader, Ok(Reading::Keys(_)));
        let mut checks = checks::all(&at, &Owed { shared, ledger, before, whole }, reader).await?;
        if level == Level::Full {
            let on = (target.documents()?, watch);
            checks.extend(kept::kept(on, workload, when).await?);
            let sums = kept::sums(on, workload).await?;
            match ledger {
                None => *self.sums.borrow_mut() = sums,
                Some(ledger) => {
                    let before = self.sums.borrow();
                    checks.extend(kept::hold_sums(shared, (&before, &sums), ledger, when));
                }
            }
        }
        Ok(checks)
    }
}
