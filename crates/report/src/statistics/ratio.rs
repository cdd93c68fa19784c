//! One estimate through another.

use super::estimate::pooled_freedom;
use super::student;
use super::{Basis, Estimate};

/// The share of false verdicts that is accepted.
pub const FALSE_VERDICTS: f64 = 0.05;

/// Candidate ÷ baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Its error; `None` where a side has none.
    pub spread: Option<RatioError>,
}

/// How well a ratio is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioError {
    /// Standard error of the ratio's logarithm.
    pub error: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
    /// Whether it holds what differs from run to run. An error from within one run of each side
    /// decides nothing.
    pub between_runs: bool,
}

/// The most runs of a side that anybody is advised to make.
const MOST_RUNS: usize = 1_000;

impl Ratio {
    /// The ratio of two independent estimates, with Welch's error and degrees of freedom.
    ///
    /// Where only one side was repeated, its differences between runs stand for the other side too:
    /// a single run is taken to be as far off as one of the others, or as its own series says,
    /// whichever is more.
    pub fn of(candidate: &Estimate, baseline: &Estimate) -> Ratio {
        let value = candidate.value / baseline.value;
        let parts = match (candidate.basis, baseline.basis) {
            (Basis::Runs(_), Basis::Runs(_)) => Some([*candidate, *baseline]),
            (Basis::Runs(n), _) => Some([*candidate, single_beside(baseline, candidate, n)]),
            (_, Basis::Runs(n)) => Some([single_beside(candidate, baseline, n), *baseline]),
            (Basis::Nothing, _) | (_, Basis::Nothing) => None,
            _ => Some([*candidate, *baseline]),
        };
        let spread = parts.map(|parts| {
            // What a single run borrowed is the same variance, known no better for being used
            // twice.
            let borrowed = parts.iter().any(|p| p.basis == Basis::Nothing);
            let freedom = match borrowed {
                true => parts[0].freedom.min(parts[1].freedom),
                false => pooled_freedom(parts.iter().map(|p| (p.error.powi(2), p.freedom))),
            };
            let repeated = |e: &Estimate| matches!(e.basis, Basis::Runs(_));
            RatioError {
                error: parts[0].error.hypot(parts[1].error),
                freedom,
                between_runs: repeated(candidate) || repeated(baseline),
            }
        });
        Ratio { value, spread }
    }

    /// The interval of this confidence (0.95).
    pub fn interval(&self, confidence: f64) -> Option<(f64, f64)> {
        let spread = self.spread?;
        let half = student::width(confidence, spread.freedom) * spread.error;
        Some((self.value * (-half).exp(), self.value * half.exp()))
    }

    /// How many runs of each side, where there are `runs` now, make the interval so narrow that it
    /// tells equal sides from sides that differ by the ratio `bound`. `None` if the error holds no
    /// difference between runs, and if a thousand are too few.
    pub fn runs_that_resolve(&self, bound: f64, runs: usize) -> Option<usize> {
        let spread = self.spread.filter(|spread| spread.between_runs)?;
        let of_one = spread.error * (runs as f64).sqrt();
        let half = |n: usize| {
            let n = n as f64;
            student::width(1.0 - FALSE_VERDICTS, 2.0 * (n - 1.0)) * of_one / n.sqrt()
        };
        (runs.max(2) + 1..=MOST_RUNS).find(|n| half(*n) <= bound.ln().abs())
    }

    /// How often chance alone gives a ratio this far from 1 where both sides are the same
    /// (two-sided p-value).
    pub fn chance(&self) -> Option<f64> {
        let spread = self.spread?;
        let distance = self.value.ln();
        Some(match distance == 0.0 {
            true => 1.0,
            false => student::chance(distance / spread.error, spread.freedom),
        })
    }
}

