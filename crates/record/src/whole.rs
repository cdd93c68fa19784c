//! Files that are written whole or not at all.
//!
//! A file gets its bytes under a temporary name in the folder of its place and is renamed when they
//! are on disk. A full disk, an error and an interruption leave what was there before, and no
//! temporary file. What a killed process leaves the next one removes that writes in the folder: a
//! temporary file has a lock as long as its process lives. A place that is a device or a pipe is
//! written directly.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What stands before and behind the numbers in the name of a temporary file.
const TEMPORARY: &str = ".hoap-";
const TMP: &str = ".tmp";

/// Whether a name is that of a temporary file, which a killed process may leave.
pub fn is_temporary(name: &str) -> bool {
    let numbers = name.strip_prefix(TEMPORARY).and_then(|name| name.strip_suffix(TMP));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers.and_then(|numbers| numbers.split_once('-')).is_some_and(|(a, b)| digits(a) && digits(b))
}

/// What [`abandon`] removes.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the files and folders that this process has begun and not finished. For a process that
/// is about to exit while another of its threads writes.
pub fn abandon() {
    // The lock is kept: nothing is begun any more, and nothing half-written is finished.
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    unfinished.iter().for_each(|path| remove(path));
    std::mem::forget(unfinished);
}

fn remove(path: &Path) {
    // The error that kept it unfinished is the one reported.
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// A file or folder that is removed on drop and by [`abandon`], unless it was finished.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Of something that has begun.
    pub fn new(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Unfinished(path.to_owned())
    }

    /// Runs `last`, after which the file or folder stays if it succeeded.
    ///
    /// # Errors
    /// Those of `last`.
    pub fn finish<T, E>(self, last: impl FnOnce(&Path) -> Result<T, E>) -> Result<T, E> {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let end = last(&self.0);
        if end.is_ok() {
            unfinished.remove(&self.0);
        }
        end
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0) {
            remove(&self.0);
        }
    }
}

/// Creates a file under a temporary name in the folder of a place. It has a lock until it is closed,
/// which whoever calls this does once it is in its place. Temporary files of processes that have
/// ended are removed.
///
/// # Errors
/// The system's.
pub fn temporary(place: &Path) -> io::Result<(File, Unfinished)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    sweep(place.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")));
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{TEMPORARY}{}-{number}{TMP}", std::process::id());
        let path = place.with_file_name(name);
        let file = match File::create_new(&path) {
            // A process of another machine, or of another time.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            created => created?,
        };
        // There are file systems without locks. On others somebody may have taken the file, which
        // nobody had locked yet, for one of a process that has ended.
        let _ = file.lock();
        if fs::symlink_metadata(&path).is_ok() {
            return Ok((file, Unfinished::new(&path)));
        }
    }
}

/// The names in a folder without what killed processes left, which is removed; none of a folder that is
/// missing.
///
/// # Errors
/// The system's.
pub fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    sweep(folder);
    match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.file_name())).collect(),
    }
}

