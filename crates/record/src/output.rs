//! The files that a user names for results, and what of them may be replaced.
//!
//! A file that is there is replaced only if it begins as Hoap writes this kind of file. A file of a
//! run folder is never replaced, nor made: the folder is what commands read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::names;
use crate::whole::Prepared;

/// What a user types for standard output.
pub const STANDARD: &str = "-";

/// A kind of file, recognised by its beginning.
pub struct Kind {
    /// What one is called: "a page".
    pub name: &'static str,
    /// Whether the first 64 KiB of a file are those of one that Hoap wrote.
    pub begins: fn(&str) -> bool,
}

/// The longest beginning that is looked at, bytes.
const HEAD: u64 = 64 << 10;

/// Refuses a place at which no such file may be written. Nothing is written.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where another file is there or a run folder has its files, and
/// [`ErrorKind::Unavailable`] where it cannot be examined.
pub fn check(path: &Path, kind: &Kind) -> Result<()> {
    let refuse = |answer: String| {
        Err(Error::new(ErrorKind::Invalid, tried(path), answer).advise("name another file"))
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if names::is_file(&name) && names::is_run(&place(path)) {
        return refuse("a run folder has a file of this name, which commands read".into());
    }
    match begins(path, kind) {
        Ok(true) => Ok(()),
        Ok(false) => {
            refuse(format!("the file there is not {} that hoap wrote, and stays", kind.name))
        }
        Err(e) => Err(failed(path, &e)),
    }
}

/// Whether nothing is lost there: a missing or empty file, one of this kind, or no file but a
/// device or a pipe.
fn begins(path: &Path, kind: &Kind) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() || there.len() == 0 => return Ok(true),
        Ok(_) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(e) => return Err(e),
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok((kind.begins)(&String::from_utf8_lossy(&head)))
}

/// Writes a file beside its place, to be put there with others.
///
/// # Errors
/// Returns the errors of [`check`], and [`ErrorKind::Unavailable`] where it cannot be written.
pub fn prepare(path: &Path, kind: &Kind, text: &str) -> Result<Prepared> {
    check(path, kind)?;
    Prepared::write(path, text.as_bytes()).map_err(|e| failed(path, &e))
}

/// Writes a file whole or not at all.
///
/// # Errors
/// Returns the errors of [`prepare`].
pub fn write(path: &Path, kind: &Kind, text: &str) -> Result<()> {
    prepare(path, kind, text)?.commit().map_err(|e| failed(path, &e))
}

/// Makes a folder for results, unless it is there.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] for standard output, and [`ErrorKind::Unavailable`] where it
/// cannot be made.
pub fn folder(path: &Path) -> Result<()> {
    let failed = |kind, e: &dyn std::fmt::Display| {
        Error::new(kind, format!("create {}", path.display()), e).advise("name another folder")
    };
    if path == Path::new(STANDARD) {
        return Err(failed(ErrorKind::Invalid, &"standard output is no folder"));
    }
    fs::create_dir_all(path).map_err(|e| failed(ErrorKind::Unavailable, &e))
}

/// That the system refused to write.
pub fn failed(path: &Path, e: &io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, tried(path), e).advise("name another file")
}

fn tried(path: &Path) -> String {
    format!("write {}", path.display())
}

/// The folder of a file.
fn place(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Whether two paths are one file, which need not be there yet.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let of = |path: &Path| match (fs::canonicalize(path), fs::canonicalize(place(path))) {
        (Ok(path), _) => path,
        (_, Ok(folder)) => folder.join(path.file_name().unwrap_or_default()),
        _ => path.to_owned(),
    };
    of(one) == of(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { name: "a list", begins: |head| head.starts_with("list of hoap\n") };

    #[test]
    fn a_file_is_replaced_where_it_is_of_the_kind_or_empty_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        for (there, replaced) in [
            (None, true),
            (Some(""), true),
            (Some("list of hoap\nold"), true),
            (Some("list of mine\n"), false),
            (Some("\n"), false),
        ] {
            let path = folder.path().join("a.txt");
            there.into_iter().for_each(|text| fs::write(&path, text).unwrap());
            let end = write(&path, &KIND, "list of hoap\nnew");
            assert_eq!(end.is_ok(), replaced, "{there:?}: {end:?}");
            let now = fs::read_to_string(&path).unwrap();
            assert_eq!(now, if replaced { "list of hoap\nnew" } else { there.unwrap() });
            if let Err(e) = end {
                assert!(e.kind == ErrorKind::Invalid && e.to_string().contains("a list"), "{e}");
            }
            fs::remove_file(path).unwrap();
        }
        write(Path::new("/dev/null"), &KIND, "x").unwrap();
        assert_eq!(write(folder.path(), &KIND, "x").unwrap_err().kind, ErrorKind::Unavailable);
    }

    #[test]
    fn no_file_is_made_that_a_run_folder_would_be_read_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("observed.csv");
        check(&path, &KIND).unwrap();
        fs::write(folder.path().join("run.json"), "{}").unwrap();
        let e = check(&path, &KIND).unwrap_err().to_string();
        assert!(e.contains("run folder") && e.contains("name another file"), "{e}");
        check(&folder.path().join("report.html"), &KIND).unwrap();
    }

    #[test]
    fn a_file_has_several_paths() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let other = folder.path().join("sub/../a");
        fs::create_dir(folder.path().join("sub")).unwrap();
        assert!(is_same(&path, &other) && !is_same(&path, &folder.path().join("b")));
        fs::write(&path, "").unwrap();
        assert!(is_same(&path, &other));
    }
}
