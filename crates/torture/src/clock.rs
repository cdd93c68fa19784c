//! The driver's wall clock, stepped by libfaketime where it is installed. The monotonic clock
//! stays, as in a step by an administrator or a time service.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hoap_record::{Error, ErrorKind, Result};

/// Where Debian and Fedora put the library for programs with threads.
const LIBRARIES: [&str; 5] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
    "/usr/local/lib/faketime/libfaketimeMT.so.1",
];

/// The library, where it is installed.
pub fn library() -> Option<&'static Path> {
    LIBRARIES.map(Path::new).into_iter().find(|path| path.is_file())
}

/// The clock of a process that is about to start.
#[derive(Debug)]
pub struct Clock {
    file: PathBuf,
    /// Seconds that it is off, and whether it is behind.
    off: i64,
}

impl Clock {
    /// Gives a command a clock of its own, right at first.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where its file cannot be written.
    pub fn give(command: &mut Command, library: &Path, file: PathBuf) -> Result<Clock> {
        let clock = Clock { file, off: 0 };
        clock.write()?;
        command
            .env("LD_PRELOAD", library)
            .env("FAKETIME_TIMESTAMP_FILE", &clock.file)
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        Ok(clock)
    }

    /// Steps by whole seconds, at least one. Returns how far the clock is off then, seconds.
    ///
    /// # Errors
    /// As [`Clock::give`].
    pub fn step(&mut self, by: Duration, back: bool) -> Result<i64> {
        let seconds = i64::try_from(by.as_secs()).unwrap_or(i64::MAX).clamp(1, 1_000_000_000);
        self.off += if back { -seconds } else { seconds };
        self.write()?;
        Ok(self.off)
    }

    fn write(&self) -> Result<()> {
        fs::write(&self.file, format!("{:+}s\n", self.off)).map_err(|e| {
            Error::new(ErrorKind::Unavailable, format!("write {}", self.file.display()), e)
        })
    }
}
