//! The versions of the documents.
//!
//! A version is the state of a list that ends with its value. The versions of a list are a tree:
//! each has the one that it was made of below it. Without lost updates the tree is a single branch.

use std::collections::HashMap;

use hoap_record::history::{Attempt, Did, End};

use crate::kind::{Kind, Seen};
use crate::writes::{Write, writes};

/// The version below every other: the empty list.
pub(crate) const EMPTY: u32 = u32::MAX;

/// A version, by its index in [`Versions::all`].
#[derive(Debug)]
pub(crate) struct Version {
    pub list: u32,
    pub value: u32,
    /// The version that it was made of, which has a smaller index; [`EMPTY`].
    pub parent: u32,
    /// The attempt that wrote it; none where nobody did.
    pub writer: Option<u32>,
    /// Whether the database appended it to whatever was there.
    pub in_place: bool,
    /// A list that shows it and all below it, where one was read.
    shown: Option<Shown>,
}

/// A list that was read.
#[derive(Clone, Copy, Debug)]
struct Shown {
    attempt: u32,
    /// Index of the operation.
    at: u32,
}

/// A version that a transaction read, without its own writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub attempt: u32,
    pub list: u32,
    /// Index of the version; [`EMPTY`].
    pub version: u32,
}

/// The versions of a history.
pub(crate) struct Versions {
    /// In an order in which each comes after the one that it was made of.
    pub all: Vec<Version>,
    /// What the transactions that count read.
    pub reads: Vec<Read>,
    /// Whether a transaction counts: committed, or of unknown outcome and seen.
    pub counts: Vec<bool>,
    /// Anomalies of single lists.
    pub seen: Vec<Seen>,
    writes: HashMap<u32, Write>,
    /// The versions of values that nobody wrote on the list they were seen in.
    unwritten: HashMap<(u32, u32), u32>,
    /// Attempts of unknown outcome that were seen.
    found: Vec<u32>,
}

impl Versions {
    pub fn of(history: &[Attempt]) -> Result<Versions, String> {
        let attempts = u32::try_from(history.len()).ok().filter(|n| *n < 1 << 31);
        let attempts = attempts.ok_or("it has more than 2^31 attempts")?;
        let mut versions = Versions {
            all: Vec::new(),
            reads: Vec::new(),
            counts: history.iter().map(|attempt| attempt.end == End::Committed).collect(),
            seen: Vec::new(),
            writes: writes(history)?,
            unwritten: HashMap::new(),
            found: Vec::new(),
        };
        for attempt in 0..attempts {
            if versions.counts[attempt as usize] {
                versions.take(history, attempt);
            }
        }
        // What an attempt of unknown outcome wrote may be the only trace of another one.
        while let Some(attempt) = versions.found.pop() {
            if !versions.counts[attempt as usize] {
                versions.counts[attempt as usize] = true;
                versions.take(history, attempt);
            }
        }
        Ok(versions)
    }

    /// The writer of a version, if it counts.
    pub fn writer(&self, version: u32) -> Option<u32> {
        let writer = self.all.get(version as usize)?.writer?;
        self.counts[writer as usize].then_some(writer)
    }

    /// The version of a value on a list, where it was seen.
    fn version_of(&self, list: u32, value: u32) -> Option<u32> {
        match self.writes.get(&value).filter(|write| write.list == list) {
            Some(write) => write.version,
            None => self.unwritten.get(&(list, value)).copied(),
        }
    }

    /// Adds a version, made of `parent`.
    fn add(&mut self, list: u32, value: u32, parent: u32) -> u32 {
        let index = self.all.len() as u32;
        let (writer, in_place) =
            match self.writes.get_mut(&value).filter(|write| write.list == list) {
                Some(write) => {
                    write.version = Some(index);
                    (Some(write.attempt), write.in_place)
                }
                None => {
                    self.unwritten.insert((list, value), index);
                    (None, false)
                }
            };
        self.all.push(Version { list, value, parent, writer, in_place, shown: None });
        index
    }

    fn one(&mut self, kind: Kind, transactions: &[u32], list: u32, value: u32) {
        self.seen.push(Seen {
            kind,
            count: 1,
            transactions: transactions.to_vec(),
            edges: Vec::new(),
            value: Some((list, value)),
        });
    }

