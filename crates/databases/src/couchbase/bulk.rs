//! Bulk loading: upserts by key, many in flight, then the progress.

use async_trait::async_trait;
use couchbase::collection::Collection;
use couchbase::error::ErrorKind as Kind;
use couchbase::options::kv_options::UpsertOptions;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hoap_workload::capability::{Batch, BulkWriter};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use super::query::Node;
use super::{Couchbase, error, sql};
use crate::sqlpp::Doing;

/// The flags of a document that is JSON, as all of Couchbase's drivers set them.
pub(super) const JSON: u32 = 2 << 24;

/// Writes the batches of one part of a load.
pub(super) struct BatchWriter {
    target: Couchbase,
    node: Node,
    part: String,
    /// The last collection that was found to exist.
    known: String,
}

impl BatchWriter {
    pub fn new(target: Couchbase, node: Node, part: &str) -> Self {
        BatchWriter { target, node, part: part.to_owned(), known: String::new() }
    }

    fn progress_key(&self, collection: &str) -> String {
        format!("load:{}:{collection}", self.part)
    }

    /// Writes a document. A resumed load writes the batch again, whatever the outcome is here.
    async fn upsert(
        &self,
        documents: &Collection,
        name: &str,
        key: &str,
        text: &[u8],
    ) -> Result<()> {
        let tried = || format!("load {name} {key} into {}", self.target.url());
        let mut with = UpsertOptions::new();
        with.durability_level = self.target.server.place.options.durability.of_driver();
        let upsert = documents.upsert_raw(key, text, JSON, with);
        let done = self.target.limited(upsert, Doing::Repeatable, tried).await?;
        done.map(drop).map_err(|e| error::key_value(&e, Doing::Repeatable, tried()))
    }
}

#[async_trait]
impl BulkWriter for BatchWriter {
    async fn position(&mut self, collection: &str) -> Result<u64> {
        let tried = || format!("read the progress of {collection} in {}", self.target.url());
        let key = self.progress_key(sql::name(collection)?);
        let notes = self.target.server.collection(sql::NOTES);
        match self.target.limited(notes.get(&key, None), Doing::Read, tried).await? {
            Ok(found) => serde_json::from_slice(found.content_as_raw().0)
                .map_err(|e| Error::new(ErrorKind::Broken, tried(), e)),
            Err(e) if *e.kind() == Kind::DocumentNotFound => Ok(0),
            Err(e) => Err(error::key_value(&e, Doing::Read, tried())),
        }
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        let name = sql::name(collection)?;
        if self.known != name {
            if !self.node.has(name).await? {
                let tried = format!("load into {}", self.target.url());
                let answer = format!("there is no collection {name}");
                return Err(Error::new(ErrorKind::Missing, tried, answer).advise(error::LOAD_FIRST));
            }
            name.clone_into(&mut self.known);
        }
        let target = &self.target;
        let window = target.server.place.options.load_window as usize;
        let tried = || {
            format!(
                "load {} into {name} of {}",
                counted(batch.len(), "document", "documents"),
                target.url()
            )
        };
        let documents = target.server.collection(name);
        let mut under_way = FuturesUnordered::new();
        for (key, text) in batch.iter() {
            if under_way.len() == window
                && let Some(done) = under_way.next().await
            {
                let done: Result<()> = done;
                done?;
            }
            under_way.push(self.upsert(&documents, name, key, text));
        }
        while let Some(done) = under_way.next().await {
            done?;
        }
        let notes = target.server.collection(sql::NOTES);
        let mut with = UpsertOptions::new();
        with.durability_level = target.server.place.options.durability.of_driver();
        let save = notes.upsert(self.progress_key(name), position, with);
        let done = target.limited(save, Doing::Repeatable, tried).await?;
        done.map(drop).map_err(|e| error::key_value(&e, Doing::Repeatable, tried()))
    }
}
