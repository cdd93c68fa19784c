//! Zipfian ranks as YCSB draws them: the method of Gray et al., "Quickly generating billion-record
//! synthetic databases" (SIGMOD 1994), section 3.

use std::sync::LazyLock;

use hoap_data::SpecError;

/// YCSB's zipfian constant.
pub const THETA: f64 = 0.99;
/// The population of YCSB's scrambled zipfian for any record count: 10 billion, plus one because
/// both ends of its range are inclusive.
pub const SCRAMBLED_ITEMS: u64 = 10_000_000_001;
/// Zeta of 10 billion items, as YCSB states it.
pub const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

/// Number of terms that are summed individually; the rest of the sum has a closed form.
const HEAD: u64 = 64;

/// The exponent θ of a zipfian: rank r, counted from 1, has a share in proportion to r^−θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponent {
    theta: f64,
    /// 2^−θ.
    half: f64,
    /// 1 / (1 − θ), the exponent of the curve of the ranks.
    curve: f64,
    /// Zeta(n) − tail(n), equal for every n ≥ [`HEAD`] to less than 2e-14.
    constant: f64,
}

/// That of [`THETA`].
static YCSB: LazyLock<Exponent> = LazyLock::new(|| Exponent::of(THETA));

impl Exponent {
    /// YCSB's, [`THETA`].
    pub fn ycsb() -> Self {
        *YCSB
    }

    /// An exponent above 0 and below 1, where the method's curve is defined.
    ///
    /// # Errors
    /// Fails for any other number.
    pub fn new(theta: f64) -> Result<Self, SpecError> {
        match theta {
            THETA => Ok(Exponent::ycsb()),
            _ if (MIN_THETA..=MAX_THETA).contains(&theta) => Ok(Exponent::of(theta)),
            _ => Err(SpecError::new(format!(
                "zipfian constant {theta}: use {MIN_THETA} to {MAX_THETA}, where YCSB's method of \
                 drawing is defined"
            ))),
        }
    }

    fn of(theta: f64) -> Self {
        let (half, curve) = (0.5f64.powf(theta), 1.0 / (1.0 - theta));
        let mut exponent = Exponent { theta, half, curve, constant: 0.0 };
        exponent.constant = exponent.head(HEAD) - exponent.tail(HEAD as f64);
        exponent
    }

    /// θ.
    pub fn theta(self) -> f64 {
        self.theta
    }

    /// 1 + 2^−θ + … + n^−θ, to a relative error of 1e-13.
    ///
    /// Takes constant time: the Euler–Maclaurin formula beyond 64 terms. A growing population
    /// therefore costs one power per step, not one per new item and client.
    pub fn zeta(self, n: u64) -> f64 {
        if n <= HEAD { self.head(n) } else { self.constant + self.tail(n as f64) }
    }

    /// Adds the smallest terms first, for precision.
    fn head(self, n: u64) -> f64 {
        (1..=n).rev().map(|i| (i as f64).powf(-self.theta)).sum()
    }

    /// Euler–Maclaurin without its constant: integral, half the last term, and the first two
    /// corrections by derivatives; the third is below 2e-14 from [`HEAD`] on.
    fn tail(self, n: f64) -> f64 {
        let theta = self.theta;
        let term = n.powf(-theta);
        let first = theta * term / n;
        let third = first * (theta + 1.0) * (theta + 2.0) / (n * n);
        term * n / (1.0 - theta) + term / 2.0 - first / 12.0 + third / 720.0
    }
}

/// Closer to 1 the curve, whose exponent is 1 / (1 − θ), has no digits left.
const MAX_THETA: f64 = 0.999;
const MIN_THETA: f64 = 0.001;

/// Draws ranks of a population: 0 is the most popular.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    exponent: Exponent,
    items: u64,
    zeta: f64,
    eta: f64,
}

impl Zipf {
    /// Over `items` items, with YCSB's constant; no items count as one.
    pub fn new(items: u64) -> Self {
        Zipf::with(Exponent::ycsb(), items)
    }

    /// Over `items` items; no items count as one.
    pub fn with(exponent: Exponent, items: u64) -> Self {
        Zipf::with_zeta(exponent, items, items, exponent.zeta(items.max(1)))
    }

    /// YCSB's generator for a population that grew from `first` to `items`.
    ///
    /// `ZipfianGenerator.nextLong` extends zeta to the current items and keeps `first` in the 2 / n
    /// of eta. The curve of the ranks from 2 on then begins at rank 2 · `items` / `first`: ranks 0
    /// and 1 have their exact shares, the ranks from 2 up to there are never drawn, and the ranks
    /// after it get their share. With fewer than three items at first there is no curve and YCSB
    /// returns ranks that are not items; the draws are exact then.
    pub fn grown(exponent: Exponent, first: u64, items: u64) -> Self {
        let of = if first < 3 { items } else { first };
        Zipf::with_zeta(exponent, items, of, exponent.zeta(items.max(1)))
    }

