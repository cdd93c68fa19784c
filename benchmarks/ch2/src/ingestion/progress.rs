//! What a load tells the meter beside it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use hoap_drive::Canceller;
use hoap_workload::note::Note;

/// How far the load is, and how far the analytical database.
#[derive(Default)]
pub struct Progress {
    written: OnceLock<Instant>,
    settled: OnceLock<(Instant, Note)>,
    ended: AtomicBool,
    seen: AtomicU64,
    canceller: Mutex<Option<Canceller>>,
}

impl Progress {
    /// The operational database has acknowledged the last document. Only the first call counts.
    pub fn written(&self) {
        self.written.get_or_init(Instant::now);
    }

    /// The operational database has made its indexes; `note` is what it says of the data.
    pub fn settled(&self, note: Note) {
        self.written();
        self.settled.get_or_init(|| (Instant::now(), note));
    }

    /// Nobody waits for the meter any more: it ends, and the count that runs is cancelled. A count
    /// that begins at this moment may be missed: call again until the meter has ended.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        let canceller = self.canceller.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(cancel) = canceller {
            cancel();
        }
    }

    /// Documents that the last count saw in the analytical database.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    pub(super) fn written_at(&self) -> Option<Instant> {
        self.written.get().copied()
    }

    pub(super) fn settled_at(&self) -> Option<&(Instant, Note)> {
        self.settled.get()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    pub(super) fn see(&self, documents: u64) {
        self.seen.store(documents, Ordering::Relaxed);
    }

    pub(super) fn cancel_by(&self, canceller: Option<Canceller>) {
        *self.canceller.lock().unwrap_or_else(PoisonError::into_inner) = canceller;
    }
}
