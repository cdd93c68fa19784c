//! What a transaction is asked for, and how it changes documents.

use serde_json::Value;

/// Whether a transaction writes, declared when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads, and reads one consistent state: that of a moment between its begin and the
    /// end of its first read.
    Read,
    /// It may write.
    Write,
}

/// What the transaction does with a document after reading it: engines with row locks choose the
/// lock by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Nothing more.
    Look,
    /// Patch or delete it later in this transaction.
    Change,
}

/// Order of the index fields after the prefix of a [`Transaction::find`](crate::Transaction::find).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// One change of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Path of the field.
    pub path: &'static str,
    /// The change.
    pub change: Change,
}

/// A change of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Sets it to this value.
    Set(Value),
    /// Adds this to an integer.
    AddInteger(i64),
    /// Adds this many cents to an amount of money; the stored number keeps two decimals.
    AddCents(i64),
    /// Appends an element to an array.
    Append(Value),
}
