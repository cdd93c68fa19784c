//! Whole collections.

use async_trait::async_trait;
use hoap_record::Stored;
use serde_json::Value;

use crate::answer::Row;
use crate::batch::{Batch, Index};
use crate::failure::{Done, Failure};
use crate::offers::Offered;
use crate::texts::Texts;
use crate::values::Unmade;

/// Whole collections; see [`crate::Documents`].
#[async_trait]
pub trait Documents: Send + Sync {
    /// The note.
    async fn note(&self) -> Done<Option<Value>>;
    /// Replaces the note if it equals `expected` (`None`: absent) and returns whether it did. This
    /// compare-and-set is atomic among processes.
    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool>;
    /// Whether a collection exists, whoever made it.
    async fn exists(&self, collection: &str) -> Done<bool>;
    /// Where else it can hold data, as its URL says it: `another schema (?schema=NAME)`.
    fn elsewhere(&self) -> &'static str;
    /// Drops the collections and the progress, and the note last: what an interrupted drop leaves
    /// is known by it.
    async fn drop(&self, collections: &[&str]) -> Done<()>;
    /// Creates collections that are missing.
    async fn create(&self, collections: &[&str]) -> Done<()>;
    /// Whether a load may come in several parts.
    fn in_parts(&self) -> Offered<()> {
        Ok(())
    }
    /// Whether several writers of one process load faster than one.
    fn several_writers(&self) -> Offered<()> {
        Ok(())
    }
    /// Opens a writer of one part of a load.
    async fn bulk(&self, part: &str) -> Done<Box<dyn Bulk>>;
    /// Makes indexes and statistics, and what was loaded durable.
    async fn settle(&self, indexes: &[Index]) -> Done<()>;
    /// See [`crate::Documents::has`]; or why it does not say.
    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>>;
    /// What it stores of these collections, or why it does not say.
    async fn stored(&self, _collections: &[&str]) -> Done<Offered<Stored>> {
        Ok(Err("it has no figure that holds right after a load"))
    }
    /// How many documents a collection has, where the server keeps an exact count of them, which
    /// costs the same whatever their number; or why it has none.
    async fn count(&self, _collection: &str) -> Done<Offered<u64>> {
        Ok(Err("it keeps no count of its documents"))
    }
    /// Calls `each` for every document, in no particular order, from one consistent state.
    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()>;
}

/// Takes the key and the fields of a document that a scan has read. Its error ends the scan.
pub type Each<'e> = dyn for<'a> FnMut(&'a str, Row) -> Done<()> + Send + 'e;

/// Writes documents in bulk; see [`crate::BulkWriter`].
#[async_trait]
pub trait Bulk: Send {
    /// The saved progress.
    async fn position(&mut self, collection: &str) -> Done<u64>;
    /// Writes a batch and its progress.
    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()>;
    /// How many documents [`Bulk::write_values`] takes at once best; `None` where only
    /// [`Bulk::write`] is there.
    fn values_at_once(&self) -> Option<u64> {
        None
    }
    /// Writes documents that it makes itself, and their progress. Returns their bytes as JSON text.
    async fn write_values(
        &mut self,
        _collection: &str,
        _documents: &mut Unmade<'_>,
        _position: u64,
    ) -> Done<u64> {
        Err(Failure::broken("it takes JSON text only"))
    }
    /// Whether [`Bulk::write_texts`] is better than batches.
    fn takes_texts(&self) -> bool {
        false
    }
    /// Writes the first ones of documents that it makes itself, and their progress. Returns their
    /// bytes as JSON text.
    async fn write_texts(
        &mut self,
        _collection: &str,
        _documents: &mut Texts<'_>,
        _before: u64,
    ) -> Done<u64> {
        Err(Failure::broken("it takes batches only"))
    }
    /// Ends the part.
    async fn finish(&mut self) -> Done<()> {
        Ok(())
    }
    /// Whether a batch waits for more than one answer, and so has no limit but those of the
    /// engine's own: it tries again what is refused or not answered, or waits for another
    /// collection.
    fn is_patient(&self) -> bool {
        false
    }
    /// The best size of the next batch, bytes of JSON text.
    fn batch_bytes(&self) -> usize {
        4 << 20
    }
    /// The most documents of the next batch.
    fn batch_documents(&self) -> usize {
        usize::MAX
    }
    /// After an answer that did not come: uses the present connection no more, so that what comes
    /// later is not taken for another answer. The next request makes another connection. Returns
    /// whether anything of what was asked last may have been sent.
    fn abandon(&mut self) -> bool {
        true
    }
}
