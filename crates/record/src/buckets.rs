//! Sums of the times of intervals, by the buckets of [`histogram`](crate::histogram).
//!
//! A log's intervals have few different times each, and are millions in a month. A
//! [`Histogram`](hdrhistogram::Histogram) gives its counts back bucket by bucket, empty ones too,
//! which takes longer than adding them up; a [`Sum`] looks only where it was added to.

/// The exponent of the number of steps between two powers of two: those of three digits.
const STEPS: u32 = 10;

/// The bucket of a time, from 0.
pub fn bucket(time: u64) -> usize {
    let doubling = time.checked_ilog2().unwrap_or(0).saturating_sub(STEPS);
    ((u64::from(doubling) << STEPS) + (time >> doubling)) as usize
}

/// The lowest time of a bucket; `u64::MAX` beyond the last.
fn lowest(bucket: usize) -> u64 {
    let doubling = (bucket >> STEPS).saturating_sub(1) as u32;
    let steps = bucket as u64 - (u64::from(doubling) << STEPS);
    if doubling > 63 - STEPS { u64::MAX } else { steps << doubling }
}

/// The highest time of a bucket, as percentiles have it.
fn highest(bucket: usize) -> u64 {
    match lowest(bucket + 1) {
        u64::MAX => u64::MAX,
        next => next - 1,
    }
}

/// Counts of times that are added up.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    counts: Vec<u64>,
    /// The lowest and the highest bucket that has a count.
    used: Option<(usize, usize)>,
}

impl Sum {
    /// Adds so many of this time.
    pub fn add(&mut self, time: u64, count: u64) {
        let bucket = bucket(time);
        if bucket >= self.counts.len() {
            self.counts.resize((bucket + 1).next_power_of_two(), 0);
        }
        self.counts[bucket] = self.counts[bucket].saturating_add(count);
        let (low, high) = self.used.unwrap_or((bucket, bucket));
        self.used = Some((low.min(bucket), high.max(bucket)));
    }

    /// The highest time of each bucket that has a count, rising, with the count. Nothing remains.
    pub fn take(&mut self) -> Vec<(u64, u64)> {
        let Some((low, high)) = self.used.take() else { return Vec::new() };
        let mut all = Vec::new();
        for (bucket, count) in (low..).zip(&mut self.counts[low..=high]) {
            if *count > 0 {
                all.push((highest(bucket), std::mem::take(count)));
            }
        }
        all
    }
}

/// The time that this share of the operations does not exceed: 0.99 for p99. `times` rise and have
/// their counts. `None` where there are none.
pub fn quantile(times: &[(u64, u64)], share: f64) -> Option<u64> {
    let number = times.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
    let wanted = ((share.min(1.0) * number as f64).ceil() as u64).max(1);
    let mut up_to = 0u64;
    let reached = times.iter().find(|(_, count)| {
        up_to = up_to.saturating_add(*count);
        up_to >= wanted
    });
    reached.map(|(time, _)| *time)
}

#[cfg(test)]
mod tests {
    use hoap_data::random::Stream;

    use super::*;
    use crate::histogram::histogram;

    /// Everything a histogram says of the same times: its buckets, counts and percentiles.
    #[test]
    fn sums_are_those_of_a_histogram() {
        let mut stream = Stream::new(3, &[]);
        let mut sum = Sum::default();
        for number in [0, 1, 7, 3_000] {
            let mut expected = histogram();
            for at in 0..number {
                let time = match at % 5 {
                    0 => stream.uniform(0..=5_000) as u64,
                    _ => (1u64 << stream.uniform(0..=32)) + stream.uniform(0..=900) as u64,
                };
                let count = stream.uniform(1..=9) as u64;
                expected.record_n(time, count).unwrap();
                sum.add(time, count);
            }
            let found = sum.take();
            let counts: Vec<(u64, u64)> = expected
                .iter_recorded()
                .map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
                .collect();
            assert_eq!(found, counts);
            for share in [0.0, 0.5, 0.99, 0.999, 1.0] {
                let value = (number > 0).then(|| match share {
                    0.0 => expected.value_at_quantile(1e-9),
                    share => expected.value_at_quantile(share),
                });
                assert_eq!(quantile(&found, share), value, "{share} of {number}");
            }
            assert!(sum.take().is_empty(), "nothing remains");
        }
        for time in [0, 1, 2047, 2048, 4095, 4096, 1 << 33, (1 << 50) + 12_345] {
            let expected = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1 << 60, 3).unwrap();
            assert_eq!(highest(bucket(time)), expected.highest_equivalent(time), "{time}");
            assert_eq!(lowest(bucket(time)), expected.lowest_equivalent(time), "{time}");
        }
    }
}
