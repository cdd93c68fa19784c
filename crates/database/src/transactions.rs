//! Multi-document transactions.

use async_trait::async_trait;
use hoap_record::witness::Level;
use serde_json::Value;

use crate::Result;
use crate::documents::{Index, Row};

/// Multi-document transactions.
#[async_trait]
pub trait Transactions: Send + Sync {
    /// Connects one client.
    async fn session(&self) -> Result<Box<dyn Session>>;

    /// The isolation that the database promises to all of its transactions, with its settings as
    /// they are; `None` where it promises none.
    fn isolation(&self) -> Option<Level> {
        None
    }
}

/// One client's connection.
#[async_trait]
pub trait Session: Send {
    /// Begins a transaction. Dropping it without a commit rolls it back.
    async fn begin<'a>(&'a mut self, access: Access) -> Result<Box<dyn Transaction + 'a>>;
}

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

/// Document operations inside one transaction.
///
/// Every method may return [`ErrorKind::Conflict`]; the transaction has then ended and the caller
/// may begin another.
///
/// [`ErrorKind::Ambiguous`]: crate::ErrorKind::Ambiguous
/// [`ErrorKind::Broken`]: crate::ErrorKind::Broken
/// [`ErrorKind::Conflict`]: crate::ErrorKind::Conflict
/// [`ErrorKind::Duplicate`]: crate::ErrorKind::Duplicate
#[async_trait]
pub trait Transaction: Send {
    /// The fields of one document, or `None` where the key does not exist.
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Option<Row>>;

    /// The fields of several documents, in the order of the keys.
    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<Option<Row>>>;

    /// Documents whose first index fields equal `prefix`, ordered by the remaining ones.
    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> Result<Vec<(String, Row)>>;

    /// Inserts a document. [`ErrorKind::Duplicate`] where the key exists, of the commit at the
    /// latest.
    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Result<()>;

    /// Patches fields of one document. [`ErrorKind::Broken`] where the key does not
    /// exist.
    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Result<()>;

    /// Deletes one document and returns whether it existed.
    async fn delete(&mut self, collection: &str, key: &str) -> Result<bool>;

    /// Commits, as durably as the target's settings promise. [`ErrorKind::Ambiguous`] where the
    /// outcome cannot be known.
    async fn commit(self: Box<Self>) -> Result<()>;

    /// Undoes all changes.
    async fn rollback(self: Box<Self>) -> Result<()>;
}

/// Order of the index fields after the prefix of a [`Transaction::find`].
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
