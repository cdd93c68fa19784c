//! Folders that Hoap made, known by a mark, and the one function that removes them.
//!
//! The mark is a file: what the folder is, a number drawn when it was made, and the files that were
//! made in it, if there is a list of them. A folder within one has its number. So a folder of the
//! same name that somebody else made, or that came from another place, is not taken for it.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::{input, output, whole};

/// The mark's file.
pub const MARK: &str = ".hoap-made";

/// The first words of a mark.
const FIRST: &str = "Made by hoap: ";

/// A folder that Hoap made, or makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    path: PathBuf,
    /// What it is, in a word: "demo".
    what: String,
    number: String,
    /// The files in it, where their names are not known beforehand.
    pub files: BTreeSet<String>,
}

impl Made {
    /// Looks at a folder. Nothing is written: a folder that is missing or empty gets its mark by
    /// [`Made::mark`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming what is there, where it is neither empty nor marked
    /// as `what`, and [`ErrorKind::Unavailable`] where it cannot be read.
    pub fn look(path: &Path, what: &str) -> Result<Made> {
        let tried = || format!("use {} as the folder of a {what}", path.display());
        let refuse = |answer: String| {
            Err(Error::new(ErrorKind::Invalid, tried(), answer).advise("name another folder"))
        };
        if let Some(made) = Made::read(path)? {
            return match made.what == what {
                true => Ok(made),
                false => refuse(format!("it is that of a {}", made.what)),
            };
        }
        if let Some(name) = whole::names(path).map_err(|e| failed(path, &e))?.first() {
            return refuse(format!("{} is there, which hoap did not make", name.display()));
        }
        let number = format!("{:016x}", RandomState::new().build_hasher().finish());
        Ok(Made { path: path.to_owned(), what: what.into(), number, files: BTreeSet::new() })
    }

    /// The mark of a folder, if it has one.
    fn read(path: &Path) -> Result<Option<Made>> {
        let mark = input::bytes(&path.join(MARK), input::MOST_TEXT);
        let text = match mark.and_then(input::unmarked) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|e| failed(path, &e))?,
        };
        let mut lines = text.lines();
        let first = lines.next().and_then(|line| line.strip_prefix(FIRST)?.split_once(' '));
        Ok(first.map(|(what, number)| Made {
            path: path.to_owned(),
            what: what.into(),
            number: number.into(),
            files: lines.map(Into::into).collect(),
        }))
    }

    /// Makes the folder where it is missing, and writes its mark.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn mark(&self) -> Result<()> {
        output::folder(&self.path)?;
        let mut text = format!("{FIRST}{} {}\n", self.what, self.number);
        self.files.iter().for_each(|name| text.extend([name, "\n"]));
        let path = self.path.join(MARK);
        whole::write(&path, text.as_bytes()).map_err(|e| output::failed(&path, &e))
    }

    /// Marks the folder with files that are about to be made in it, by their paths.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be written.
    pub fn list(&mut self, names: impl IntoIterator<Item = String>) -> Result<()> {
        self.files.extend(names);
        self.mark()
    }

    /// Removes a file in the folder, if it is there: only where the mark lists it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming it, where the mark does not, and
    /// [`ErrorKind::Unavailable`] where it cannot be removed.
    pub fn remove_file(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        if !self.files.contains(name) && fs::symlink_metadata(&path).is_ok() {
            return not_ours(&path, &path);
        }
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(output::failed(&path, &e)),
            _ => Ok(()),
        }
    }

    /// Makes an empty folder within this one, in the place of one that Hoap made there.
    ///
    /// # Errors
    /// Returns the errors of [`Made::remove`] and [`Made::mark`].
    pub fn fresh(&self, name: &str, is_ours: impl Fn(&Path) -> bool) -> Result<PathBuf> {
        self.remove(name, is_ours)?;
        let made = Made { path: self.path.join(name), files: BTreeSet::new(), ..self.clone() };
        made.mark()?;
        Ok(made.path)
    }

    /// Removes a folder within this one, if there is one: only where it has this one's number and
    /// nothing in it but files that `is_ours` knows by their paths in it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], naming what is not of Hoap, with nothing removed, and
    /// [`ErrorKind::Unavailable`] where it cannot be read or removed.
    pub fn remove(&self, name: &str, is_ours: impl Fn(&Path) -> bool) -> Result<()> {
        let path = self.path.join(name);
        let refuse = |what: &Path| not_ours(&path, what);
        match fs::symlink_metadata(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(failed(&path, &e)),
            Ok(there) if !there.is_dir() => return refuse(&path),
            Ok(_) => {}
        }
        if Made::read(&path)?.is_none_or(|made| made.number != self.number) {
            return refuse(&path);
        }
        remove_all(&path, is_ours)
    }
}

