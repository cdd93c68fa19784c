//! A file being written: under a temporary name until it is complete, hashed while it is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hoap_record::whole::{Unfinished, temporary};
use twox_hash::XxHash3_128;

/// Bytes per write. Linux's page cache allocates larger runs of memory for larger writes, and on a
/// virtual machine the host has often reclaimed such runs: writes of 1 MiB were measured to cost
/// three times the system time of these.
const PIECE: usize = 128 << 10;

/// Writes a file under a temporary name, counting and hashing its bytes; [`Sink::commit`] renames
/// it. If dropped before that, it removes the file, so that no incomplete file is left; so does
/// [`hoap_record::whole::abandon`].
pub(crate) struct Sink {
    file: File,
    path: PathBuf,
    temporary: Unfinished,
    hash: XxHash3_128,
    bytes: u64,
}

impl Sink {
    pub(crate) fn create(path: &Path) -> io::Result<Sink> {
        let ((file, temporary), hash) = (temporary(path)?, XxHash3_128::new());
        Ok(Sink { file, path: path.to_owned(), temporary, hash, bytes: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The hash of its bytes so far.
    pub(crate) fn hash(&self) -> String {
        hexadecimal(&self.hash)
    }

    /// Renames the file to its final name.
    pub(crate) fn commit(self) -> io::Result<()> {
        self.temporary.finish(|temporary| fs::rename(temporary, &self.path))
    }
}

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.file.write(&buf[..buf.len().min(PIECE)])?;
        self.hash.write(&buf[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A hash in the form of `xxhsum -H128`.
pub(crate) fn hexadecimal(hash: &XxHash3_128) -> String {
    format!("{:032x}", hash.finish_128())
}
