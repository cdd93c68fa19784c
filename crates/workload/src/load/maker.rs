//! Making the batches of a slice, one while another is written.

use std::collections::VecDeque;
use std::sync::Arc;

use hoap_database::{Batch, BulkWriter};
use tokio::task::JoinHandle;

use super::source::LoadSource;
use crate::{Error, ErrorKind, Result};

/// What is left of a slice in one collection.
pub(super) struct Span {
    /// The position of the collection in [`LoadSource::collections`].
    pub at: usize,
    /// Where the slice begins in it.
    pub start: u64,
    /// The next document, and the end.
    pub next: u64,
    #[allow(missing_docs)]
    pub end: u64,
}

/// A batch of documents of one collection.
pub(super) struct Made {
    pub at: usize,
    pub batch: Batch,
    /// The progress of the slice in the collection once it is written.
    pub position: u64,
}

/// Makes the batches of a slice.
pub(super) struct Maker {
    pub source: Arc<dyn LoadSource>,
    /// What is left, in the order of loading.
    pub left: VecDeque<Span>,
}

/// How large the next batch may be.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    /// Bytes after which it is whole.
    pub bytes: usize,
    /// The most documents.
    pub documents: usize,
}

impl Limit {
    /// What the writer wants now.
    pub fn of(writer: &BulkWriter) -> Limit {
        Limit { bytes: writer.batch_bytes(), documents: writer.batch_documents() }
    }

    fn has_room(&self, batch: &Batch) -> bool {
        batch.bytes() < self.bytes && batch.len() < self.documents
    }
}

impl Maker {
    /// The next batch, in a recycled one. `None` where nothing is left.
    fn make(&mut self, mut batch: Batch, limit: Limit) -> Option<Made> {
        while self.left.front().is_some_and(|span| span.next >= span.end) {
            self.left.pop_front();
        }
        let Span { at, start, next, end } = self.left.front_mut()?;
        batch.clear();
        while next < end && limit.has_room(&batch) {
            batch.push(|key, text| self.source.append(*at, *next, key, text));
            *next += 1;
        }
        Some(Made { at: *at, batch, position: *next - *start })
    }
}

/// A batch that a thread makes.
pub(super) struct Making(JoinHandle<(Maker, Option<Made>)>);

impl Making {
    /// Begins to make the next batch.
    pub fn begin(mut maker: Maker, spare: Batch, limit: Limit) -> Making {
        Making(tokio::task::spawn_blocking(move || {
            let made = maker.make(spare, limit);
            (maker, made)
        }))
    }

    /// Waits for it.
    pub async fn end(self) -> Result<(Maker, Option<Made>)> {
        self.0.await.map_err(|e| match e.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(e) => Error::new(ErrorKind::Cancelled, "make documents", e),
        })
    }
}
