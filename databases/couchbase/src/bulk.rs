//! Bulk loading: upserts by key, many in flight, then the progress.

use std::sync::Arc;

use async_trait::async_trait;
use couchbase::collection::Collection;
use couchbase::options::kv_options::UpsertOptions;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hoap_database::Batch;
use hoap_database::engine::Bulk;
use hoap_database::failure::{Done, Failure};
use hoap_database::patience::patiently;
use hoap_record::ErrorKind;

use super::query::Node;
use super::server::Server;
use super::sql;

/// The flags of a document that is JSON, as all of Couchbase's drivers set them.
pub(super) const JSON: u32 = 2 << 24;

/// Writes the batches of one part of a load.
pub struct BatchWriter {
    server: Arc<Server>,
    node: Node,
    part: String,
    /// The last collection that was found to exist.
    known: String,
}

impl BatchWriter {
    pub(super) fn new(node: Node, part: &str) -> Self {
        let server = node.server.clone();
        BatchWriter { server, node, part: part.to_owned(), known: String::new() }
    }

    fn progress_key(&self, collection: &str) -> String {
        format!("load:{}:{collection}", self.part)
    }

    /// Writes a document. A resumed load writes the batch again, whatever the outcome is here.
    async fn upsert(&self, documents: &Collection, key: &str, text: &[u8]) -> Done<()> {
        let done = patiently(|| {
            let upsert = documents.upsert_raw(key, text, JSON, self.options());
            self.server.key_value(Box::pin(upsert))
        });
        let done = done.await.map(drop);
        let (name, url) = (documents.name(), &self.server.place.url);
        done.map_err(|e| e.trying(format!("load {name} {key} into {url}")))
    }

    fn options(&self) -> UpsertOptions {
        let mut options = UpsertOptions::new();
        options.durability_level = self.server.place.options.durability.of_driver();
        options
    }
}

// The driver throws away late answers, which name their requests.
#[async_trait]
impl Bulk for BatchWriter {
    // Each operation has its limit, and what an overloaded node refuses is sent again.
    fn is_patient(&self) -> bool {
        true
    }

    async fn position(&mut self, collection: &str) -> Done<u64> {
        let (key, notes) = (self.progress_key(collection), self.server.collection(sql::NOTES));
        let get = || self.server.key_value(Box::pin(notes.get(&key, None)));
        match patiently(get).await {
            Ok(found) => serde_json::from_slice(found.content_as_raw().0).map_err(Failure::broken),
            Err(e) if e.kind == ErrorKind::NotFound => Ok(0),
            Err(e) => Err(e),
        }
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        if self.known != collection {
            self.node.expect(collection).await?;
            collection.clone_into(&mut self.known);
        }
        let window = self.server.place.options.load_window as usize;
        let documents = self.server.collection(collection);
        let mut under_way = FuturesUnordered::new();
        for (key, text) in batch.iter() {
            if under_way.len() == window
                && let Some(done) = under_way.next().await
            {
                let done: Done<()> = done;
                done?;
            }
            under_way.push(self.upsert(&documents, key, text));
        }
        while let Some(done) = under_way.next().await {
            done?;
        }
        let (key, notes) = (self.progress_key(collection), self.server.collection(sql::NOTES));
        let saved = patiently(|| {
            let save = notes.upsert(&key, position, self.options());
            self.server.key_value(Box::pin(save))
        });
        saved.await.map(drop)
    }
}
