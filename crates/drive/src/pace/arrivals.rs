//! Arrival times of an open loop.

use crate::plan::{Arrivals, mix};

/// Operations of a block of random intervals. A cursor that moves forward computes each block once.
const BLOCK: u64 = 64;

/// The arrival times of an open loop: a pure function from the number of an operation to the time
/// at which it is due, in nanoseconds since the schedule's start.
///
/// The time of a Poisson arrival is the sum of all intervals before it. The intervals of a block
/// come from a random stream that depends on the seed and the block alone, and a [`Cursor`] keeps
/// the sum before its block. So each client advances on its own, and all compute the same times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrivalTimes {
    pub rate: f64,
    pub arrivals: Arrivals,
}

/// A position in the arrival times that only moves forward.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    block: u64,
    /// Sum of the intervals of all blocks before, in mean intervals.
    before: f64,
}

impl ArrivalTimes {
    /// When operation `number` is due. A cursor requires numbers in ascending order.
    #[inline]
    pub fn due(&self, cursor: &mut Cursor, number: u64) -> u64 {
        let intervals = match self.arrivals {
            Arrivals::Constant => number as f64,
            Arrivals::ConstantPart { part, of } => number as f64 + (part - 1) as f64 / of as f64,
            Arrivals::Poisson { seed } => {
                cursor.go_to(seed, number / BLOCK);
                cursor.before + sum(seed, cursor.block, number % BLOCK + 1)
            }
        };
        (intervals / self.rate * 1e9 + 0.5) as u64
    }

    /// The number of the first operation that is due at `time` or later, which is also the number
    /// of operations that are due before.
    pub fn first_at(&self, cursor: &mut Cursor, time: u64) -> u64 {
        let mut low = match self.arrivals {
            Arrivals::Constant | Arrivals::ConstantPart { .. } => {
                ((time as f64 * self.rate / 1e9) as u64).saturating_sub(1)
            }
            Arrivals::Poisson { seed } => {
                while self.due(cursor, cursor.block * BLOCK + BLOCK - 1) < time {
                    cursor.go_to(seed, cursor.block + 1);
                }
                cursor.block * BLOCK
            }
        };
        while self.due(cursor, low) < time {
            low += 1;
        }
        low
    }
}

impl Cursor {
    fn go_to(&mut self, seed: u64, block: u64) {
        debug_assert!(block >= self.block, "a cursor moves forward");
        while self.block < block {
            self.before += sum(seed, self.block, BLOCK);
            self.block += 1;
        }
    }
}

