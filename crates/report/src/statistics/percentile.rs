//! Percentiles of one run, by a block bootstrap over its interval histograms.

use hoap_data::random::Stream;

use super::{Basis, Estimate, FEWEST, rare_error};

/// A longer series of intervals is merged to at most this many.
pub const MOST_GROUPS: usize = 128;
/// The most sums of a series, one for each time and interval: with more than 16,384 different times
/// it is merged further.
const MOST_SUMS: usize = MOST_GROUPS << 14;
/// Series that are drawn.
const RESAMPLES: usize = 500;
/// Every draw comes from here, so that a comparison can be made again.
const SEED: u64 = u64::from_be_bytes(*b"quantile");

/// Response times of one kind of operation in intervals that follow each other.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// Every time that was recorded, rising, microseconds.
    times: Vec<u64>,
    /// Of each interval, how many operations took at most so long, by the place in `times`.
    up_to: Vec<Vec<u64>>,
}

impl Intervals {
    /// From the times of successive intervals: each rising, with its count.
    pub fn new(intervals: &[Vec<(u64, u64)>]) -> Intervals {
        let mut times: Vec<u64> = intervals.iter().flatten().map(|(time, _)| *time).collect();
        times.sort_unstable();
        times.dedup();
        let most = (MOST_SUMS / times.len().max(1)).clamp(FEWEST, MOST_GROUPS);
        let merge = intervals.len().div_ceil(most).max(1);
        let up_to = intervals
            .chunks(merge)
            .map(|chunk| {
                let mut counts = vec![0u64; times.len()];
                for interval in chunk {
                    // Both rise, and `times` has every one.
                    let mut place = 0;
                    for (time, count) in interval {
                        place += times[place..].iter().take_while(|other| *other < time).count();
                        counts[place] += count;
                    }
                }
                let mut sum = 0;
                for count in &mut counts {
                    sum += *count;
                    *count = sum;
                }
                counts
            })
            .collect();
        Intervals { times, up_to }
    }

    /// Operations of an interval.
    fn count(&self, interval: usize) -> u64 {
        self.up_to[interval].last().copied().unwrap_or(0)
    }

    /// The mean of the times' logarithms in each interval; in one without operations that of all.
    fn levels(&self) -> Vec<f64> {
        let logarithms: Vec<f64> = self.times.iter().map(|time| logarithm(*time)).collect();
        let sum = |up_to: &Vec<u64>| -> f64 {
            let before = std::iter::once(0).chain(up_to.iter().copied());
            let counts = up_to.iter().zip(before).map(|(up_to, before)| up_to - before);
            counts.zip(&logarithms).map(|(count, logarithm)| count as f64 * logarithm).sum()
        };
        let sums: Vec<f64> = self.up_to.iter().map(sum).collect();
        let number: u64 = (0..sums.len()).map(|at| self.count(at)).sum();
        let mean = sums.iter().sum::<f64>() / number as f64;
        let level = |(at, sum): (usize, f64)| match self.count(at) {
            0 => mean,
            count => sum / count as f64,
        };
        sums.into_iter().enumerate().map(level).collect()
    }

