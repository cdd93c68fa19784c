//! Errors of one line.

use std::fmt;
use std::io;
use std::path::Path;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is invalid or would destroy something.
    Usage,
    /// The file system or the reader of a pipe failed.
    Environment,
    /// The caller asked to stop.
    Interrupted,
    /// Files differ from their manifest.
    Broken,
    /// The reader has closed the pipe.
    Closed,
}

/// A failure: what was tried, on what, what came back, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    message: String,
}

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure with its line.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, message)
    }

    /// Writing `path` failed.
    pub(crate) fn write(path: &Path, e: &io::Error) -> Error {
        let advice = match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free space and go on with --resume, or choose another disk"
            }
            _ => "put it right and go on with --resume, or choose another folder",
        };
        let path = path.display();
        Error::new(ErrorKind::Environment, format!("write {path}: {e}; {advice}"))
    }

    /// Reading `path` failed.
    pub(crate) fn read(path: &Path, e: &io::Error) -> Error {
        let message = format!("read {}: {e}; make it readable and run again", path.display());
        Error::new(ErrorKind::Environment, message)
    }

    pub(crate) fn interrupted(what: &str, advice: &str) -> Error {
        Error::new(ErrorKind::Interrupted, format!("{what}: interrupted; {advice}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
