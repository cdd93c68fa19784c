//! A log of entries that grows at its end, packed: each entry is written as what it adds to the one
//! before it, so that millions of commits take a driver about as much memory as their digests.
//!
//! A log is a list of chunks, and each chunk is read by itself. So a log grows without moving what
//! it has, logs are joined by moving their chunks, and in a sorted log an entry is found by the
//! first entries of the chunks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::slice::SliceIndex;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes of a chunk. The first chunks of a log are smaller, for clients that do little.
const CHUNK: usize = 4096;

/// Bytes of the first chunk of a log, and the most bytes of an entry.
const FIRST: usize = 64;

/// Entries that are sorted at a time.
const RUN: usize = 1 << 16;

/// What a log can hold. An entry takes at most 64 bytes.
pub trait Entry: Copy + Ord {
    /// What stands before the first entry of a chunk.
    const NONE: Self;

    /// Writes the entry by the one before it.
    fn write(&self, before: &Self, to: &mut Bytes);

    /// The inverse of [`Entry::write`].
    fn read(before: &Self, from: &mut &[u8]) -> Self;
}

/// The bytes of an entry.
pub struct Bytes {
    bytes: [u8; FIRST],
    len: usize,
}

impl Bytes {
    fn of<T: Entry>(entry: &T, before: &T) -> Self {
        let mut bytes = Bytes { bytes: [0; FIRST], len: 0 };
        entry.write(before, &mut bytes);
        bytes
    }

    /// Adds a number, in fewer bytes the smaller it is.
    pub fn number(&mut self, n: impl Into<u64>) {
        let mut n = n.into();
        while n >= 0x80 {
            self.bytes[self.len] = n as u8 | 0x80;
            self.len += 1;
            n >>= 7;
        }
        self.bytes[self.len] = n as u8;
        self.len += 1;
    }

    /// Adds a number of which no value is likelier than another, in eight bytes.
    pub fn whole(&mut self, n: u64) {
        self.bytes[self.len..self.len + 8].copy_from_slice(&n.to_le_bytes());
        self.len += 8;
    }
}