/// Removes a folder whose mark is known: only where all in it are files that `is_ours` knows.
fn remove_all(path: &Path, is_ours: impl Fn(&Path) -> bool) -> Result<()> {
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| failed(&folder, &e))? {
            let entry = entry.map_err(|e| failed(&folder, &e))?;
            let there = entry.path();
            let within = there.strip_prefix(path).unwrap_or(&there);
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(there);
            } else if within != Path::new(MARK)
                && !whole::is_temporary(&entry.file_name().to_string_lossy())
                && !is_ours(within)
            {
                return not_ours(path, &there);
            }
        }
    }
    fs::remove_dir_all(path).map_err(|e| failed(path, &e))
}

/// Marks an empty folder, made where it is missing, as that of work that is not done. What such
/// work left that was killed is removed first. Whoever ends the work removes the mark. Returns
/// whether it is marked: a folder that holds anything else is not, nor one with another mark.
///
/// # Errors
/// Returns the errors of [`Made::remove`] and [`Made::mark`].
pub fn begin(path: &Path, what: &str, is_ours: impl Fn(&Path) -> bool) -> Result<bool> {
    match Made::read(path)? {
        Some(made) if made.what == what => remove_all(path, is_ours)?,
        Some(_) => return Ok(false),
        None => {}
    }
    match Made::look(path, what) {
        Ok(made) => made.mark().map(|()| true),
        Err(e) if e.kind == ErrorKind::Invalid => Ok(false),
        Err(e) => Err(e),
    }
}

fn not_ours(path: &Path, what: &Path) -> Result<()> {
    let answer = format!("hoap did not make {}, which stays", what.display());
    Err(Error::new(ErrorKind::Invalid, format!("remove {}", path.display()), answer)
        .advise("move it away, or name another folder"))
}

/// A folder that this process uses and no other, until this is dropped or the process ends.
#[derive(Debug)]
pub struct Held {
    _lock: Option<File>,
}

/// Makes a folder unless it is there, and keeps other processes that hold it out.
///
/// # Errors
/// Returns [`ErrorKind::Unavailable`] where another process holds it or it cannot be made, and the
/// errors of [`output::folder`].
pub fn hold(path: &Path) -> Result<Held> {
    output::folder(path)?;
    let folder = File::open(path).map_err(|e| failed(path, &e))?;
    match folder.try_lock() {
        Ok(()) => Ok(Held { _lock: Some(folder) }),
        Err(TryLockError::WouldBlock) => {
            let tried = format!("use the folder {}", path.display());
            Err(Error::new(ErrorKind::Unavailable, tried, "another hoap is at work in it")
                .advise("wait until it has ended, or name another folder"))
        }
        // There are file systems without locks.
        Err(TryLockError::Error(_)) => Ok(Held { _lock: None }),
    }
}

