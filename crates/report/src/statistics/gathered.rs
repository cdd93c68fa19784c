//! The intervals of a log in bounded memory: neighbours of a long log are added up as they are
//! read.

use hdrhistogram::Histogram;
use hoap_record::histogram::histogram;
use hoap_record::hlog::Interval;

use super::Intervals;

/// From this number of intervals on, they are added up in pairs, and in pairs of pairs. A step of
/// an hour in ticks of a second has fewer.
const MOST: usize = 4096;
/// The most times, of all intervals and kinds of operations of a step together.
const MOST_TIMES: usize = 1 << 22;

/// The intervals of one kind of operation so far.
pub struct Gathered {
    /// The times of each, rising, with their counts.
    whole: Vec<Vec<(u64, u64)>>,
    /// Times in all of them.
    times: usize,
    /// The intervals that one of `whole` is the sum of.
    each: usize,
    /// The sum of the next ones, and how many they are.
    sum: Histogram<u64>,
    summed: usize,
    most_times: usize,
}

impl Gathered {
    /// Of a step with so many kinds of operations.
    pub fn new(kinds: usize) -> Gathered {
        let (whole, sum) = (Vec::new(), histogram());
        let most_times = MOST_TIMES / kinds.max(1);
        Gathered { whole, times: 0, each: 1, sum, summed: 0, most_times }
    }

    /// Adds an interval. One that is `late` belongs to the one before it.
    ///
    /// # Errors
    /// A time that no histogram can hold.
    pub fn add(&mut self, interval: Interval<'_>, late: bool) -> Result<(), String> {
        if late
            && self.summed == 0
            && let Some(last) = self.whole.pop()
        {
            self.times -= last.len();
            self.summed = self.each - 1;
            for (time, count) in last {
                self.sum.record_n(time, count).map_err(|e| e.to_string())?;
            }
        } else if late && self.summed > 0 {
            self.summed -= 1;
        }
        interval.add_to(&mut self.sum)?;
        self.summed += 1;
        if self.summed == self.each {
            self.end_sum();
            if self.whole.len() >= MOST || self.times > self.most_times {
                self.halve();
            }
        }
        Ok(())
    }

    /// All of them.
    pub fn finish(mut self) -> Intervals {
        if self.summed > 0 {
            self.end_sum();
        }
        Intervals::new(&self.whole)
    }

    fn end_sum(&mut self) {
        let times = recorded(&self.sum);
        self.sum.reset();
        self.summed = 0;
        self.times += times.len();
        self.whole.push(times);
    }

    /// Adds up neighbours. An odd one at the end is part of the sum that goes on.
    fn halve(&mut self) {
        let mut pairs = std::mem::take(&mut self.whole).into_iter();
        let before = self.each;
        (self.times, self.each) = (0, 2 * before);
        while let Some(one) = pairs.next() {
            let next = pairs.next();
            let is_pair = next.is_some();
            for (time, count) in one.into_iter().chain(next.into_iter().flatten()) {
                // The times come from a histogram of the same range.
                let _ = self.sum.record_n(time, count);
            }
            match is_pair {
                true => self.end_sum(),
                false => self.summed = before,
            }
        }
    }
}

/// The highest time of each bucket that has a count, with the count.
pub(super) fn recorded(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
    let buckets = histogram.iter_recorded();
    buckets.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::quantile;
    use super::*;

    /// Interval `at` of a log: times around `at`.
    fn times(at: u64) -> Vec<(u64, u64)> {
        vec![(1 + at % 7, 3), (100 + at % 40, 5), (2000 + 2 * (at % 300), 1)]
    }

    fn add(gathered: &mut Gathered, at: u64, late: bool) {
        let times = times(at);
        let interval =
            Interval { tag: "READ", start_seconds: at as f64, seconds: 1.0, times: &times };
        gathered.add(interval, late).unwrap();
    }

    #[test]
    fn a_short_log_is_kept_as_it_is_and_what_is_late_is_of_the_last_interval() {
        let mut gathered = Gathered::new(1);
        (0..1000).for_each(|at| add(&mut gathered, at, false));
        add(&mut gathered, 1000, true);
        assert_eq!((gathered.whole.len(), gathered.each), (1000, 1));
        let counts: u64 = gathered.whole[999].iter().map(|(_, count)| count).sum();
        assert_eq!((counts, gathered.whole[0].clone()), (18, times(0)));
    }

    #[test]
    fn a_long_log_is_added_up_in_order_and_loses_nothing() {
        for (number, most_times) in [(3 * MOST as u64 + 5, MOST_TIMES), (1000, 600)] {
            let mut gathered = Gathered { most_times, ..Gathered::new(1) };
            let mut all = histogram();
            for at in 0..number {
                add(&mut gathered, at, false);
                times(at).iter().for_each(|(time, count)| all.record_n(*time, *count).unwrap());
                // The sum that ended last has 350 different times at most.
                assert!(gathered.whole.len() < MOST && gathered.times <= most_times + 350);
            }
            assert!(gathered.each > 1 && gathered.summed < gathered.each);
            let sums: Vec<u64> = gathered
                .whole
                .iter()
                .map(|times| times.iter().map(|(_, count)| count).sum())
                .collect();
            assert!(sums.iter().all(|sum| *sum == 9 * gathered.each as u64), "each as many");
            assert_eq!(sums.len() * gathered.each + gathered.summed, number as usize);
            let found = quantile(&gathered.finish(), 0.9).unwrap();
            assert_eq!(found.value, all.value_at_quantile(0.9) as f64);
        }
    }
}
