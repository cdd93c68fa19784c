//! `hoap merge`: what all drivers saw acknowledged, against the database.

use std::cell::RefCell;

use hoap_conduct::faults::or_gone;
use hoap_conduct::offer::Drivers;
use hoap_data::Part;
use hoap_databases::open;
use hoap_record::merge::Joint;
use hoap_workload::Result;
use hoap_workload::checks::watch::ALONE;
use hoap_workload::checks::{At, Level};

use super::contribution::{Contribution, Joined};
use super::judge::Judge;
use super::shared::Shared;
use crate::load::loaded;

/// Holds what drivers of a workload file left against the database.
///
/// # Errors
/// Refuses what they left if it is of other data, other operations or another mix; fails if the
/// workload file is not where it was.
pub async fn joint(drivers: &Drivers<'_>) -> Result<Joint> {
    let left = drivers.ledgers::<Contribution>()?;
    let Some((_, first)) = left.first() else { return Ok(Joint::default()) };
    let (file, weights) = (first.file.clone(), first.weights.clone());
    let target = open(drivers.url).await?;
    let (workload, note) = loaded(&target, &file, "merge runs of").await?;
    drivers.same_data(&note.data)?;
    let mut all = Vec::new();
    for ((name, driver), ahead) in left.into_iter().zip(drivers.clocks()?) {
        driver.fits(&name, workload)?;
        if driver.weights != weights {
            return Err(drivers.refuse(&format!("{name} is of another mix of operations")));
        }
        all.push(driver.set_back(ahead));
    }
    drivers.caller.say("checking the data after all runs");
    let shared = Shared::new(workload, &weights, (false, 0, Part::WHOLE));
    let Joined { shared, ledger, before, sums } = Joined::of(shared, all);
    let (before, sums) = (before.as_ref(), &RefCell::new(sums));
    let level = Level::of_run(drivers.first)?;
    let at = At { target: &target, level, when: "after the run", watch: &ALONE };
    let checks = Judge { shared: &shared, before, sums }.checks(&at, Some(&ledger)).await;
    Ok(Joint { checks: or_gone(checks)?, ..Joint::default() })
}
