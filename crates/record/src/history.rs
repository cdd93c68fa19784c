//! `witness.ndjson`: what the witness transactions of a run did and saw, a transaction a line.

use serde::{Deserialize, Serialize};

/// An attempt at a transaction over shared lists. Every value is written once in a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The client that ran it. A client runs one transaction at a time.
    pub client: u32,
    /// When it was begun, nanoseconds since the start of the history.
    pub from_ns: u64,
    /// When its end was known to the client.
    pub to_ns: u64,
    /// Its end.
    pub end: End,
    /// What it did, in this order.
    pub did: Vec<Did>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The database acknowledged the commit.
    Committed,
    /// It rolled back on purpose, or failed so that nothing of it may be applied.
    RolledBack,
    /// The outcome of the commit is unknown.
    Unknown,
}

/// An operation on a list, by the list's number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Did {
    /// Read the whole list.
    Read(u32, Vec<u32>),
    /// Replaced the list by what the transaction read last, with this value at its end.
    Write(u32, u32),
    /// Had the database append a value, whatever the list held.
    Append(u32, u32),
}

impl Did {
    /// The list.
    pub fn list(&self) -> u32 {
        match *self {
            Did::Read(list, _) | Did::Write(list, _) | Did::Append(list, _) => list,
        }
    }

    /// The value written.
    pub fn written(&self) -> Option<u32> {
        match *self {
            Did::Read(..) => None,
            Did::Write(_, value) | Did::Append(_, value) => Some(value),
        }
    }
}
