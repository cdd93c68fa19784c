//! Whole collections.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hoap_database::{
    Applicable, Batch, BulkWriter, Documents, Index, NotApplicable, Row, Texts, Unmade,
};
use hoap_record::Result;
use hoap_record::Stored;
use hoap_record::words::counted;
use serde_json::Value;

use super::engine::{self, Bulk, Engine};
use super::limit::{LastPiece, answer, maybe_applied, not_read, unlimited, within};
use super::stopping::Waiting;
use super::{Front, check_index, check_name, check_paths, error};
use crate::failure::{Done, Failure};

impl<E: engine::Documents> Front<E> {
    fn error(&self, failure: Failure, what: &str) -> hoap_record::Error {
        error(&*self.0, failure, what)
    }
}

/// Waits for the answer of a call to the engine.
macro_rules! engine {
    ($self:ident, $failure:path, $call:expr) => {{
        let done =
            within(&*$self.0, &mut Waiting::default(), $self.0.answer_timeout(), $call).await;
        done.unwrap_or_else(|silence| Err($failure(silence)))
    }};
}

#[async_trait]
impl<E: engine::Documents> Documents for Front<E> {
    async fn note(&self) -> Result<Option<Value>> {
        let done = engine!(self, not_read, self.0.note());
        done.map_err(|failure| self.error(failure, "read the note in"))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let done = engine!(self, maybe_applied, self.0.set_note(expected, note));
        done.map_err(|failure| self.error(failure, "write the note in"))
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        for collection in collections {
            check_name(&*self.0, collection)?;
            let done = engine!(self, not_read, self.0.exists(collection));
            if done.map_err(|failure| self.error(failure, &format!("look for {collection} in")))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn elsewhere(&self) -> &'static str {
        E::ELSEWHERE
    }

    // No limit: dropping and creating may take as long as the database needs for its files.
    async fn drop(&self, collections: &[&str]) -> Result<()> {
        collections.iter().try_for_each(|name| check_name(&*self.0, name))?;
        let done = unlimited(&*self.0, engine::Documents::drop(&*self.0, collections)).await;
        done.map_err(|failure| self.error(failure, "drop the collections in"))
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        collections.iter().try_for_each(|name| check_name(&*self.0, name))?;
        let done = unlimited(&*self.0, self.0.create(collections)).await;
        done.map_err(|failure| self.error(failure, "create the collections in"))
    }

    fn in_parts(&self) -> Applicable<()> {
        self.0.in_parts()
    }

    fn several_writers(&self) -> Applicable<()> {
        self.0.several_writers()
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        let done = engine!(self, not_read, self.0.bulk(part));
        let inner = done.map_err(|failure| self.error(failure, "begin to load"))?;
        Ok(Box::new(FrontBulk { engine: self.0.clone(), inner, waiting: Waiting::default() }))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        for index in indexes {
            check_index(&*self.0, index.name)?;
            check_name(&*self.0, index.collection)?;
            check_paths(&index.fields)?;
        }
        let done = unlimited(&*self.0, self.0.settle(indexes)).await;
        done.map_err(|failure| self.error(failure, "make the indexes and statistics of"))
    }

    // No limit, as for making the statistics: it may read the whole database.
    async fn stored(&self, collections: &[&str]) -> Result<Applicable<Stored>> {
        collections.iter().try_for_each(|name| check_name(&*self.0, name))?;
        let done = unlimited(&*self.0, self.0.stored(collections)).await;
        let known = done.map_err(|failure| self.error(failure, "read the stored size of"))?;
        Ok(known.map_err(|because| NotApplicable {
            capability: "stored size",
            database: self.0.url().to_owned(),
            because,
        }))
    }

    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        check_name(&*self.0, collection)?;
        check_paths(fields)?;
        let limit = self.0.answer_timeout();
        let last = LastPiece::now();
        let mut each = |key: &str, row: Row| {
            last.arrived();
            Ok(each(key, row)?)
        };
        let scanning = self.0.scan(collection, fields, &mut each);
        let done = last.within(&*self.0, limit, scanning).await;
        done.map_err(|failure| self.error(failure, &format!("scan {collection} in")))
    }
}

/// Writes one part of a load.
struct FrontBulk<E, B> {
    engine: Arc<E>,
    inner: B,
    waiting: Waiting,
}

impl<E: Engine, B: Bulk> FrontBulk<E, B> {
    fn error(&self, failure: Failure, what: &str) -> hoap_record::Error {
        error(&*self.engine, failure, what)
    }

    /// How long the answer to a batch may take.
    fn limit(&self) -> Option<Duration> {
        self.engine.answer_timeout().filter(|_| !self.inner.is_patient())
    }

    /// What became of a batch, for which no answer came in time where `done` says so.
    fn written<T>(
        &mut self,
        done: std::result::Result<Done<T>, Failure>,
        collection: &str,
        documents: u64,
    ) -> Result<T> {
        let done = done.unwrap_or_else(|silence| {
            self.inner.abandon();
            Err(silence)
        });
        done.map_err(|failure| {
            let documents = counted(documents, "document", "documents");
            self.error(failure, &format!("load {documents} into {collection} of"))
        })
    }
}

#[async_trait]
impl<E: Engine, B: Bulk> BulkWriter for FrontBulk<E, B> {
    async fn position(&mut self, collection: &str) -> Result<u64> {
        check_name(&*self.engine, collection)?;
        let done = answer!(
            self.engine,
            &mut self.waiting,
            self.inner,
            self.inner.position(collection),
            not_read
        );
        let what = || format!("read the progress of {collection} in");
        done.map_err(|failure| self.error(failure, &what()))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        check_name(&*self.engine, collection)?;
        let limit = self.limit();
        let writing = self.inner.write(collection, batch, position);
        let done = within(&*self.engine, &mut self.waiting, limit, writing).await;
        self.written(done, collection, batch.len() as u64)
    }

    fn values_at_once(&self) -> Option<u64> {
        self.inner.values_at_once()
    }

    async fn write_values(
        &mut self,
        collection: &str,
        documents: &mut Unmade<'_>,
        position: u64,
    ) -> Result<u64> {
        check_name(&*self.engine, collection)?;
        let (limit, count) = (self.limit(), documents.len());
        let writing = self.inner.write_values(collection, documents, position);
        let done = within(&*self.engine, &mut self.waiting, limit, writing).await;
        self.written(done, collection, count)
    }

    fn takes_texts(&self) -> bool {
        self.inner.takes_texts()
    }

    async fn write_texts(
        &mut self,
        collection: &str,
        documents: &mut Texts<'_>,
        before: u64,
    ) -> Result<u64> {
        check_name(&*self.engine, collection)?;
        let (limit, count) = (self.limit(), documents.len());
        let writing = self.inner.write_texts(collection, documents, before);
        let done = within(&*self.engine, &mut self.waiting, limit, writing).await;
        self.written(done, collection, count - documents.len())
    }

    async fn finish(&mut self) -> Result<()> {
        let done = unlimited(&*self.engine, self.inner.finish()).await;
        done.map_err(|failure| self.error(failure, "end the load into"))
    }

    fn batch_bytes(&self) -> usize {
        self.inner.batch_bytes()
    }

    fn batch_documents(&self) -> usize {
        self.inner.batch_documents()
    }
}
