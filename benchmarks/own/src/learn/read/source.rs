//! Where documents come from, and what takes them.

use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

/// What takes each document.
pub type Each<'a> = &'a mut dyn FnMut(Value) -> Result<()>;

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
