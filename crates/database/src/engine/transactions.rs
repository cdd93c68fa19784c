//! Multi-document transactions.

use async_trait::async_trait;
use hoap_record::witness::Level;
use serde_json::Value;

use crate::answer::Row;
use crate::failure::{Done, Failure};
use crate::patch::{Access, Condition, Find, Patch, Patched, Read};

/// Multi-document transactions; see [`crate::Transactions`].
#[async_trait]
pub trait Transactions: Send + Sync {
    /// The isolation that all transactions are promised, with the database's settings as they are;
    /// `None` if none is.
    fn isolation(&self) -> Option<Level>;

    /// Whether a read answers with what is stored. `null:` keeps nothing.
    fn answers(&self) -> bool {
        true
    }

    /// Connects one client.
    async fn transaction_session(&self) -> Done<Box<dyn Session>>;
}

/// One client's connection for transactions.
#[async_trait]
pub trait Session: Send {
    /// Begins a transaction; with [`Access::Each`] none. Dropped without a commit it is rolled back.
    async fn begin<'a>(&'a mut self, access: Access) -> Done<Box<dyn OpenTransaction + 'a>>;
    /// See [`Bulk::abandon`](super::Bulk::abandon).
    fn abandon(&mut self) -> bool {
        true
    }
}

/// Operations inside one transaction, or each by itself ([`Access::Each`]); see
/// [`crate::Transaction`]. Those that write are called in a transaction that may write only.
#[async_trait]
pub trait OpenTransaction: Send {
    /// Whether an earlier error has ended it.
    fn is_over(&self) -> bool;
    /// The fields of documents, in the order of their keys. A transaction that only reads has
    /// [`Intent::Look`](crate::Intent::Look).
    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>>;
    /// Documents by an index.
    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>>;
    /// Inserts documents, at least one, which are objects of different keys.
    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()>;
    /// Puts a document, which is an object, in the place of whatever is there.
    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()>;
    /// Patches a document where the conditions hold. There is a patch, and with [`Access::Each`]
    /// none touches what another one changes; else patches of one field follow each other.
    async fn patch(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched>;
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
///
/// # Errors
/// Fails where more rows were found than keys have one: two documents have the same key.
pub fn in_order(keys: &[&str], found: &[(String, Row)]) -> Done<Vec<Option<Row>>> {
    let row_of =
        |key: &&str| found.iter().find(|(there, _)| there == key).map(|(_, row)| row.clone());
    let rows: Vec<Option<Row>> = keys.iter().map(row_of).collect();
    if rows.iter().flatten().count() < found.len() {
        let again = |n: usize| found[..n].iter().any(|(key, _)| *key == found[n].0);
        if let Some(n) = (1..found.len()).find(|&n| again(n)) {
            let answer = format!("two documents have the key {}", found[n].0);
            return Err(Failure::broken(answer));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_come_in_the_order_of_their_keys_and_a_key_has_one() {
        let row = |key: &str, n: i64| (key.to_owned(), vec![json!(n)]);
        let rows = |keys: &[&str], found: &[(String, Row)]| in_order(keys, found);
        let found = [row("b", 2), row("a", 1)];
        let wanted = vec![Some(vec![json!(1)]), None, Some(vec![json!(2)])];
        assert_eq!(rows(&["a", "c", "b"], &found).unwrap(), wanted);
        // A key that is asked for twice has its row twice.
        let twice = rows(&["a", "a", "b"], &found).unwrap();
        assert_eq!(twice[0], twice[1]);
        let doubled = [row("a", 1), row("b", 2), row("a", 1)];
        let failure = rows(&["a", "b"], &doubled).unwrap_err();
        assert!(format!("{failure:?}").contains("two documents have the key a"), "{failure:?}");
    }
}
