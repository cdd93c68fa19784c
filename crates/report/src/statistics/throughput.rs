//! Throughput from one run's time series.

use std::collections::BTreeMap;

use hoap_drive::record::{Sample, Step};

use super::{Basis, Estimate, mean_error};

/// Successes of one tick of the measured window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Successes, of whatever kinds were asked for.
    pub count: f64,
    /// Length of the tick, seconds.
    pub seconds: f64,
}

/// The ticks of a step's measured window in the order of time, counting `what` of each row. A tick in
/// which nothing ended has no row in `samples.csv`; here it is a tick of zero.
pub fn window(step: &Step, samples: &[Sample], what: impl Fn(&Sample) -> u64) -> Vec<Tick> {
    // Keyed by the end in microseconds, which is what the file keeps.
    let mut ends: BTreeMap<i64, Tick> = BTreeMap::new();
    let micros = |seconds: f64| (seconds * 1e6).round() as i64;
    let measured = samples.iter().filter(|s| s.step == step.number && s.phase == "measured");
    for row in measured.filter(|s| s.seconds > 0.0 && s.at_seconds.is_finite()) {
        let tick = ends.entry(micros(row.at_seconds));
        let tick = tick.or_insert(Tick { count: 0.0, seconds: row.seconds });
        tick.count += what(row) as f64;
    }
    let longest = ends.values().map(|t| t.seconds).fold(0.0, f64::max);
    if longest == 0.0 {
        return Vec::new();
    }
    let mut ticks = Vec::with_capacity(ends.len());
    let idle = |gap: f64, ticks: &mut Vec<Tick>| {
        // A broken record must not ask for any amount of memory.
        let number = (gap / longest).round().clamp(0.0, 1e6);
        let seconds = gap / number;
        ticks.extend((0..number as usize).map(|_| Tick { count: 0.0, seconds }));
    };
    let mut before = step.start_seconds;
    for (end, tick) in ends {
        let end = end as f64 / 1e6;
        idle(end - tick.seconds - before, &mut ticks);
        ticks.push(tick);
        before = end;
    }
    idle(step.start_seconds + step.seconds - before, &mut ticks);
    ticks
}

/// Successes per second over these ticks. Without an error where there are too few of them; `None` where
/// nothing succeeded.
pub fn throughput(ticks: &[Tick]) -> Option<Estimate> {
    let seconds: f64 = ticks.iter().map(|t| t.seconds).sum();
    let rate = ticks.iter().map(|t| t.count).sum::<f64>() / seconds;
    // Ticks are not all of one length, the last one least of all: what counts is how far each is from
    // what the rate makes of its length.
    let off: Vec<f64> = ticks.iter().map(|t| t.count - rate * t.seconds).collect();
    let Some(error) = mean_error(&off) else { return Estimate::bare(rate) };
    let mean = rate * seconds / ticks.len() as f64;
    Estimate::new(rate, error.error / mean, error.freedom, Basis::Series(error.effective))
}

#[cfg(test)]
mod tests {
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

    /// A window from 2 s to 10 s: nothing in the first second, a stall of three, nothing in the last.
    #[test]
    fn ticks_without_a_row_are_zeros_at_both_ends_and_within() {
        let step = Step { number: 1, start_seconds: 2.0, seconds: 8.0, ..Step::default() };
        let samples = [
            row(4.0, 1.0, "READ", 5),
            row(4.0, 1.0, "UPDATE", 3),
            row(5.0, 1.0, "READ", 4),
            row(9.0, 1.0, "UPDATE", 7),
            Sample { step: 2, ..row(6.0, 1.0, "READ", 99) },
            Sample { phase: "warmup".into(), ..row(2.0, 1.0, "READ", 99) },
        ];
        let counts = |kind: &'static str| {
            let ticks = window(&step, &samples, |s| if s.kind == kind { s.count } else { 0 });
            assert!(ticks.iter().all(|t| (t.seconds - 1.0).abs() < 1e-9), "{ticks:?}");
            ticks.iter().map(|t| t.count as u64).collect::<Vec<_>>()
        };
        assert_eq!(counts("READ"), [0, 5, 4, 0, 0, 0, 0, 0]);
        assert_eq!(counts("UPDATE"), [0, 3, 0, 0, 0, 0, 7, 0]);
        assert!(window(&step, &[], |s| s.count).is_empty());
    }

    #[test]
    fn a_short_last_tick_weighs_by_its_length() {
        let mut ticks = vec![Tick { count: 100.0, seconds: 1.0 }; 20];
        ticks.push(Tick { count: 10.0, seconds: 0.1 });
        let estimate = throughput(&ticks).unwrap();
        assert!((estimate.value - 100.0).abs() < 1e-9);
        assert!(estimate.error < 1e-9, "{estimate:?}");
        assert_eq!(throughput(&[]), None);
        let few = throughput(&ticks[..5]).unwrap();
        assert_eq!(few.basis, Basis::Nothing);
    }
}
