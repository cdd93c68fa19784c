//! The writes that a client remembers, for the check after the run.
//!
//! Only the writes of a sample of the keys are kept. A hash decides which keys belong to it, at a
//! level: at level n one key in 2^n does, and the keys of level n + 1 are a subset of those of
//! level n. A client whose memory is full goes up one level and forgets the keys that no longer
//! belong. All clients therefore remember every write of the keys of the highest level among them,
//! in bounded memory.

use std::collections::HashMap;

use hoap_data::random::Stream;

use crate::data::Key;

/// The most writes that a client remembers, acknowledged and unsure ones together.
const CAPACITY: usize = 128;
/// The most keys in the merged sample of all clients.
const KEYS: usize = 4096;
/// At this level the sample is empty.
const TOP: u32 = 64;

/// An acknowledged write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The version it wrote.
    pub version: u64,
    /// Its start and its acknowledgement, nanoseconds on a clock that all clients share.
    pub start: u64,
    #[allow(missing_docs)]
    pub end: u64,
}

/// The version of a record that a delete leaves. No other write has it.
pub(super) const GONE: u64 = u64::MAX;

/// A field of a key, or with `None` all its fields.
pub(super) type Place = (Key, Option<u16>);

/// The writes of one client.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    hash: Stream,
    level: u32,
    /// The last acknowledged write of each place. A client's writes follow one another, so an
    /// earlier one is there only if the last one was lost.
    last: Vec<(Place, Write)>,
    /// Writes of unknown outcome: they may have been applied, or may still be.
    unsure: Vec<(Place, u64)>,
}

impl Sample {
    /// Allocates all memory that a run without failures needs.
    pub fn new() -> Self {
        Sample {
            hash: Stream::new(0, &[u64::from_be_bytes(*b"sample\0\0")]),
            level: 0,
            last: Vec::with_capacity(CAPACITY),
            unsure: Vec::new(),
        }
    }

    /// Whether the sample includes this key.
    #[inline]
    pub fn has(&self, key: Key) -> bool {
        belongs(self.hash, key, self.level)
    }

    /// Remembers an acknowledged write.
    #[cold]
    pub fn acknowledged(&mut self, place: Place, write: Write) {
        loop {
            match self.last.binary_search_by_key(&place, |&(place, _)| place) {
                Ok(at) => self.last[at].1 = write,
                Err(_) if !self.has(place.0) => {}
                Err(at) if self.last.len() < CAPACITY => self.last.insert(at, (place, write)),
                Err(_) => {
                    self.rise();
                    continue;
                }
            }
            return;
        }
    }

    /// Remembers a write of unknown outcome.
    #[cold]
    pub fn unsure(&mut self, place: Place, version: u64) {
        while self.has(place.0) && self.unsure.len() >= CAPACITY {
            self.rise();
        }
        if self.has(place.0) {
            self.unsure.push((place, version));
        }
    }

    fn rise(&mut self) {
        self.level += 1;
        let (hash, level) = (self.hash, self.level);
        self.last.retain(|&((key, _), _)| belongs(hash, key, level));
        self.unsure.retain(|&((key, _), _)| belongs(hash, key, level));
    }
}

#[inline(always)]
fn belongs(hash: Stream, key: Key, level: u32) -> bool {
    level < TOP && hash.at(key.bits()) >> (TOP - 1 - level) >> 1 == 0
}

/// What one client, or all, remember of a run.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(super) sample: Merged,
    /// How many records it made and removed.
    pub count: Count,
}

/// What decides how many records a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Acknowledged inserts.
    pub inserted: u64,
    /// Acknowledged deletes.
    pub deleted: u64,
    /// Deletes of unknown outcome.
    pub unsure_deletes: u64,
    /// Updates that were acknowledged when the delete of their record had begun. A database that
    /// writes without reading may have made the record again.
    pub after_deletes: u64,
}

/// The writes of several clients.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    hash: Stream,
    pub level: u32,
    /// The largest difference between the writers' clocks, nanoseconds; 0 for clients of one
    /// process.
    pub clocks: u64,
    pub last: HashMap<Place, Vec<Write>>,
    pub unsure: HashMap<Place, Vec<u64>>,
}

