//! The errors of the test of levels, by simulation with a fixed seed.

use super::*;

/// Series of each kind that are made.
const MADE: usize = 2_000;

/// Splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A normal value (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (u, v) = (self.next().max(1e-300), self.next());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// Noise of the first order of autocorrelation, with deviation `noise`, around 1,000.
    fn series(&mut self, n: usize, noise: f64, correlation: f64) -> Vec<f64> {
        let mut now = self.normal();
        let mut value = || {
            let new = self.normal();
            now = correlation * now + (1.0 - correlation * correlation).sqrt() * new;
            1_000.0 * (1.0 + noise * now)
        };
        (0..n).map(|_| value()).collect()
    }
}

/// The share of made series in which a change is found. `shape` changes a series; it is given a
/// random place in the middle four fifths.
fn found(n: usize, noise: f64, correlation: f64, shape: impl Fn(&mut [f64], usize)) -> f64 {
    let mut random = Random(n as u64 * 31 + (correlation * 10.0) as u64);
    let mut count = 0;
    for _ in 0..MADE {
        let mut series = random.series(n, noise, correlation);
        let at = (n as f64 * (0.1 + 0.8 * random.next())) as usize;
        shape(&mut series, at);
        count += usize::from(change(&series).is_some());
    }
    count as f64 / MADE as f64
}

fn level(_: &mut [f64], _: usize) {}

fn drop_by(share: f64) -> impl Fn(&mut [f64], usize) {
    move |series, at| series[at..].iter_mut().for_each(|value| *value -= 1_000.0 * share)
}

fn ramp(share: f64) -> impl Fn(&mut [f64], usize) {
    move |series, _| {
        let n = series.len() as f64;
        let each = series.iter_mut().enumerate();
        each.for_each(|(i, value)| *value -= 1_000.0 * share * i as f64 / n);
    }
}

#[test]
fn a_level_series_is_seldom_called_changed() {
    for (correlation, bound) in [(0.0, 0.05), (0.3, 0.05), (0.5, 0.05), (0.7, 0.08), (0.8, 0.11)] {
        for n in [20, 60, 120, 600] {
            // Twenty values do not show how correlated they are.
            let bound = if n == 20 && correlation > 0.5 { 0.2 } else { bound };
            let alarms = found(n, 0.05, correlation, level);
            assert!(alarms <= bound, "{n} values, correlation {correlation}: {alarms}");
        }
    }
    // Below the least change nothing is said, however sure it is.
    assert_eq!(found(600, 0.005, 0.0, drop_by(0.03)), 0.0);
    assert_eq!(change(&[7.0; 100]), None);
    assert_eq!(change(&[0.0; 100]), None);
}

#[test]
fn a_change_is_found_wherever_it_begins() {
    for (n, noise, correlation, share, least) in [
        (60, 0.05, 0.0, 0.2, 0.99),
        (60, 0.05, 0.3, 0.2, 0.98),
        (60, 0.05, 0.5, 0.2, 0.95),
        (60, 0.05, 0.8, 0.2, 0.45),
        (60, 0.05, 0.5, 0.5, 0.99),
        (60, 0.05, 0.0, 0.1, 0.85),
        (60, 0.02, 0.5, 0.1, 0.95),
        (60, 0.01, 0.5, 0.06, 0.9),
        (120, 0.05, 0.5, 0.2, 0.99),
        (600, 0.05, 0.5, 0.1, 0.99),
        (20, 0.05, 0.0, 0.2, 0.7),
    ] {
        let share_found = found(n, noise, correlation, drop_by(share));
        let what = format!("{n} values, noise {noise}, correlation {correlation}, drop of {share}");
        assert!(share_found >= least, "{what}: {share_found}");
    }
    for (n, correlation, share, least) in
        [(60, 0.0, 0.2, 0.95), (60, 0.5, 0.3, 0.9), (300, 0.5, 0.2, 0.99)]
    {
        let share_found = found(n, 0.05, correlation, ramp(share));
        assert!(share_found >= least, "{n}, {correlation}, ramp of {share}: {share_found}");
    }
}

