//! When the steps of a run begin, where somebody names the time: `--start-at` that of the first
//! one, a [caller](crate::Caller::start) whose drivers meet that of each.

use std::path::Path;

use hoap_drive::StepPlan;
use hoap_record::{Clock, Step};
use hoap_workload::Result;
use jiff::Timestamp;

/// When a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// As soon as its clients are connected.
    AtOnce,
    /// Not known yet.
    NotYet,
    /// At this time by this machine's clock.
    At(Timestamp),
}

/// Names the times at which steps begin.
pub trait Start {
    /// When the step begins, whose clients are connected. It is called every few milliseconds until
    /// the step begins.
    ///
    /// # Errors
    /// Ends the run with the error.
    fn named(&self, step: &StepPlan) -> Result<Named>;

    /// The time by the clock that the names are of.
    fn now(&self) -> Timestamp {
        hoap_record::time::now()
    }

    /// What all drivers together measured in a step that this one ran too, with its log in
    /// `folder`. `None` where somebody asked for the end meanwhile.
    ///
    /// # Errors
    /// Ends the run with the error.
    fn joint(&self, step: &Step, _folder: &Path) -> Result<Option<Step>> {
        Ok(Some(step.clone()))
    }

    /// This machine's clock held against that of whoever names the times.
    fn clock(&self) -> Option<Clock> {
        None
    }
}

/// `--start-at`; without it each step begins when its clients are connected.
impl Start for Option<Timestamp> {
    fn named(&self, step: &StepPlan) -> Result<Named> {
        Ok(self.filter(|_| step.number == 1).map_or(Named::AtOnce, Named::At))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hoap_drive::End;

    use super::*;

    fn step(number: usize) -> StepPlan {
        StepPlan::plain(number, 1, End::After(Duration::from_secs(1)))
    }

    #[test]
    fn start_at_names_the_start_of_the_first_step_alone() {
        let at = Timestamp::now();
        assert_eq!(Some(at).named(&step(1)).unwrap(), Named::At(at));
        assert_eq!(Some(at).named(&step(2)).unwrap(), Named::AtOnce);
        assert_eq!(None.named(&step(1)).unwrap(), Named::AtOnce);
    }
}
