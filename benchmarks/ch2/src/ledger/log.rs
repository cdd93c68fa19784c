//! A log of fixed records: what was noted, sorted when it is read.
//!
//! A record is bytes that begin with its key, the highest byte first, so that the order of bytes is
//! that of keys. A log is a list of pieces of 64 kB. What is beyond the memory of its run is in a
//! file ([`super::spill`]). Reading merges the pieces, each of them sorted, by key.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fmt::{self, Debug, Formatter};
use std::io;
use std::sync::Arc;

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::spill::{Record, Spill};

/// Bytes of a piece. The first pieces of a log are smaller, for clients that do little.
const PIECE: usize = 1 << 16;

/// Records of the first piece of a log.
const FIRST: usize = 32;

/// What a log can hold.
pub trait Entry: Copy {
    /// Its record.
    type Record: Record;

    /// The record, which begins with its key.
    fn pack(self) -> Self::Record;

    /// The inverse of [`Entry::pack`].
    fn unpack(record: Self::Record) -> Self;
}

/// What was noted. Two that are clones of an empty one are of the same run, and share its file.
pub struct Log<T: Entry> {
    pieces: Vec<Vec<T::Record>>,
    /// Whether each piece is sorted.
    sorted: bool,
    /// Its records beyond the memory, beside those of logs that are to be joined with it.
    spills: Vec<Arc<Spill>>,
}

impl<T: Entry> Default for Log<T> {
    fn default() -> Self {
        Log { pieces: Vec::new(), sorted: true, spills: Vec::new() }
    }
}

impl<T: Entry> Clone for Log<T> {
    fn clone(&self) -> Self {
        let Log { pieces, sorted, spills } = self;
        Log { pieces: pieces.clone(), sorted: *sorted, spills: spills.clone() }
    }
}

impl<T: Entry> Log<T> {
    /// An empty one with this place for what is beyond the memory.
    pub fn on(spill: Spill) -> Self {
        Log { spills: vec![Arc::new(spill)], ..Log::default() }
    }

    /// An empty one of other entries, with a file of its own beside this one's.
    pub fn beside<U: Entry>(&self) -> Log<U> {
        let spills = self.spills.first().map(|spill| Arc::new(spill.another()));
        Log { spills: spills.into_iter().collect(), ..Log::default() }
    }

    /// Notes an entry.
    pub fn push(&mut self, entry: T) {
        self.sorted = false;
        if self.pieces.last().is_none_or(|piece| piece.len() == piece.capacity()) {
            self.make_room();
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push(entry.pack());
        }
    }

    /// Begins a piece, or writes the last one to the file.
    fn make_room(&mut self) {
        let size = size_of::<T::Record>();
        let last = self.pieces.last_mut();
        let most = (PIECE / size).max(1);
        let n = last.as_ref().map_or(FIRST, |piece| (2 * piece.capacity()).min(most));
        if let Some((piece, spill)) = last.zip(self.spills.first())
            && !spill.keep((n * size) as u64)
            // Where the disk is full the memory has to do.
            && spill.write(piece).is_ok()
        {
            piece.clear();
            return;
        }
        self.pieces.push(Vec::with_capacity(n));
    }

    /// Adds the entries of another log, without copying them.
    pub fn append(&mut self, other: Log<T>) {
        self.sorted &= other.sorted;
        self.pieces.extend(other.pieces);
        for spill in other.spills {
            if !self.spills.iter().any(|known| Arc::ptr_eq(known, &spill)) {
                self.spills.push(spill);
            }
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        let beyond = self.spills.iter().map(|spill| spill.bytes()).sum::<u64>() as usize;
        self.pieces.iter().map(Vec::len).sum::<usize>() + beyond / size_of::<T::Record>()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of memory that it has.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(Vec::capacity).sum::<usize>() * size_of::<T::Record>()
    }

    /// Sorts the pieces where they are. A log that is not sorted is copied when it is read.
    pub fn sort(&mut self) {
        if !self.sorted {
            self.pieces.iter_mut().for_each(|piece| piece.sort_unstable());
            self.sorted = true;
        }
    }

    /// All entries by key. Where the file cannot be read, [`Log::whole`] says so afterwards.
    pub fn iter(&self) -> Iter<'_, T> {
        let mut sources: Vec<Source<'_, T>> = Vec::new();
        for piece in &self.pieces {
            let mut piece = Cow::Borrowed(&piece[..]);
            if !self.sorted {
                piece.to_mut().sort_unstable();
            }
            sources.push(Box::new((0..piece.len()).map(move |at| piece[at])));
        }
        for spill in &self.spills {
            let runs = spill.runs::<T::Record>().into_iter();
            sources.extend(runs.map(|run| Box::new(run) as Source<'_, T>));
        }
        let mut least = BinaryHeap::with_capacity(sources.len());
        for (at, source) in sources.iter_mut().enumerate() {
            least.extend(source.next().map(|record| Reverse((record, at))));
        }
        Iter { sources, least }
    }

    /// Whether all entries were read that were to be read, of this log and of those that share its
    /// store.
    ///
    /// # Errors
    /// What the file answered that could not be read.
    pub fn whole(&self) -> io::Result<()> {
        self.spills.iter().try_for_each(|spill| spill.whole())
    }
}

/// Records of a piece or of a part of a file, sorted.
type Source<'a, T> = Box<dyn Iterator<Item = <T as Entry>::Record> + Send + 'a>;

/// The entries of a log by key.
pub struct Iter<'a, T: Entry> {
    sources: Vec<Source<'a, T>>,
    /// The next record of each.
    least: BinaryHeap<Reverse<(T::Record, usize)>>,
}

impl<T: Entry> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let mut top = self.least.peek_mut()?;
        let Reverse((record, at)) = *top;
        match self.sources[at].next() {
            Some(next) => *top = Reverse((next, at)),
            None => {
                PeekMut::pop(top);
            }
        }
        Some(T::unpack(record))
    }
}

