//! Whether the throughput of a phase has a level.

use hoap_record::LevelChange;
use hoap_record::folder::seconds;
use hoap_record::level::{self, Change};

use crate::plan::{Pace, Phase, StepPlan, Tick};

/// The throughput of the transactions in a phase, tick by tick.
#[derive(Default)]
pub(crate) struct Throughput {
    per_second: Vec<f64>,
    settled: bool,
}

impl Throughput {
    /// Adds a tick of the phase. One that is shorter than half of what was planned tells little.
    pub fn add(&mut self, tick: &Tick<'_>) {
        if 2 * tick.length >= tick.plan.tick {
            self.per_second.push(tick.tx_per_second);
        }
        if tick.phase == Phase::Warmup && tick.plan.until_level {
            self.settled = level::is_settled(&self.per_second);
        }
    }

    /// Begins with the next phase, and still knows how the warm-up ended.
    pub fn next_phase(self) -> Throughput {
        Throughput { per_second: Vec::new(), ..self }
    }

    /// Whether it was at a level when the last tick of the warm-up ended.
    pub fn settled(&self) -> bool {
        self.settled
    }

    /// How it changed in a measured window, if it did. An open loop has the throughput that it is
    /// given.
    pub fn change(&self, plan: &StepPlan) -> Option<LevelChange> {
        if plan.pace != Pace::Closed || plan.tx_clients == 0 {
            return None;
        }
        let Change { drift, at, before, after } = level::change(&self.per_second)?;
        let at_seconds = seconds(plan.tick.mul_f64(at as f64));
        let tenth = |rate: f64| (rate * 10.0).round() / 10.0;
        Some(LevelChange { drift, at_seconds, before: tenth(before), after: tenth(after) })
    }
}
