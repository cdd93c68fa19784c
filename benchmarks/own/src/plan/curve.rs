//! Inverse distribution functions. They are computed by a library in Rust alone, so that every
//! machine makes the same documents.

use crate::file::model::Dist;

/// Ranks by Zipf's law, the first the most frequent (Gray et al., "Quickly generating billion-record
/// synthetic databases", SIGMOD 1994).
#[derive(Clone, Debug)]
pub struct Zipf {
    n: u64,
    zeta: f64,
    /// What the first two ranks have of it.
    two: f64,
    alpha: f64,
    eta: f64,
}

impl Zipf {
    /// Of `n` ranks, with an exponent above 0 and below 1.
    pub fn new(n: u64, theta: f64) -> Zipf {
        let (zeta, two) = (zeta(n, theta), 1.0 + libm::pow(0.5, theta));
        let eta = (1.0 - libm::pow(2.0 / n as f64, 1.0 - theta)) / (1.0 - two / zeta);
        Zipf { n, zeta, two, alpha: 1.0 / (1.0 - theta), eta }
    }

    /// The rank, from 0, below which this share lies.
    #[inline]
    pub fn rank(&self, share: f64) -> u64 {
        let of = share * self.zeta;
        if of < 1.0 {
            return 0;
        }
        if of < self.two {
            return 1.min(self.n.saturating_sub(1));
        }
        let rank = self.n as f64 * libm::pow(self.eta * share - self.eta + 1.0, self.alpha);
        (rank as u64).min(self.n.saturating_sub(1))
    }
}

/// The sum of the first n terms of 1/i^theta: summed, and from a million on by Euler and Maclaurin.
fn zeta(n: u64, theta: f64) -> f64 {
    const SUMMED: u64 = 1_000_000;
    let term = |i: u64| libm::pow(i as f64, -theta);
    let first: f64 = (1..=n.min(SUMMED)).map(term).sum();
    if n <= SUMMED {
        return first;
    }
    let integral = |x: u64| libm::pow(x as f64, 1.0 - theta) / (1.0 - theta);
    first + integral(n) - integral(SUMMED) + (term(n) - term(SUMMED)) / 2.0
}

/// A distribution of numbers by its inverse.
#[derive(Clone, Debug)]
pub enum Curve {
    /// Shares and values, linear between.
    Quantiles(Box<[(f64, f64)]>),
    /// Of the normal distribution what is between two shares.
    Normal {
        /// Its mean and its standard deviation.
        mean: f64,
        /// The standard deviation.
        sd: f64,
        /// The shares below the bounds.
        between: (f64, f64),
    },
    /// Of the exponential distribution, from a value on, what is below a share.
    Exponential {
        /// Its mean.
        mean: f64,
        /// The lowest value.
        low: f64,
        /// The share.
        below: f64,
    },
    /// Zipfian over a million steps of a range.
    Zipfian(Zipf, (f64, f64)),
}

impl Curve {
    /// Cut at these bounds; `None` if all values are alike.
    pub fn new(dist: &Dist, low: f64, high: f64) -> Option<Curve> {
        const STEPS: u64 = 1_000_000;
        Some(match dist {
            Dist::Quantiles(pairs) => Curve::Quantiles(pairs.clone().into()),
            Dist::Normal { mean, sd } => {
                let share = |value: f64| normal_share((value - mean) / sd);
                Curve::Normal { mean: *mean, sd: *sd, between: (share(low), share(high)) }
            }
            Dist::Exponential { mean } => {
                let below = 1.0 - libm::exp((low - high) / mean);
                Curve::Exponential { mean: *mean, low, below }
            }
            Dist::Zipfian { theta } => {
                Curve::Zipfian(Zipf::new(STEPS, *theta), (low, (high - low) / STEPS as f64))
            }
            _ => return None,
        })
    }

