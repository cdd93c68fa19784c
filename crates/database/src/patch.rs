//! What operations on documents are asked for, and how they change them.

use serde_json::Value;

use crate::batch::Index;

/// What a transaction is, declared when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads, and reads one consistent state: that of a moment between its begin and the
    /// end of its first read.
    Read,
    /// It may write.
    Write,
    /// None: each operation is one command to the database and is done when it returns. Begin and
    /// commit send nothing.
    Each,
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

/// Bounds of a number or a text, both included. They are of one type, which a value in them has
/// too. Texts have the database's own order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds<'a> {
    /// The smallest.
    pub min: Option<&'a Value>,
    /// The largest.
    pub max: Option<&'a Value>,
}

impl Bounds<'_> {
    /// Whether the bounds are texts. Those that are checked are all texts or all numbers.
    pub fn is_text(&self) -> bool {
        self.min.or(self.max).is_some_and(Value::is_string)
    }

    /// Whether they are at least one, and all texts or all numbers.
    pub fn is_sound(&self) -> bool {
        let all = |fits: fn(&Value) -> bool| self.each().all(fits);
        self.each().next().is_some() && (all(Value::is_string) || all(Value::is_number))
    }

    fn each(&self) -> impl Iterator<Item = &Value> {
        [self.min, self.max].into_iter().flatten()
    }
}

/// The last document that an earlier [`Find`] found.
#[derive(Clone, Copy, Debug)]
pub struct Last<'a> {
    /// Its values of the index fields after the prefix.
    pub values: &'a [Value],
    /// Its key.
    pub key: &'a str,
}

/// A search by an index, for documents whose first index fields equal `prefix`, in the order of the
/// remaining ones. By [`Index::keys`] it finds documents in the order of the bytes of their keys.
#[derive(Clone, Copy, Debug)]
pub struct Find<'a> {
    /// The index.
    pub index: &'a Index,
    /// Scalars, no more than the index has fields. Null finds what is null and what is absent.
    pub prefix: &'a [Value],
    /// Bounds of the field after the prefix, or of the key.
    pub range: Option<Bounds<'a>>,
    /// Their order.
    pub order: Order,
    /// The order goes on with the key, and the search begins behind this document, if there is one.
    /// `None` leaves open in which order documents of equal index fields come. By keys it is never
    /// `None` for an engine.
    pub pages: Option<Option<Last<'a>>>,
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
        Find {
            index,
            prefix,
            range: None,
            order: Order::Ascending,
            pages: None,
            limit: None,
            fields: &[],
            intent: Intent::Look,
        }
    }

    /// The paths of the index fields after the prefix.
    pub fn rest(&self) -> &'a [String] {
        &self.index.fields[self.prefix.len()..]
    }

    /// The document that it begins behind.
    pub fn behind(&self) -> Option<Last<'a>> {
        self.pages.flatten()
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
    /// Adds `units` · 10^-`digits` to a number; the stored number keeps that many decimals.
    AddDecimal {
        /// How many of the last decimal.
        units: i64,
        /// Decimals, at most [`DIGITS`].
        digits: u8,
    },
    /// Appends an element to an array.
    Append(Value),
    /// Removes it from its object, if it is there.
    Remove,
}

/// The most decimals of a sum: with more of them doubles hold few whole numbers.
pub const DIGITS: u8 = 9;

impl Change {
    /// Adds this many cents to an amount of money.
    pub fn cents(units: i64) -> Change {
        Change::AddDecimal { units, digits: 2 }
    }
}

/// What a field must be for a document to be changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition<'a> {
    /// Path of the field.
    pub path: &'a str,
    /// What it must be.
    pub is: Is<'a>,
}

/// What a field must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Is<'a> {
    /// Equal to this scalar. Null is also what is absent.
    Equal(&'a Value),
    /// In these bounds.
    Within(Bounds<'a>),
}

/// What became of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patched {
    /// It was made.
    Done,
    /// There is no document of this key.
    Missing,
    /// A condition did not hold: nothing was changed.
    Refused,
}
