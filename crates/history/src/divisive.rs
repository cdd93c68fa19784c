//! Where a series of numbers changed: E-divisive (Matteson, James 2014) finds the places, a t-test
//! decides, as in MongoDB's and Apache Otava's use of it.
//!
//! `share` has the proof of the bound on false alarms, `docs/history.md` what is simulated.

use hoap_report::statistics::{chance, width};

/// The fewest numbers on each side of a change.
pub const FEWEST: usize = 3;

/// A change of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The index of the first number after it.
    pub at: usize,
    /// By how much the mean after it, up to the next change, is higher than that before.
    pub difference: f64,
    /// Half the width of the difference's 95 % interval.
    pub half: f64,
    /// How often chance alone makes two such stretches of one series differ as much (two-sided).
    pub p: f64,
}

/// The changes of a series, in order. `false_alarms` is the probability that a series of
/// independent normal numbers without a change has one at any time while it grows.
pub fn changes(series: &[f64], false_alarms: f64) -> Vec<Change> {
    let mut at = Vec::new();
    let mut open = vec![(0, series.len())];
    while let Some((from, to)) = open.pop() {
        let Some(found) = candidate(&series[from..to]) else { continue };
        let (left, right) = series[from..from + found.end].split_at(found.at);
        if is_real(left, right, found.end, false_alarms) {
            at.push(from + found.at);
            open.extend([(from, from + found.at), (from + found.at, to)]);
        }
    }
    at.sort_unstable();
    settle(series, at, false_alarms)
}

/// Puts each change where it best parts the whole stretches beside it, and drops the weakest until
/// each parts these for certain: neighbours that were found or dropped later have changed them.
fn settle(series: &[f64], mut at: Vec<usize>, false_alarms: f64) -> Vec<Change> {
    loop {
        for n in 0..at.len() {
            let (from, to) = stretch(series, &at, n);
            at[n] = from + best(&series[from..to], at[n] - from);
        }
        let all: Vec<(Change, bool)> = (0..at.len())
            .map(|n| {
                let (from, to) = stretch(series, &at, n);
                let (left, right) = series[from..to].split_at(at[n] - from);
                let test = Test::of(left, right);
                let half = width(0.95, test.freedom) * test.error;
                let change =
                    Change { at: at[n], difference: test.difference, half, p: test.chance() };
                (change, is_real(left, right, to - from, false_alarms))
            })
            .collect();
        let weakest = all.iter().enumerate().filter(|(_, (_, real))| !real);
        match weakest.max_by(|a, b| a.1.0.p.total_cmp(&b.1.0.p)) {
            None => return all.into_iter().map(|(change, _)| change).collect(),
            Some((n, _)) => at.remove(n),
        };
    }
}

/// Both ends of what lies between the neighbours of a change.
fn stretch(series: &[f64], at: &[usize], n: usize) -> (usize, usize) {
    let from = n.checked_sub(1).map_or(0, |before| at[before]);
    (from, at.get(n + 1).copied().unwrap_or(series.len()))
}

/// A place that may part a series: from its begin to `at`, and from there to `end`.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: usize,
    end: usize,
}

/// Where the stretches before and after a place, to any end, are farthest apart by their energy
/// distance: Q̂ of the paper.
fn candidate(series: &[f64]) -> Option<Candidate> {
    let n = series.len();
    let distance = |a: usize, b: usize| (series[a] - series[b]).abs();
    // Of the distances within the first `end` numbers.
    let mut within = vec![0.0; n + 1];
    for end in 1..=n {
        within[end] = within[end - 1] + (0..end - 1).map(|a| distance(a, end - 1)).sum::<f64>();
    }
    // Of those within the numbers from `at` to each end.
    let mut right = vec![0.0; n + 1];
    let (mut best, mut found) = (f64::NEG_INFINITY, None);
    for at in (1..n).rev() {
        let mut row = 0.0;
        for end in at + 1..=n {
            row += distance(at, end - 1);
            right[end] += row;
            let (before, after) = (at as f64, (end - at) as f64);
            if at < FEWEST || end - at < FEWEST {
                continue;
            }
            let across = within[end] - within[at] - right[end];
            let energy = 2.0 * across / (before * after)
                - 2.0 * within[at] / (before * (before - 1.0))
                - 2.0 * right[end] / (after * (after - 1.0));
            let q = before * after / (before + after) * energy;
            if q > best {
                (best, found) = (q, Some(Candidate { at, end }));
            }
        }
    }
    found
}

/// The place that parts a series best into two, of those not far from `near`: further away is
/// another change.
fn best(series: &[f64], near: usize) -> usize {
    const FAR: usize = 5;
    let places = near.saturating_sub(FAR).max(FEWEST)..=(near + FAR).min(series.len() - FEWEST);
    let apart = |at: usize| {
        let (left, right) = series.split_at(at);
        Test::of(left, right).apart()
    };
    places.max_by(|a, b| apart(*a).total_cmp(&apart(*b))).unwrap_or(near)
}

/// Whether two stretches differ for certain, of which the second ends `end` numbers after the begin
/// of the first. Neither may owe that to a single number.
fn is_real(left: &[f64], right: &[f64], end: usize, false_alarms: f64) -> bool {
    if left.len() < FEWEST || right.len() < FEWEST {
        return false;
    }
    let bound = false_alarms * share(end);
    let test = Test::of(left, right);
    let sign = test.difference.signum();
    let without = |of: &[f64], sign: f64| {
        let most = of.iter().enumerate().max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)));
        let most = most.map(|(n, _)| n);
        let rest = of.iter().enumerate().filter(|(n, _)| Some(*n) != most);
        rest.map(|(_, value)| *value).collect::<Vec<f64>>()
    };
    test.chance() <= bound
        && Test::of(&without(left, -sign), &without(right, sign)).chance() <= bound
}

/// The share of the false alarms that one pair of stretches may have, of those that end here. There
/// are `end` − 5 of these, and the shares of all pairs, whatever their ends, sum up to less than 1:
/// the sum of 1/(k ln² k) from k = 6 on is below 1/ln 5.5, that is 0.587.
fn share(end: usize) -> f64 {
    let k = end.max(2 * FEWEST) as f64;
    1.0 / (0.6 * (k - (2 * FEWEST - 1) as f64) * k * k.ln().powi(2))
}

/// Student's test of two stretches with one variance.
#[derive(Clone, Copy, Debug)]
struct Test {
    difference: f64,
    error: f64,
    freedom: f64,
}

impl Test {
    fn of(left: &[f64], right: &[f64]) -> Test {
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let (a, b) = (mean(left), mean(right));
        let squares = |of: &[f64], mean: f64| of.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let freedom = (left.len() + right.len()) as f64 - 2.0;
        let variance = (squares(left, a) + squares(right, b)) / freedom;
        let error = (variance * (1.0 / left.len() as f64 + 1.0 / right.len() as f64)).sqrt();
        Test { difference: b - a, error, freedom }
    }

    /// The difference in its errors; 0 where there is neither.
    fn apart(&self) -> f64 {
        if self.difference == 0.0 { 0.0 } else { self.difference.abs() / self.error }
    }

    fn chance(&self) -> f64 {
        chance(self.apart(), self.freedom)
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
