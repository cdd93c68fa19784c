//! Throughput from one run's time series.

use std::collections::BTreeMap;

use hoap_record::{Sample, Step};

use super::{Basis, Estimate, mean_error};

/// Successes of one tick of the measured window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowTick {
    /// Successes, of whatever kinds were asked for.
    pub count: f64,
    /// Length of the tick, seconds.
    pub seconds: f64,
}

/// The ticks of a step's measured window in the order of time, counting `what` of each row.
pub fn window(step: &Step, samples: &[Sample], what: impl Fn(&Sample) -> u64) -> Vec<WindowTick> {
    // Keyed by the end in microseconds, which is what the file keeps.
    let mut ends: BTreeMap<i64, WindowTick> = BTreeMap::new();
    let measured = samples.iter().filter(|s| s.step == step.number && s.phase == "measured");
    for row in measured.filter(|s| s.seconds > 0.0 && s.at_seconds.is_finite()) {
        let tick = ends.entry((row.at_seconds * 1e6).round() as i64);
        let tick = tick.or_insert(WindowTick { count: 0.0, seconds: row.seconds });
        tick.count += what(row) as f64;
    }
    ends.into_values().collect()
}

/// Successes per second over these ticks. Without an error where there are too few of them; `None`
/// where nothing succeeded.
pub fn throughput(ticks: &[WindowTick]) -> Option<Estimate> {
    let seconds: f64 = ticks.iter().map(|t| t.seconds).sum();
    let rate = ticks.iter().map(|t| t.count).sum::<f64>() / seconds;
    // Ticks are not all of one length, the last one least of all: what counts is how far each is
    // from what the rate makes of its length.
    let off: Vec<f64> = ticks.iter().map(|t| t.count - rate * t.seconds).collect();
    let Some(error) = mean_error(&off) else { return Estimate::bare(rate) };
    let mean = rate * seconds / ticks.len() as f64;
    Estimate::new(rate, error.error / mean, error.freedom, Basis::Series(error.effective))
}

#[cfg(test)]
mod tests {
    use hoap_record::GRACE;

    use super::*;

    fn row(at: f64, seconds: f64, kind: &str, count: u64) -> Sample {
        Sample {
            step: 1,
            phase: "measured".into(),
            at_seconds: at,
            seconds,
            kind: kind.into(),
            count,
            failed: 0,
            retries: 0,
            mean_us: 0.0,
            p50_us: 0,
            p99_us: 0,
            max_us: 0,
        }
    }

    /// A stall, also at the end, is ticks of zero; what ended after the window is none of its
    /// ticks.
    #[test]
    fn every_row_of_the_window_is_in_a_tick_and_no_other() {
        let step = Step { number: 1, start_seconds: 2.0, seconds: 3.0, ..Step::default() };
        let samples = [
            row(3.0, 1.0, "READ", 5),
            row(3.0, 1.0, "UPDATE", 3),
            row(4.0, 1.0, "READ", 0),
            row(4.0, 1.0, "UPDATE", 7),
            row(5.0, 1.0, "READ", 0),
            row(5.0, 1.0, "UPDATE", 0),
            Sample { phase: GRACE.into(), ..row(9.0, 4.0, "READ", 99) },
            Sample { step: 2, ..row(6.0, 1.0, "READ", 99) },
            Sample { phase: "warmup".into(), ..row(2.0, 1.0, "READ", 99) },
        ];
        let counts = |kind: &'static str| {
            let ticks = window(&step, &samples, |s| if s.kind == kind { s.count } else { 0 });
            assert!(ticks.iter().all(|t| (t.seconds - 1.0).abs() < 1e-9), "{ticks:?}");
            ticks.iter().map(|t| t.count as u64).collect::<Vec<_>>()
        };
        assert_eq!(counts("READ"), [5, 0, 0]);
        assert_eq!(counts("UPDATE"), [3, 7, 0]);
        assert!(window(&step, &[], |s| s.count).is_empty());
    }

    #[test]
    fn a_short_last_tick_weighs_by_its_length() {
        let mut ticks = vec![WindowTick { count: 100.0, seconds: 1.0 }; 20];
        ticks.push(WindowTick { count: 10.0, seconds: 0.1 });
        let estimate = throughput(&ticks).unwrap();
        assert!((estimate.value - 100.0).abs() < 1e-9);
        assert!(estimate.error < 1e-9, "{estimate:?}");
        assert_eq!(throughput(&[]), None);
        let few = throughput(&ticks[..5]).unwrap();
        assert_eq!(few.basis, Basis::Nothing);
    }
}
