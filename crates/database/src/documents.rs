//! Whole collections: what loading and checking need.

use async_trait::async_trait;
use hoap_record::Stored;
use serde_json::Value;

use crate::applicable::{Applicable, NotApplicable};
use crate::texts::Texts;
use crate::values::Unmade;
use crate::{Error, ErrorKind, Result};

/// An index that a benchmark's transactions need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// A name unique in the benchmark.
    pub name: &'static str,
    /// The collection it is on.
    pub collection: &'static str,
    /// Paths of its fields, in order.
    pub fields: Vec<&'static str>,
}

/// Values of the fields asked for, in that order; [`Value::Null`] where a field is null or absent.
pub type Row = Vec<Value>;

/// Whole collections.
///
/// A loaded database carries one small *note* (a JSON document outside the benchmark's collections)
/// that says what it holds. The benchmark defines its meaning.
#[async_trait]
pub trait Documents: Send + Sync {
    /// The note, or `None` where the database holds none.
    async fn note(&self) -> Result<Option<Value>>;

    /// Replaces the note if it equals `expected` (`None`: absent) and returns whether it did. This
    /// compare-and-set is atomic among processes.
    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool>;

    /// Whether any of these collections exists, whoever created it.
    async fn any_exists(&self, collections: &[&str]) -> Result<bool>;

    /// Where else the same database can hold data, as its URL says it: "another schema
    /// (?schema=NAME)".
    fn elsewhere(&self) -> &'static str {
        "another database"
    }

    /// Drops these collections where they exist, their indexes, all loading progress, and then the
    /// note. It does not look who made
    /// them: whoever removes a load does.
    async fn drop(&self, collections: &[&str]) -> Result<()>;

    /// Creates these collections where they do not exist yet, without the benchmark's indexes.
    async fn create(&self, collections: &[&str]) -> Result<()>;

    /// Whether a load may come in several parts.
    fn in_parts(&self) -> Applicable<()> {
        Ok(())
    }

    /// Whether several writers of one process load faster than one.
    fn several_writers(&self) -> Applicable<()> {
        Ok(())
    }

    /// Opens a bulk writer that saves its progress under the name `part`.
    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>>;

    /// Creates the indexes, gathers statistics, and returns when all writes are durable.
    /// Idempotent.
    async fn settle(&self, indexes: &[Index]) -> Result<()>;

    /// What the database stores of these collections with their indexes, once they are settled.
    async fn stored(&self, _: &[&str]) -> Result<Applicable<Stored>> {
        Ok(Err(NotApplicable {
            capability: "stored size",
            database: "this database".to_owned(),
            because: "it has no figure of it",
        }))
    }

    /// Calls `each` for every document of a collection, in no particular order, from one
    /// consistent state, with the values of `fields`. Stops at the first error of `each`.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()>;
}

/// Writes documents in bulk and saves its progress in the same atomic step.
#[async_trait]
pub trait BulkWriter: Send {
    /// The saved progress of this part: the number of documents of this collection written, or 0.
    async fn position(&mut self, collection: &str) -> Result<u64>;

    /// Inserts a batch and saves `position` as the new progress of the collection. All or nothing.
    ///
    /// A writer may buffer a whole collection: its documents and its progress are then saved only
    /// after [`BulkWriter::finish`]. All batches of a collection arrive before those of the next.
    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()>;

    /// How many documents [`BulkWriter::write_values`] takes at once best. `None` where the
    /// database wants JSON text only.
    fn values_at_once(&self) -> Option<u64> {
        None
    }

    /// Like [`BulkWriter::write`], with documents that it makes itself, value by value. Returns the
    /// bytes that they take as JSON text.
    async fn write_values(
        &mut self,
        collection: &str,
        documents: &mut Unmade<'_>,
        _: u64,
    ) -> Result<u64> {
        let tried = format!("load {} documents into {collection} by their values", documents.len());
        Err(Error::new(ErrorKind::Broken, tried, "the database takes JSON text only"))
    }

    /// Whether [`BulkWriter::write_texts`] is better than batches: the writer makes documents in the
    /// place where they are sent from.
    fn takes_texts(&self) -> bool {
        false
    }

    /// Like [`BulkWriter::write`], with documents that it makes itself: of these the first ones, as
    /// many as it writes at once. `before` is the progress before them. Returns their bytes.
    async fn write_texts(
        &mut self,
        collection: &str,
        documents: &mut Texts<'_>,
        _before: u64,
    ) -> Result<u64> {
        let tried = format!("load {} documents into {collection}", documents.len());
        Err(Error::new(ErrorKind::Broken, tried, "the database takes batches only"))
    }

    /// Ends the part after its last batch: all documents and the progress are then in the database.
    /// May be dropped halfway; a resumed load repeats it.
    async fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// The best size of the next batch, bytes of JSON text: large enough to amortise a commit,
    /// small enough for constant memory.
    fn batch_bytes(&self) -> usize {
        4 << 20
    }

    /// The most documents of the next batch.
    fn batch_documents(&self) -> usize {
        usize::MAX
    }
}

/// Documents as JSON text and their keys, in two reused buffers.
#[derive(Default)]
pub struct Batch {
    text: Vec<u8>,
    keys: String,
    /// Where each document ends in `text`, and its key in `keys`.
    ends: Vec<(usize, usize)>,
}

impl Batch {
    /// Appends one document: `fill` writes its key and its JSON text at the end of the buffers.
    pub fn push(&mut self, fill: impl FnOnce(&mut String, &mut Vec<u8>)) {
        fill(&mut self.keys, &mut self.text);
        self.ends.push((self.text.len(), self.keys.len()));
    }

    /// Removes all documents and keeps the buffers.
    pub fn clear(&mut self) {
        self.text.clear();
        self.keys.clear();
        self.ends.clear();
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of JSON text.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Key and JSON text of each document. The text is UTF-8.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let document = (&self.keys[start.1..end.1], &self.text[start.0..end.0]);
            start = end;
            document
        })
    }
}
