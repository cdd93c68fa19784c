//! The acknowledged commits of the clients, where the probe can read them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hoap_database::{Change, Patch, Transaction};
use hoap_drive::Look;
use hoap_workload::{Error, ErrorKind, Result};

use super::log::Log;
use super::{COLLECTION, FIELD};
use crate::ledger::RunMark;

/// The counters of a run. A client of a later step continues the counter of the client with the
/// same number before it, so there are at most as many as clients.
#[derive(Debug)]
pub struct Board {
    mark: RunMark,
    started: Instant,
    seats: Mutex<Vec<Arc<Seat>>>,
}

/// The counter of one client. Only this client writes it; the probe reads it a few times a second.
#[derive(Debug, Default)]
struct Seat(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    log: Log,
    /// The number of the last transaction.
    given: i64,
}

impl Seat {
    // Every state that a panic can leave is valid.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The acknowledged commits at the beginning of a look of the probe.
#[derive(Clone, Debug)]
pub struct Asked {
    at: u64,
    /// The last commit of each client.
    last: Vec<i64>,
}

impl Board {
    /// An empty board for the run with this mark.
    pub fn new(mark: RunMark) -> Arc<Self> {
        Arc::new(Board { mark, started: Instant::now(), seats: Mutex::default() })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn seats(&self) -> MutexGuard<'_, Vec<Arc<Seat>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key of the document of client `number`. It contains the run's mark, so that counters of
    /// a crashed run or of a concurrent run are not taken for this run's.
    fn key(&self, number: usize) -> String {
        self.mark.key(number as u64)
    }

    fn number(&self, key: &str) -> Option<usize> {
        self.mark.number(key).and_then(|number| usize::try_from(number).ok())
    }

    /// The counter of client `number`.
    pub(crate) fn counter(self: &Arc<Self>, number: usize) -> Counter {
        let mut seats = self.seats();
        while seats.len() <= number {
            seats.push(Arc::default());
        }
        Counter {
            board: self.clone(),
            seat: seats[number].clone(),
            key: self.key(number),
            given: 0,
        }
    }

    /// The number of clients that have a counter.
    pub fn clients(&self) -> usize {
        self.seats().len()
    }

    /// The commits acknowledged so far.
    pub fn ask(&self) -> Asked {
        let at = self.now();
        let last = self.seats().iter().map(|seat| seat.state().log.last()).collect();
        Asked { at, last }
    }

    /// The age of what the probe read: these counters, in a look that began at `asked`.
    pub fn judge(&self, asked: &Asked, counters: &[(String, i64)]) -> Look {
        let seats = self.seats();
        let seen = self.seen(seats.len(), counters);
        let age = |time: u64| Duration::from_nanos(asked.at.saturating_sub(time));
        let (mut unseen, mut newest_seen) = (Duration::ZERO, None::<Duration>);
        for (number, (seat, &seen)) in seats.iter().zip(&seen).enumerate() {
            let mut state = seat.state();
            let last = asked.last.get(number).copied().unwrap_or(0);
            if seen < last {
                unseen = unseen.max(state.log.first_after(seen).map_or(Duration::ZERO, age));
            }
            if let Some(newest) = state.log.last_up_to(seen).map(age) {
                newest_seen = Some(newest_seen.map_or(newest, |before| before.min(newest)));
            }
            state.log.forget(seen);
        }
        Look { unseen, newest_seen }
    }

    /// Whether these counters include all commits acknowledged at `asked`.
    pub fn shows_all(&self, asked: &Asked, counters: &[(String, i64)]) -> bool {
        let seen = self.seen(asked.last.len(), counters);
        asked.last.iter().zip(seen).all(|(last, seen)| seen >= *last)
    }

    /// The number read for each client; 0 where it has no document.
    fn seen(&self, clients: usize, counters: &[(String, i64)]) -> Vec<i64> {
        let mut seen = vec![0; clients];
        for (key, value) in counters {
            if let Some(seat) = self.number(key).and_then(|number| seen.get_mut(number)) {
                *seat = *value;
            }
        }
        seen
    }
}

/// A client's own counter.
pub(crate) struct Counter {
    board: Arc<Board>,
    seat: Arc<Seat>,
    key: String,
    /// The number of the current transaction.
    given: i64,
}

impl Counter {
    /// The key of its document.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Gives the transaction a number and writes it, just before the commit.
    ///
    /// Every attempt has its own number: after a commit of unknown outcome the document holds its
    /// number or an earlier one, and the next number is larger than both.
    ///
    /// # Errors
    /// Returns the errors of the transaction.
    pub async fn stamp(&mut self, tx: &mut Transaction<'_>) -> Result<()> {
        self.given = {
            let mut state = self.seat.state();
            state.given += 1;
            state.given
        };
        let patch = Patch { path: FIELD, change: Change::Set(self.given.into()) };
        tx.patch(COLLECTION, &self.key, &[patch]).await.map_err(|e| match e.kind {
            ErrorKind::Broken => e.advise("somebody removed the counters of freshness meanwhile"),
            _ => e,
        })
    }

