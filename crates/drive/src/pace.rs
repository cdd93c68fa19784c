//! Pace: when operations begin in an open loop.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::plan::Phase;

/// What sets the pace of the transaction clients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pace {
    /// Closed loop: a client begins its next operation when the last one has ended.
    #[default]
    Closed,
    /// Open loop: operations are due at their times, whether or not the database keeps up. Whatever
    /// waits for a free client keeps its time, nothing is skipped, and its response time counts from
    /// when it was due. Keying and think times have no meaning here and are left out.
    Open {
        /// Operations per second of all clients together, above 0 and at most [`FASTEST`].
        rate: f64,
        /// How they are spread over time.
        arrivals: Arrivals,
    },
}

/// How the operations of an open loop are spread over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// At equal distances.
    Constant,
    /// A Poisson process: the distances are independent and exponential, as those between the calls
    /// of many independent users.
    Poisson {
        /// The same seed draws the same times.
        seed: u64,
    },
}

impl Arrivals {
    /// "constant" or "poisson".
    pub fn name(self) -> &'static str {
        match self {
            Arrivals::Constant => "constant",
            Arrivals::Poisson { .. } => "poisson",
        }
    }
}

/// The highest rate of an open loop: one operation in a nanosecond.
pub const FASTEST: f64 = 1e9;

/// Arrivals of a block. Who goes from arrival to arrival computes each block once.
const BLOCK: u64 = 64;

/// The times of an open loop: a pure function from the number of an operation to when it is due, in
/// nanoseconds since the schedule's start.
///
/// A Poisson process needs the sum of all distances before. The distances of a block come from a
/// stream of random numbers that belongs to the seed and the block, and a [`Cursor`] remembers the
/// sum before its block: so every client goes forward on its own, and all find the same times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    rate: f64,
    arrivals: Arrivals,
}

/// A place in a schedule that only moves forward.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    block: u64,
    /// Sum of the distances of all blocks before, in mean distances.
    before: f64,
}

impl Times {
    /// When operation `number` is due. A cursor takes numbers in ascending order.
    #[inline]
    pub fn due(&self, cursor: &mut Cursor, number: u64) -> u64 {
        let distances = match self.arrivals {
            Arrivals::Constant => number as f64,
            Arrivals::Poisson { seed } => {
                cursor.go_to(seed, number / BLOCK);
                cursor.before + sum(seed, cursor.block, number % BLOCK + 1)
            }
        };
        (distances / self.rate * 1e9 + 0.5) as u64
    }

