//! Multi-document transactions.

use async_trait::async_trait;
use hoap_record::witness::Level;
use serde_json::Value;

use crate::answer::Row;
use crate::batch::Index;
use crate::failure::Done;
use crate::patch::{Access, Intent, Order, Patch};

/// Multi-document transactions; see [`crate::Transactions`].
#[async_trait]
pub trait Transactions: Send + Sync {
    /// The isolation that all transactions are promised, with the database's settings as they are;
    /// `None` if none is.
    fn isolation(&self) -> Option<Level>;

    /// Connects one client.
    async fn transaction_session(&self) -> Done<Box<dyn Session>>;
}

/// One client's connection for transactions.
#[async_trait]
pub trait Session: Send {
    /// Begins a transaction. Dropped without a commit it is rolled back.
    async fn begin<'a>(&'a mut self, access: Access) -> Done<Box<dyn OpenTransaction + 'a>>;
    /// See [`Bulk::abandon`](super::Bulk::abandon).
    fn abandon(&mut self) -> bool {
        true
    }
}

/// Operations inside one transaction; see [`crate::Transaction`]. Those that write are called in a
/// transaction that may write only.
#[async_trait]
pub trait OpenTransaction: Send {
    /// Whether an earlier error has ended it.
    fn is_over(&self) -> bool;
    /// The fields of one document. A transaction that only reads has [`Intent::Look`].
    async fn get(
        &mut self,
        collection: &str,
        key: &str,
        fields: &[&str],
        intent: Intent,
    ) -> Done<Option<Row>>;
    /// The fields of several documents, in the order of the keys, of which there is at least one.
    async fn get_many(
        &mut self,
        collection: &str,
        keys: &[String],
        fields: &[&str],
        intent: Intent,
    ) -> Done<Vec<Option<Row>>>;
    /// Documents by an index. The prefix is not longer than the index and has scalars only.
    async fn find(
        &mut self,
        index: &Index,
        prefix: &[Value],
        order: Order,
        limit: Option<usize>,
        fields: &[&str],
        intent: Intent,
    ) -> Done<Vec<(String, Row)>>;
    /// Inserts a document, which is an object.
    async fn insert(&mut self, collection: &str, key: &str, document: &Value) -> Done<()>;
    /// Patches a document. Patches of one field follow each other.
    async fn patch(&mut self, collection: &str, key: &str, patches: &[Patch]) -> Done<()>;
    /// Deletes a document; returns whether it existed.
    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool>;
    /// Commits.
    async fn commit(&mut self) -> Done<()>;
    /// Undoes all changes. Also of one that is over.
    async fn rollback(&mut self) -> Done<()>;
    /// See [`Bulk::abandon`](super::Bulk::abandon).
    fn abandon(&mut self) -> bool {
        true
    }
}

/// Rows that were found by their keys, in the order of the keys.
///
/// A transaction names a dozen keys: a linear search costs less than a hash table.
pub fn in_order(keys: &[String], found: &[(String, Row)]) -> Vec<Option<Row>> {
    let row_of =
        |key: &String| found.iter().find(|(there, _)| there == key).map(|(_, row)| row.clone());
    keys.iter().map(row_of).collect()
}