impl Memory {
    pub(super) fn of(sample: Sample, count: Count) -> Self {
        let Sample { hash, level, last, unsure } = sample;
        let last = last.into_iter().map(|(place, write)| (place, vec![write])).collect();
        let mut merged = Merged { hash, level, clocks: 0, last, unsure: HashMap::new() };
        for (place, version) in unsure {
            merged.unsure.entry(place).or_default().push(version);
        }
        Memory { sample: merged, count }
    }

    /// An empty memory.
    pub fn nothing() -> Self {
        Memory::of(Sample::new(), Count::default())
    }

    /// Adds the memory of another client.
    pub fn merge(&mut self, other: Memory) {
        let Count { inserted, deleted, unsure_deletes, after_deletes } = other.count;
        self.count.inserted += inserted;
        self.count.deleted += deleted;
        self.count.unsure_deletes += unsure_deletes;
        self.count.after_deletes += after_deletes;
        let (mine, mut theirs) = (&mut self.sample, other.sample);
        // Both go to the same level before the merge: of a key that only the lower level includes,
        // the other client has forgotten its writes, which may be the last.
        mine.rise(theirs.level);
        theirs.rise(mine.level);
        mine.clocks = mine.clocks.max(theirs.clocks);
        for (place, writes) in theirs.last {
            mine.last.entry(place).or_default().extend(writes);
        }
        for (place, versions) in theirs.unsure {
            mine.unsure.entry(place).or_default().extend(versions);
        }
        while mine.last.len() + mine.unsure.len() > KEYS && mine.level < TOP {
            mine.rise(mine.level + 1);
        }
    }

    /// The sample has one key in this many.
    pub fn one_in(&self) -> f64 {
        2f64.powi(self.sample.level as i32)
    }
}

impl Merged {
    fn rise(&mut self, level: u32) {
        if level > self.level {
            self.level = level;
            let (hash, level) = (self.hash, self.level);
            self.last.retain(|&(key, _), _| belongs(hash, key, level));
            self.unsure.retain(|&(key, _), _| belongs(hash, key, level));
        }
    }

    /// Whether it includes this key: then every client remembers every write of it.
    pub fn has(&self, key: Key) -> bool {
        belongs(self.hash, key, self.level)
    }

    /// The versions of unknown outcome of a field.
    pub fn unsure(&self, key: Key, field: u16) -> impl Iterator<Item = u64> {
        let places = [(key, Some(field)), (key, None)];
        places.into_iter().filter_map(|place| self.unsure.get(&place)).flatten().copied()
    }

    /// The keys with a remembered write, in a fixed order.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = self.last.keys().chain(self.unsure.keys()).map(|p| p.0).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// How much earlier, in nanoseconds, the acknowledged write of this version of a field ended
    /// than the last one of it began, by the clocks of the drivers that made them. `None` where no
    /// driver made it or there is only one driver, whose own clock orders its writes.
    pub fn earlier(&self, key: Key, field: u16, is: impl Fn(u64) -> bool) -> Option<u64> {
        let places = [(key, Some(field)), (key, None)];
        let writes = || places.iter().filter_map(|p| self.last.get(p)).flatten();
        let latest_start = writes().map(|w| w.start).max()?;
        let one = writes().filter(|w| is(w.version)).max_by_key(|w| w.end);
        one.filter(|_| self.clocks > 0).map(|w| latest_start.saturating_sub(w.end))
    }

