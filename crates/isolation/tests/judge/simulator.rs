//! Small histories from a store whose isolation can be chosen.

use hoap_data::random::Stream;

use super::*;

/// What the store gets wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Transactions run one after the other.
    Nothing,
    /// A snapshot at the begin, and the first of two writers wins.
    WriteSkew,
    /// A snapshot of old commits.
    Stale,
    /// A snapshot that sees each document at another moment, the first writer wins.
    Fork,
    /// A snapshot at the begin, and the last of two writers wins.
    LostUpdate,
    /// Each read sees the newest commit.
    ReadSkew,
    /// Each read sees the newest write, committed or not.
    Dirty,
    /// Lists now and then lose, repeat, exchange or invent values.
    Broken,
}

impl Fault {
    pub const ALL: [Fault; 8] = [
        Fault::Nothing,
        Fault::WriteSkew,
        Fault::Stale,
        Fault::Fork,
        Fault::LostUpdate,
        Fault::ReadSkew,
        Fault::Dirty,
        Fault::Broken,
    ];
}

const LISTS: u32 = 3;

type State = Vec<Vec<u32>>;

struct Open {
    attempt: Attempt,
    left: u32,
    /// What it sees without its writes.
    snapshot: State,
    /// The number of commits at its begin.
    commits: usize,
    /// Its writes.
    own: Vec<Option<Vec<u32>>>,
}

struct Store<'a> {
    random: &'a mut Stream,
    fault: Fault,
    /// The states after each commit.
    states: Vec<State>,
    /// What dirty reads see.
    current: State,
    now: u64,
    value: u32,
}

/// A history of at most `most` attempts.
pub fn simulate(random: &mut Stream, fault: Fault, most: u32) -> Vec<Attempt> {
    let empty: State = vec![Vec::new(); LISTS as usize];
    let states = vec![empty.clone()];
    let mut store = Store { random, fault, states, current: empty, now: 0, value: 0 };
    let (mut history, mut open): (Vec<Attempt>, Vec<Open>) = (Vec::new(), Vec::new());
    let mut begun = 0;
    while begun < most || !open.is_empty() {
        store.now += 1;
        let together = if fault == Fault::Nothing { 1 } else { 3 };
        let room = open.len() < together && begun < most;
        if room && (open.is_empty() || store.random.chance(0.3)) {
            open.push(store.begin(begun));
            begun += 1;
            continue;
        }
        let at = store.draw(open.len() as u32) as usize;
        if open[at].left > 0 {
            open[at].left -= 1;
            store.step(&mut open[at]);
        } else {
            let ended = open.remove(at);
            history.push(store.end(ended));
        }
    }
    history
}

impl Store<'_> {
    fn draw(&mut self, below: u32) -> u32 {
        self.random.uniform(0..=i64::from(below) - 1) as u32
    }

    fn begin(&mut self, client: u32) -> Open {
        let last = self.states.len() - 1;
        let age = if self.fault == Fault::Stale { self.draw(3) as usize } else { 0 };
        let mut snapshot = self.states[last.saturating_sub(age)].clone();
        if self.fault == Fault::Fork {
            for (list, own) in snapshot.iter_mut().enumerate() {
                let age = self.draw(3) as usize;
                own.clone_from(&self.states[last.saturating_sub(age)][list]);
            }
        }
        let steps = if self.fault == Fault::Fork { 1 + client / 2 } else { 1 + self.draw(4) };
        let (did, end) = (Vec::new(), End::Committed);
        Open {
            attempt: Attempt { client, from_ns: self.now, to_ns: 0, end, did },
            left: steps,
            snapshot,
            commits: last,
            own: vec![None; LISTS as usize],
        }
    }

    fn read(&mut self, open: &mut Open, list: u32) -> Vec<u32> {
        let at = list as usize;
        let mut values = match (&open.own[at], self.fault) {
            (Some(own), _) => own.clone(),
            (None, Fault::Dirty) => self.current[at].clone(),
            (None, Fault::ReadSkew) => self.states[self.states.len() - 1][at].clone(),
            (None, _) => open.snapshot[at].clone(),
        };
        if self.fault == Fault::Broken && self.random.chance(0.1) {
            match self.draw(4) {
                0 => drop(values.pop()),
                1 => values.extend(values.last().copied()),
                2 => values.reverse(),
                _ => values.push(10_000 + self.value),
            }
        }
        open.attempt.did.push(Did::Read(list, values.clone()));
        values
    }

    fn step(&mut self, open: &mut Open) {
        // A fork shows where two write and then two others read.
        let fork = self.fault == Fault::Fork;
        let list = if fork { (open.left + open.attempt.client) % 2 } else { self.draw(LISTS) };
        let mut values = self.read(open, list);
        let reads = if fork && open.attempt.client > 1 { 0.95 } else { 0.4 };
        if self.random.chance(reads) {
            return;
        }
        for _ in 0..1 + self.draw(5) / 4 {
            self.value += 1;
            values.push(self.value);
            open.attempt.did.push(Did::Write(list, self.value));
            open.own[list as usize] = Some(values.clone());
            // Another one may read between two writes.
            self.current[list as usize].clone_from(&values);
        }
    }

    fn end(&mut self, mut open: Open) -> Attempt {
        open.attempt.to_ns = self.now;
        let mut newest = self.states[self.states.len() - 1].clone();
        let meanwhile = &self.states[open.commits];
        let wins = matches!(self.fault, Fault::LostUpdate | Fault::ReadSkew | Fault::Dirty);
        let met = (0..LISTS as usize).any(|at| {
            open.own[at].is_some()
                && (newest[at] != meanwhile[at] || newest[at] != open.snapshot[at])
        });
        let refused = met && !wins && self.fault != Fault::Nothing;
        let wanted = !self.random.chance(0.15);
        let known = !self.random.chance(0.1);
        if wanted && !refused {
            for (place, own) in newest.iter_mut().zip(open.own) {
                if let Some(own) = own {
                    *place = own;
                }
            }
            self.states.push(newest);
        }
        open.attempt.end = match (wanted && !refused, known) {
            (_, false) if wanted => End::Unknown,
            (true, _) => End::Committed,
            (false, _) => End::RolledBack,
        };
        open.attempt
    }
}
