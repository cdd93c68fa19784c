//! The live line of a step.

use std::cell::RefCell;

use hoap_drive::{Observer, Phase, StepPlan, Tick};
use hoap_report::number::latency;
use hoap_workload::words::counted;

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
        let unit = if tick.plan.plain { "ops/s" } else { "tx/s" };
        let time = |us: Option<u64>| match us {
            Some(us) => latency(us as f64 / 1e6),
            None => "–".to_owned(),
        };
        let (p50, p99) = tick.times_us.unzip();
        let (p50, p99) = (time(p50), time(p99));
        text.push_str(&format!("  {:.0} {unit}  p50 {p50}  p99 {p99}", tick.tx_per_second));
    }
    if tick.plan.query_clients > 0 {
        let running: Vec<_> = tick.running.iter().flatten().copied().collect();
        let running = match running.as_slice() {
            [] => String::new(),
            few if few.len() <= 2 => format!(", in {}", few.join(" ")),
            many => format!(", {} running", many.len()),
        };
        let queries = counted(tick.queries_finished, "query", "queries");
        text.push_str(&format!("  {queries}{running}"));
    }
    if tick.failed > 0 {
        text.push_str(&format!("  {} failed", tick.failed));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hoap_drive::End;

    use super::*;

    fn tick(plan: &StepPlan, per_second: f64) -> Tick<'_> {
        Tick {
            plan,
            phase: Phase::Measured,
            elapsed: Duration::from_secs(12),
            length: Duration::from_secs(1),
            samples: &[],
            tx_per_second: per_second,
            times_us: (per_second > 0.0).then_some((0, 3_420)),
            failed: 0,
            queries_finished: 1,
            running: vec![],
        }
    }

    #[test]
    fn only_transactions_are_tx_and_a_time_is_of_what_completed() {
        let end = End::After(Duration::from_secs(60));
        let plain = StepPlan::plain(1, 2, end);
        assert_eq!(
            text(&tick(&plain, 1234.4)),
            "  measured  12 s  1234 ops/s  p50 < 1 µs  p99 3.42 ms"
        );
        assert_eq!(text(&tick(&plain, 0.0)), "  measured  12 s  0 ops/s  p50 –  p99 –");
        let hybrid = StepPlan::new(1, 2, 1, end);
        assert_eq!(
            text(&tick(&hybrid, 55.0)),
            "  measured  12 s  55 tx/s  p50 < 1 µs  p99 3.42 ms  1 query"
        );
    }
}
