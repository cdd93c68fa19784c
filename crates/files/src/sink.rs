//! A file being written: under a temporary name until it is complete, hashed while it is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hoap_record::whole::Unfinished;
use twox_hash::XxHash3_128;

/// The suffix of an incomplete file.
pub(crate) const TEMPORARY: &str = ".tmp";

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
        let (file, temporary) = create_temporary(path)?;
        let (temporary, hash) = (Unfinished::new(&temporary), XxHash3_128::new());
        Ok(Sink { file, path: path.to_owned(), temporary, hash, bytes: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Renames the file to its final name. Returns its bytes and their hash.
    pub(crate) fn commit(self) -> io::Result<(u64, String)> {
        self.temporary.finish(|temporary| fs::rename(temporary, &self.path))?;
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

/// Creates the temporary file of a file. One that an interrupted call left is removed. Whatever
/// else has its name, a link above all, is neither followed nor removed.
pub(crate) fn create_temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    let temporary = PathBuf::from(name);
    let create = || File::options().write(true).create_new(true).open(&temporary);
    let file = match create() {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            if !fs::symlink_metadata(&temporary)?.is_file() {
                let what = format!("{} is no regular file and in the way", temporary.display());
                return Err(io::Error::new(e.kind(), what));
            }
            fs::remove_file(&temporary)?;
            create()
        }
        created => created,
    };
    Ok((file?, temporary))
}

/// A hash in the form of `xxhsum -H128`.
pub(crate) fn hexadecimal(hash: &XxHash3_128) -> String {
    format!("{:032x}", hash.finish_128())
}
