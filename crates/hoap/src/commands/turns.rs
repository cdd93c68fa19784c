//! What is left of several runs while one of them goes on.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hoap_conduct::plan::Plan;
use hoap_conduct::schedule::{Ran, Span};

/// The runs of a command.
#[derive(Default)]
pub struct Turns(Mutex<Option<Runs>>);

struct Runs {
    /// What a run takes: that of its steps, until one has ended.
    each: Span,
    /// How many follow the one that goes on.
    follow: usize,
    begun: Instant,
}

impl Turns {
    /// So many runs of this plan will be made.
    pub fn planned(&self, plan: &Plan, times: usize) {
        let each = Span::time_left(plan, 0, &Ran::default());
        let follow = times.saturating_sub(1);
        *self.lock() = Some(Runs { each, follow, begun: Instant::now() });
    }

    /// The next one begins; so many have ended. How long they took.
    pub fn next(&self, ended: usize) -> Duration {
        let mut runs = self.lock();
        let Some(runs) = runs.as_mut() else { return Duration::ZERO };
        let Some(took) = runs.begun.elapsed().checked_div(u32::try_from(ended).unwrap_or(0)) else {
            return Duration::ZERO;
        };
        runs.each = Span::known(took);
        runs.follow = runs.follow.saturating_sub(1);
        runs.begun.elapsed()
    }

    /// What the runs take that follow.
    pub fn left(&self) -> Span {
        let runs = self.lock();
        let follow = runs.as_ref().filter(|runs| runs.follow > 0);
        let left = |runs: &Runs| runs.each.times(u32::try_from(runs.follow).unwrap_or(u32::MAX));
        follow.map(left).unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Runs>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_expected_as_planned_and_then_as_the_runs_took() {
        let turns = Turns::default();
        assert_eq!((turns.next(3), turns.left()), (Duration::ZERO, Span::default()));
        let begun = Instant::now();
        let each = Span::known(Duration::from_secs(8));
        *turns.0.lock().unwrap() = Some(Runs { each, follow: 2, begun });
        assert_eq!(turns.next(0), Duration::ZERO);
        assert_eq!(turns.left(), Span::known(Duration::from_secs(16)));
        std::thread::sleep(Duration::from_millis(20));
        assert!(turns.next(1) >= Duration::from_millis(20));
        let one = turns.left();
        assert!(one.time >= Duration::from_millis(20) && one.time < each.time && !one.open);
        turns.next(2);
        assert_eq!(turns.left().time, Duration::ZERO);
    }
}
