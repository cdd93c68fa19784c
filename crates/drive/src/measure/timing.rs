//! The times of one kind of operation: a histogram, the exact sum and the exact maximum.

use hdrhistogram::Histogram;
use hoap_record::Latency;
use hoap_record::histogram::{LONGEST_US, histogram};

/// Whole microseconds of these nanoseconds, rounded to the nearest.
pub(crate) fn micros(nanos: u64) -> u64 {
    nanos.saturating_add(500) / 1_000
}

/// The times of one kind of operation.
pub(crate) struct Timing {
    /// Microseconds.
    pub times: Histogram<u64>,
    /// Exact sum, nanoseconds. In an overloaded open loop it exceeds 64 bits.
    sum: u128,
    /// Exact maximum, nanoseconds.
    longest: u64,
}

impl Timing {
    pub fn new() -> Self {
        Timing { times: histogram(), sum: 0, longest: 0 }
    }

    /// Adds a time.
    #[inline]
    pub fn add(&mut self, nanos: u64) {
        self.times
            .record(micros(nanos).min(LONGEST_US))
            .expect("the histogram resizes up to the bound");
        self.sum += u128::from(nanos);
        self.longest = self.longest.max(nanos);
    }

    pub fn absorb(&mut self, other: &Timing) {
        self.times.add(&other.times).expect("the histogram resizes");
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
    }

    pub fn clear(&mut self) {
        self.times.reset();
        self.sum = 0;
        self.longest = 0;
    }

    pub fn count(&self) -> u64 {
        self.times.len()
    }

    /// Mean, percentiles and maximum; zeros if there are no times.
    pub fn latency(&self) -> Latency {
        if self.times.is_empty() {
            return Latency::default();
        }
        Latency {
            mean_us: self.sum as f64 / 1e3 / self.count() as f64,
            p50_us: self.quantile_us(0.5),
            p90_us: self.quantile_us(0.9),
            p95_us: self.quantile_us(0.95),
            p99_us: self.quantile_us(0.99),
            p999_us: self.quantile_us(0.999),
            max_us: micros(self.longest),
        }
    }

    /// A quantile, 0 if there are no times. A histogram returns the upper edge of a bucket; where
    /// that exceeds the maximum, the maximum is returned.
    pub fn quantile_us(&self, quantile: f64) -> u64 {
        match self.times.is_empty() {
            true => 0,
            false => self.times.value_at_quantile(quantile).min(micros(self.longest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_above_an_hour_is_an_hour_in_the_histogram_and_exact_in_maximum_and_mean() {
        let mut timing = Timing::new();
        timing.add(7_200_000_000_000);
        timing.add(0);
        assert_eq!(timing.count(), 2);
        assert!(timing.times.equivalent(timing.times.max(), LONGEST_US));
        assert_eq!(timing.latency().max_us, 7_200_000_000);
        assert_eq!(timing.latency().mean_us, 3_600_000_000.0);
        assert_eq!(timing.latency().p50_us, 0);
        timing.add(u64::MAX);
        timing.add(u64::MAX);
        assert_eq!(timing.latency().max_us, micros(u64::MAX), "the sum does not overflow");
    }

    #[test]
    fn quantiles_have_three_digits_and_do_not_exceed_the_maximum() {
        let mut timing = Timing::new();
        for us in 1..=100_000 {
            timing.add(us * 1_000);
        }
        let latency = timing.latency();
        let close = |value: u64, exact: f64| (value as f64 / exact - 1.0).abs() < 1e-3;
        assert!(close(latency.p50_us, 50_000.0) && close(latency.p90_us, 90_000.0));
        assert!(close(latency.p95_us, 95_000.0) && close(latency.p99_us, 99_000.0));
        assert!(close(latency.p999_us, 99_900.0));
        assert_eq!(latency.max_us, 100_000);
        assert!((latency.mean_us - 50_000.5).abs() < 1e-6);
        let mut one = Timing::new();
        one.add(1_000_001_000);
        assert_eq!(one.latency().p50_us, 1_000_001);
    }

    #[test]
    fn a_time_is_rounded_to_the_nearest_microsecond() {
        assert_eq!(micros(499), 0);
        assert_eq!(micros(500), 1);
        assert_eq!(micros(1_499), 1);
    }
}