/// A single run beside `n` of the other side, marked by [`Basis::Nothing`] as having borrowed its
/// error.
fn single_beside(single: &Estimate, runs: &Estimate, n: usize) -> Estimate {
    let of_one = runs.error * (n as f64).sqrt();
    Estimate {
        error: of_one.max(single.error),
        freedom: runs.freedom,
        basis: Basis::Nothing,
        ..*single
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Welch's test as R's `t.test(log(c(108, 112, 110, 115)), log(c(100, 103, 99, 104)))` has it:
    /// t = 5.1, df = 5.9, computed by hand from the logarithms.
    #[test]
    fn two_repeated_sides_are_compared_as_welch_does() {
        let (a, b) = ([100.0, 103.0, 99.0, 104.0], [108.0, 112.0, 110.0, 115.0]);
        let ratio = Ratio::of(&Estimate::of_runs(&b).unwrap(), &Estimate::of_runs(&a).unwrap());
        let of = |values: &[f64; 4]| {
            let l: Vec<f64> = values.iter().map(|v| v.ln()).collect();
            let mean = l.iter().sum::<f64>() / 4.0;
            (mean, l.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 3.0 / 4.0)
        };
        let ((ma, va), (mb, vb)) = (of(&a), of(&b));
        let freedom = (va + vb).powi(2) / (va * va / 3.0 + vb * vb / 3.0);
        let spread = ratio.spread.unwrap();
        assert!((ratio.value.ln() - (mb - ma)).abs() < 1e-12);
        assert!((spread.error - (va + vb).sqrt()).abs() < 1e-12);
        assert!((spread.freedom - freedom).abs() < 1e-9 && freedom > 5.0);
        let (low, high) = ratio.interval(0.95).unwrap();
        assert!(low > 1.0 && low < ratio.value && ratio.value < high);
        assert!(ratio.chance().unwrap() < 0.01);
    }

    /// Three runs with error s/√3: a single one beside them is off by s, so the ratio by s √(1 +
    /// 1/3), and the freedom stays that of the three.
    #[test]
    fn a_single_run_is_as_uncertain_as_one_of_the_repeated() {
        let runs = Estimate::of_runs(&[1.0, 1.1, 1.2]).unwrap();
        let s = runs.error * 3f64.sqrt();
        for single in [
            Estimate::bare(1.3).unwrap(),
            Estimate::new(1.3, 1e-9, 17.0, Basis::Series(40.0)).unwrap(),
        ] {
            for ratio in [Ratio::of(&single, &runs), Ratio::of(&runs, &single)] {
                let spread = ratio.spread.unwrap();
                assert!((spread.error - s * (4.0f64 / 3.0).sqrt()).abs() < 1e-9);
                assert_eq!(spread.freedom, 2.0);
            }
        }
    }

    /// Equal sides of n runs with 5 % between runs: as many as the advice says make an interval
    /// that leaves out −5 %, and one fewer does not.
    #[test]
    fn as_many_runs_as_advised_resolve_the_bound() {
        let s = 0.05;
        let of = |n: usize| {
            let error = s / (n as f64).sqrt();
            Estimate::new(1.0, error, n as f64 - 1.0, Basis::Runs(n)).unwrap()
        };
        let low = |n: usize| Ratio::of(&of(n), &of(n)).interval(0.95).unwrap().0;
        let advised = Ratio::of(&of(3), &of(3)).runs_that_resolve(0.95, 3).unwrap();
        assert!(low(advised) >= 0.95 && low(advised - 1) < 0.95, "{advised}");
        assert_eq!(Ratio::of(&of(3), &of(3)).runs_that_resolve(1.0, 3), None);
        let series = Estimate::new(1.0, 0.1, 9.0, Basis::Series(30.0)).unwrap();
        assert_eq!(Ratio::of(&series, &series).runs_that_resolve(0.95, 1), None);
    }

    #[test]
    fn without_an_error_on_a_side_there_is_a_ratio_and_no_interval() {
        let bare = Estimate::bare(2.0).unwrap();
        let series = Estimate::new(4.0, 0.1, 9.0, Basis::Series(30.0)).unwrap();
        let ratio = Ratio::of(&series, &bare);
        assert_eq!((ratio.value, ratio.interval(0.95), ratio.chance()), (2.0, None, None));
    }

    #[test]
    fn equal_runs_are_equal_and_runs_without_scatter_differ_for_sure() {
        let same = Estimate::of_runs(&[5.0, 5.0]).unwrap();
        let other = Estimate::of_runs(&[6.0, 6.0]).unwrap();
        assert_eq!(Ratio::of(&same, &same).chance(), Some(1.0));
        assert_eq!(Ratio::of(&same, &other).chance(), Some(0.0));
    }
}
