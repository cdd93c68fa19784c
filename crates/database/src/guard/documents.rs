//! Whole collections.

use std::sync::Arc;
use std::time::Duration;

use hoap_record::words::counted;
use hoap_record::{Error, Result, Stored};
use serde_json::Value;

use super::check::check_paths;
use super::limit::{LastPiece, answer, repeatable, unlimited, within, written};
use super::stopping::Waiting;
use crate::answer::Row;
use crate::applicable::Applicable;
use crate::batch::{Batch, Index};
use crate::engine::{self, About, Bulk};
use crate::failure::{Done, Failure};
use crate::texts::Texts;
use crate::values::Unmade;

/// Waits for the answer of a call to the engine.
macro_rules! engine {
    ($self:ident, $outcome:path, $call:expr) => {{
        let limit = $self.about.answer_timeout;
        let done = within($self.about, &mut Waiting::default(), limit, $call).await;
        done.and_then(|answered| answered).map_err($outcome)
    }};
}

/// Whole collections of a [`Database`](crate::Database).
///
/// A loaded database carries one small *note* (a JSON document outside the benchmark's collections)
/// that says what it holds. The benchmark defines its meaning.
#[derive(Clone, Copy)]
pub struct Documents<'d> {
    pub(super) about: &'d Arc<About>,
    pub(super) engine: &'d dyn engine::Documents,
}

impl Documents<'_> {
    fn error(&self, failure: Failure, what: &str) -> Error {
        self.about.error(failure, what)
    }

    /// The note, or `None` if the database holds none.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn note(&self) -> Result<Option<Value>> {
        let done = engine!(self, repeatable, self.engine.note());
        done.map_err(|failure| self.error(failure, "read the note in"))
    }

    /// Replaces the note if it equals `expected` (`None`: absent) and returns whether it did. This
    /// compare-and-set is atomic among processes.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let done = engine!(self, written, self.engine.set_note(expected, note));
        done.map_err(|failure| self.error(failure, "write the note in"))
    }

    /// Whether any of these collections exists, whoever created it.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        for collection in collections {
            self.about.check_name(collection)?;
            let done = engine!(self, repeatable, self.engine.exists(collection));
            if done.map_err(|failure| self.error(failure, &format!("look for {collection} in")))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where else the same database can hold data, as its URL says it: "another schema
    /// (?schema=NAME)".
    pub fn elsewhere(&self) -> &'static str {
        self.engine.elsewhere()
    }

    /// Drops these collections if they exist, their indexes, all loading progress, and then the
    /// note. It does not look who made them: whoever removes a load does.
    ///
    /// # Errors
    /// Why the database did not do it.
    // No limit: dropping and creating may take as long as the database needs for its files.
    pub async fn drop(&self, collections: &[&str]) -> Result<()> {
        collections.iter().try_for_each(|name| self.about.check_name(name))?;
        let done = unlimited(self.about, self.engine.drop(collections)).await;
        done.map_err(|failure| self.error(failure, "drop the collections in"))
    }

    /// Creates these collections if they do not exist yet, without the benchmark's indexes.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn create(&self, collections: &[&str]) -> Result<()> {
        collections.iter().try_for_each(|name| self.about.check_name(name))?;
        let done = unlimited(self.about, self.engine.create(collections)).await;
        done.map_err(|failure| self.error(failure, "create the collections in"))
    }

    /// Whether a load may come in several parts.
    ///
    /// # Errors
    /// Why not.
    pub fn in_parts(&self) -> Applicable<()> {
        self.engine.in_parts().map_err(|because| self.about.lacks("a load in parts", because))
    }

    /// Whether several writers of one process load faster than one.
    ///
    /// # Errors
    /// Why not.
    pub fn several_writers(&self) -> Applicable<()> {
        let offered = self.engine.several_writers();
        offered.map_err(|because| self.about.lacks("a load by several clients", because))
    }

    /// Opens a bulk writer that saves its progress under the name `part`.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn bulk(&self, part: &str) -> Result<BulkWriter> {
        let done = engine!(self, repeatable, self.engine.bulk(part));
        let inner = done.map_err(|failure| self.error(failure, "begin to load"))?;
        Ok(BulkWriter { about: self.about.clone(), inner, waiting: Waiting::default() })
    }

    /// Creates the indexes, gathers statistics, and returns when all writes are durable.
    /// Idempotent.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn settle(&self, indexes: &[Index]) -> Result<()> {
        for index in indexes {
            self.about.check_index(&index.name)?;
            self.about.check_name(&index.collection)?;
            check_paths(&index.fields)?;
        }
        let done = unlimited(self.about, self.engine.settle(indexes)).await;
        done.map_err(|failure| self.error(failure, "make the indexes and statistics of"))
    }

    /// Of each of these indexes whether it is there, whole and as [`Documents::settle`] makes it;
    /// `None` of one that it does not make in this database.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn has(&self, indexes: &[Index]) -> Result<Applicable<Vec<Option<bool>>>> {
        for index in indexes {
            self.about.check_index(&index.name)?;
            self.about.check_name(&index.collection)?;
        }
        let done = engine!(self, repeatable, self.engine.has(indexes));
        let known = done.map_err(|failure| self.error(failure, "look for the indexes of"))?;
        Ok(known.map_err(|because| self.about.lacks("a list of indexes", because)))
    }

    /// What the database stores of these collections with their indexes, once they are settled.
    ///
    /// # Errors
    /// Why the database did not do it.
    // No limit, as for making the statistics: it may read the whole database.
    pub async fn stored(&self, collections: &[&str]) -> Result<Applicable<Stored>> {
        collections.iter().try_for_each(|name| self.about.check_name(name))?;
        let done = unlimited(self.about, self.engine.stored(collections)).await;
        let known = done.map_err(|failure| self.error(failure, "read the stored size of"))?;
        Ok(known.map_err(|because| self.about.lacks("stored size", because)))
    }

    /// How many documents a collection has, where the server keeps an exact count, whose reading
    /// costs the same whatever the number.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn count(&self, collection: &str) -> Result<Applicable<u64>> {
        self.about.check_name(collection)?;
        let done = engine!(self, repeatable, self.engine.count(collection));
        let known =
            done.map_err(|failure| self.error(failure, &format!("count {collection} in")))?;
        Ok(known.map_err(|because| self.about.lacks("a count of documents", because)))
    }

    /// Calls `each` for every document of a collection, in no particular order, from one
    /// consistent state, with the values of `fields`. Stops at the first error of `each`.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        self.about.check_name(collection)?;
        check_paths(fields)?;
        let limit = self.about.answer_timeout;
        let last = LastPiece::now();
        // What ends the scan by the caller's wish is no failure of the database.
        let mut ended = false;
        let mut each = |key: &str, row: Row| {
            last.arrived();
            let taken = each(key, row);
            ended = taken.is_err();
            Ok(taken?)
        };
        let scanning = self.engine.scan(collection, fields, &mut each);
        let done = last.within(self.about, limit, scanning).await;
        let done = done.map_err(|failure| if ended { failure } else { repeatable(failure) });
        done.map_err(|failure| self.error(failure, &format!("scan {collection} in")))
    }
}

