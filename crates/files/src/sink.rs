//! A file on its way: under a temporary name until it is whole, hashed as it is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

/// What the name of a file that is not whole ends with.
pub(crate) const TEMPORARY: &str = ".tmp";

/// Bytes that are handed to the system at once. Linux's page cache takes larger runs of memory for larger
/// writes, and on a virtual machine such runs are the ones that its host has taken back: writes of
/// 1 MiB were measured to cost three times the system time of these.
const PIECE: usize = 128 << 10;

/// Writes a file under a temporary name, counts and hashes its bytes; [`Sink::commit`] gives it its
/// name. Dropped before that, it removes what it wrote, so that no half file is left.
pub(crate) struct Sink {
    file: File,
    path: PathBuf,
    temporary: PathBuf,
    hash: XxHash3_128,
    bytes: u64,
    committed: bool,
}

impl Sink {
    pub(crate) fn create(path: &Path) -> io::Result<Sink> {
        let temporary = temporary(path);
        let file = File::create(&temporary)?;
        let hash = XxHash3_128::new();
        Ok(Sink { file, path: path.to_owned(), temporary, hash, bytes: 0, committed: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives the file its name. Returns its bytes and their hash.
    pub(crate) fn commit(mut self) -> io::Result<(u64, String)> {
        fs::rename(&self.temporary, &self.path)?;
        self.committed = true;
        Ok((self.bytes, hexadecimal(&self.hash)))
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

impl Drop for Sink {
    fn drop(&mut self) {
        if !self.committed {
            // The error that matters is the one that kept the file from becoming whole.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The temporary name of a file.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// A hash as `xxhsum -H128` prints it.
pub(crate) fn hexadecimal(hash: &XxHash3_128) -> String {
    format!("{:032x}", hash.finish_128())
}
