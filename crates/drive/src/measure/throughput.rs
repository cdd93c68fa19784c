//! Whether the throughput of a phase has a level.

use hoap_record::LevelChange;
use hoap_record::folder::seconds;
use hoap_record::level::{self, Change};

use crate::plan::{Observer, Pace, Phase, StepPlan, Tick, WarmAt};

/// The throughput of the transactions in a phase, tick by tick.
#[derive(Default)]
pub(crate) struct Throughput {
    per_second: Vec<f64>,
    settled: bool,
}

impl Throughput {
    /// Adds a tick of the phase. One that is shorter than half of what was planned tells little.
    pub fn add(&mut self, tick: &Tick<'_>, observer: &dyn Observer) {
        if 2 * tick.length >= tick.plan.tick {
            self.per_second.push(tick.tx_per_second);
        }
        if tick.phase == Phase::Warmup {
            self.settled = match tick.plan.warm_at {
                WarmAt::Time => false,
                WarmAt::Level => level::is_settled(&self.per_second),
                WarmAt::Word => observer.warm(),
            };
        }
    }

    /// Begins with the next phase, and still knows how the warm-up ended.
    pub fn next_phase(self) -> Throughput {
        Throughput { per_second: Vec::new(), ..self }
    }

    /// Whether what was to end the warm-up was there when its last tick ended.
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