/// The inverse of [`Bytes::number`].
pub fn number(from: &mut &[u8]) -> u64 {
    let (mut n, mut shift) = (0, 0);
    while let Some((&byte, rest)) = from.split_first() {
        *from = rest;
        n |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    n
}

/// The inverse of [`Bytes::whole`].
pub fn whole(from: &mut &[u8]) -> u64 {
    let Some((bytes, rest)) = from.split_first_chunk() else { return 0 };
    *from = rest;
    u64::from_le_bytes(*bytes)
}

/// A number without a sign, small where `n` is near zero.
pub fn unsigned(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

/// The inverse of [`unsigned`].
pub fn signed(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

/// Entries in the order in which they were noted, or sorted.
#[derive(Clone)]
pub struct Log<T> {
    /// Each begins by [`Entry::NONE`], and none is empty.
    chunks: Vec<Vec<u8>>,
    len: usize,
    /// The last entry.
    last: T,
    /// Whether an entry is less than the one before it.
    unsorted: bool,
}

impl<T: Entry> Default for Log<T> {
    fn default() -> Self {
        Log { chunks: Vec::new(), len: 0, last: T::NONE, unsorted: false }
    }
}

impl<T: Entry> Log<T> {
    /// Notes an entry.
    pub fn push(&mut self, entry: T) {
        self.put(entry, &mut Vec::new());
    }

    /// Notes an entry, with the memory of chunks that were read where there are any.
    fn put(&mut self, entry: T, spare: &mut Vec<Vec<u8>>) {
        self.unsorted |= self.len > 0 && entry < self.last;
        let bytes = Bytes::of(&entry, &self.last);
        let last = self.chunks.last_mut();
        let size = last.as_ref().map_or(FIRST, |chunk| (chunk.capacity() * 2).clamp(FIRST, CHUNK));
        match last.filter(|chunk| chunk.capacity() - chunk.len() >= bytes.len) {
            Some(chunk) => chunk.extend_from_slice(&bytes.bytes[..bytes.len]),
            None => {
                let bytes = Bytes::of(&entry, &T::NONE);
                let mut chunk = spare.pop().unwrap_or_else(|| Vec::with_capacity(size));
                chunk.extend_from_slice(&bytes.bytes[..bytes.len]);
                self.chunks.push(chunk);
            }
        }
        self.len += 1;
        self.last = entry;
    }

    /// Adds the entries of another log, without copying them.
    pub fn append(&mut self, mut other: Log<T>) {
        let Some(first) = other.iter().next() else { return };
        if self.is_empty() {
            *self = other;
            return;
        }
        self.unsorted |= other.unsorted || first < self.last;
        self.chunks.append(&mut other.chunks);
        self.len += other.len;
        self.last = other.last;
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether each entry is at least the one before it.
    pub fn is_sorted(&self) -> bool {
        !self.unsorted
    }

    /// The bytes of memory that it has.
    pub fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().map(Vec::capacity).sum::<usize>();
        chunks + self.chunks.capacity() * size_of::<Vec<u8>>()
    }

    /// The entries.
    pub fn iter(&self) -> Iter<'_, T> {
        self.part(..)
    }

    /// The number of chunks.
    pub(crate) fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The entries of some chunks.
    pub(crate) fn part(
        &self,
        chunks: impl SliceIndex<[Vec<u8>], Output = [Vec<u8>]>,
    ) -> Iter<'_, T> {
        let chunks = self.chunks.get(chunks).unwrap_or_default();
        Iter { chunks: chunks.iter(), rest: &[], last: T::NONE }
    }

    /// Sorts the entries where they are: a chunk that was read has the memory for one that is
    /// written, so that it takes a few megabytes more at most.
    pub fn sort(&mut self) {
        if self.is_sorted() {
            return;
        }
        let mut spare = Vec::new();
        let mut all = Drain::of(std::mem::take(self));
        let (mut run, mut runs) = (Vec::new(), Vec::new());
        loop {
            run.extend(std::iter::from_fn(|| all.next(&mut spare)).take(RUN));
            if run.is_empty() {
                break;
            }
            run.sort_unstable();
            let mut sorted = Log::default();
            run.drain(..).for_each(|entry| sorted.put(entry, &mut spare));
            runs.push(Drain::of(sorted));
        }
        let mut least = BinaryHeap::new();
        for (at, run) in runs.iter_mut().enumerate() {
            least.extend(run.next(&mut spare).map(|entry| Reverse((entry, at))));
        }
        while let Some(mut top) = least.peek_mut() {
            let Reverse((entry, at)) = *top;
            self.put(entry, &mut spare);
            match runs[at].next(&mut spare) {
                Some(next) => *top = Reverse((next, at)),
                None => {
                    PeekMut::pop(top);
                }
            }
        }
    }
}

/// The entries of a log.
#[derive(Clone)]
pub struct Iter<'a, T> {
    chunks: std::slice::Iter<'a, Vec<u8>>,
    /// What is left of a chunk, after its last entry that was read.
    rest: &'a [u8],
    last: T,
}

impl<T: Entry> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.rest.is_empty() {
            self.rest = self.chunks.next()?;
            self.last = T::NONE;
        }
        self.last = T::read(&self.last, &mut self.rest);
        Some(self.last)
    }
}

/// The entries of a log that gives up its memory as they are read.
struct Drain<T> {
    chunks: std::vec::IntoIter<Vec<u8>>,
    chunk: Vec<u8>,
    /// How much of the chunk is read.
    at: usize,
    last: T,
}

impl<T: Entry> Drain<T> {
    fn of(log: Log<T>) -> Self {
        Drain { chunks: log.chunks.into_iter(), chunk: Vec::new(), at: 0, last: T::NONE }
    }

    fn next(&mut self, spare: &mut Vec<Vec<u8>>) -> Option<T> {
        while self.at == self.chunk.len() {
            let mut read = std::mem::replace(&mut self.chunk, self.chunks.next()?);
            if read.capacity() >= CHUNK {
                read.clear();
                spare.push(read);
            }
            (self.at, self.last) = (0, T::NONE);
        }
        let mut rest = &self.chunk[self.at..];
        self.last = T::read(&self.last, &mut rest);
        self.at = self.chunk.len() - rest.len();
        Some(self.last)
    }
}

impl<'a, T: Entry> IntoIterator for &'a Log<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: Entry> Extend<T> for Log<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

impl<T: Entry> FromIterator<T> for Log<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut log = Log::default();
        log.extend(entries);
        log
    }
}

impl<T: Entry> PartialEq for Log<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<T: Entry> Eq for Log<T> {}

