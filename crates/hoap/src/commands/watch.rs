//! The live line of a step.

use std::cell::RefCell;

use hoap_drive::{Observer, Phase, StepPlan, Tick};

use crate::console::{Bar, Console};

/// Draws what the driver tells.
pub struct Watch {
    console: Console,
    line: RefCell<Option<Bar>>,
}

impl Watch {
    /// A watch on this console.
    pub fn new(console: Console) -> Self {
        Watch { console, line: RefCell::new(None) }
    }
}

impl Observer for Watch {
    fn phase(&self, _step: &StepPlan, phase: Phase) {
        *self.line.borrow_mut() = match phase {
            Phase::Ended => None,
            _ => Some(self.console.line()),
        };
    }

    fn tick(&self, tick: &Tick<'_>) {
        if let Some(line) = &mut *self.line.borrow_mut() {
            line.set(0, text(tick));
        }
    }
}

/// At most 80 columns for all but absurd numbers.
fn text(tick: &Tick<'_>) -> String {
    let mut text = format!("  {} {:>3} s", tick.phase.name(), tick.elapsed.as_secs());
    if tick.plan.tx_clients > 0 {
        let ms = |us: u64| us as f64 / 1000.0;
        text.push_str(&format!(
            "  {:.0} tx/s  p50 {:.1} ms  p99 {:.1} ms",
            tick.tx_per_second,
            ms(tick.p50_us),
            ms(tick.p99_us)
        ));
    }
    if tick.plan.query_clients > 0 {
        let running: Vec<_> = tick.running.iter().flatten().copied().collect();
        let running = match running.as_slice() {
            [] => String::new(),
            few if few.len() <= 2 => format!(", in {}", few.join(" ")),
            many => format!(", {} running", many.len()),
        };
        text.push_str(&format!("  {} queries{running}", tick.queries_finished));
    }
    if tick.failed > 0 {
        text.push_str(&format!("  {} failed", tick.failed));
    }
    text
}
