//! Whether a series of measurements has one level.
//!
//! [`change`] fits two shapes: the two levels whose means differ most, and a straight line. How far
//! a shape is from one level is measured by the standard error of that distance. The error is that
//! of autocorrelated noise of the first order, estimated from what the shape leaves: taken from the
//! whole series it would contain the change itself, and hide it. A change counts where it is above
//! what such noise makes of a level series in about one of twenty, and above [`LEAST`] of the
//! larger level. It is a drift where the line fits better than the levels.
//!
//! The test of this module has the errors by simulation: false alarms, and changes that are missed.

use serde::{Deserialize, Serialize};

/// The fewest values that are judged.
pub const FEWEST: usize = 20;
/// The smallest change that counts, as a share of the larger mean.
pub const LEAST: f64 = 0.05;
/// The standard errors from which on a change is waited for.
const DOUBTED: f64 = 2.0;
/// The most values that are compared: a longer series is compared in means of as many groups, whose
/// noise is less correlated.
const GROUPS: usize = 120;
/// A value farther from the median of [`NEAR`] neighbours than so many standard deviations of normal
/// noise is taken as that far: a pause of a second is no level.
const FARTHEST: f64 = 5.0;
/// Of so many neighbouring values two may stand alone.
const NEAR: usize = 5;

/// How the throughput of a measured window changed: [`Step::level`](crate::Step::level).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    /// Whether it changed all the time, about as a straight line does. Otherwise there are two
    /// levels.
    pub drift: bool,
    /// When the second level begins, seconds since the window's start; 0 of a drift.
    pub at_seconds: f64,
    /// Operations per second of the first level, or at the beginning of the drift.
    pub before: f64,
    /// Operations per second of the second level, or at the end of the drift.
    pub after: f64,
}

/// A change within a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Whether it goes on all the time.
    pub drift: bool,
    /// Where the second level begins, as an index; 0 of a drift.
    pub at: usize,
    /// The first level, or the beginning of the drift.
    pub before: f64,
    /// The second level, or the end of the drift.
    pub after: f64,
}

/// The change of the level of a series, if it has one. Fewer values than [`FEWEST`] are not judged.
pub fn change(series: &[f64]) -> Option<Change> {
    // A short series shows too little of its correlation, the less so as two levels were taken from
    // it.
    let hidden = |seen: f64, n: f64| (4.0 + 8.0 * seen) / n;
    change_beyond(series, |n| 3.2 + 15.0 / n, hidden)
}

/// The change of a series of n groups that is more than `errors(n)` of its standard errors, where
/// the noise has so much more correlation than is seen.
fn change_beyond(
    series: &[f64],
    errors: impl Fn(f64) -> f64,
    hidden: impl Fn(f64, f64) -> f64,
) -> Option<Change> {
    if series.len() < FEWEST {
        return None;
    }
    let size = series.len().div_ceil(GROUPS);
    let groups: Vec<f64> = series.chunks_exact(size).map(mean).collect();
    let values = without_outliers(&groups);
    let threshold = errors(values.len() as f64);
    let levels = two_levels(&values);
    let line = straight_line(&values);
    // A line leaves a wave beside two levels, and two levels a wave beside a line: each has its own
    // noise.
    let is_sure = |fit: &Fit| fit.distance > threshold * long_run_deviation(&fit.left, &hidden);
    if !is_sure(&levels) && !is_sure(&line) {
        return None;
    }
    let drift = line.squares() < levels.squares();
    let Fit { at, before, after, .. } = if drift { line } else { levels };
    let found = Change { drift, at: at * size, before, after };
    let larger = found.before.abs().max(found.after.abs());
    ((found.after - found.before).abs() >= LEAST * larger).then_some(found)
}

/// Whether a series has come to a level: its second half, of [`FEWEST`] values at least, has no
/// [`change`]. A change counts sooner here, where it only means to wait for more values.
pub fn is_settled(series: &[f64]) -> bool {
    let tail = FEWEST.max(series.len() / 2);
    if series.len() < FEWEST {
        return false;
    }
    let tail = &series[series.len() - tail..];
    // Whether the last two stand alone, or begin a level, the next ones tell.
    let held = without_outliers(tail);
    let last = tail.len() - 2;
    held[last..] == tail[last..] && change_beyond(tail, |_| DOUBTED, |_, _| 0.0).is_none()
}

