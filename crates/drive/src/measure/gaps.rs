//! The longest time without a success.

/// Successes that are no farther apart are of one stretch, nanoseconds.
pub(crate) const APART: u64 = 50_000_000;

/// The first and the last success of each stretch of time in which no two neighbours are farther
/// than [`APART`] from each other, on the clients' clock.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Stretches(Vec<(u64, u64)>);

impl Stretches {
    /// Adds a success.
    #[inline]
    pub fn add(&mut self, at: u64) {
        match self.0.last_mut() {
            // One that was kept aside comes late.
            Some((first, last)) if at <= *last + APART && at + APART >= *first => {
                (*first, *last) = (at.min(*first), at.max(*last));
            }
            _ => self.0.push((at, at)),
        }
    }

    /// Adds those of others.
    pub fn absorb(&mut self, other: &Stretches) {
        self.0.extend(&other.0);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// In the order of their beginnings; those of several workers overlap.
    pub fn sorted(&mut self) -> &[(u64, u64)] {
        self.0.sort_unstable();
        &self.0
    }
}

/// The longest time of the measured window without a success, in nanoseconds of the clients' clock.
///
/// A gap that is longer than [`APART`] lies between two stretches of all workers, so it is exact. A
/// shorter one is not seen.
#[derive(Default)]
pub(crate) struct Gaps {
    begin: u64,
    /// The last success, or the beginning of the window.
    last: Option<u64>,
    /// The beginning of the longest gap, from the beginning of the window, and its length.
    pub longest: (u64, u64),
}

impl Gaps {
    /// Adds a tick, by its sorted stretches.
    pub fn add(&mut self, stretches: &[(u64, u64)]) {
        if self.last.is_none() {
            return;
        }
        for (first, last) in stretches {
            self.end_gap(*first);
            self.last = self.last.max(Some(*last));
        }
    }

    fn end_gap(&mut self, time: u64) {
        let Some(last) = self.last else { return };
        let length = time.saturating_sub(last);
        if length > self.longest.1 {
            self.longest = (last.saturating_sub(self.begin), length);
        }
    }

    /// Begins or ends the window.
    pub fn window_edge(&mut self, now: u64) {
        match self.last {
            None => (self.begin, self.last) = (now, Some(now)),
            Some(_) => self.end_gap(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_found_within_the_window_and_at_both_ends() {
        let longest = |ticks: &[&[(u64, u64)]]| {
            let mut gaps = Gaps::default();
            gaps.add(&[(1, 5)]);
            gaps.window_edge(100);
            ticks.iter().for_each(|tick| gaps.add(tick));
            gaps.window_edge(200);
            gaps.longest
        };
        assert_eq!(longest(&[&[(101, 119)], &[], &[(160, 199)]]), (19, 41));
        assert_eq!(longest(&[&[(101, 119), (160, 199)]]), (19, 41));
        assert_eq!(longest(&[&[], &[], &[(160, 199)]]), (0, 60));
        assert_eq!(longest(&[&[(101, 119)], &[], &[]]), (19, 81));
        assert_eq!(longest(&[&[]]), (0, 100));
        // Workers are read one after the other: a tick may begin before the previous one has ended.
        assert_eq!(longest(&[&[(101, 150)], &[(149, 199)]]), (0, 1));
        assert_eq!(longest(&[&[(101, 150), (120, 130), (140, 199)]]), (0, 1));
    }

    /// Two workers in one long tick: what stood still is where neither had a success.
    #[test]
    fn a_gap_within_a_tick_is_that_of_all_workers() {
        let millisecond = 1_000_000;
        let worker = |of: &dyn Fn(u64) -> bool| {
            let mut all = Stretches::default();
            (1..10_000).filter(|ms| of(*ms)).for_each(|ms| all.add(ms * millisecond));
            all
        };
        // Each is silent for 3 s and more, both together for 2 s.
        let (mut one, two) = (
            worker(&|ms| !(2_000..5_000).contains(&ms)),
            worker(&|ms| !(3_000..8_000).contains(&ms)),
        );
        one.absorb(&two);
        let mut gaps = Gaps::default();
        gaps.window_edge(0);
        gaps.add(one.sorted());
        gaps.window_edge(10_000 * millisecond);
        assert_eq!(gaps.longest, (2_999 * millisecond, 2_001 * millisecond));
        // A success that was kept aside is no stretch of its own.
        let mut late = Stretches::default();
        [5, 9, 7, 6].iter().for_each(|ms| late.add(ms * millisecond));
        assert_eq!(late.sorted(), [(5 * millisecond, 9 * millisecond)]);
    }
}
