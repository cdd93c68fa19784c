//! One driver's part of the checks that need all drivers ([`hoap_workload::contribution`]): what its
//! clients saw acknowledged, by its clock, and what it knows of the documents.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hoap_workload::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checked::Before;
use super::kept::Sums;
use super::ledger::{Ledger, Place, Written};
use super::numbers::Told;
use super::shared::{NEVER, Shared};
use crate::workload::Workload;

/// The largest difference assumed between the clocks of drivers. Of two acknowledged writes of two
/// drivers that follow each other more closely, either may be the last one.
const CLOCKS: Duration = Duration::from_secs(1);

/// What a driver leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// The workload file.
    pub file: PathBuf,
    /// The digest of its operations.
    actions: String,
    /// The weights of the operations, by their places.
    pub weights: Vec<(usize, f64)>,
    /// What was there before the run; `None` if the data was as loaded.
    before: Option<Found>,
    /// The sums before the run, with their collections and fields.
    sums: Vec<((usize, usize), i64)>,
    /// Of each collection what documents there are.
    numbers: Vec<Told>,
    written: Vec<(Place, Vec<(usize, Written)>)>,
    added: Vec<((usize, usize), Written)>,
}

/// [`Before`] as lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Found {
    counts: Vec<u64>,
    documents: Vec<(Place, Option<Vec<Value>>)>,
}

impl Contribution {
    /// That of a driver whose clients share this, and saw this acknowledged.
    pub fn of(
        file: &Path,
        shared: &Shared,
        (before, sums): (Option<&Before>, &Sums),
        ledger: &Ledger,
    ) -> Contribution {
        let began = SystemTime::now().checked_sub(shared.epoch.elapsed()).unwrap_or(UNIX_EPOCH);
        let began = began.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as i64;
        let entries = ledger.written.iter();
        let mut written: Vec<_> = entries.map(|(place, of)| (*place, of.clone())).collect();
        written.iter_mut().flat_map(|(_, of)| of).for_each(|(_, of)| of.set_on(began));
        written.sort_unstable_by_key(|(place, _)| *place);
        let mut added: Vec<_> = ledger.added.iter().map(|(of, sum)| (*of, sum.clone())).collect();
        added.sort_unstable_by_key(|(place, _)| *place);
        let found = |of: &Before| {
            let documents = of.documents.iter();
            let mut documents: Vec<_> =
                documents.map(|(place, values)| (*place, values.clone())).collect();
            documents.sort_unstable_by_key(|(place, _)| *place);
            Found { counts: of.counts.clone(), documents }
        };
        let mut sums: Vec<_> = sums.iter().map(|(place, sum)| (*place, *sum)).collect();
        sums.sort_unstable();
        Contribution {
            file: std::path::absolute(file).unwrap_or_else(|_| file.to_owned()),
            actions: shared.workload.file.actions.clone(),
            weights: shared.weights.clone(),
            before: before.map(found),
            sums,
            numbers: shared.numbers.iter().map(|of| of.told()).collect(),
            written,
            added,
        }
    }

    /// The same by a clock that is behind the driver's by so many nanoseconds.
    #[must_use]
    pub fn set_back(mut self, ahead: i64) -> Contribution {
        let all = self.written.iter_mut().flat_map(|(_, of)| of);
        all.for_each(|(_, of)| of.set_on(ahead.saturating_neg()));
        self
    }

    /// Which part of the run it is.
    fn part(&self) -> u64 {
        self.numbers.first().map_or(0, Told::part)
    }

    /// Refuses what is none of a workload: `name` is its file's.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`], naming the file.
    pub fn fits(&self, name: &str, workload: &Workload) -> Result<()> {
        let plan = &workload.plan;
        let fields = |at: usize| plan.changes.get(at).map_or(0, |changes| changes.fields.len());
        let field = |(at, field): &(usize, usize)| *field < fields(*at);
        let end = |at: usize| plan.collections.get(at).map_or(0, |of| of.count + NEVER);
        let place = |(at, number): &Place| workload.stored.contains(at) && *number < end(*at);
        let writes = |(of, fields): &(Place, Vec<(usize, Written)>)| {
            place(of) && fields.iter().all(|(at, _)| field(&(of.0, *at)))
        };
        let found = |of: &Found| {
            let values = |(of, values): &(Place, Option<Vec<Value>>)| {
                place(of) && values.as_ref().is_none_or(|values| values.len() == fields(of.0))
            };
            // Nobody counted at some levels, and but for the first driver.
            let counts = [0, workload.stored.len()].contains(&of.counts.len());
            counts && of.documents.iter().all(values)
        };
        let weights = |(at, _): &(usize, f64)| *at < plan.operations.len();
        let told = |(at, told): (usize, &Told)| told.is_below(end(at));
        let sound = self.numbers.len() == plan.collections.len()
            && self.numbers.iter().enumerate().all(told)
            && self.written.iter().all(writes)
            && self.added.iter().all(|(of, _)| field(of))
            && self.sums.iter().all(|(of, _)| field(of))
            && self.before.as_ref().is_none_or(found)
            && self.weights.iter().all(weights);
        let answer = match (self.actions == workload.file.actions, sound) {
            (true, true) => return Ok(()),
            (true, false) => "it has documents or fields that the workload file does not have",
            (false, _) => "the operations of the workload file have changed since",
        };
        let tried = format!("hold {name} against {}", self.file.display());
        Err(Error::new(ErrorKind::Invalid, tried, answer)
            .advise("merge with the workload file as it was for the run"))
    }
}

/// What all drivers know together.
pub struct Joined {
    /// What clients of one driver would share.
    pub shared: Shared,
    /// What was seen acknowledged.
    pub ledger: Ledger,
    /// What was there before the run, as the first driver found it.
    pub before: Option<Before>,
    /// The sums before the run.
    pub sums: Sums,
}

impl Joined {
    /// That of drivers, each of which [`Contribution::fits`]: `shared` has nobody's documents.
    pub fn of(mut shared: Shared, mut drivers: Vec<Contribution>) -> Joined {
        let mut ledger = Ledger { clocks: CLOCKS.as_nanos() as u64, ..Ledger::default() };
        let (mut before, mut sums) = (None, Sums::new());
        for of in &mut shared.numbers {
            *of = of.joined();
        }
        drivers.sort_by_key(Contribution::part);
        for (at, driver) in drivers.into_iter().enumerate() {
            if at == 0 {
                sums.extend(driver.sums);
                before = driver.before.map(|of| Before {
                    counts: of.counts,
                    documents: of.documents.into_iter().collect(),
                });
            }
            let (written, added) = (driver.written, driver.added);
            ledger.merge(Ledger {
                written: written.into_iter().collect(),
                added: added.into_iter().collect(),
                clocks: 0,
            });
            shared.numbers.iter_mut().zip(driver.numbers).for_each(|(of, told)| of.join(told));
        }
        Joined { shared, ledger, before, sums }
    }
}
