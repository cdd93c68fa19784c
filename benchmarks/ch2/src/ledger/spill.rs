//! The file of the records that memory is not to hold.
//!
//! Pieces are written as they come. When they are first read they are sorted where they are, a run
//! of a megabyte at a time, and the runs are read side by side.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The bytes of a commit, whose order is that of keys.
pub trait Record:
    Copy + Ord + Send + Sync + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]> + 'static
{
}
impl<const N: usize> Record for [u8; N] {}

/// The most bytes of commits that the clients of a run keep in memory together.
pub const MEMORY: u64 = 64 << 20;

/// Bytes that are sorted at a time.
const RUN: u64 = 1 << 20;

/// Bytes that are read at a time.
const BLOCK: u64 = 1 << 12;

/// Where a run keeps its commits: so many bytes of memory, then a folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    /// Bytes of memory that are left.
    left: Arc<AtomicU64>,
    /// Why something of it could not be read.
    failed: Arc<OnceLock<String>>,
}

impl Store {
    /// One with this memory for all its logs.
    pub fn new(folder: &Path, memory: u64) -> Store {
        let (folder, left) = (folder.to_owned(), Arc::new(AtomicU64::new(memory)));
        Store { folder, left, failed: Arc::default() }
    }

    /// The file of a log, which is made once there is something to write.
    pub fn spill(&self) -> Spill {
        Spill { store: self.clone(), state: Mutex::default() }
    }
}

/// The records of a log beyond the memory, in a file without a name.
#[derive(Debug)]
pub struct Spill {
    store: Store,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<File>,
    /// Bytes written.
    end: u64,
    /// Ranges that are sorted. They follow each other from the file's beginning.
    runs: Vec<Range<u64>>,
}

impl Spill {
    /// An empty one of the same store.
    pub fn another(&self) -> Spill {
        self.store.spill()
    }

    /// Whether so many bytes more may be kept in memory; then they are taken from it.
    pub fn keep(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        self.store.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes written.
    pub fn bytes(&self) -> u64 {
        self.state().end
    }

    /// Writes records after all others.
    ///
    /// # Errors
    /// Those of the file. Nothing of the records is read later then.
    pub fn write<R: Record>(&self, records: &[R]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(size_of_val(records));
        records.iter().for_each(|record| bytes.extend_from_slice(record.as_ref()));
        let mut state = self.state();
        if state.file.is_none() {
            state.file = Some(tempfile::tempfile_in(&self.store.folder)?);
        }
        let at = state.end;
        state.put(at, &bytes)?;
        state.end += bytes.len() as u64;
        Ok(())
    }

    fn fail(&self, e: &io::Error) {
        self.store.failed.get_or_init(|| format!("read acknowledged commits back: {e}"));
    }

    /// Whether everything could be read of all logs of its store.
    ///
    /// # Errors
    /// What the file answered.
    pub fn whole(&self) -> io::Result<()> {
        match self.store.failed.get() {
            Some(why) => Err(io::Error::other(why.clone())),
            None => Ok(()),
        }
    }

    /// The records, sorted run by run.
    pub(super) fn runs<R: Record>(&self) -> Vec<Run<'_, R>> {
        let mut state = self.state();
        if let Err(e) = state.sort::<R>() {
            self.fail(&e);
        }
        let run = |left: &Range<u64>| Run {
            spill: self,
            left: left.clone(),
            block: Vec::new().into_iter(),
        };
        state.runs.iter().map(run).collect()
    }
}

#[cfg(test)]
impl Spill {
    /// Takes from the file what is in it.
    pub fn lose(&self) {
        self.state().file.as_mut().unwrap().set_len(0).unwrap();
    }
}

impl State {
    fn at(&mut self, at: u64) -> io::Result<&mut File> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(at))?;
        Ok(file)
    }

    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.at(at)?.write_all(bytes)
    }

    fn get<R: Record>(&mut self, range: &Range<u64>) -> io::Result<Vec<R>> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        self.at(range.start)?.read_exact(&mut bytes)?;
        let records = bytes.chunks_exact(size_of::<R>());
        Ok(records.filter_map(|record| R::try_from(record).ok()).collect())
    }

    /// Sorts what was written since it was sorted last.
    fn sort<R: Record>(&mut self) -> io::Result<()> {
        let whole = RUN / size_of::<R>() as u64 * size_of::<R>() as u64;
        loop {
            let start = self.runs.last().map_or(0, |run| run.end);
            let run = start..self.end.min(start + whole);
            if run.is_empty() {
                return Ok(());
            }
            let mut records: Vec<R> = self.get(&run)?;
            records.sort_unstable();
            let bytes: Vec<u8> = records.iter().flat_map(|r| r.as_ref().iter().copied()).collect();
            self.put(start, &bytes)?;
            self.runs.push(run);
        }
    }
}

/// The records of a run, by key.
pub(super) struct Run<'a, R> {
    spill: &'a Spill,
    /// What is not read yet.
    left: Range<u64>,
    block: std::vec::IntoIter<R>,
}

impl<R: Record> Iterator for Run<'_, R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        if self.block.len() == 0 && !self.left.is_empty() {
            let whole = BLOCK / size_of::<R>() as u64 * size_of::<R>() as u64;
            let block = self.left.start..self.left.end.min(self.left.start + whole);
            self.left.start = block.end;
            let read = self.spill.state().get(&block);
            match read {
                Ok(records) => self.block = records.into_iter(),
                Err(e) => self.spill.fail(&e),
            }
        }
        self.block.next()
    }
}
