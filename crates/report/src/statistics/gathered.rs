//! The intervals of a log in bounded memory: neighbours of a long log are added up as they are
//! read.

use hoap_record::buckets::Sum;
use hoap_record::hlog::Interval;

use super::Intervals;

/// From this number of intervals on, they are added up in pairs, and in pairs of pairs. A step of
/// an hour in ticks of a second has fewer.
const MOST: usize = 4096;
/// The most times, of all intervals and kinds of operations of a step together.
const MOST_TIMES: usize = 1 << 22;

/// Intervals that follow each other, added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Begin of the first, seconds since the run's start.
    pub from_seconds: f64,
    /// End of the last.
    pub to_seconds: f64,
    /// The sum of their lengths.
    pub seconds: f64,
    /// How many they are.
    pub intervals: usize,
    /// The highest time of each bucket that has a count, rising, with the count.
    pub times: Vec<(u64, u64)>,
}

/// The intervals of one kind of operation so far.
pub struct Gathered {
    whole: Vec<Part>,
    /// Times in all of them.
    times: usize,
    /// The intervals that one of `whole` is the sum of.
    each: usize,
    /// The part that goes on, and its times.
    open: Part,
    sum: Sum,
    most: usize,
    most_times: usize,
}

impl Gathered {
    /// Of a step with so many kinds of operations.
    pub fn new(kinds: usize) -> Gathered {
        Gathered::within(MOST, MOST_TIMES / kinds.max(1))
    }

    /// In fewer than `most` parts that have about `most_times` times at most.
    pub fn within(most: usize, most_times: usize) -> Gathered {
        let (whole, open, sum) = (Vec::new(), Part::default(), Sum::default());
        Gathered { whole, times: 0, each: 1, open, sum, most, most_times }
    }

    /// Adds an interval. One that is `late` belongs to the one before it.
    pub fn add(&mut self, interval: Interval<'_>, late: bool) {
        if late
            && self.open.intervals == 0
            && let Some(last) = self.whole.pop()
        {
            self.times -= last.times.len();
            self.sum_up(&last, &last.times);
        }
        let Interval { start_seconds, seconds, times, .. } = interval;
        let belongs = late && self.open.intervals > 0;
        let part = Part {
            from_seconds: start_seconds,
            to_seconds: start_seconds + seconds,
            seconds,
            intervals: usize::from(!belongs),
            times: Vec::new(),
        };
        self.sum_up(&part, times);
        if self.open.intervals == self.each {
            self.end_sum();
            if self.whole.len() >= self.most || self.times > self.most_times {
                self.halve();
            }
        }
    }

    /// All of them, each as long as it is.
    pub fn finish(self) -> Intervals {
        let times: Vec<_> = self.parts().0.into_iter().map(|part| part.times).collect();
        Intervals::new(&times)
    }

    /// All parts, and of how many intervals each is. The last one may have fewer.
    pub fn parts(mut self) -> (Vec<Part>, usize) {
        if self.open.intervals > 0 {
            self.end_sum();
        }
        (self.whole, self.each)
    }

    fn sum_up(&mut self, part: &Part, times: &[(u64, u64)]) {
        times.iter().for_each(|(time, count)| self.sum.add(*time, *count));
        if self.open.intervals == 0 {
            self.open.from_seconds = part.from_seconds;
        }
        self.open.to_seconds = part.to_seconds;
        self.open.seconds += part.seconds;
        self.open.intervals += part.intervals;
    }

    fn end_sum(&mut self) {
        let mut times = self.sum.take();
        times.shrink_to_fit();
        self.times += times.len();
        self.whole.push(Part { times, ..std::mem::take(&mut self.open) });
    }

    /// Adds up neighbours. An odd one at the end is the part that goes on.
    fn halve(&mut self) {
        (self.times, self.each) = (0, 2 * self.each);
        for part in std::mem::take(&mut self.whole) {
            self.sum_up(&part, &part.times);
            if self.open.intervals == self.each {
                self.end_sum();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hoap_record::histogram::histogram;

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
        gathered.add(interval, late);
    }

    #[test]
    fn a_short_log_is_kept_as_it_is_and_what_is_late_is_of_the_last_interval() {
        let mut gathered = Gathered::new(1);
        (0..1000).for_each(|at| add(&mut gathered, at, false));
        add(&mut gathered, 1000, true);
        assert_eq!((gathered.whole.len(), gathered.each), (1000, 1));
        let counts: u64 = gathered.whole[999].times.iter().map(|(_, count)| count).sum();
        assert_eq!((counts, gathered.whole[0].times.clone()), (18, times(0)));
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
            assert!(gathered.each > 1 && gathered.open.intervals < gathered.each);
            let sums: Vec<u64> = gathered
                .whole
                .iter()
                .map(|part| part.times.iter().map(|(_, count)| count).sum())
                .collect();
            assert!(sums.iter().all(|sum| *sum == 9 * gathered.each as u64), "each as many");
            assert_eq!(sums.len() * gathered.each + gathered.open.intervals, number as usize);
            // Parts follow each other from begin to end.
            let mut ends = gathered.whole.iter().map(|part| (part.from_seconds, part.to_seconds));
            let each = gathered.each as f64;
            assert!(ends.all(|(from, to)| from % each == 0.0 && to == from + each));
            let found = quantile(&gathered.finish(), 0.9).unwrap();
            assert_eq!(found.value, all.value_at_quantile(0.9) as f64);
        }
    }
}
