//! What checks read, and whether they are to stop.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use hoap_database::Row;

use crate::{Error, ErrorKind, Result};

/// What checks have read: documents, and the bytes of their keys and of the values asked for, as
/// JSON text.
#[derive(Debug, Default)]
pub struct Reads {
    documents: AtomicU64,
    bytes: AtomicU64,
}

impl Reads {
    /// None.
    pub const fn new() -> Reads {
        Reads { documents: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// The documents and bytes since this was asked last.
    pub fn take(&self) -> (u64, u64) {
        let take = |of: &AtomicU64| of.swap(0, Ordering::Relaxed);
        (take(&self.documents), take(&self.bytes))
    }
}

/// Who watches checks: it counts what they read, and says whether they are to stop.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    reads: &'a Reads,
}

static NOBODYS: Reads = Reads::new();

/// Nobody watches.
pub static ALONE: Watch<'static> = Watch { stop: &|| false, reads: &NOBODYS };

impl<'a> Watch<'a> {
    /// Stops checks soon after `stop` is true.
    pub fn new(stop: &'a (dyn Fn() -> bool + Sync), reads: &'a Reads) -> Watch<'a> {
        Watch { stop, reads }
    }

    /// Counts a document that was read.
    pub fn saw(&self, key: &str, row: &Row) {
        let bytes = key.len() as u64 + row.iter().map(bytes).sum::<u64>();
        self.reads.documents.fetch_add(1, Ordering::Relaxed);
        self.reads.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes of a value that was read.
    pub fn saw_bytes(&self, bytes: usize) {
        self.reads.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Whether the check of this collection goes on.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`] where it is to stop.
    pub fn go_on(&self, collection: &str) -> Result<()> {
        match (self.stop)() {
            true => {
                let tried = format!("check {collection}");
                Err(Error::new(ErrorKind::Cancelled, tried, "interrupted"))
            }
            false => Ok(()),
        }
    }
}

/// The length of a value as JSON text.
fn bytes(value: &serde_json::Value) -> u64 {
    struct Length(u64);
    impl Write for Length {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0 += text.len() as u64;
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    match serde_json::to_writer(&mut length, value) {
        Ok(()) => length.0,
        Err(_) => 0,
    }
}
