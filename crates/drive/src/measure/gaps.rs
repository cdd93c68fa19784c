//! The longest time without a success.

/// The longest time of the measured window without a success, in nanoseconds of the clients' clock.
///
/// A gap that is longer than a tick contains the end of a tick, so the first and the last success
/// of each tick give it exactly. A gap within a tick is not seen.
#[derive(Default)]
pub(crate) struct Gaps {
    begin: u64,
    /// The last success, or the beginning of the window.
    last: Option<u64>,
    /// The beginning of the longest gap, from the beginning of the window, and its length.
    pub longest: (u64, u64),
}

impl Gaps {
    /// Adds a tick, by its first and its last success.
    pub fn add(&mut self, (first, last): (u64, u64)) {
        if first <= last && self.last.is_some() {
            self.end_gap(first);
            self.last = self.last.max(Some(last));
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
        let longest = |ticks: &[(u64, u64)]| {
            let mut gaps = Gaps::default();
            gaps.add((1, 5));
            gaps.window_edge(100);
            ticks.iter().for_each(|tick| gaps.add(*tick));
            gaps.window_edge(200);
            gaps.longest
        };
        let none = (u64::MAX, 0);
        assert_eq!(longest(&[(101, 119), none, (160, 199)]), (19, 41));
        assert_eq!(longest(&[none, none, (160, 199)]), (0, 60));
        assert_eq!(longest(&[(101, 119), none, none]), (19, 81));
        assert_eq!(longest(&[none]), (0, 100));
        // Workers are read one after the other: a tick may begin before the previous one has ended.
        assert_eq!(longest(&[(101, 150), (149, 199)]), (0, 1));
    }
}