    /// YCSB's fixed population. Of [`THETA`] YCSB has the zeta as a constant, of another exponent
    /// it adds it up.
    pub fn scrambled(exponent: Exponent) -> Self {
        let zeta = match exponent.theta {
            THETA => SCRAMBLED_ZETA,
            _ => exponent.zeta(SCRAMBLED_ITEMS),
        };
        Zipf::with_zeta(exponent, SCRAMBLED_ITEMS, SCRAMBLED_ITEMS, zeta)
    }

    /// `of` is the n of eta's 2 / n: the number of items.
    fn with_zeta(exponent: Exponent, items: u64, of: u64, zeta_n: f64) -> Self {
        let items = items.max(1);
        let zeta_2 = 1.0 + exponent.half;
        // With two items or fewer no draw reaches eta, which would be 0 / 0.
        let eta = match items {
            0..=2 => 0.0,
            _ => (1.0 - (2.0 / of as f64).powf(1.0 - exponent.theta)) / (1.0 - zeta_2 / zeta_n),
        };
        Zipf { exponent, items, zeta: zeta_n, eta }
    }

    /// Number of items.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// The rank, below [`Zipf::items`], for a number in [0, 1).
    ///
    /// Ranks 0 and 1 have their exact share; the others follow a curve with exponent 1 / (1 − θ).
    /// With YCSB's constant that is 100, and nine multiplications replace the power (with a
    /// difference below 1e-12).
    #[inline]
    pub fn rank(&self, unit: f64) -> u64 {
        let scaled = unit * self.zeta;
        if scaled < 1.0 {
            return 0;
        }
        let Exponent { theta, half, curve, .. } = self.exponent;
        if scaled < 1.0 + half {
            return 1.min(self.items - 1);
        }
        let base = self.eta * unit - self.eta + 1.0;
        let power = match theta {
            THETA => power_100(base),
            _ => base.powf(curve),
        };
        // Processors convert signed numbers in one step. No population has 2^63 items.
        let rank = (self.items as i64 as f64 * power) as i64;
        (rank as u64).min(self.items - 1)
    }
}

/// x^100.
#[inline(always)]
fn power_100(x: f64) -> f64 {
    let x2 = x * x;
    let x4 = x2 * x2;
    let x8 = x4 * x4;
    let x16 = x8 * x8;
    let x32 = x16 * x16;
    x32 * x32 * x32 * x4
}

#[cfg(test)]
mod tests {
    use hoap_data::random::Stream;

    use super::*;

    fn zeta(n: u64) -> f64 {
        Exponent::ycsb().zeta(n)
    }

    #[test]
    fn terms() {
        for theta in [THETA, 0.001, 0.3, 0.75, 0.999] {
            let exponent = Exponent::new(theta).unwrap();
            for n in [2, 63, 64, 65, 66, 67, 5000] {
                let nth = exponent.zeta(n) - exponent.zeta(n - 1);
                assert!((nth - (n as f64).powf(-theta)).abs() < 1e-11, "{theta} {n}");
            }
        }
        for theta in [0.0, 1.0, 1.2, -0.5, f64::NAN, f64::INFINITY] {
            let error = Exponent::new(theta).unwrap_err().to_string();
            assert!(error.starts_with(&format!("zipfian constant {theta}: use 0.001 to 0.999")));
        }
    }

    /// Each rank has a share in proportion to its power, as far as Gray's curve follows it.
    #[test]
    fn other_exponents() {
        const FINE: u32 = 1_000_000;
        for theta in [0.3, 0.5, 0.8, 0.95] {
            let exponent = Exponent::new(theta).unwrap();
            let zipf = Zipf::with(exponent, 1000);
            let mut seen = vec![0u32; 1000];
            (0..FINE).for_each(|n| seen[zipf.rank(f64::from(n) / f64::from(FINE)) as usize] += 1);
            for rank in [0, 1, 10, 100, 900] {
                let exact = ((rank + 1) as f64).powf(-theta) / exponent.zeta(1000);
                let ratio = f64::from(seen[rank]) / f64::from(FINE) / exact;
                assert!((0.8..1.25).contains(&ratio), "{theta}, rank {rank}: {ratio}");
            }
            let scrambled = Zipf::scrambled(exponent);
            assert_eq!(scrambled.items(), SCRAMBLED_ITEMS);
            let mut stream = Stream::new(5, &[]);
            let hottest = (0..100_000).filter(|_| zipf.rank(stream.unit()) == 0).count();
            let expected = 1e5 / exponent.zeta(1000);
            assert!((hottest as f64 - expected).abs() < 5.0 * expected.sqrt(), "{theta}");
        }
    }

