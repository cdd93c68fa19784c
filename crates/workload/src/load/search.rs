//! How many clients load a part at the same time.
//!
//! With [`Clients::Auto`] a load begins with one client and doubles their number. Each number
//! writes for a window of the load itself. It helps where it is [`HELPS`] times as fast as the last
//! that helped; after two in a row that do not, one of which may have had a bad window, the search
//! ends with the last that did. Nothing is written twice or for show, and a wrong number costs
//! time, never documents.

use std::time::Duration;

/// The most clients that a search tries.
const MOST: usize = 32;
/// How much faster more clients must be.
const HELPS: f64 = 1.1;
/// The shortest window.
const WINDOW: Duration = Duration::from_secs(1);
/// Batches in a window at least: so many, and on average so many of each client. The end of a
/// window cuts one of each.
const LEAST: u64 = 4;
const OF_EACH: u64 = 2;

/// The clients that load a part at the same time, each with a connection of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// As many as help, found while they load; one where the database has one writer.
    Auto,
    /// So many.
    Number(u64),
}

/// What all clients have written at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// Since the load began.
    pub at: Duration,
    pub bytes: u64,
    pub batches: u64,
}

/// The number of clients, which a search may change.
#[derive(Debug)]
pub(super) struct Search {
    auto: bool,
    now: usize,
    most: usize,
    ended: bool,
    /// The last number that helped, and the bytes a second that so many clients wrote.
    best: Option<(usize, f64)>,
    /// Batches there were when the present number began.
    began: u64,
    window: Option<Sample>,
}

impl Search {
    /// One that no more clients than `slices` can help.
    pub fn new(clients: Clients, slices: u64) -> Search {
        let slices = usize::try_from(slices).unwrap_or(usize::MAX);
        let (now, most) = match clients {
            Clients::Auto => (1, slices.min(MOST)),
            Clients::Number(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX).clamp(1, slices);
                (n, n)
            }
        };
        let auto = clients == Clients::Auto;
        Search { auto, now, most, ended: now == most, best: None, began: 0, window: None }
    }

    /// The number of clients that shall write now.
    pub fn clients(&self) -> usize {
        self.now
    }

    /// Looks at what has been written, while slices for `busy` clients are left or under way.
    pub fn look(&mut self, sample: Sample, busy: usize) {
        // At the end of a load there are fewer than there shall be.
        if self.ended || busy < self.now {
            self.window = None;
            return;
        }
        let clients = self.now as u64;
        let Some(start) = self.window else {
            // Each has written about one.
            if sample.batches >= self.began + clients {
                self.window = Some(sample);
            }
            return;
        };
        let time = sample.at - start.at;
        let wanted = LEAST.max(OF_EACH * clients);
        if time < WINDOW || sample.batches - start.batches < wanted {
            return;
        }
        let rate = (sample.bytes - start.bytes) as f64 / time.as_secs_f64();
        let (best, _) = match self.best {
            Some((clients, best)) if rate < best * HELPS => (clients, best),
            _ => *self.best.insert((self.now, rate)),
        };
        if self.now >= self.most || self.now / 4 >= best {
            self.go_back();
        } else {
            self.now = (self.now * 2).min(self.most);
        }
        (self.began, self.window) = (sample.batches, None);
    }

    /// The database refuses a client beside `others`. Returns whether the load goes on with these.
    pub fn refused(&mut self, others: usize) -> bool {
        if !self.ended && self.best.is_some() {
            self.go_back();
        }
        self.auto && others >= self.now
    }

    fn go_back(&mut self) {
        self.now = self.best.map_or(1, |(clients, _)| clients);
        self.ended = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number that a search finds where so many clients write so many bytes a second, and how
    /// long it takes.
    fn found(slices: u64, rate: impl Fn(usize) -> f64) -> (usize, Duration) {
        const TICK: Duration = Duration::from_millis(20);
        let mut search = Search::new(Clients::Auto, slices);
        let (mut at, mut bytes, mut found) = (Duration::ZERO, 0.0, Duration::ZERO);
        while at < Duration::from_secs(600) {
            at += TICK;
            bytes += rate(search.clients()) * TICK.as_secs_f64();
            let before = search.clients();
            let batches = (bytes / 4e6) as u64;
            search.look(Sample { at, bytes: bytes as u64, batches }, search.clients());
            if search.clients() != before {
                found = at;
            }
        }
        assert!(search.ended);
        (search.clients(), found)
    }

    #[test]
    fn the_number_is_the_last_that_helped() {
        // A server that takes 30 MB/s from each client and 200 MB/s from all.
        let (clients, time) = found(1000, |n| (n as f64 * 30e6).min(200e6));
        assert_eq!(clients, 8);
        assert!(time < Duration::from_secs(20), "{time:?}");
        assert_eq!(found(1000, |_| 50e6).0, 1);
        assert_eq!(found(1000, |n| 50e6 / n as f64).0, 1);
        // A slow one is given the time for its batches.
        assert_eq!(found(1000, |n| (n as f64).min(4.0) * 1e6).0, 4);
    }

    #[test]
    fn there_are_no_more_clients_than_slices_or_the_limit() {
        let linear = |n: usize| n as f64 * 30e6;
        assert_eq!(found(1, linear).0, 1);
        assert_eq!(found(6, linear).0, 6);
        assert_eq!(found(1000, linear).0, MOST);
        assert_eq!(Search::new(Clients::Number(9), 4).clients(), 4);
        assert_eq!(Search::new(Clients::Number(9), 1000).clients(), 9);
    }

    #[test]
    fn a_refused_client_ends_the_search_but_the_first_ends_the_load() {
        let mut search = Search::new(Clients::Auto, 1000);
        assert!(!search.refused(0));
        let sample = |seconds, batches| {
            let at = Duration::from_secs(seconds);
            Sample { at, bytes: batches * 4_000_000, batches }
        };
        search.look(sample(0, 1), 1);
        search.look(sample(2, 9), 1);
        assert_eq!(search.clients(), 2);
        // Of those that began together another may be refused, too.
        for _ in 0..2 {
            assert!(search.refused(1));
            assert_eq!(search.clients(), 1);
        }
        assert!(!search.refused(0));
        assert!(!Search::new(Clients::Number(4), 1000).refused(3));
    }

    /// Other work on the machine, or documents of another kind, may spoil one window.
    #[test]
    fn one_bad_window_does_not_end_the_search() {
        let uneven = |n: usize| if n == 2 { 20e6 } else { (n as f64 * 30e6).min(200e6) };
        assert_eq!(found(1000, uneven).0, 8);
    }

    /// A window in which some clients have nothing to do says nothing.
    #[test]
    fn a_window_counts_only_what_all_clients_write() {
        let mut search = Search::new(Clients::Auto, 1000);
        let sample = |seconds, batches| {
            let at = Duration::from_secs(seconds);
            Sample { at, bytes: batches * 4_000_000, batches }
        };
        search.look(sample(0, 1), 1);
        search.look(sample(2, 9), 1);
        search.look(sample(3, 30), 2);
        search.look(sample(4, 60), 1);
        search.look(sample(5, 90), 2);
        search.look(sample(5, 95), 2);
        assert_eq!(search.clients(), 2);
        search.look(sample(7, 200), 2);
        assert_eq!(search.clients(), 4);
    }
}