/// Writes one part of a load.
pub struct BulkWriter {
    about: Arc<About>,
    inner: Box<dyn Bulk>,
    waiting: Waiting,
}

impl BulkWriter {
    fn error(&self, failure: Failure, what: &str) -> Error {
        self.about.error(failure, what)
    }

    /// How long the answer to a batch may take.
    fn limit(&self) -> Option<Duration> {
        self.about.answer_timeout.filter(|_| !self.inner.is_patient())
    }

    /// What became of a batch, for which no answer came in time where `done` says so.
    fn written<T>(
        &mut self,
        done: std::result::Result<Done<T>, Failure>,
        collection: &str,
        documents: u64,
    ) -> Result<T> {
        let done = match done {
            Ok(done) => done.map_err(repeatable),
            Err(silence) => {
                self.inner.abandon();
                Err(silence)
            }
        };
        done.map_err(|failure| {
            let documents = counted(documents, "document", "documents");
            self.error(failure, &format!("load {documents} into {collection} of"))
        })
    }

    /// The saved progress of this part: the number of documents of this collection written, or 0.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn position(&mut self, collection: &str) -> Result<u64> {
        self.about.check_name(collection)?;
        let done = answer!(self, self.inner.position(collection), repeatable);
        let what = || format!("read the progress of {collection} in");
        done.map_err(|failure| self.error(failure, &what()))
    }

    /// Inserts a batch and saves `position` as the new progress of the collection. All or nothing.
    ///
    /// A writer may buffer a whole collection: its documents and its progress are then saved only
    /// after [`BulkWriter::finish`]. All batches of a collection arrive before those of the next.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        self.about.check_name(collection)?;
        let limit = self.limit();
        let writing = self.inner.write(collection, batch, position);
        let done = within(&self.about, &mut self.waiting, limit, writing).await;
        self.written(done, collection, batch.len() as u64)
    }

    /// How many documents [`BulkWriter::write_values`] takes at once best. `None` if the database
    /// wants JSON text only.
    pub fn values_at_once(&self) -> Option<u64> {
        self.inner.values_at_once()
    }

    /// Like [`BulkWriter::write`], with documents that it makes itself, value by value. Returns the
    /// bytes that they take as JSON text.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn write_values(
        &mut self,
        collection: &str,
        documents: &mut Unmade<'_>,
        position: u64,
    ) -> Result<u64> {
        self.about.check_name(collection)?;
        let (limit, count) = (self.limit(), documents.len());
        let writing = self.inner.write_values(collection, documents, position);
        let done = within(&self.about, &mut self.waiting, limit, writing).await;
        self.written(done, collection, count)
    }

    /// Whether [`BulkWriter::write_texts`] is better than batches: the writer makes documents in the
    /// place where they are sent from.
    pub fn takes_texts(&self) -> bool {
        self.inner.takes_texts()
    }

    /// Like [`BulkWriter::write`], with documents that it makes itself: of these the first ones, as
    /// many as it writes at once. `before` is the progress before them. Returns their bytes.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn write_texts(
        &mut self,
        collection: &str,
        documents: &mut Texts<'_>,
        before: u64,
    ) -> Result<u64> {
        self.about.check_name(collection)?;
        let (limit, count) = (self.limit(), documents.len());
        let writing = self.inner.write_texts(collection, documents, before);
        let done = within(&self.about, &mut self.waiting, limit, writing).await;
        self.written(done, collection, count - documents.len())
    }

    /// Ends the part after its last batch: all documents and the progress are then in the database.
    /// May be dropped halfway; a resumed load repeats it.
    ///
    /// # Errors
    /// Why the database did not do it.
    pub async fn finish(&mut self) -> Result<()> {
        let done = unlimited(&self.about, self.inner.finish()).await;
        done.map_err(|failure| self.error(failure, "end the load into"))
    }

    /// The best size of the next batch, bytes of JSON text: large enough to amortise a commit,
    /// small enough for constant memory.
    pub fn batch_bytes(&self) -> usize {
        self.inner.batch_bytes()
    }

    /// The most documents of the next batch.
    pub fn batch_documents(&self) -> usize {
        self.inner.batch_documents()
    }
}
