//! Bulk loading.
//!
//! A batch is inserted unordered, which lets the server write on many threads and shards; then the
//! progress is written. A load that was killed in between writes the batch again when it is
//! resumed: an existing document is replaced, so that the result is the same.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::capability::{Batch, BulkWriter};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use mongodb::bson::{Document, RawDocumentBuf, doc};

use super::encode;
use super::error::{self, Doing};
use super::layout::{PROGRESS, name};
use super::server::Server;

/// Writes the batches of one part of a load.
pub(super) struct BatchWriter {
    server: Arc<Server>,
    part: String,
}

impl BatchWriter {
    pub fn new(server: Arc<Server>, part: &str) -> Self {
        BatchWriter { server, part: part.to_owned() }
    }

    fn progress(&self) -> mongodb::Collection<Document> {
        self.server.database.collection(PROGRESS)
    }

    fn id(&self, collection: &str) -> Document {
        doc! {"part": &self.part, "collection": collection}
    }

    /// A batch as documents.
    fn encode(batch: &Batch, tried: &dyn Fn() -> String) -> Result<Vec<RawDocumentBuf>> {
        let document = |(key, text): (&str, &[u8])| {
            let invalid = |answer: String| Error::new(ErrorKind::Invalid, tried(), answer);
            let mut bytes = Vec::with_capacity(text.len() + key.len() + 32);
            encode::document(key, text, &mut bytes)
                .map_err(|e| invalid(format!("document {key}: {e}")))?;
            RawDocumentBuf::from_bytes(bytes).map_err(|e| invalid(format!("document {key}: {e}")))
        };
        batch.iter().map(document).collect()
    }
}

/// A load resumes from the saved progress whatever the lost answer was: nothing is ambiguous.
fn unavailable(error: Error) -> Error {
    match error.kind {
        ErrorKind::Ambiguous => Error { kind: ErrorKind::Unavailable, ..error },
        _ => error,
    }
}

#[async_trait]
impl BulkWriter for BatchWriter {
    async fn position(&mut self, collection: &str) -> Result<u64> {
        let tried = || format!("read the progress of {collection} in {}", self.server.shown);
        let id = self.id(name(collection)?);
        let found = self.progress().find_one(doc! {"_id": id}).await;
        let found = found.map_err(|e| error::mongo(&e, Doing::Reading, tried()))?;
        let position = found.and_then(|document| document.get_i64("position").ok());
        Ok(position.and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        let tried = || {
            format!(
                "load {} into {collection} of {}",
                counted(batch.len(), "document", "documents"),
                self.server.shown
            )
        };
        let failed = |e: &_| unavailable(error::mongo(e, Doing::Writing, tried()));
        let documents = BatchWriter::encode(batch, &tried)?;
        let target = self.server.collection(name(collection)?);
        if !documents.is_empty() {
            match target.insert_many(&documents).ordered(false).await {
                Ok(_) => {}
                Err(e) => {
                    let there = error::only_duplicates(&e).ok_or_else(|| failed(&e))?;
                    for document in there.iter().filter_map(|at| documents.get(*at)) {
                        let key = super::value::key(document, tried)?;
                        target
                            .replace_one(doc! {"_id": key}, document)
                            .await
                            .map_err(|e| failed(&e))?;
                    }
                }
            }
        }
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        let saved = self
            .progress()
            .update_one(doc! {"_id": self.id(collection)}, doc! {"$set": {"position": position}})
            .upsert(true)
            .await;
        saved.map(drop).map_err(|e| failed(&e))
    }
}