fn failed(path: &Path, e: &io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("use {}", path.display()), e)
        .advise("name another folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(path: &Path) -> bool {
        path == Path::new("a") || path == Path::new("sub/b")
    }

    /// A marked folder with what was made in it.
    fn made() -> (tempfile::TempDir, Made) {
        let folder = tempfile::tempdir().unwrap();
        let made = Made::look(folder.path(), "demo").unwrap();
        made.mark().unwrap();
        let run = made.fresh("run", is_ours).unwrap();
        fs::create_dir(run.join("sub")).unwrap();
        for name in ["a", "sub/b", ".hoap-1-0.tmp"] {
            fs::write(run.join(name), "").unwrap();
        }
        (folder, made)
    }

    #[test]
    fn what_killed_work_left_is_removed_by_the_next_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("whole");
        let begin = |what| super::begin(&path, what, is_ours);
        assert!(begin("merge").unwrap());
        for name in ["a", ".hoap-1-0.tmp"] {
            fs::write(path.join(name), "").unwrap();
        }
        assert!(!begin("demo").unwrap(), "another's");
        assert!(path.join("a").exists());
        assert!(begin("merge").unwrap());
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "the mark");
        fs::write(path.join("mine"), "").unwrap();
        let e = begin("merge").unwrap_err();
        assert!(e.kind == ErrorKind::Invalid && e.to_string().contains("mine"), "{e}");
        fs::remove_file(path.join(MARK)).unwrap();
        assert!(!begin("merge").unwrap());
        assert!(path.join("mine").exists());
    }

    /// A process that was killed before its first file was in its place.
    #[test]
    fn a_folder_with_nothing_but_what_a_killed_process_left_is_empty() {
        let place = tempfile::tempdir().unwrap();
        let left = place.path().join(".hoap-1-2.tmp");
        fs::write(&left, "half").unwrap();
        Made::look(place.path(), "merge").unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn a_folder_is_held_by_one_at_a_time() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("demo");
        let held = hold(&path).unwrap();
        let e = hold(&path).unwrap_err();
        assert!(e.kind == ErrorKind::Unavailable && e.to_string().contains("at work"), "{e}");
        drop(held);
        hold(&path).unwrap();
    }

    #[test]
    fn what_was_made_is_removed_and_made_anew() {
        let (folder, made) = made();
        assert_eq!(Made::look(folder.path(), "demo").unwrap(), made);
        let e = Made::look(folder.path(), "campaign").unwrap_err().to_string();
        assert!(e.contains("that of a demo"), "{e}");
        let run = made.fresh("run", is_ours).unwrap();
        assert_eq!(fs::read_dir(&run).unwrap().count(), 1);
        made.remove("run", is_ours).unwrap();
        made.remove("run", is_ours).unwrap();
        assert!(!run.exists());
    }

    #[test]
    fn a_file_is_removed_where_the_mark_lists_it() {
        let (folder, mut made) = made();
        let [ours, mine] = ["ours", "mine"].map(|name| folder.path().join(name));
        made.list(["ours".to_owned()]).unwrap();
        for path in [&ours, &mine] {
            fs::write(path, "").unwrap();
        }
        let made = Made::look(folder.path(), "demo").unwrap();
        made.remove_file("ours").unwrap();
        made.remove_file("ours").unwrap();
        let e = made.remove_file("mine").unwrap_err();
        assert!(e.kind == ErrorKind::Invalid && e.to_string().contains("mine"), "{e}");
        assert!(!ours.exists() && mine.exists());
    }

    #[test]
    fn what_anybody_else_made_stays_and_is_named() {
        for (name, named) in [("run/thesis.txt", "thesis.txt"), ("run/sub/a", "sub/a")] {
            let (folder, made) = made();
            fs::write(folder.path().join(name), "mine").unwrap();
            let e = made.remove("run", is_ours).unwrap_err();
            assert!(e.kind == ErrorKind::Invalid && e.to_string().contains(named), "{e}");
            assert!(folder.path().join("run/a").exists() && folder.path().join(name).exists());
        }
        // A folder without a mark, with that of another demo, a file, and a link.
        let (folder, made) = made();
        let other = self::made();
        let run = folder.path().join("run");
        fs::write(run.join(MARK), "mine").unwrap();
        assert!(made.remove("run", is_ours).is_err());
        fs::copy(other.0.path().join("run").join(MARK), run.join(MARK)).unwrap();
        assert!(made.remove("run", is_ours).is_err());
        fs::write(folder.path().join("pair"), "mine").unwrap();
        assert!(made.remove("pair", is_ours).is_err());
        std::os::unix::fs::symlink(other.0.path().join("run"), folder.path().join("link")).unwrap();
        assert!(made.remove("link", is_ours).is_err());
        assert!(run.join("a").exists() && other.0.path().join("run/a").exists());
        // A folder that holds something.
        fs::remove_file(folder.path().join(MARK)).unwrap();
        let e = Made::look(folder.path(), "demo").unwrap_err();
        assert!(e.to_string().contains("is there, which hoap did not make"), "{e}");
    }
}