    /// The first operation that is due at `time` or later, which is how many are due before.
    pub fn first_at(&self, cursor: &mut Cursor, time: u64) -> u64 {
        let mut low = match self.arrivals {
            Arrivals::Constant => ((time as f64 * self.rate / 1e9) as u64).saturating_sub(1),
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

/// The sum of the first `count` distances of a block, in mean distances: the logarithm of a product is
/// the sum of the logarithms, so that one serves them all.
fn sum(seed: u64, block: u64, count: u64) -> f64 {
    let stream = mix(seed ^ mix(block.wrapping_add(0x243f_6a88_85a3_08d3)));
    // Uniform in (0, 1]. A product of 64 of them leaves the range of numbers only where their sum is
    // above 700, which no seed brings about.
    let uniform = |i: u64| {
        let bits = mix(stream.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64
    };
    -(0..count).map(uniform).product::<f64>().max(f64::MIN_POSITIVE).ln()
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The schedule of a step: hands out the times of its operations, one after the other, to whichever
/// client is free.
pub(crate) struct Schedule {
    times: Times,
    next: Line,
    /// When operation 0 is due, on the clients' clock.
    start: AtomicU64,
    /// The operations of the measured window: from this number up to, not including, that one.
    begin: AtomicU64,
    end: AtomicU64,
    /// No operation from this number on may begin.
    limit: AtomicU64,
    /// Operations of the window that have yet to end, where it ends with them.
    left: Option<AtomicU64>,
    /// The actual start of the window's last operation.
    last: AtomicU64,
}

/// The counter has a cache line of its own: every client writes it.
#[repr(align(128))]
struct Line(AtomicU64);

impl Schedule {
    /// A schedule whose window ends after `operations`, or at a time.
    pub fn new(rate: f64, arrivals: Arrivals, operations: Option<u64>) -> Self {
        let never = || AtomicU64::new(u64::MAX);
        Schedule {
            times: Times { rate, arrivals },
            next: Line(AtomicU64::new(0)),
            start: AtomicU64::new(0),
            begin: never(),
            end: never(),
            limit: never(),
            left: operations.map(AtomicU64::new),
            last: AtomicU64::new(0),
        }
    }

    /// The next operation and when it is due, on the clients' clock; `None` when no other may begin.
    #[inline]
    pub fn take(&self, cursor: &mut Cursor) -> Option<(u64, u64)> {
        let number = self.next.0.fetch_add(1, Ordering::Relaxed);
        self.may_begin(number).then(|| {
            let due = self.times.due(cursor, number);
            (number, self.start.load(Ordering::Relaxed) + due)
        })
    }

    /// Whether this operation may still begin.
    #[inline]
    pub fn may_begin(&self, number: u64) -> bool {
        number < self.limit.load(Ordering::Acquire)
    }

    /// The phase that an operation counts for.
    #[inline]
    pub fn phase(&self, number: u64) -> Phase {
        if number < self.begin.load(Ordering::Acquire) {
            Phase::Warmup
        } else if number < self.end.load(Ordering::Acquire) {
            Phase::Measured
        } else {
            Phase::Ended
        }
    }

    /// An operation has ended that began at `start`. `true` for the last one of a window that ends
    /// with its operations.
    #[inline]
    pub fn end_one(&self, number: u64, start: u64) -> bool {
        let Some(left) = &self.left else { return false };
        if self.phase(number) != Phase::Measured {
            return false;
        }
        self.last.fetch_max(start, Ordering::Relaxed);
        left.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Whether the window ends with its operations.
    pub fn is_counted(&self) -> bool {
        self.left.is_some()
    }

    /// Sets the clock: operation 0 is due now or soon after. To be called before a client takes one.
    pub fn start(&self, now: u64) {
        self.start.store(now, Ordering::Release);
    }

    /// Which operations the measured window has; none beyond may begin.
    pub fn window(&self, begin: u64, end: u64) {
        self.end.store(end, Ordering::Release);
        self.limit.store(end, Ordering::Release);
        self.begin.store(begin, Ordering::Release);
    }

    /// The operations of the measured window, as far as they are known.
    pub fn measured(&self) -> (u64, u64) {
        (self.begin.load(Ordering::Acquire), self.end.load(Ordering::Acquire))
    }

    /// No other operation may begin.
    pub fn close(&self) {
        self.limit.store(0, Ordering::Release);
    }

    /// How many operations are due before this time of the clients' clock.
    pub fn due_before(&self, now: u64) -> u64 {
        self.due_within(now.saturating_sub(self.start.load(Ordering::Acquire)))
    }

    /// How many operations are due within this time from the start.
    pub fn due_within(&self, time: u64) -> u64 {
        self.times.first_at(&mut Cursor::default(), time)
    }

    /// How many operations have been handed out. All those of them that are due have begun; the
    /// others' clients wait for their times.
    pub fn handed_out(&self) -> u64 {
        self.next.0.load(Ordering::Acquire)
    }

    /// When operation `number` is due, and when the last one of the window began that ends with its
    /// operations; on the clients' clock.
    pub fn due_and_last(&self, number: u64) -> (u64, u64) {
        let due = self.times.due(&mut Cursor::default(), number);
        (self.start.load(Ordering::Acquire) + due, self.last.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(rate: f64, arrivals: Arrivals) -> Times {
        Times { rate, arrivals }
    }

    fn gaps(times: Times, count: u64) -> Vec<f64> {
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

    /// Distances of a Poisson process are exponential: mean 1/rate, standard deviation the same, a
    /// share of 1 − 1/e below the mean, and independent. With a million of them each is known to a
    /// few thousandths; the bounds are five standard errors.
    #[test]
    fn distances_of_a_poisson_process() {
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

    /// Numbers of arrivals in equal times have a variance equal to their mean, also across blocks.
    #[test]
    fn counts_of_a_poisson_process() {
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
    fn every_cursor_finds_the_same_times_and_they_ascend() {
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
    fn what_is_due_before_a_time_is_due_before_it() {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson { seed: 5 }] {
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

    #[test]
    fn the_schedule_hands_out_every_number_once_and_nothing_beyond_its_window() {
        let schedule = Schedule::new(1e6, Arrivals::Constant, None);
        schedule.start(5_000);
        schedule.window(100, 1_000);
        let taken: Vec<(u64, u64)> = std::thread::scope(|scope| {
            let client = || {
                let mut cursor = Cursor::default();
                std::iter::from_fn(|| schedule.take(&mut cursor)).collect::<Vec<_>>()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(client)).collect();
            threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
        });
        let mut numbers: Vec<u64> = taken.iter().map(|(n, _)| *n).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..1_000).collect::<Vec<_>>());
        assert!(taken.iter().all(|(n, due)| *due == 5_000 + n * 1_000));
        assert_eq!(numbers.iter().filter(|n| schedule.phase(**n) == Phase::Measured).count(), 900);
        assert_eq!(schedule.due_before(5_000 + 250_000), 250);
        assert!(schedule.handed_out() >= 1_000);
    }
}