/// The steadier the noise, the surer the change, wherever it begins, and its size is told.
#[test]
fn a_change_on_a_steady_system_is_found_and_its_size_is_told() {
    for noise in [0.001, 0.01, 0.02, 0.05] {
        for factor in [0.9, 0.7, 0.5, 0.1, 4.0] {
            for place in [9, 18, 29, 42, 51] {
                let mut random = Random(7);
                let (mut seen, mut right) = (0, 0);
                for _ in 0..200 {
                    let mut series = random.series(60, noise, 0.3);
                    series[place..].iter_mut().for_each(|value| *value *= factor);
                    let Some(found) = change(&series) else { continue };
                    seen += 1;
                    let ratio = found.after / found.before / factor;
                    right += usize::from(!found.drift && (ratio - 1.0).abs() < 0.1);
                }
                let what = format!("noise {noise}, times {factor} at {place}: {seen} {right}");
                // A tenth less is twice the noise of 5 %.
                let least = if noise == 0.05 && factor == 0.9 { 120 } else { 190 };
                assert!(seen >= least && 10 * right >= 9 * seen, "{what}");
            }
        }
    }
    let mut steady = vec![10.0; 60];
    steady[29..].fill(5.0);
    let wanted = Change { drift: false, at: 29, before: 10.0, after: 5.0 };
    assert_eq!(change(&steady), Some(wanted));
}

/// A level that the last values have just left is none to begin a window with.
#[test]
fn a_warm_up_does_not_end_while_throughput_rises() {
    for noise in [0.0, 0.01, 0.05] {
        for risen in 1..=10 {
            let mut random = Random(3);
            let mut series = random.series(40, noise, 0.3);
            series[40 - risen..].iter_mut().for_each(|value| *value *= 4.0);
            assert!(!is_settled(&series), "noise {noise}, {risen} of 40 values");
        }
    }
}

#[test]
fn pauses_and_bursts_are_no_levels() {
    let pauses = |series: &mut [f64], at: usize| {
        for pause in [at, (at + 17) % series.len(), (at + 29) % series.len()] {
            series[pause] = if pause % 2 == 0 { 0.0 } else { 5_000.0 };
        }
    };
    let alarms = found(60, 0.05, 0.3, pauses);
    assert!(alarms <= 0.05, "{alarms}");
}

#[test]
fn what_changed_is_told_where_and_by_how_much() {
    let mut random = Random(5);
    let mut series = random.series(100, 0.03, 0.2);
    drop_by(0.3)(&mut series, 40);
    let step = change(&series).unwrap();
    assert!(!step.drift && (38..=42).contains(&step.at), "{step:?}");
    assert!((step.before - 1_000.0).abs() < 20.0 && (step.after - 700.0).abs() < 20.0, "{step:?}");
    let mut series = random.series(1_000, 0.03, 0.2);
    ramp(0.4)(&mut series, 0);
    let drift = change(&series).unwrap();
    assert!(drift.drift && drift.at == 0, "{drift:?}");
    assert!(
        (drift.before - 1_000.0).abs() < 20.0 && (drift.after - 600.0).abs() < 20.0,
        "{drift:?}"
    );
    // Of a long series the place is that of a value, not of a group.
    let mut series = random.series(3_600, 0.03, 0.2);
    drop_by(0.3)(&mut series, 1_800);
    let at = change(&series).unwrap().at;
    assert!((1_740..=1_860).contains(&at), "{at}");
}

/// A start that comes to its level as a cache fills: half of the level at first, the rest with this
/// time constant. The warm-up ends by [`is_settled`], asked after each value.
#[test]
fn a_warm_up_ends_when_the_level_is_near() {
    for (constant, noise, latest, off) in [
        (0.0, 0.05, 40, 0.01),
        (10.0, 0.05, 90, 0.03),
        (30.0, 0.02, 220, 0.03),
        (60.0, 0.02, 400, 0.03),
    ] {
        let mut random = Random(11);
        let (mut ends, mut offs) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            let mut series = random.series(1_000, noise, 0.3);
            let part = |i: usize| match constant > 0.0 {
                true => 0.5 * (-(i as f64) / constant).exp(),
                false => 0.0,
            };
            series.iter_mut().enumerate().for_each(|(i, value)| *value -= 1_000.0 * part(i));
            let end = (1..=series.len()).find(|n| is_settled(&series[..*n])).unwrap();
            ends.push(end as f64);
            // What the minute after it lacks of the level.
            offs.push((end..end + 60).map(part).sum::<f64>() / 60.0);
        }
        ends.sort_by(f64::total_cmp);
        offs.sort_by(f64::total_cmp);
        let (end, worst) = (ends[190], offs[190]);
        assert!(ends[0] >= FEWEST as f64 && end <= latest as f64, "{constant}: {end}");
        assert!(worst <= off, "time constant {constant}: {worst} of the level is missing");
    }
    assert!(!is_settled(&[1.0; FEWEST - 1]));
}
