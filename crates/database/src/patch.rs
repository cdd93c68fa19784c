//! What a transaction is asked for, and how it changes documents.

use serde_json::Value;

use crate::batch::Index;

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

/// Order of the index fields after the prefix of a [`Find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// A search by an index, for documents whose first index fields equal `prefix`, in the order of the
/// remaining ones.
#[derive(Clone, Copy, Debug)]
pub struct Find<'a> {
    /// The index.
    pub index: &'a Index,
    /// Scalars, no more than the index has fields.
    pub prefix: &'a [Value],
    /// Their order.
    pub order: Order,
    /// The most documents.
    pub limit: Option<usize>,
    /// The paths that are read of each.
    pub fields: &'a [&'a str],
    /// What is done with them afterwards.
    pub intent: Intent,
}

impl<'a> Find<'a> {
    /// For the keys of all that have this prefix, ascending.
    pub fn by(index: &'a Index, prefix: &'a [Value]) -> Find<'a> {
        let (order, limit, fields, intent) = (Order::Ascending, None, &[], Intent::Look);
        Find { index, prefix, order, limit, fields, intent }
    }
}

/// A read of documents by their keys.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    /// Whose documents.
    pub collection: &'a str,
    /// At least one.
    pub keys: &'a [&'a str],
    /// The paths that are read of each.
    pub fields: &'a [&'a str],
    /// What is done with them afterwards.
    pub intent: Intent,
}

/// One change of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch<'a> {
    /// Path of the field.
    pub path: &'a str,
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