/// A shape that is fitted to a series.
struct Fit {
    /// Where the second level begins; 0 of a line.
    at: usize,
    before: f64,
    after: f64,
    /// How far it is from one level, in deviations of a value of noise.
    distance: f64,
    /// What it leaves.
    left: Vec<f64>,
}

impl Fit {
    fn squares(&self) -> f64 {
        self.left.iter().map(|x| x * x).sum()
    }
}

/// The two parts whose means differ most. None is shorter than a tenth of the series, or than five
/// values.
fn two_levels(values: &[f64]) -> Fit {
    let n = values.len();
    let shortest = n.div_ceil(10).max(5);
    let all: f64 = values.iter().sum();
    let mut sum: f64 = values[..shortest - 1].iter().sum();
    let splits = (shortest..=n - shortest).map(|at| {
        sum += values[at - 1];
        let (first, second) = (at as f64, (n - at) as f64);
        let apart = (sum / first - (all - sum) / second).abs();
        (at, apart / (1.0 / first + 1.0 / second).sqrt())
    });
    let (at, distance) = splits.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((n / 2, 0.0));
    let (before, after) = (mean(&values[..at]), mean(&values[at..]));
    let off = |(i, value): (usize, &f64)| value - if i < at { before } else { after };
    Fit { at, before, after, distance, left: values.iter().enumerate().map(off).collect() }
}

/// The straight line of the least squares.
fn straight_line(values: &[f64]) -> Fit {
    let n = values.len() as f64;
    let (middle, level) = ((n - 1.0) / 2.0, mean(values));
    let place = |i: usize| i as f64 - middle;
    let rise: f64 = values.iter().enumerate().map(|(i, y)| place(i) * (y - level)).sum();
    let spread = n * (n * n - 1.0) / 12.0;
    let slope = rise / spread;
    let off = |(i, y): (usize, &f64)| y - level - slope * place(i);
    Fit {
        at: 0,
        before: level - slope * middle,
        after: level + slope * middle,
        distance: slope.abs() * spread.sqrt(),
        left: values.iter().enumerate().map(off).collect(),
    }
}

/// The deviation of the mean of noise, times the root of the number of its values: that of one
/// value where they are independent.
fn long_run_deviation(noise: &[f64], hidden: impl Fn(f64, f64) -> f64) -> f64 {
    let n = noise.len() as f64;
    let squares: f64 = noise.iter().map(|x| x * x).sum();
    if squares == 0.0 {
        return 0.0;
    }
    let products: f64 = noise.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let seen = products / squares;
    let correlation = (seen + hidden(seen, n)).clamp(0.0, 0.9);
    (squares / (n - 2.0) * (1.0 + correlation) / (1.0 - correlation)).sqrt()
}

/// The values, those that stand alone held near the median of their neighbours and themselves. That
/// median follows a change of level, at once and however far it goes.
fn without_outliers(values: &[f64]) -> Vec<f64> {
    let near = |i: usize| {
        let first = i.saturating_sub(NEAR / 2).min(values.len().saturating_sub(NEAR));
        median(values[first..(first + NEAR).min(values.len())].to_vec())
    };
    let middles: Vec<f64> = (0..values.len()).map(near).collect();
    let off = |(value, middle): (&f64, &f64)| (value - middle).abs();
    let mut offs: Vec<f64> = values.iter().zip(&middles).map(off).collect();
    offs.sort_by(f64::total_cmp);
    // The median of those that are not the median of their neighbours themselves, as a fifth is.
    let spread = offs.get(offs.len() * 3 / 5).copied().unwrap_or(0.0);
    let farthest = FARTHEST * 1.4826 * spread;
    values.iter().zip(&middles).map(|(v, m)| v.clamp(m - farthest, m + farthest)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        0 => (values[half - 1] + values[half]) / 2.0,
        _ => values[half],
    }
}

#[cfg(test)]
mod tests;
