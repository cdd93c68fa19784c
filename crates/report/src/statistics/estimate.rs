//! A value and how well it is known.

use super::student::{self, NORMAL};

/// What a standard error was taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// The differences between so many runs, at least two.
    Runs(usize),
    /// One run's time series, worth so many independent ticks. What differs from run to run is not
    /// in it.
    Series(f64),
    /// So many executions of one run, at least two. What differs from run to run is not in it.
    Executions(usize),
    /// Nothing: one number of one run.
    Nothing,
}

/// A positive value (but for [`Estimate::NONE`]) with the standard error of its natural logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value in its own unit; of several runs the geometric mean.
    pub value: f64,
    /// Standard error of its logarithm, which for a small error is the relative error. 0 with
    /// [`Basis::Nothing`], where there is none.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub freedom: f64,
    /// Where the error comes from.
    pub basis: Basis,
}

impl Estimate {
    /// Nothing at all. It has no logarithm, so that no ratio and no mean is made of it.
    pub const NONE: Estimate =
        Estimate { value: 0.0, error: 0.0, freedom: 0.0, basis: Basis::Nothing };

    /// A number without an error. `None` unless it is positive and finite.
    pub fn bare(value: f64) -> Option<Estimate> {
        Estimate::new(value, 0.0, 0.0, Basis::Nothing)
    }

    /// `None` unless the value is positive and everything is finite.
    pub fn new(value: f64, error: f64, freedom: f64, basis: Basis) -> Option<Estimate> {
        let usable = value > 0.0 && value.is_finite() && error >= 0.0 && error.is_finite();
        usable.then_some(Estimate { value, error, freedom, basis })
    }

    /// From the values of repeated runs: their geometric mean, and the error that their differences
    /// show. One value is [`bare`](Estimate::bare). `None` where there is none, or one that is not
    /// positive.
    pub fn of_runs(values: &[f64]) -> Option<Estimate> {
        if values.is_empty() || values.iter().any(|v| !(*v > 0.0 && v.is_finite())) {
            return None;
        }
        let n = values.len() as f64;
        let logarithms: Vec<f64> = values.iter().map(|v| v.ln()).collect();
        let mean = logarithms.iter().sum::<f64>() / n;
        if values.len() == 1 {
            return Estimate::bare(values[0]);
        }
        let variance = logarithms.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Estimate::new(mean.exp(), (variance / n).sqrt(), n - 1.0, Basis::Runs(values.len()))
    }

    /// The mean of the times of a query's executions in one run, taken as independent.
    pub fn of_executions(times: &[f64]) -> Option<Estimate> {
        let n = times.len() as f64;
        let mean = times.iter().sum::<f64>() / n;
        if times.len() < 2 {
            return Estimate::bare(mean);
        }
        let variance = times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let error = (variance / n).sqrt() / mean;
        Estimate::new(mean, error, n - 1.0, Basis::Executions(times.len()))
    }

    /// A value that depends on independent others: `value`, whose logarithm changes by `weight`
    /// times the change of each part's. An error of its own where every part has one.
    pub fn of_parts(value: f64, parts: &[(f64, Estimate)]) -> Option<Estimate> {
        let spread = |(weight, part): &(f64, Estimate)| (weight * part.error).powi(2);
        let (first, rest) = parts.split_first()?;
        if parts.iter().any(|(_, part)| part.basis == Basis::Nothing) {
            return Estimate::bare(value);
        }
        let freedom = pooled_freedom(parts.iter().map(|p| (spread(p), p.1.freedom)));
        let basis = rest.iter().fold(first.1.basis, |basis, (_, part)| weaker(basis, part.basis));
        let variance: f64 = parts.iter().map(spread).sum();
        Estimate::new(value, variance.sqrt(), freedom, basis)
    }

    /// The geometric mean of independent estimates.
    pub fn geometric_mean(parts: &[Estimate]) -> Option<Estimate> {
        let n = parts.len() as f64;
        let mean = parts.iter().map(|p| p.value.ln()).sum::<f64>() / n;
        let weighted: Vec<_> = parts.iter().map(|p| (1.0 / n, *p)).collect();
        Estimate::of_parts(mean.exp(), &weighted)
    }