impl<'a, T: Entry> IntoIterator for &'a Log<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: Entry> FromIterator<T> for Log<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut log = Log::default();
        entries.into_iter().for_each(|entry| log.push(entry));
        log
    }
}

impl<T: Entry + PartialEq> PartialEq for Log<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<T: Entry + Debug> Debug for Log<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T: Entry + Serialize> Serialize for Log<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = serializer.collect_seq(self)?;
        self.whole().map_err(S::Error::custom)?;
        Ok(written)
    }
}

impl<'de, T: Entry + Deserialize<'de>> Deserialize<'de> for Log<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Log::from_iter)
    }
}

#[cfg(test)]
mod tests {
    use hoap_workload::ErrorKind;

    use super::super::spill::Store;
    use super::*;
    use crate::ledger::{Delivery, Ledger};

    fn delivery(n: u64) -> Delivery {
        // Of any key, and some twice.
        let key = hoap_data::random::Stream::new(7, &[n / 2]).next_u64();
        let (w, d) = (1 + (key % 50) as u32, 1 + (key >> 8) as u32 % 10);
        Delivery { w, d, o_id: (key >> 40) as u32, digest: n }
    }

    fn sorted(mut all: Vec<Delivery>) -> Vec<Delivery> {
        all.sort_by_key(|d| (d.w, d.d, d.o_id, d.digest));
        all
    }

    /// In memory, in a file, and in both; by one client and by several.
    #[test]
    fn a_log_is_what_was_noted_by_key_however_much_memory_it_has() {
        let folder = tempfile::tempdir().unwrap();
        for (n, bound, beyond) in [
            (0, 0, false),
            (5, 0, false),
            (3_000, u64::MAX, false),
            (50_000, 0, true),
            (50_000, 200_000, true),
        ] {
            let store = Store::new(folder.path(), bound);
            let empty: Log<Delivery> = Log::on(store.spill());
            let mut clients = vec![empty.clone(); 3];
            (0..n).for_each(|i| clients[(i % 3) as usize].push(delivery(i)));
            let mut log = Log::default();
            clients.into_iter().for_each(|client| log.append(client));
            assert_eq!(log.spills[0].bytes() > 0, beyond, "{n} {bound}");
            assert!(log.bytes() as u64 <= bound.saturating_add(3 * PIECE as u64));
            let all = sorted((0..n).map(delivery).collect());
            for _ in 0..2 {
                assert_eq!(log.len() as u64, n);
                assert!(log.iter().eq(all.iter().copied()), "{n} {bound}");
                log.sort();
            }
            // What is noted after it was read is read too.
            (n..n + 9_000).for_each(|i| log.push(delivery(i)));
            assert!(log.iter().eq(sorted((0..n + 9_000).map(delivery).collect())));
            log.whole().unwrap();
            let text = serde_json::to_string(&log).unwrap();
            assert_eq!(serde_json::from_str::<Log<Delivery>>(&text).unwrap(), log);
        }
        // The files have no names, so that nothing is left of a run that is killed.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// Nothing is lost where the file cannot be made: the memory grows.
    #[test]
    fn without_a_disk_a_log_stays_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        let mut log: Log<Delivery> = Log::on(Store::new(&gone, 0).spill());
        (0..50_000).for_each(|i| log.push(delivery(i)));
        assert!(log.bytes() > 50_000 * 17);
        assert!(log.iter().eq(sorted((0..50_000).map(delivery).collect())));
    }

    /// Of a log beside it too, such as that of what commits changed in other documents.
    #[test]
    fn what_cannot_be_read_back_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let log: Log<Delivery> = Log::on(Store::new(folder.path(), 0).spill());
        let mut beside: Log<Delivery> = log.beside();
        (0..50_000).for_each(|i| beside.push(delivery(i)));
        beside.spills[0].lose();
        assert!(beside.iter().count() < 50_000);
        let ledger = Ledger { deliveries: log, ..Ledger::default() };
        let error = ledger.whole().unwrap_err();
        // It is no fault of the database, for which checks would wait.
        assert_eq!(error.kind, ErrorKind::Broken);
        assert!(error.to_string().contains("the disk of the run folder"), "{error}");
        assert!(serde_json::to_string(&ledger).is_err());
    }

    #[test]
    fn a_log_of_few_entries_takes_little() {
        let log: Log<Delivery> = (0..3).map(delivery).collect();
        assert_eq!(log.bytes(), FIRST * 17);
    }
}
