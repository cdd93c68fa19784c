//! Reading a text file line by line, whatever its size.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::input;

/// The longest line of a file of a run folder, in bytes.
pub const LONGEST_LINE: u64 = 1 << 20;

/// The whole lines of a file. An incomplete last line, which a killed writer leaves, is none.
pub(crate) struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    /// Bytes of the line that [`Read`] has passed on.
    taken: usize,
}

impl Lines {
    pub fn open(path: &Path) -> Result<Lines> {
        let file = input::open(path).map_err(|e| {
            Error::new(ErrorKind::Invalid, format!("read {}", path.display()), e)
                .advise("name the folder of a run")
        })?;
        let reader = BufReader::with_capacity(1 << 18, file);
        Ok(Lines { path: path.to_owned(), reader, line: Vec::new(), number: 0, taken: 0 })
    }

    /// The next line with its end; `None` after the last whole one.
    pub fn next(&mut self) -> Result<Option<&[u8]>> {
        match self.advance() {
            Ok(true) => Ok(Some(&self.line)),
            Ok(false) => Ok(None),
            Err(e) => Err(self.broken(e)),
        }
    }

    /// The line that was read last, with its end.
    pub fn last(&self) -> &[u8] {
        &self.line
    }

    /// The number of the line that was read last; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// An error of the line that was read last.
    pub fn broken(&self, answer: impl Display) -> Error {
        broken(&self.path, self.number, answer)
    }

    fn advance(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.taken = 0;
        self.number += 1;
        let mut within = (&mut self.reader).take(LONGEST_LINE);
        let bytes = within.read_until(b'\n', &mut self.line)?;
        if self.line.last() == Some(&b'\n') {
            return Ok(true);
        }
        self.line.clear();
        if bytes as u64 == LONGEST_LINE {
            return Err(io::Error::other(format!("it is longer than {LONGEST_LINE} bytes")));
        }
        Ok(false)
    }
}

/// An error of a line of a file.
pub(crate) fn broken(path: &Path, line: u64, answer: impl Display) -> Error {
    let tried = format!("read {}", path.display());
    Error::new(ErrorKind::Invalid, tried, format!("line {line}: {answer}"))
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.line.len() && !self.advance()? {
            return Ok(0);
        }
        let bytes = buffer.len().min(self.line.len() - self.taken);
        buffer[..bytes].copy_from_slice(&self.line[self.taken..self.taken + bytes]);
        self.taken += bytes;
        Ok(bytes)
    }
}