    /// Notes that the commit of the last stamped transaction has just been acknowledged.
    #[inline]
    pub fn acknowledge(&self) {
        let now = self.board.now();
        self.seat.state().log.acknowledge(self.given, now);
    }

    /// Whether its document exists because an earlier client of the same number used it.
    pub fn used(&self) -> bool {
        self.seat.state().given > 0
    }

    /// An error in creating its document.
    pub fn failed(&self, answer: &str) -> Error {
        Error::new(ErrorKind::Broken, format!("count in {COLLECTION} {}", self.key), answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bench(Arc<Board>);

    impl Bench {
        fn new() -> Bench {
            Bench(Board::new(RunMark::draw()))
        }

        /// Acknowledges commit `number` of a client at `ms` milliseconds.
        fn acknowledge(&self, client: usize, number: i64, ms: u64) {
            let counter = self.0.counter(client);
            counter.seat.state().log.acknowledge(number, ms * 1_000_000);
        }

        fn asked(&self, ms: u64) -> Asked {
            Asked { at: ms * 1_000_000, ..self.0.ask() }
        }

        fn counters(&self, seen: &[i64]) -> Vec<(String, i64)> {
            seen.iter().enumerate().map(|(n, &seen)| (self.0.key(n), seen)).collect()
        }

        /// Ages of the oldest unseen and of the newest seen commit, milliseconds.
        fn look(&self, asked: &Asked, seen: &[i64]) -> (u128, Option<u128>) {
            let look = self.0.judge(asked, &self.counters(seen));
            (look.unseen.as_millis(), look.newest_seen.map(|age| age.as_millis()))
        }
    }

    #[test]
    fn the_oldest_commit_that_is_not_seen_decides_and_nothing_later_than_the_probe_counts() {
        let bench = Bench::new();
        bench.acknowledge(0, 1, 100);
        bench.acknowledge(1, 1, 200);
        bench.acknowledge(0, 2, 300);
        let asked = bench.asked(1_000);
        // During the look of the probe.
        bench.acknowledge(1, 2, 1_100);
        assert_eq!(bench.look(&asked, &[]), (900, None), "nothing is there");
        assert_eq!(bench.look(&asked, &[1, 0]), (800, Some(900)), "client 1 is not seen");
        assert_eq!(bench.look(&asked, &[1, 1]), (700, Some(800)));
        assert_eq!(bench.look(&asked, &[2, 1]), (0, Some(700)), "all that was acknowledged");
        assert_eq!(bench.look(&asked, &[2, 2]), (0, Some(0)), "more than was asked for");
        assert_eq!(bench.look(&asked, &[9, 9]), (0, Some(0)), "not yet acknowledged");
        let asked = bench.asked(5_000);
        assert_eq!(bench.look(&asked, &[2, 2]), (0, Some(3_900)), "an idle database");
    }

    /// The second commit is ambiguous: whether it was applied or not, the ages are right.
    #[test]
    fn a_commit_of_unknown_fate_is_not_waited_for() {
        let bench = Bench::new();
        bench.acknowledge(0, 1, 100);
        let asked = bench.asked(1_000);
        assert_eq!(bench.look(&asked, &[1]).0, 0);
        assert_eq!(bench.look(&asked, &[2]).0, 0);
        bench.acknowledge(0, 3, 1_500);
        let asked = bench.asked(2_000);
        assert_eq!((bench.look(&asked, &[1]).0, bench.look(&asked, &[2]).0), (500, 500));
        assert_eq!(bench.look(&asked, &[3]).0, 0);
    }

    #[test]
    fn counters_of_other_runs_and_foreign_keys_are_nothing() {
        let (bench, other) = (Bench::new(), Bench::new());
        bench.acknowledge(0, 5, 100);
        let asked = bench.asked(1_000);
        let mut counters = other.counters(&[9]);
        counters.extend([("x".to_owned(), 9), (String::new(), 9), (bench.0.key(usize::MAX), 9)]);
        assert!(!bench.0.shows_all(&asked, &counters));
        assert_eq!(bench.0.judge(&asked, &counters).unseen.as_millis(), 900);
        assert!(bench.0.shows_all(&asked, &bench.counters(&[5])));
    }

    #[test]
    fn clients_of_a_later_step_go_on_where_those_before_them_stopped() {
        let board = Board::new(RunMark::draw());
        let first = board.counter(1);
        first.seat.state().given = 7;
        let second = board.counter(1);
        assert_eq!((first.key(), second.used()), (second.key(), true));
        assert!(!board.counter(0).used() && !board.counter(2).used());
        assert_eq!(board.seats().len(), 3);
    }
}