/// Removes the temporary files in a folder that no process has a lock on, once in a process.
fn sweep(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let known = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(known) {
        return;
    }
    // What cannot be looked at or removed stays: it is in nobody's way.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = is_temporary(&entry.file_name().to_string_lossy())
            && entry.file_type().is_ok_and(|kind| kind.is_file());
        let file = is_ours.then(|| OpenOptions::new().write(true).open(entry.path()).ok());
        // The lock is kept until the file is gone: whoever created it sees then that it is.
        if let Some(file) = file.flatten()
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file whose bytes are on disk and which is not in its place yet. On drop it is removed.
pub struct Prepared {
    path: PathBuf,
    /// `None` where the place was written directly. The open file has the lock.
    temporary: Option<(File, Unfinished)>,
}

impl Prepared {
    /// Writes the bytes beside `path`.
    ///
    /// # Errors
    /// The system's, such as a full disk.
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<Prepared> {
        Prepared::with(path, |to| to.write_all(bytes))
    }

    /// Has the bytes written beside `path`.
    ///
    /// # Errors
    /// The system's, such as a full disk, and those of `bytes`.
    fn with(
        path: &Path,
        bytes: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Prepared> {
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            let mut to = BufWriter::new(OpenOptions::new().write(true).open(path)?);
            bytes(&mut to)?;
            to.flush()?;
            return Ok(Prepared { path: path.to_owned(), temporary: None });
        }
        // A link stays one.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (file, unfinished) = temporary(&path)?;
        if let Some(there) = there {
            file.set_permissions(there.permissions())?;
        }
        let mut to = BufWriter::new(file);
        bytes(&mut to)?;
        let file = to.into_inner().map_err(IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok(Prepared { path, temporary: Some((file, unfinished)) })
    }

    /// Puts the file in its place, where it replaces another.
    ///
    /// # Errors
    /// The system's.
    pub fn commit(self) -> io::Result<()> {
        match self.temporary {
            None => Ok(()),
            Some((_lock, temporary)) => {
                temporary.finish(|temporary| fs::rename(temporary, &self.path))
            }
        }
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// The system's, such as a full disk: what was there before is still there.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Prepared::write(path, bytes)?.commit()
}

/// Writes a file whole or not at all, as its bytes come.
///
/// # Errors
/// Those of [`write`] and of `bytes`.
pub fn write_with(
    path: &Path,
    bytes: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    Prepared::with(path, bytes)?.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = super::names(folder).unwrap().into_iter();
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_replaces_another_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let prepared = Prepared::write(&link, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()).len(), 3);
        prepared.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(link.is_symlink());
        drop(Prepared::write(&path, b"newer").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a", "link"]);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let there = |name: &str| folder.path().join(name);
        for name in [".hoap-1-2.tmp", ".hoap-3-4.tmp", "a.tmp", ".hoap-x-1.tmp", "mine"] {
            fs::write(there(name), "mine").unwrap();
        }
        std::os::unix::fs::symlink(there("mine"), there(".hoap-5-6.tmp")).unwrap();
        let lives = File::open(there(".hoap-3-4.tmp")).unwrap();
        lives.lock().unwrap();
        write(&there("b"), b"new").unwrap();
        let left = [".hoap-3-4.tmp", ".hoap-5-6.tmp", ".hoap-x-1.tmp", "a.tmp", "b", "mine"];
        assert_eq!(names(folder.path()), left);
        assert_eq!(fs::read(there("mine")).unwrap(), b"mine");
    }

    /// Writers and sweepers at once: nothing that is being written is removed.
    #[test]
    fn what_is_being_written_is_not_swept_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let take_away = |entry: fs::DirEntry| {
            let is_temporary = is_temporary(&entry.file_name().to_string_lossy());
            let file = File::open(entry.path()).ok().filter(|_| is_temporary);
            if let Some(file) = file
                && file.try_lock().is_ok()
            {
                let _ = fs::remove_file(entry.path());
            }
        };
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|n| {
                    scope.spawn(move || {
                        (0..200).for_each(|i| write(&path.join(format!("{n}-{i}")), b"x").unwrap());
                    })
                })
                .collect();
            while writers.iter().any(|writer| !writer.is_finished()) {
                fs::read_dir(path).unwrap().flatten().for_each(take_away);
            }
        });
        assert_eq!(names(path).len(), 800);
    }

    #[test]
    fn a_device_is_written_and_stays_and_a_full_one_is_an_error() {
        write(Path::new("/dev/null"), b"x").unwrap();
        let e = write(Path::new("/dev/full"), b"x").unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::StorageFull);
        assert!(write(Path::new("/dev/null/x"), b"x").is_err());
        assert!(write(tempfile::tempdir().unwrap().path(), b"x").is_err());
    }

    #[test]
    fn what_cannot_be_made_whole_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_with(&path, |to| (0..9_999).try_for_each(|n| write!(to, "{n}"))).unwrap();
        let there = fs::read(&path).unwrap();
        assert_eq!(there.len(), 10 + 2 * 90 + 3 * 900 + 4 * 8_999);
        let e = write_with(&path, |to| {
            to.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(e.unwrap_err().to_string(), "no more");
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (there, vec!["a".into()]));
        let full = write_with(Path::new("/dev/full"), |to| to.write_all(b"x"));
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