    /// Adds what an attempt read and wrote.
    fn take(&mut self, history: &[Attempt], index: u32) {
        let mut known: Vec<Own> = Vec::new();
        for (at, did) in history[index as usize].did.iter().enumerate() {
            let list = did.list();
            let place = known.iter().position(|own| own.list == list).unwrap_or_else(|| {
                known.push(Own { list, base: None, values: Vec::new() });
                known.len() - 1
            });
            let own = &mut known[place];
            match *did {
                Did::Read(_, ref values) => {
                    let Some(before) = values.len().checked_sub(own.values.len()) else {
                        self.one(Kind::Internal, &[index], list, own.values[0]);
                        continue;
                    };
                    let (before, after) = values.split_at(before);
                    if let Some(value) = own.values.iter().zip(after).find(|(a, b)| a != b) {
                        self.one(Kind::Internal, &[index], list, *value.0);
                        continue;
                    }
                    let shown = Shown { attempt: index, at: at as u32 };
                    self.show(history, shown, values);
                    let version = match before.last() {
                        Some(value) => self.version_of(list, *value).unwrap_or(EMPTY),
                        None => EMPTY,
                    };
                    if own.base != Some(version) {
                        own.base = Some(version);
                        self.reads.push(Read { attempt: index, list, version });
                        self.dirty(history, index, version);
                    }
                }
                Did::Write(_, value) => {
                    let parent = match own.values.last() {
                        Some(last) => self.version_of(list, *last),
                        None => own.base,
                    };
                    match (parent, self.version_of(list, value)) {
                        (Some(parent), None) => {
                            self.add(list, value, parent);
                        }
                        (Some(parent), Some(seen)) if self.all[seen as usize].parent != parent => {
                            self.one(Kind::IncompatibleOrders, &[index], list, value);
                        }
                        _ => {}
                    }
                    own.values.push(value);
                }
                Did::Append(_, value) => own.values.push(value),
            }
        }
    }

    /// Counts a read of a version whose writer was rolled back, or that its writer overwrote.
    fn dirty(&mut self, history: &[Attempt], reader: u32, version: u32) {
        let Some(&Version { list, value, writer: Some(writer), .. }) =
            self.all.get(version as usize)
        else {
            return;
        };
        let kind = match history[writer as usize].end {
            _ if writer == reader => return,
            End::RolledBack => Kind::AbortedRead,
            _ if self.writes.get(&value).is_some_and(|write| !write.last) => Kind::IntermediateRead,
            _ => return,
        };
        self.one(kind, &[writer, reader], list, value);
    }

    /// Adds the versions that a list shows, and compares it with what is known of the others.
    fn show(&mut self, history: &[Attempt], by: Shown, values: &[u32]) {
        let list = history[by.attempt as usize].did[by.at as usize].list();
        let new = values.iter().rev().take_while(|v| self.version_of(list, **v).is_none()).count();
        let old = values.len() - new;
        if !self.agrees(history, by, list, &values[..old]) {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                Some(twice) => self.one(Kind::Duplicate, &[by.attempt], list, twice[0]),
                None => self.branch(by.attempt, list, &values[..old]),
            }
        }
        let mut last = match old {
            0 => EMPTY,
            n => self.version_of(list, values[n - 1]).unwrap_or(EMPTY),
        };
        for (at, &value) in values.iter().enumerate().skip(old) {
            if self.version_of(list, value).is_some() {
                return self.one(Kind::Duplicate, &[by.attempt], list, value);
            }
            last = self.add(list, value, last);
            self.all[last as usize].shown = Some(by);
            match self.all[last as usize].writer {
                None => self.one(Kind::Unwritten, &[by.attempt], list, value),
                Some(writer) => match history[writer as usize].end {
                    End::Unknown => self.found.push(writer),
                    // One at the end of a list is counted as what was read.
                    End::RolledBack if at + 1 < values.len() => {
                        self.one(Kind::AbortedRead, &[writer, by.attempt], list, value);
                    }
                    _ => {}
                },
            }
        }
    }

    /// Whether a list, of which the last version is known, shows the versions below that one.
    fn agrees(&mut self, history: &[Attempt], by: Shown, list: u32, values: &[u32]) -> bool {
        let mut length = values.len();
        while let Some(value) = values[..length].last() {
            let Some(version) = self.version_of(list, *value) else { return false };
            let version = &self.all[version as usize];
            if let Some(other) = version.shown {
                let other = &history[other.attempt as usize].did[other.at as usize];
                if let Did::Read(_, other) = other
                    && other.get(..length) == Some(&values[..length])
                {
                    break;
                }
            }
            let below = self.all.get(version.parent as usize).map(|below| below.value);
            if below != values[..length - 1].last().copied() {
                return false;
            }
            length -= 1;
        }
        for value in &values[length..] {
            if let Some(version) = self.version_of(list, *value) {
                self.all[version as usize].shown.get_or_insert(by);
            }
        }
        true
    }

    /// Reports a list that shows a version with others below it than another list.
    fn branch(&mut self, reader: u32, list: u32, values: &[u32]) {
        let last = values.last().and_then(|value| self.version_of(list, *value));
        let shown = last.and_then(|version| self.all[version as usize].shown);
        let other = shown.map(|shown| shown.attempt).filter(|other| *other != reader);
        let transactions: Vec<u32> = other.into_iter().chain([reader]).collect();
        self.one(
            Kind::IncompatibleOrders,
            &transactions,
            list,
            values.last().copied().unwrap_or(0),
        );
    }
}

/// What a transaction knows of a list.
struct Own {
    list: u32,
    /// The version it read last; none before its first read.
    base: Option<u32>,
    /// What it wrote.
    values: Vec<u32>,
}
