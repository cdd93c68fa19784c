//! What a database's driver counts, and how long a CPU limit holds hoap back, within the measured
//! window of a step.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hoap_drive::{Observer, Phase, StepPlan, Tick, held_back};
use hoap_workload::capability::Target;

type Usage = BTreeMap<String, f64>;

/// Reads the counts where the measured window begins and ends, and hands on what it sees of the step.
pub struct Meter<'a> {
    observer: &'a dyn Observer,
    target: &'a dyn Target,
    /// At the beginning and at the end.
    counts: Mutex<(Counts, Counts)>,
}

#[derive(Default)]
struct Counts {
    usage: Usage,
    held_back: Option<Duration>,
}

impl<'a> Meter<'a> {
    /// Of this database, for this observer.
    pub fn new(observer: &'a dyn Observer, target: &'a dyn Target) -> Self {
        Meter { observer, target, counts: Mutex::default() }
    }

    /// What was counted in between. Empty where the database counts nothing.
    pub fn used(&self) -> Usage {
        let (before, after) = &*self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let since = |(name, amount): (&String, &f64)| {
            (name.clone(), amount - before.usage.get(name).copied().unwrap_or_default())
        };
        after.usage.iter().map(since).collect()
    }

    /// A warning where a CPU limit (of a container, say) held hoap back for more than a hundredth of
    /// a step of so many seconds: its response times are then the driver's own.
    pub fn slowed(&self, step: &str, seconds: f64) -> Option<String> {
        let (before, after) = &*self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        warning(step, seconds, after.held_back?.saturating_sub(before.held_back?))
    }
}

impl Meter<'_> {
    fn counts(&self) -> Counts {
        Counts { usage: self.target.usage(), held_back: held_back() }
    }
}

fn warning(step: &str, seconds: f64, held_back: Duration) -> Option<String> {
    let time = held_back.as_secs_f64();
    (time > 0.01 * seconds).then(|| {
        format!(
            "{step}: a CPU limit held this driver back for {time:.1} of {seconds:.0} s; its response \
             times are in part the driver's own: give it more CPU, or more drivers"
        )
    })
}

impl Observer for Meter<'_> {
    fn phase(&self, step: &StepPlan, phase: Phase) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match phase {
            Phase::Measured => counts.0 = self.counts(),
            Phase::Ended => counts.1 = self.counts(),
            _ => {}
        }
        drop(counts);
        self.observer.phase(step, phase);
    }

    fn tick(&self, tick: &Tick<'_>) {
        self.observer.tick(tick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_in_which_the_driver_was_held_back_is_told() {
        assert_eq!(warning("4 clients", 60.0, Duration::from_millis(599)), None);
        let told = warning("4 clients", 60.0, Duration::from_millis(2100)).unwrap();
        assert!(told.starts_with("4 clients: a CPU limit held this driver back for 2.1 of 60 s"));
    }
}
