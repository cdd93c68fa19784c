//! How long a fault kept a run from success, by its time series.

use std::path::Path;

use hoap_record::folder::each_sample;
use hoap_record::{FRESHNESS, GRACE, Sample};

/// Time after the end of a fault within which a pause of successes is still its effect, seconds.
const EFFECT: f64 = 2.0;
/// A shorter time without a success, before the next fault, may be chance: few operations a tick.
const CHANCE: f64 = 0.5;

/// An interval of the time series, all kinds of operations together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Begin and end, seconds since the run's start.
    pub from: f64,
    #[allow(missing_docs)]
    pub to: f64,
    /// Operations that succeeded in it.
    pub count: u64,
    /// Operations that failed in it.
    pub failed: u64,
}

/// The intervals so far of a run that may go on: what is not yet a whole line is left out.
pub fn ticks(folder: &Path) -> Vec<Tick> {
    let mut ticks: Vec<Tick> = Vec::new();
    let add = |row: Sample| {
        if row.phase == GRACE || row.kind == FRESHNESS {
            return;
        }
        match ticks.last_mut() {
            Some(last) if last.to == row.at_seconds => {
                last.count += row.count;
                last.failed += row.failed;
            }
            _ => ticks.push(Tick {
                from: row.at_seconds - row.seconds,
                to: row.at_seconds,
                count: row.count,
                failed: row.failed,
            }),
        }
    };
    let _ = each_sample(folder, add);
    ticks
}

/// Whether something succeeded in an interval that began at this time or later.
pub fn succeeded_after(ticks: &[Tick], at: f64) -> bool {
    ticks.iter().any(|tick| tick.from >= at && tick.count > 0)
}

/// The effect of a fault. Times are exact to the length of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effect {
    /// The longest time without a success that began in the fault or soon after it, seconds; 0 if
    /// each tick had one. `None` if no success followed.
    pub outage: Option<f64>,
    /// The part of that time after the end of the fault, seconds.
    pub recovery: Option<f64>,
    /// Failed operations until the next fault.
    pub failed: u64,
}

/// The effect of a fault that lasted from `began` to `lifted`, before the next one at `until`, in
/// seconds since the run's start.
pub fn effect(ticks: &[Tick], (began, lifted, until): (f64, f64, f64)) -> Effect {
    let window = || ticks.iter().filter(|tick| tick.to > began && tick.to <= until);
    let failed = window().map(|tick| tick.failed).sum();
    // The longest time without a success that ended, and the one that goes on.
    let (mut longest, mut current) = ((lifted, lifted), None::<(f64, f64)>);
    for tick in window() {
        current = match (tick.count, current) {
            (0, Some((from, _))) => Some((from, tick.to)),
            (0, None) if tick.from <= lifted + EFFECT => Some((tick.from, tick.to)),
            (0, None) => None,
            (_, Some((from, to))) => {
                if to - from > longest.1 - longest.0 {
                    longest = (from, to);
                }
                None
            }
            _ => None,
        };
    }
    let (from, to) = longest;
    let goes_on = current.map_or(0.0, |(from, to)| to - from);
    if !window().any(|tick| tick.to > lifted && tick.count > 0) || goes_on > (to - from).max(CHANCE)
    {
        return Effect { outage: None, recovery: None, failed };
    }
    let recovery = (to - from.max(lifted)).max(0.0);
    Effect { outage: Some(to - from), recovery: Some(recovery), failed }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks of a tenth of a second.
    fn series(counts: &[u64]) -> Vec<Tick> {
        let tick = |(i, &count): (usize, &u64)| {
            let from = i as f64 / 10.0;
            Tick { from, to: (i + 1) as f64 / 10.0, count, failed: u64::from(count == 0) }
        };
        counts.iter().enumerate().map(tick).collect()
    }

    fn near(effect: Effect, outage: Option<f64>, recovery: Option<f64>, failed: u64) {
        let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-6,
            (a, b) => a == b,
        };
        assert!(close(effect.outage, outage) && close(effect.recovery, recovery), "{effect:?}");
        assert_eq!(effect.failed, failed);
    }

    #[test]
    fn an_outage_lasts_from_the_last_tick_with_a_success_to_the_next_one() {
        let ticks = series(&[9, 9, 0, 0, 0, 0, 5, 9, 0, 9]);
        near(effect(&ticks, (0.15, 0.45, 0.8)), Some(0.4), Some(0.15), 4);
        near(effect(&ticks, (0.15, 0.65, 0.8)), Some(0.4), Some(0.0), 4);
        assert!(succeeded_after(&ticks, 0.45) && !succeeded_after(&ticks, 0.95));
    }

    #[test]
    fn a_fault_that_kept_nobody_from_success_had_no_outage() {
        near(effect(&series(&[9; 10]), (0.35, 0.35, 1.0)), Some(0.0), Some(0.0), 0);
    }

    #[test]
    fn what_never_succeeded_again_did_not_recover() {
        near(effect(&series(&[9, 9, 0, 0, 0]), (0.15, 0.3, 0.6)), None, None, 3);
        let late = series(&[9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0]);
        near(effect(&late, (0.15, 0.3, 2.0)), None, None, 7);
        near(effect(&series(&[9, 9]), (0.15, 0.3, 0.5)), None, None, 0);
    }

    #[test]
    fn a_tick_without_success_before_the_next_fault_is_chance() {
        near(effect(&series(&[9, 9, 9, 9, 0, 0]), (0.15, 0.2, 0.65)), Some(0.0), Some(0.0), 2);
    }

    #[test]
    fn a_pause_long_after_the_fault_is_not_its_effect() {
        let mut counts = vec![9; 60];
        counts[40..50].fill(0);
        counts[4] = 0;
        near(effect(&series(&counts), (0.35, 0.45, 6.0)), Some(0.1), Some(0.05), 11);
        counts[4..8].copy_from_slice(&[9, 9, 0, 0]);
        near(effect(&series(&counts), (0.35, 0.45, 6.0)), Some(0.2), Some(0.2), 12);
    }

    #[test]
    fn a_series_that_is_still_written_is_read_as_far_as_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ticks(folder.path()), []);
        let rows = "step,phase,at_seconds,seconds,kind,count,failed,retries,mean_us,p50_us,p99_us,\
                    max_us\n1,warmup,0.1,0.1,read,5,0,0,1,1,1,1\n1,warmup,0.1,0.1,update,2,1,0,1,1,\
                    1,1\n1,grace,0.2,0.1,read,9,0,0,1,1,1,1\n1,measured,0.2,0.1,fresh";
        std::fs::write(folder.path().join("samples.csv"), rows).unwrap();
        assert_eq!(ticks(folder.path()), [Tick { from: 0.0, to: 0.1, count: 7, failed: 1 }]);
    }
}