    /// The same, known to no better than this relative error whatever the number of runs: what
    /// rounding to microseconds and to the three digits of a histogram takes away, or what a small
    /// count leaves open.
    pub fn no_better_than(self, resolution: f64) -> Estimate {
        match self.basis {
            Basis::Nothing => self,
            _ => {
                // The resolution is no estimate, so it has degrees of freedom without end.
                let (own, added) = (self.error.powi(2), resolution.powi(2));
                let freedom = match own > 0.0 {
                    true => self.freedom * ((own + added) / own).powi(2),
                    false if added > 0.0 => NORMAL,
                    false => self.freedom,
                };
                let freedom = freedom.min(NORMAL);
                Estimate { error: self.error.hypot(resolution), freedom, ..self }
            }
        }
    }

    /// The interval of this confidence (0.95), in the value's unit; `None` without an error.
    pub fn interval(&self, confidence: f64) -> Option<(f64, f64)> {
        if self.basis == Basis::Nothing {
            return None;
        }
        let half = student::width(confidence, self.freedom) * self.error;
        Some((self.value * (-half).exp(), self.value * half.exp()))
    }
}

/// Degrees of freedom of a sum of independent variances (Welch 1947, Satterthwaite 1946).
pub(super) fn pooled_freedom(parts: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let sum: f64 = parts.clone().map(|(variance, _)| variance).sum();
    let below: f64 = parts.clone().map(|(v, freedom)| v * v / freedom).sum();
    let least = parts.map(|(_, freedom)| freedom).fold(f64::INFINITY, f64::min);
    if below > 0.0 { sum * sum / below } else { least }
}

/// Of two bases the one that promises less.
fn weaker(a: Basis, b: Basis) -> Basis {
    match (a, b) {
        (Basis::Runs(a), Basis::Runs(b)) => Basis::Runs(a.min(b)),
        (Basis::Series(a), Basis::Series(b)) => Basis::Series(a.min(b)),
        (Basis::Executions(a), Basis::Executions(b)) => Basis::Executions(a.min(b)),
        (Basis::Runs(_), other) | (other, _) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logarithms 0, 1, 2: mean 1, variance 1, error 1/√3; t of two degrees is 4.303.
    #[test]
    fn an_interval_of_three_runs_by_hand() {
        let e = std::f64::consts::E;
        let estimate = Estimate::of_runs(&[1.0, e, e * e]).unwrap();
        assert!((estimate.value - e).abs() < 1e-12);
        assert!((estimate.error - 1.0 / 3f64.sqrt()).abs() < 1e-12);
        let (low, high) = estimate.interval(0.95).unwrap();
        let half = 4.302_653 / 3f64.sqrt();
        assert!((low.ln() - (1.0 - half)).abs() < 1e-5 && (high.ln() - (1.0 + half)).abs() < 1e-5);
    }

    #[test]
    fn what_has_no_logarithm_has_no_estimate() {
        for values in [&[][..], &[0.0], &[1.0, -1.0], &[1.0, f64::NAN], &[f64::INFINITY]] {
            assert_eq!(Estimate::of_runs(values), None, "{values:?}");
        }
        assert_eq!(Estimate::of_executions(&[]), None);
        let one = Estimate::of_runs(&[7.0]).unwrap();
        assert_eq!((one.basis, one.interval(0.95)), (Basis::Nothing, None));
    }

    /// Two parts of weight ½ with errors 0.2 and 0.2: 0.1 and 0.1 add to √0.02; equal variances
    /// with 9 degrees each are worth 18.
    #[test]
    fn the_geometric_mean_of_two_parts_by_hand() {
        let part = |value| Estimate::new(value, 0.2, 9.0, Basis::Series(50.0)).unwrap();
        let mean = Estimate::geometric_mean(&[part(2.0), part(8.0)]).unwrap();
        assert!((mean.value - 4.0).abs() < 1e-12);
        assert!((mean.error - 0.02f64.sqrt()).abs() < 1e-12);
        assert!((mean.freedom - 18.0).abs() < 1e-9);
        let bare = Estimate::bare(2.0).unwrap();
        let mixed = Estimate::geometric_mean(&[part(8.0), bare]).unwrap();
        assert_eq!(mixed.basis, Basis::Nothing, "one part without an error: no error");
        assert_eq!(Estimate::geometric_mean(&[]), None);
    }
}