/// The sum of the first `count` intervals of a block, in mean intervals. The sum of their
/// logarithms is computed as one logarithm of their product.
fn sum(seed: u64, block: u64, count: u64) -> f64 {
    let stream = mix(seed ^ mix(block.wrapping_add(0x243f_6a88_85a3_08d3)));
    // Uniform in (0, 1]. The product of 64 of them underflows only if the sum of the intervals is
    // above 700, which no seed produces.
    let uniform = |i: u64| {
        let bits = mix(stream.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64
    };
    -(0..count).map(uniform).product::<f64>().max(f64::MIN_POSITIVE).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(rate: f64, arrivals: Arrivals) -> ArrivalTimes {
        ArrivalTimes { rate, arrivals }
    }

    fn gaps(times: ArrivalTimes, count: u64) -> Vec<f64> {
        let mut cursor = Cursor::default();
        let mut last = 0;
        (0..count)
            .map(|n| {
                let due = times.due(&mut cursor, n);
                let gap = due - last;
                last = due;
                gap as f64
            })
            .collect()
    }

    #[test]
    fn constant_arrivals_do_not_drift() {
        for rate in [7.5, 300.0, 50_000.0, 1e9] {
            let times = process(rate, Arrivals::Constant);
            for n in [0, 1, 2, 999, 1_000_000, 86_400_000_000] {
                let exact = n as f64 / rate * 1e9;
                let due = times.due(&mut Cursor::default(), n) as f64;
                assert!((due - exact).abs() <= exact * 1e-12 + 1.0, "{n} at {rate}: {due}");
            }
        }
    }

    /// Four drivers of 250 operations a second are due as one of 1,000 is.
    #[test]
    fn constant_arrivals_of_several_drivers_take_turns() {
        let due = |arrivals, rate: f64, n| process(rate, arrivals).due(&mut Cursor::default(), n);
        for n in 0..1_000 {
            let part = Arrivals::ConstantPart { part: n % 4 + 1, of: 4 };
            assert_eq!(due(part, 250.0, n / 4), due(Arrivals::Constant, 1_000.0, n));
        }
    }

    /// Intervals of a Poisson process are exponential and independent: mean 1/rate, standard
    /// deviation the same, a share of 1 − 1/e below the mean. A million intervals give each value
    /// to a few thousandths; the bounds are five standard errors.
    #[test]
    fn intervals_of_a_poisson_process_are_exponential_and_independent() {
        let (rate, count) = (5_000.0, 1_000_000);
        for seed in [1, 2, 0xdead_beef] {
            let gaps = gaps(process(rate, Arrivals::Poisson { seed }), count);
            let n = count as f64;
            let mean = gaps.iter().sum::<f64>() / n / 1e9 * rate;
            assert!((mean - 1.0).abs() < 5.0 / n.sqrt(), "mean {mean}");
            let deviation = |gap: &f64| gap / 1e9 * rate - 1.0;
            let variance = gaps.iter().map(|g| deviation(g).powi(2)).sum::<f64>() / n;
            assert!((variance - 1.0).abs() < 5.0 * (8.0 / n).sqrt(), "variance {variance}");
            let below = gaps.iter().filter(|g| deviation(g) < 0.0).count() as f64 / n;
            let expected = 1.0 - (-1f64).exp();
            assert!((below - expected).abs() < 5.0 * (0.25 / n).sqrt(), "below the mean {below}");
            let pairs = gaps.windows(2).map(|p| deviation(&p[0]) * deviation(&p[1]));
            assert!((pairs.sum::<f64>() / n).abs() < 5.0 / n.sqrt(), "neighbours correlate");
        }
    }

    /// Counts of arrivals in equal times have a variance equal to their mean, also across blocks.
    #[test]
    fn counts_of_a_poisson_process_have_a_variance_equal_to_their_mean() {
        let times = process(1e6, Arrivals::Poisson { seed: 7 });
        let mut cursor = Cursor::default();
        // A thousand arrivals in a millisecond, on average.
        let edges: Vec<u64> =
            (0..=2_000).map(|ms| times.first_at(&mut cursor, ms * 1_000_000)).collect();
        let counts: Vec<f64> = edges.windows(2).map(|e| (e[1] - e[0]) as f64).collect();
        let n = counts.len() as f64;
        let mean = counts.iter().sum::<f64>() / n;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (n - 1.0);
        assert!((mean / 1_000.0 - 1.0).abs() < 5.0 * (1.0 / 1_000.0 / n).sqrt(), "{mean}");
        assert!((variance / mean - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{variance}");
    }

    #[test]
    fn every_cursor_computes_the_same_ascending_times() {
        let times = process(1e4, Arrivals::Poisson { seed: 3 });
        let mut all = Cursor::default();
        let mut some = Cursor::default();
        let mut last = 0;
        for n in 0..20_000 {
            let due = times.due(&mut all, n);
            assert!(due >= last);
            last = due;
            if n % 97 == 0 {
                assert_eq!(times.due(&mut some, n), due);
            }
        }
        let other = process(1e4, Arrivals::Poisson { seed: 4 });
        assert_ne!(other.due(&mut Cursor::default(), 19_999), last);
    }

    #[test]
    fn the_first_operation_at_a_time_separates_earlier_from_later_ones() {
        let part = Arrivals::ConstantPart { part: 3, of: 4 };
        for arrivals in [Arrivals::Constant, part, Arrivals::Poisson { seed: 5 }] {
            for rate in [7.0, 1_234.5, 1e6] {
                let times = process(rate, arrivals);
                for time in [0, 1, 1_000_000, 10_000_000, 77_777_777] {
                    let first = times.first_at(&mut Cursor::default(), time);
                    assert!(times.due(&mut Cursor::default(), first) >= time);
                    assert!(
                        first == 0 || times.due(&mut Cursor::default(), first - 1) < time,
                        "{arrivals:?} at {rate}: {first} at {time}"
                    );
                }
            }
        }
    }
}
