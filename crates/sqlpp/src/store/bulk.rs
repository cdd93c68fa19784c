//! Bulk loading in batches.
//!
//! A batch is one UPSERT, and the progress another one after it in the same request: neither the
//! two nor the documents of a batch are atomic. A load that was interrupted writes its last batch
//! again when it is resumed, with the same result. An existing key cannot be told from that: it is
//! overwritten, not refused.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_database::Batch;
use hoap_database::engine::Bulk;
use hoap_database::failure::{Done, Failure};

use super::endpoint::Endpoint;
use super::files::FileWriter;
use super::progress::{Progress, keyed};

/// Writes one part of a load.
pub enum Writer {
    /// By statements.
    Batches(BatchWriter),
    /// By files that the nodes read.
    Files(FileWriter),
}

// The answer to a dropped request has a connection of its own, which is closed.
#[async_trait]
impl Bulk for Writer {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        match self {
            Writer::Batches(writer) => writer.progress.position(collection, false).await,
            Writer::Files(writer) => writer.progress.position(collection, true).await,
        }
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        match self {
            Writer::Batches(writer) => writer.write(collection, batch, position).await,
            Writer::Files(writer) => writer.write(collection, batch, position).await,
        }
    }

    async fn finish(&mut self) -> Done<()> {
        match self {
            Writer::Batches(_) => Ok(()),
            Writer::Files(writer) => writer.finish().await,
        }
    }

    /// A request is expensive for AsterixDB whatever its size; its controller needs many times the
    /// memory of the batch.
    fn batch_bytes(&self) -> usize {
        match self {
            Writer::Batches(w) if w.endpoint.definition.lines().is_some() => 8 << 20,
            _ => 4 << 20,
        }
    }

    /// The files of a collection wait for the LOAD of another.
    fn is_patient(&self) -> bool {
        matches!(self, Writer::Files(_))
    }
}

/// Writes the batches of one part of a load.
pub struct BatchWriter {
    endpoint: Arc<Endpoint>,
    progress: Progress,
    /// The collection written last, and its full name.
    known: (String, String),
}

impl BatchWriter {
    pub(super) fn new(endpoint: Arc<Endpoint>, part: &str) -> Self {
        let progress = Progress::new(endpoint.clone(), part);
        BatchWriter { endpoint, progress, known: Default::default() }
    }

    /// The documents with their keys inside: a list of JSON values, or a string of lines.
    fn value(&self, batch: &Batch) -> Result<Vec<u8>, String> {
        let lines = self.endpoint.definition.lines().is_some();
        let mut all = Vec::with_capacity(batch.bytes() * 5 / 4 + 64);
        let (begin, between, end): (&[u8], u8, &[u8]) =
            if lines { (b"", b'\n', b"") } else { (b"[", b',', b"]") };
        all.extend_from_slice(begin);
        for (n, (key, text)) in batch.iter().enumerate() {
            if n > 0 {
                all.push(between);
            }
            keyed(key, text, &mut all)?;
        }
        all.extend_from_slice(end);
        if !lines {
            return Ok(all);
        }
        let lines = std::str::from_utf8(&all).map_err(|e| format!("it is not UTF-8: {e}"))?;
        serde_json::to_vec(lines).map_err(|e| e.to_string())
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let endpoint = self.endpoint.clone();
        if self.known.0 != collection {
            self.known = (collection.to_owned(), endpoint.definition.name(collection));
        }
        let mut statements = Vec::new();
        let mut value = None;
        if !batch.is_empty() {
            let documents = endpoint.definition.lines().unwrap_or("SELECT VALUE r FROM $d AS r");
            statements.push(format!("UPSERT INTO {} ({documents})", self.known.1));
            value = Some(self.value(batch).map_err(Failure::invalid)?);
        }
        statements.push(self.progress.save(""));
        if endpoint.definition.several() {
            statements = vec![statements.join("; ")];
        }
        for statement in statements {
            let mut request = self.progress.request(statement, collection, position);
            if let Some(value) = value.take() {
                request = request.text_parameter("d", value);
            }
            endpoint.client.execute(&request).await?;
        }
        Ok(())
    }
}