    /// The versions of a field that may be in the table: acknowledged writes that no other
    /// acknowledged write follows entirely, as far as the clocks can tell, and the unsure ones.
    /// `None` where no write of it was acknowledged, so that an older version may be there.
    pub fn acceptable(&self, key: Key, field: u16) -> Option<Vec<u64>> {
        let places = [(key, Some(field)), (key, None)];
        let writes = || places.iter().filter_map(|p| self.last.get(p)).flatten();
        let latest_start = writes().map(|w| w.start).max()?;
        let acknowledged = writes()
            .filter(|w| w.end.saturating_add(self.clocks) >= latest_start)
            .map(|w| w.version);
        Some(acknowledged.chain(self.unsure(key, field)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{RecordSpec, Records};

    fn key(n: u64) -> Key {
        Records::new(RecordSpec::default()).unwrap().key(n)
    }

    fn write(version: u64, start: u64, end: u64) -> Write {
        Write { version, start, end }
    }

    fn memory(change: impl FnOnce(&mut Sample)) -> Memory {
        let mut sample = Sample::new();
        change(&mut sample);
        Memory::of(sample, Count { inserted: 1, ..Count::default() })
    }

    /// Spec §1, "the last acknowledged write is there": of concurrent writes any that no other
    /// follows entirely may be the last one, and a write of unknown end always may.
    #[test]
    fn which_versions_may_be_there() {
        let (k, f) = (key(1), Some(3));
        let mut all = memory(|s| {
            s.acknowledged((k, f), write(1, 0, 10));
            s.acknowledged((k, f), write(2, 20, 30));
        });
        assert_eq!(
            all.sample.acceptable(k, 3),
            Some(vec![2]),
            "a client's writes follow each other"
        );
        all.merge(memory(|s| s.acknowledged((k, f), write(3, 25, 40))));
        all.merge(memory(|s| s.acknowledged((k, f), write(4, 5, 24))));
        let mut versions = all.sample.acceptable(k, 3).unwrap();
        versions.sort_unstable();
        assert_eq!(versions, [2, 3], "4 ended before 3 began");
        all.merge(memory(|s| s.unsure((k, f), 5)));
        all.merge(memory(|s| s.acknowledged((k, None), write(6, 31, 50))));
        let mut versions = all.sample.acceptable(k, 3).unwrap();
        versions.sort_unstable();
        assert_eq!(versions, [3, 5, 6], "a write of all fields is one of this field");
        assert_eq!(all.sample.acceptable(k, 4), Some(vec![6]));
        assert_eq!(all.sample.acceptable(key(2), 3), None);
        all.merge(memory(|s| s.unsure((key(2), f), 7)));
        assert_eq!(all.sample.acceptable(key(2), 3), None, "nothing acknowledged, nothing owed");
        assert_eq!(all.count.inserted, 6);
    }

    #[test]
    fn memory_is_bounded_and_complete_for_the_keys_of_the_sample() {
        let mut all = Memory::nothing();
        for client in 0..50u64 {
            all.merge(memory(|s| {
                for n in 0..20_000 {
                    if s.has(key(n)) {
                        s.acknowledged((key(n), Some(0)), write(client, n, n + 1));
                    }
                    if n % 10 == 0 && s.has(key(n)) {
                        s.unsure((key(n), Some(1)), client);
                    }
                    assert!(s.last.len() <= CAPACITY && s.unsure.len() <= CAPACITY);
                }
                assert_eq!(s.last.capacity(), CAPACITY);
            }));
        }
        let keys = all.sample.keys();
        // Of 20,000 keys at most 128 remain, after halvings about 64.
        assert!((20..=128).contains(&keys.len()), "{}", keys.len());
        assert_eq!(all.one_in(), 2f64.powi(all.sample.level as i32));
        for k in keys {
            assert_eq!(all.sample.last[&(k, Some(0))].len(), 50, "every client's write of {k:?}");
        }
    }

    #[test]
    fn clients_that_remember_unequally_leave_no_key_half_remembered() {
        let writes = |keys: u64, version: u64, start: u64| {
            memory(|s| {
                for n in 0..keys {
                    if s.has(key(n)) {
                        s.acknowledged((key(n), Some(0)), write(version, start, start + 1));
                    }
                }
            })
        };
        // The second client wrote every key last and had to forget most of them.
        for order in [[0, 1], [1, 0]] {
            let mut all = Memory::nothing();
            for client in order {
                all.merge(match client {
                    0 => writes(100, 1, 0),
                    _ => writes(2000, 2, 10),
                });
            }
            let keys = all.sample.keys();
            assert!(!keys.is_empty() && all.one_in() > 1.0);
            for k in keys {
                assert_eq!(all.sample.acceptable(k, 0), Some(vec![2]), "{order:?}, {k:?}");
            }
        }
    }

    #[test]
    fn levels() {
        let hash = Sample::new().hash;
        for n in 0..1000 {
            assert!(belongs(hash, key(n), 0));
            assert!(!belongs(hash, key(n), TOP));
            for level in 1..TOP {
                assert!(!belongs(hash, key(n), level) || belongs(hash, key(n), level - 1));
            }
        }
        let third = (0..100_000).filter(|&n| belongs(hash, key(n), 3)).count();
        assert!((12_000..13_000).contains(&third), "{third}");
    }
}
