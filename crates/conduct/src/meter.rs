//! What a database's driver counts within the measured window of a step, and the window of what is
//! observed beside it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hoap_database::Database;
use hoap_drive::{Observer, Phase, StepPlan, Tick};
use hoap_observe::{MetricBound, MetricWatch};

type Usage = BTreeMap<String, f64>;

/// Reads the counts where the measured window begins and ends, and hands on what it sees of the
/// step.
pub struct Meter<'a> {
    observer: &'a dyn Observer,
    target: &'a Database,
    observed: &'a MetricWatch,
    /// What ends the warm-up, if a metric does, and when the warm-up began.
    until: Option<(&'a MetricBound, Mutex<Instant>)>,
    found: Mutex<String>,
    /// At the beginning and at the end.
    counts: Mutex<(Usage, Usage)>,
}

impl<'a> Meter<'a> {
    /// Of this database and these servers, for this observer.
    pub fn new(
        observer: &'a dyn Observer,
        target: &'a Database,
        observed: &'a MetricWatch,
        until: Option<&'a MetricBound>,
    ) -> Self {
        let until = until.map(|bound| (bound, Mutex::new(Instant::now())));
        let (found, counts) = Default::default();
        Meter { observer, target, observed, until, found, counts }
    }

    /// What the series that were to end the warm-up were when the measured window began.
    pub fn found(&self) -> String {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.clone()
    }

    /// What was counted in between. Empty where the database counts nothing.
    pub fn used(&self) -> Usage {
        let (before, after) = &*self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let since = |(name, amount): (&String, &f64)| {
            (name.clone(), amount - before.get(name).copied().unwrap_or_default())
        };
        after.iter().map(since).collect()
    }
}

impl Observer for Meter<'_> {
    fn phase(&self, step: &StepPlan, phase: Phase) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match phase {
            Phase::Warmup => {
                if let Some((_, began)) = &self.until {
                    *began.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                }
            }
            Phase::Measured => {
                if let Some((bound, _)) = &self.until {
                    *self.found.lock().unwrap_or_else(PoisonError::into_inner) =
                        self.observed.values(bound);
                }
                self.observed.begin();
                counts.0 = self.target.usage();
            }
            Phase::Ended => {
                self.observed.end();
                counts.1 = self.target.usage();
            }
            _ => {}
        }
        drop(counts);
        self.observer.phase(step, phase);
    }

    fn tick(&self, tick: &Tick<'_>) {
        self.observer.tick(tick);
    }

    fn warm(&self) -> bool {
        self.until.as_ref().is_some_and(|(bound, began)| {
            let began = *began.lock().unwrap_or_else(PoisonError::into_inner);
            self.observed.passed(bound, began)
        })
    }
}