    /// Where the quantile lies in `times`, each interval counted so many times.
    fn place(&self, quantile: f64, weights: &[u32]) -> usize {
        let sum = |of: &dyn Fn(usize) -> u64| -> u64 {
            let drawn = weights.iter().enumerate().filter(|(_, weight)| **weight > 0);
            drawn.map(|(interval, weight)| u64::from(*weight) * of(interval)).sum()
        };
        let wanted = quantile * sum(&|interval| self.count(interval)) as f64;
        let (mut low, mut high) = (0, self.times.len() - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match sum(&|interval| self.up_to[interval][middle]) as f64 >= wanted - 1e-9 {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        low
    }
}

/// Of a time in microseconds, of which 0 is one.
fn logarithm(time: u64) -> f64 {
    (time as f64 + 0.5).ln()
}

/// A quantile (0.99) in microseconds with its error; a bare one where there are fewer intervals
/// than [`FEWEST`](super::FEWEST). `None` where nothing was recorded, or it is 0 µs.
///
/// Blocks of successive intervals are drawn with replacement, as many as the series is long
/// (circular block bootstrap, Politis and Romano 1992), their histograms added, and the quantile
/// taken. Blocks have the length that suits the correlation of neighbours (Politis and White 2004).
/// How far the logarithms of the draws lie above the quantile and how far below is seldom the same,
/// and the run does not say on which side the truth is: the larger of the two is the error.
///
/// A block bootstrap of a short series makes errors too small; by how much is seen in the share of
/// operations up to the quantile, whose error [`rare_error`] knows, and is put right by that
/// factor.
pub fn quantile(intervals: &Intervals, quantile: f64) -> Option<Estimate> {
    let number = intervals.up_to.len();
    if intervals.times.is_empty() {
        return None;
    }
    let place = intervals.place(quantile, &vec![1; number]);
    let value = intervals.times[place];
    // Below the quantile in each interval, less what it would be if all intervals were alike.
    let off: Vec<f64> = (0..number)
        .map(|at| intervals.up_to[at][place] as f64 - quantile * intervals.count(at) as f64)
        .collect();
    let Some(known) = rare_error(&off, &intervals.levels()) else {
        return Estimate::bare(value as f64);
    };
    let block = block_length(known.correlation, number);
    let mut stream = Stream::new(SEED, &[quantile.to_bits()]);
    let (mut above, mut below, mut seen) = (0.0, 0.0, Scatter::default());
    let mut weights = vec![0u32; number];
    for _ in 0..RESAMPLES {
        weights.fill(0);
        let mut drawn = 0;
        while drawn < number {
            let start = stream.uniform(0..=number as i64 - 1) as usize;
            for at in start..start + block.min(number - drawn) {
                weights[at % number] += 1;
            }
            drawn += block;
        }
        let time = intervals.times[intervals.place(quantile, &weights)];
        let away = logarithm(time) - logarithm(value);
        let side = if away > 0.0 { &mut above } else { &mut below };
        *side += away * away;
        let sum: f64 = weights.iter().zip(&off).map(|(weight, off)| f64::from(*weight) * off).sum();
        seen.add(sum / number as f64);
    }
    // As if each side had half of the draws, which is so but for chance and for draws of the same
    // time.
    let drawn = (f64::max(above, below) * 2.0 / RESAMPLES as f64).sqrt();
    let seen = seen.deviation();
    let factor = if seen > 0.0 { known.error / seen } else { 1.0 };
    let basis = Basis::Series(known.effective);
    Estimate::new(value as f64, drawn * factor, known.freedom, basis)
}

/// The block length with the least error for a series whose neighbours have this correlation.
fn block_length(correlation: f64, number: usize) -> usize {
    let memory = 6.0 * (correlation / (1.0 - correlation * correlation)).powi(2);
    let length = (memory * number as f64).cbrt().ceil() as usize;
    length.clamp(1, (number / 4).max(1))
}

/// Mean and deviation as the numbers come (Welford 1962).
#[derive(Default)]
struct Scatter {
    number: f64,
    mean: f64,
    squares: f64,
}

impl Scatter {
    fn add(&mut self, value: f64) {
        self.number += 1.0;
        let off = value - self.mean;
        self.mean += off / self.number;
        self.squares += off * (value - self.mean);
    }

    fn deviation(&self) -> f64 {
        (self.squares / (self.number - 1.0)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram;

    use super::*;

    fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
        let mut histogram = Histogram::new(3).unwrap();
        values.into_iter().for_each(|v| histogram.record(v).unwrap());
        histogram
    }

    /// The highest time of each bucket that has a count, with the count.
    fn recorded(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
        let buckets = histogram.iter_recorded();
        buckets.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value())).collect()
    }

    fn times(values: impl IntoIterator<Item = u64>) -> Vec<(u64, u64)> {
        recorded(&histogram(values))
    }

    #[test]
    fn the_quantile_is_that_of_all_intervals_together() {
        let parts: Vec<_> = (0..40).map(|n| histogram((1..=50).map(|v| v * 40 + n))).collect();
        let mut whole = Histogram::<u64>::new(3).unwrap();
        parts.iter().for_each(|part| whole.add(part).unwrap());
        let intervals = Intervals::new(&parts.iter().map(recorded).collect::<Vec<_>>());
        for q in [0.0, 0.01, 0.5, 0.9, 0.99, 1.0] {
            let found = quantile(&intervals, q).unwrap();
            assert_eq!(found.value, whole.value_at_quantile(q) as f64, "{q}");
            assert_eq!(quantile(&intervals, q), Some(found), "the same every time");
        }
    }

    #[test]
    fn too_few_intervals_have_no_error_and_none_no_value() {
        let few = Intervals::new(&vec![times([5, 6, 7]); FEWEST - 1]);
        assert_eq!(quantile(&few, 0.5).unwrap().basis, Basis::Nothing);
        assert_eq!(quantile(&Intervals::new(&[]), 0.5), None);
        assert_eq!(quantile(&Intervals::new(&vec![times([0]); 20]), 0.5), None, "0 µs");
        let constant = quantile(&Intervals::new(&vec![times([9; 30]); 20]), 0.99).unwrap();
        assert_eq!((constant.value, constant.error), (9.0, 0.0));
    }

    #[test]
    fn blocks_grow_with_memory_and_stay_within_the_series() {
        assert_eq!(block_length(0.0, 60), 1);
        assert!(block_length(0.5, 60) > 3 && block_length(0.97, 60) == 15);
        assert_eq!(block_length(0.97, 3), 1);
    }
}
