//! How a command ends when it does not succeed: one line and an exit code.

use std::process::ExitCode;

use hoap_workload::{Error, ErrorKind};

use crate::streams;

/// What shells say of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// The end of a command that did not succeed.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// A check failed or a bound was broken. The message has been printed with the results.
    pub fn check(message: impl Into<String>) -> Self {
        Failure { code: 1, message: message.into() }
    }

    /// The command line or a file it names is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { code: 2, message: message.into() }
    }

    /// The database, or a file, could not be reached or refused.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Failure { code: 3, message: message.into() }
    }

    /// No bound is broken, and one is not proven to hold. The message has been printed with the
    /// results.
    pub fn unproven(message: impl Into<String>) -> Self {
        Failure { code: 4, message: message.into() }
    }

    /// Its result could not be printed.
    pub fn unprinted(e: &std::io::Error) -> Self {
        Failure::unavailable(format!("write the result to standard output: {e}"))
    }

    /// Somebody interrupted it.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Failure { code: INTERRUPTED, message: message.into() }
    }

    /// The same end, with what it is the reason of before it.
    pub fn because(self, told: &str) -> Self {
        Failure { message: format!("{told}: {}", self.message), ..self }
    }

    /// The same end of what ran on a command line that was right.
    pub fn of_what_ran(self) -> Self {
        Failure { code: if self.code == 2 { 1 } else { self.code }, ..self }
    }

    /// Whether somebody interrupted it.
    pub fn is_interruption(&self) -> bool {
        self.code == INTERRUPTED
    }

    /// Its line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Prints the line and gives the code.
    pub fn report(self) -> ExitCode {
        let message = hoap_record::error::clipped(self.message);
        streams::say(&format!("hoap: {}", hoap_report::text::tame(&message)));
        ExitCode::from(self.code)
    }
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        let message = e.to_string();
        match e.kind {
            ErrorKind::Invalid => Failure::usage(message),
            ErrorKind::Broken | ErrorKind::NotFound => Failure::check(message),
            ErrorKind::Cancelled => Failure::interrupted(message),
            ErrorKind::Conflict
            | ErrorKind::Duplicate
            | ErrorKind::Ambiguous
            | ErrorKind::Timeout
            | ErrorKind::Throttled
            | ErrorKind::Missing
            | ErrorKind::Unavailable => Failure::unavailable(message),
        }
    }
}
