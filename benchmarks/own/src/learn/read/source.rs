//! Where documents come from, and what takes them.

use std::cell::Cell;
use std::io::{self, Read};

use hoap_database::export::MOST_BYTES;
use hoap_record::input::MOST_VALUES;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

/// What takes each document.
pub type Each<'a> = &'a mut dyn FnMut(Value) -> Result<()>;

/// What was read since the last document: bytes, and values as JSON and CSV have them.
#[derive(Default)]
pub struct Held {
    bytes: Cell<usize>,
    values: Cell<usize>,
}

impl Held {
    /// A document is whole. Some of the next one may have been read, and is not counted.
    pub fn whole(&self) {
        self.bytes.set(0);
        self.values.set(0);
    }
}

/// A file whose documents are within bounds: one that does not end, such as that of a device, is an
/// error, not all memory.
pub struct Within<'a, R> {
    pub from: R,
    pub held: &'a Held,
}

impl<R: Read> Read for Within<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        let begins = |byte: &&u8| matches!(byte, b',' | b'\t' | b'[' | b'{');
        let Held { bytes, values } = self.held;
        bytes.set(bytes.get() + read);
        values.set(values.get() + into[..read].iter().filter(begins).count());
        let more = |than: usize, of: &str| {
            Err(io::Error::other(format!("a document has more than {than} {of}")))
        };
        match (bytes.get() > MOST_BYTES, values.get() > MOST_VALUES) {
            (true, _) => more(MOST_BYTES, "bytes"),
            (_, true) => more(MOST_VALUES, "values"),
            _ => Ok(read),
        }
    }
}

/// Where documents come from, for errors.
pub struct Source<'a> {
    /// The file as the user names it.
    pub name: &'a str,
}

impl Source<'_> {
    /// That a line is wrong.
    pub fn wrong(&self, line: usize, why: &str) -> Error {
        Error::new(ErrorKind::Invalid, format!("{}:{line}", self.name), why)
    }

    /// That it cannot be read.
    pub fn unread(&self, why: &dyn std::fmt::Display) -> Error {
        Error::new(ErrorKind::Invalid, format!("read {}", self.name), why)
    }
}
