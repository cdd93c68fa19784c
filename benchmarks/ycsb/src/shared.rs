//! The state that all clients of a run share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use hoap_data::Part;
use hoap_data::random::Stream;

use crate::data::{Key, Records, Zipf};
use crate::deletes::Deletes;
use crate::inserts::Inserts;
use crate::proportions::Proportions;
use crate::setup::{ScanLength, Setup};

/// The state that all clients share.
pub(super) struct Shared {
    pub records: Records,
    pub setup: Setup,
    /// Whether updates write all fields: as the set-up says, or the database's settings.
    pub whole_updates: bool,
    /// Whether a read of a record that is there has fields ([`RecordStore::answers`]).
    ///
    /// [`RecordStore::answers`]: hoap_database::key_value::RecordStore::answers
    pub answers: bool,
    pub scan_length: Lengths,
    pub inserts: Inserts,
    pub owed: Owed,
    /// `None` where the mix has no deletes.
    pub deletes: Option<Deletes>,
    /// The start of the clock of the samples, and the machine's clock at that time.
    pub epoch: Instant,
    pub began: SystemTime,
}

impl Shared {
    /// The mix.
    #[inline]
    pub fn mix(&self) -> &Proportions {
        &self.setup.mix
    }

    /// The key of a number that [`Keys`](crate::Keys) or [`Inserts`] returned. New records of
    /// several drivers alternate.
    #[inline]
    pub fn key(&self, number: u64) -> Key {
        let Part { part, of } = self.setup.part;
        let loaded = self.records.numbers().end;
        self.records.key(match number.checked_sub(loaded) {
            Some(new) => loaded + new * of + (part - 1),
            None => number,
        })
    }

    /// Whether a delete of this record has begun.
    #[inline]
    pub fn may_be_gone(&self, number: u64) -> bool {
        self.deletes.as_ref().is_some_and(|deletes| deletes.has(number))
    }

    /// Nanoseconds since the run's clock began.
    pub fn now(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }
}

/// A distribution of [`ScanLength`], ready to draw from.
pub(super) struct Lengths {
    min: u32,
    max: u32,
    zipf: Option<Zipf>,
}

impl Lengths {
    pub fn new(ScanLength { min, max, zipfian }: ScanLength) -> Self {
        Lengths { min, max, zipf: zipfian.then(|| Zipf::new(u64::from(max - min) + 1)) }
    }

    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> usize {
        match &self.zipf {
            None => stream.uniform(i64::from(self.min)..=i64::from(self.max)) as usize,
            Some(zipf) => self.min as usize + zipf.rank(stream.unit()) as usize,
        }
    }
}

/// A claimed record whose insert is not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owing {
    pub number: u64,
    /// Whether an attempt may have been applied.
    pub tried: bool,
}

/// Claimed records that clients left without an acknowledged insert. Other clients insert them, so
/// that no number stays without a record. Nothing is locked while there are none.
#[derive(Default)]
pub(super) struct Owed {
    count: AtomicUsize,
    list: Mutex<Vec<Owing>>,
}

impl Owed {
    pub fn leave(&self, owing: Owing) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(owing);
        self.count.store(list.len(), Ordering::Release);
    }

    #[inline]
    pub fn take(&self) -> Option<Owing> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let owing = list.pop();
        self.count.store(list.len(), Ordering::Release);
        owing
    }

    /// The number of them that may be in the table.
    pub fn tried(&self) -> u64 {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.iter().filter(|o| o.tried).count() as u64
    }
}
