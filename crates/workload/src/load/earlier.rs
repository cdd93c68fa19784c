//! What earlier processes wrote of a part that is resumed.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::source::LoadSource;

/// Documents that were there before this process wrote any, and the bytes that they are.
#[derive(Default)]
pub(super) struct Earlier {
    /// Slices that this process has opened. What it finds in them later it wrote itself.
    opened: Mutex<HashSet<u64>>,
    documents: AtomicU64,
    bytes: AtomicU64,
}

impl Earlier {
    /// Whether a slice is opened for the first time.
    pub fn is_first(&self, slice: u64) -> bool {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(slice)
    }

    /// Counts documents of a collection. Only who makes them again knows their bytes.
    pub fn count(&self, source: &dyn LoadSource, at: usize, there: Range<u64>) {
        let (mut key, mut text, mut bytes) = (String::new(), Vec::new(), 0);
        for index in there.clone() {
            key.clear();
            text.clear();
            source.append(at, index, &mut key, &mut text);
            bytes += text.len() as u64;
        }
        self.documents.fetch_add(there.end - there.start, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The documents and their bytes.
    pub fn counted(&self) -> (u64, u64) {
        (self.documents.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}