    /// The value below which this share lies.
    pub fn at(&self, share: f64) -> f64 {
        match self {
            Curve::Quantiles(pairs) => {
                let next = pairs.partition_point(|pair| pair.0 <= share).clamp(1, pairs.len() - 1);
                let ((from, low), (to, high)) = (pairs[next - 1], pairs[next]);
                low + (high - low) * (share - from) / (to - from)
            }
            Curve::Normal { mean, sd, between: (low, high) } => {
                mean + sd * normal_quantile(low + share * (high - low))
            }
            Curve::Exponential { mean, low, below } => low - mean * libm::log(1.0 - share * below),
            Curve::Zipfian(zipf, (low, step)) => low + zipf.rank(share) as f64 * step,
        }
    }
}

/// The share of the standard normal distribution below a value.
fn normal_share(value: f64) -> f64 {
    0.5 * libm::erfc(-value * std::f64::consts::FRAC_1_SQRT_2)
}

/// The inverse of [`normal_share`] to seven digits (Wichura, "Algorithm AS 241", Applied Statistics
/// 37, 1988: PPND7).
fn normal_quantile(share: f64) -> f64 {
    const LEAST: f64 = 1e-300;
    let q = share - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        let above =
            ((59.109_374_72 * r + 159.291_132_02) * r + 50.434_271_938) * r + 3.387_132_717_9;
        let below = ((67.187_563_6 * r + 78.757_757_664) * r + 17.895_169_469) * r + 1.0;
        return q * above / below;
    }
    let tail = share.min(1.0 - share).max(LEAST);
    let r = libm::sqrt(-libm::log(tail));
    let value = if r <= 5.0 {
        let r = r - 1.6;
        let above =
            ((0.170_238_211_03 * r + 1.306_728_481_6) * r + 2.756_815_39) * r + 1.423_437_277_7;
        above / ((0.120_211_328_38 * r + 0.737_001_642_5) * r + 1.0)
    } else {
        let r = r - 5.0;
        let above = ((0.017_337_203_997 * r + 0.428_682_943_37) * r + 3.081_226_386_2) * r
            + 6.657_905_115_0;
        above / ((0.012_258_202_635 * r + 0.241_978_942_25) * r + 1.0)
    };
    if q < 0.0 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_quantile_is_the_inverse_of_the_share() {
        for value in [-4.5, -3.0, -1.6, -0.5, 0.0, 0.1, 1.0, 2.5, 4.0] {
            let back = normal_quantile(normal_share(value));
            assert!((back - value).abs() < 1e-4, "{value}: {back}");
        }
        assert!(normal_quantile(1e-12) < -6.9 && normal_quantile(0.0).is_finite());
    }

    #[test]
    fn curves_stay_in_their_bounds_and_rise() {
        let quantiles = Dist::Quantiles(vec![(0.0, 1.0), (0.5, 3.0), (0.99, 40.0), (1.0, 900.0)]);
        for dist in [
            quantiles,
            Dist::Normal { mean: 100.0, sd: 200.0 },
            Dist::Exponential { mean: 50.0 },
            Dist::Zipfian { theta: 0.99 },
        ] {
            let curve = Curve::new(&dist, 1.0, 900.0).unwrap();
            let mut before = 1.0 - 1e-3;
            for share in (0..1000).map(|n| f64::from(n) / 1000.0) {
                let value = curve.at(share);
                assert!(value >= before && value <= 900.001, "{dist:?} {share}: {value}");
                before = value;
            }
        }
    }

    /// Shares of the first ranks, and of all beyond a million, are those of Zipf's law.
    #[test]
    fn ranks_have_the_shares_of_zipfs_law() {
        for n in [1, 2, 3, 100, 5_000_000] {
            let zipf = Zipf::new(n, 0.99);
            let first = 1.0 / zipf.zeta;
            assert_eq!(zipf.rank(first * 0.999), 0, "{n}");
            assert!(zipf.rank(0.999_999_999) < n, "{n}");
            if n > 2 {
                assert_eq!(zipf.rank(first * 1.001), 1, "{n}");
            }
        }
        let direct: f64 = (1..=5_000_000u64).map(|i| libm::pow(i as f64, -0.99)).sum();
        assert!((zeta(5_000_000, 0.99) - direct).abs() < 1e-6);
    }
}