    /// Spec §1: zeta of a growing population equals the sum at every size.
    #[test]
    fn zeta_is_the_sum() {
        let mut sum = 0.0;
        let mut lost = 0.0;
        for i in 1..=2_000_000u64 {
            // Kahan's summation: the reference must be more precise than the tested function.
            let term = (i as f64).powf(-THETA) - lost;
            let next = sum + term;
            lost = (next - sum) - term;
            sum = next;
            if i.is_power_of_two() || i % 100_000 == 0 {
                assert!((zeta(i) / sum - 1.0).abs() < 1e-13, "{i}: {} {sum}", zeta(i));
            }
        }
        // YCSB's own sum of ten billion terms lost some digits.
        assert!((zeta(10_000_000_000) / SCRAMBLED_ZETA - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_hundredth_power() {
        let mut stream = Stream::new(3, &[]);
        for _ in 0..1_000_000 {
            let x = 0.75 + 0.25 * stream.unit();
            let exact = x.powf(1.0 / (1.0 - THETA));
            assert!((power_100(x) / exact - 1.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn every_draw_is_an_item() {
        let units = [0.0, 1e-300, 0.25, 0.5, 0.999, 1.0 - f64::EPSILON / 2.0];
        for items in [0, 1, 2, 3, 4, 10, 1000, 1 << 40, SCRAMBLED_ITEMS] {
            let zipf = Zipf::new(items);
            for unit in units {
                assert!(zipf.rank(unit) < items.max(1), "{items} {unit}");
            }
            assert_eq!(zipf.rank(0.0), 0);
        }
    }

    /// `ZipfianGenerator.nextLong` of YCSB 0.17 with an `itemcount` above its `items`.
    #[test]
    fn a_generator_that_grew_keeps_its_first_size_in_eta() {
        let ycsb = Exponent::ycsb();
        let (first, items) = (999.0f64, 3_999.0f64);
        let zetan = zeta(3_999);
        let eta =
            (1.0 - (2.0 / first).powf(1.0 - THETA)) / (1.0 - (1.0 + 0.5f64.powf(THETA)) / zetan);
        let (grown, exact) = (Zipf::grown(ycsb, 999, 3_999), Zipf::new(3_999));
        let mut stream = Stream::new(4, &[]);
        let (mut least, mut different) = (u64::MAX, 0);
        for _ in 0..100_000 {
            let unit = stream.unit();
            let theirs = match unit * zetan {
                scaled if scaled < 1.0 => 0,
                scaled if scaled < 1.0 + 0.5f64.powf(THETA) => 1,
                _ => (items * (eta * unit - eta + 1.0).powf(1.0 / (1.0 - THETA))) as u64,
            };
            let ours = grown.rank(unit);
            // The hundredth power may round the edge of a rank the other way.
            assert!(ours.abs_diff(theirs) <= 1, "{unit}: {ours} {theirs}");
            different += u64::from(ours != theirs);
            least = least.min(if ours > 1 { ours } else { u64::MAX });
        }
        assert!(different < 10, "{different}");
        assert_eq!(least, 8, "2 · 3,999 / 999");
        assert_eq!(exact.rank(1.6 / zetan), 2);
        assert_eq!((Zipf::grown(ycsb, 3_999, 3_999), Zipf::grown(ycsb, 2, 3_999)), (exact, exact));
        for first in 0..5 {
            for items in first..10 {
                let zipf = Zipf::grown(ycsb, first, items);
                assert!((0..1000).all(|i| zipf.rank(f64::from(i) / 1e3) < items.max(1)));
            }
        }
    }

    /// The shares of a true zipfian's first ranks (spec §1: 12.9 % at 1,000, 6.5 % at a million;
    /// 3.78 % for YCSB's fixed population).
    #[test]
    fn the_hottest_share() {
        for (zipf, share) in [
            (Zipf::new(1000), 0.129),
            (Zipf::new(1_000_000), 0.065),
            (Zipf::scrambled(Exponent::ycsb()), 0.0378),
        ] {
            assert!((1.0 / zipf.zeta - share).abs() < 0.0005, "{}", 1.0 / zipf.zeta);
            let edge = 1.0 / zipf.zeta;
            assert_eq!((zipf.rank(edge * 0.999_999), zipf.rank(edge * 1.000_001)), (0, 1));
        }
    }
}
