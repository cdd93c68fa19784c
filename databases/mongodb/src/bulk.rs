//! Bulk loading.
//!
//! A batch is inserted unordered, which lets the server write on many threads and shards; then the
//! progress is written. A load that was killed in between writes the batch again when it is
//! resumed: what is there is removed and inserted again, so that the result is the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::Batch;
use hoap_database::engine::Bulk;
use hoap_database::failure::{Done, Failure};
use mongodb::bson::{Document, RawDocumentBuf, doc};

use super::layout::PROGRESS;
use super::server::Server;
use super::{encode, error, value};
use crate::error::OrFail;

/// Writes the batches of one part of a load.
pub struct BatchWriter {
    server: Arc<Server>,
    part: String,
}

impl BatchWriter {
    pub(super) fn new(server: Arc<Server>, part: &str) -> Self {
        BatchWriter { server, part: part.to_owned() }
    }

    fn progress(&self) -> mongodb::Collection<Document> {
        self.server.database.collection(PROGRESS)
    }

    fn id(&self, collection: &str) -> Document {
        doc! {"part": &self.part, "collection": collection}
    }

    /// A batch as documents.
    fn encode(batch: &Batch) -> Done<Vec<RawDocumentBuf>> {
        let document = |(key, text): (&str, &[u8])| {
            let invalid = |e: String| Failure::invalid(format!("document {key}: {e}"));
            let mut bytes = Vec::with_capacity(text.len() + key.len() + 32);
            encode::document(key, text, &mut bytes).map_err(invalid)?;
            RawDocumentBuf::from_bytes(bytes).map_err(|e| invalid(e.to_string()))
        };
        batch.iter().map(document).collect()
    }
}

#[async_trait]
impl Bulk for BatchWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        let found = self.progress().find_one(doc! {"_id": self.id(collection)}).await.or_fail()?;
        let position = found.and_then(|document| document.get_i64("position").ok());
        Ok(position.and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let documents = BatchWriter::encode(batch)?;
        let target = self.server.collection(collection);
        if !documents.is_empty()
            && let Err(e) = target.insert_many(&documents).ordered(false).await
        {
            let Some(there) = error::only_duplicates(&e) else { return Err(error::failure(e)) };
            // By their positions: a key that is in the batch twice has its last document.
            let again = there.iter().filter_map(|at| documents.get(*at));
            let again: BTreeMap<_, _> =
                again.map(|document| Ok((value::key(document)?, document))).collect::<Done<_>>()?;
            let keys: Vec<_> = again.keys().copied().collect();
            target.delete_many(doc! {"_id": {"$in": keys}}).await.or_fail()?;
            target.insert_many(again.into_values()).ordered(false).await.or_fail()?;
        }
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        let saved = self
            .progress()
            .update_one(doc! {"_id": self.id(collection)}, doc! {"$set": {"position": position}})
            .upsert(true)
            .await;
        saved.map(drop).or_fail()
    }
}
