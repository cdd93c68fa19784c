//! The times at which one client's commits were acknowledged, in bounded memory.

use std::collections::VecDeque;

/// The most entries of a log: 24 KiB.
const MOST: usize = 1024;

/// The acknowledged commits of one client: ascending numbers and the time of each acknowledgement.
///
/// The log has an entry for every commit until it is full of commits not yet seen. Then commits
/// closer together than 1/512 of the time they span share an entry with the time of the first one.
/// An age is therefore never too small, and too large by less than 0.4 %.
#[derive(Debug, Default)]
pub(super) struct Log {
    notes: VecDeque<Note>,
    /// Commits this close to the first commit of an entry belong to the entry, nanoseconds.
    gap: u64,
    last: i64,
}

/// An entry: number and time of its first commit, number of its last.
#[derive(Clone, Copy, Debug)]
struct Note {
    first: i64,
    last: i64,
    time: u64,
}

impl Log {
    /// The number of the last commit, 0 before the first.
    pub fn last(&self) -> i64 {
        self.last
    }

    /// Adds commit `number`, acknowledged at `time` in nanoseconds of any clock. Both ascend.
    pub fn acknowledge(&mut self, number: i64, time: u64) {
        self.last = number;
        match self.notes.back_mut() {
            Some(note) if time.saturating_sub(note.time) < self.gap => note.last = number,
            _ => {
                if self.notes.len() == MOST {
                    self.thin_out();
                }
                self.notes.push_back(Note { first: number, last: number, time });
            }
        }
    }

    fn thin_out(&mut self) {
        let span = match (self.notes.front(), self.notes.back()) {
            (Some(first), Some(last)) => last.time - first.time,
            _ => 0,
        };
        self.gap = (span / (MOST as u64 / 2)).max(1);
        let mut kept: VecDeque<Note> = VecDeque::with_capacity(MOST);
        for note in self.notes.drain(..) {
            match kept.back_mut() {
                Some(before) if note.time - before.time < self.gap => before.last = note.last,
                _ => kept.push_back(note),
            }
        }
        self.notes = kept;
    }

    /// The time at which the first commit after number `seen` was acknowledged.
    pub fn first_after(&self, seen: i64) -> Option<u64> {
        let at = self.notes.partition_point(|note| note.last <= seen);
        self.notes.get(at).map(|note| note.time)
    }

    /// The time at which the last commit up to number `seen` was acknowledged.
    pub fn last_up_to(&self, seen: i64) -> Option<u64> {
        let at = self.notes.partition_point(|note| note.first <= seen);
        self.notes.get(at.checked_sub(1)?).map(|note| note.time)
    }

    /// Removes the entries before the last commit up to number `seen`.
    pub fn forget(&mut self, seen: i64) {
        let at = self.notes.partition_point(|note| note.first <= seen);
        self.notes.drain(..at.saturating_sub(1));
        if self.notes.len() < MOST / 4 {
            self.gap = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_knows_when_each_commit_was_acknowledged() {
        let mut log = Log::default();
        assert_eq!((log.last(), log.first_after(0), log.last_up_to(9)), (0, None, None));
        // The numbers of transactions that rolled back are missing.
        for (number, time) in [(2, 10), (3, 20), (7, 50)] {
            log.acknowledge(number, time);
        }
        assert_eq!(log.last(), 7);
        let after = [0, 1, 2, 3, 6, 7, 8].map(|seen| log.first_after(seen));
        let ten = Some(10);
        assert_eq!(after, [ten, ten, Some(20), Some(50), Some(50), None, None]);
        let up_to = [1, 2, 3, 6, 7, 9].map(|seen| log.last_up_to(seen));
        assert_eq!(up_to, [None, ten, Some(20), Some(20), Some(50), Some(50)]);
        log.forget(3);
        assert_eq!(
            (log.notes.len(), log.last_up_to(3), log.first_after(3)),
            (2, Some(20), Some(50))
        );
    }

    /// An hour of unseen commits, each at a time of its own.
    #[test]
    fn memory_is_bounded_and_ages_are_never_too_small_and_hardly_too_large() {
        let mut log = Log::default();
        let second = 1_000_000_000;
        let time = |number: i64| number as u64 * second / 100 + (number as u64 * 7919) % 5_000_000;
        let now = time(360_000);
        for number in 1..=360_000 {
            log.acknowledge(number, time(number));
            assert!(log.notes.len() <= MOST);
        }
        for seen in (0..359_999).step_by(997) {
            let (age, exact) = (now - log.first_after(seen).unwrap(), now - time(seen + 1));
            assert!(age >= exact && age as f64 <= exact as f64 + now as f64 / 256.0, "{seen}");
            if seen > 0 {
                let (age, exact) = (now - log.last_up_to(seen).unwrap(), now - time(seen));
                assert!(age >= exact && age as f64 <= exact as f64 + now as f64 / 256.0);
            }
        }
        log.forget(359_990);
        assert_eq!(log.gap, 0, "what comes next is exact again");
    }
}