impl<T: Entry + Debug> Debug for Log<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// A sequence of the entries, made one at a time.
impl<T: Entry + Serialize> Serialize for Log<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, T: Entry + Deserialize<'de>> Deserialize<'de> for Log<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Entry + Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Log<T>;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a list of commits")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Log<T>, A::Error> {
                let mut log = Log::default();
                while let Some(entry) = entries.next_element()? {
                    log.push(entry);
                }
                Ok(log)
            }
        }
        deserializer.deserialize_seq(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By its difference to the one before it, in one to ten bytes.
    impl Entry for i64 {
        const NONE: i64 = 0;

        fn write(&self, before: &i64, to: &mut Bytes) {
            to.number(unsigned(self.wrapping_sub(*before)));
        }

        fn read(before: &i64, from: &mut &[u8]) -> i64 {
            before.wrapping_add(signed(number(from)))
        }
    }

    fn numbers(n: u64) -> Vec<i64> {
        let mut random = hoap_data::random::Stream::new(n, &[]);
        // Of any length, so that the chunks end anywhere.
        (0..n).map(|i| (random.next_u64() >> (i % 64)) as i64).collect()
    }

    #[test]
    fn numbers_of_any_size_come_back() {
        for n in [0, 1, 0x7f, 0x80, u64::MAX >> 1, u64::MAX] {
            let mut bytes = Bytes { bytes: [0; FIRST], len: 0 };
            bytes.number(n);
            bytes.whole(n);
            let mut from = &bytes.bytes[..bytes.len];
            assert_eq!((number(&mut from), whole(&mut from)), (n, n));
            assert!(from.is_empty());
            assert_eq!(unsigned(signed(n)), n);
        }
        for n in [0, 1, -1, i64::MAX, i64::MIN] {
            assert_eq!(signed(unsigned(n)), n);
        }
        assert_eq!([0, -1, 1, -2].map(unsigned), [0, 1, 2, 3]);
    }

    #[test]
    fn a_log_is_what_was_pushed_whatever_was_joined() {
        for n in [0, 1, 7, 5_000] {
            let numbers = numbers(n);
            let whole: Log<i64> = numbers.iter().copied().collect();
            assert_eq!(whole.len() as u64, n);
            assert!(whole.iter().eq(numbers.iter().copied()));
            let (one, other) = numbers.split_at(numbers.len() / 3);
            let mut joined: Log<i64> = one.iter().copied().collect();
            let other: Log<i64> = other.iter().copied().collect();
            let bytes = joined.bytes() + other.bytes();
            joined.append(other);
            assert_eq!(joined, whole);
            // Nothing is copied: only the list of the chunks may have grown.
            assert!(joined.bytes() <= bytes + 2 * joined.chunks() * size_of::<Vec<u8>>());
            joined.append(Log::default());
            joined.extend([1, 2]);
            assert_eq!(joined.iter().skip(n as usize).collect::<Vec<_>>(), [1, 2]);
            let copy = joined.clone();
            assert_eq!(copy, joined);
            assert!(n == 0 || copy != whole);
        }
    }

    /// More than are sorted at a time, and as much memory after it as before.
    #[test]
    fn a_log_is_sorted_where_it_is() {
        for n in [0, 1, 7, 3 * RUN as u64 + 5] {
            let mut numbers = numbers(n);
            let mut log: Log<i64> = numbers.iter().copied().collect();
            let bytes = log.bytes();
            assert_eq!(log.is_sorted(), numbers.is_sorted());
            log.sort();
            numbers.sort_unstable();
            assert!(log.is_sorted() && log.len() as u64 == n);
            assert!(log.iter().eq(numbers.iter().copied()));
            assert!(log.bytes() <= bytes, "{} {bytes}", log.bytes());
            let mut again = log.clone();
            again.append(log.clone());
            assert_eq!(again.is_sorted(), n < 2);
            again.sort();
            assert!(again.iter().eq(numbers.iter().flat_map(|&n| [n, n])));
        }
    }

    #[test]
    fn a_log_of_few_entries_takes_little() {
        let log: Log<i64> = (0..3).collect();
        assert!(log.bytes() <= FIRST + 4 * size_of::<Vec<u8>>(), "{}", log.bytes());
    }

    #[test]
    fn a_log_is_stored_as_a_list() {
        let log: Log<i64> = [3, -1, i64::MIN].into_iter().collect();
        let text = serde_json::to_string(&log).unwrap();
        assert_eq!(text, "[3,-1,-9223372036854775808]");
        assert_eq!(serde_json::from_str::<Log<i64>>(&text).unwrap(), log);
        assert!(serde_json::from_str::<Log<i64>>("{}").is_err());
    }
}
