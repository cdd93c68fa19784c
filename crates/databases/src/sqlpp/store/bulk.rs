//! Bulk loading in batches.
//!
//! A batch is one UPSERT, and the progress another one after it in the same request: neither the
//! two nor the documents of a batch are atomic. A load that was interrupted writes its last batch
//! again when it is resumed, with the same result. An existing key cannot be told from that: it is
//! overwritten, not refused.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::capability::{Batch, BulkWriter};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};

use super::definition::{KEY, PROGRESS, STATEMENT};
use super::endpoint::Endpoint;
use crate::sqlpp::{Doing, Request};

/// The progress of one part of a load.
#[derive(Clone)]
pub(super) struct Progress {
    endpoint: Arc<Endpoint>,
    part: String,
    name: String,
}

impl Progress {
    pub fn new(endpoint: Arc<Endpoint>, part: &str) -> Result<Self> {
        let name = endpoint.definition.name(PROGRESS)?;
        Ok(Progress { endpoint, part: part.to_owned(), name })
    }

    fn mark(&self, collection: &str) -> String {
        format!("{} {collection}", self.part)
    }

    /// The position of a collection. With `whole` it is 0 unless the collection was loaded as a
    /// whole.
    pub async fn position(&self, collection: &str, whole: bool) -> Result<u64> {
        self.endpoint.definition.name(collection)?;
        let tried = format!("read the progress of {collection} in {}", self.endpoint.url());
        let text = format!("SELECT VALUE p FROM {} AS p WHERE p.{KEY} = $k", self.name);
        let ask = Request::new(text).parameter("k", self.mark(collection));
        let rows = self.endpoint.rows(ask).await;
        let rows = rows.map_err(|e| self.endpoint.failed(e, Doing::Read, tried))?;
        let row = rows.first().filter(|row| !whole || row["whole"] == true);
        Ok(row.and_then(|row| row["position"].as_u64()).unwrap_or(0))
    }

    /// The statement that saves `$p`, and more members, under `$k`.
    fn save(&self, more: &str) -> String {
        format!("UPSERT INTO {} ({{\"{KEY}\": $k, \"position\": $p{more}}})", self.name)
    }

    /// Saves that a collection is loaded as a whole.
    pub async fn save_whole(&self, collection: &str, position: u64) -> Result<()> {
        let tried = format!("save the progress of {collection} in {}", self.endpoint.url());
        let request = self.request(self.save(", \"whole\": true"), collection, position);
        let done = self.endpoint.client.execute(&request).await;
        done.map(drop).map_err(|e| self.endpoint.failed(e, Doing::Repeatable, tried))
    }

    fn request(&self, statement: String, collection: &str, position: u64) -> Request {
        let request = Request::new(statement).timeout(STATEMENT);
        request.parameter("k", self.mark(collection)).parameter("p", position)
    }
}

/// Writes the batches of one part of a load.
pub(super) struct BatchWriter {
    endpoint: Arc<Endpoint>,
    progress: Progress,
    /// The collection written last, and its full name.
    known: (String, String),
}

impl BatchWriter {
    pub fn new(endpoint: Arc<Endpoint>, part: &str) -> Result<Self> {
        let progress = Progress::new(endpoint.clone(), part)?;
        Ok(BatchWriter { endpoint, progress, known: Default::default() })
    }

    /// The documents with their keys inside: a list of JSON values, or a string of lines.
    fn value(&self, batch: &Batch) -> std::result::Result<Vec<u8>, String> {
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
}

/// Appends a document with its key inside, in one line.
pub(super) fn keyed(key: &str, text: &[u8], out: &mut Vec<u8>) -> std::result::Result<(), String> {
    let members = text.trim_ascii().strip_prefix(b"{").and_then(|t| t.strip_suffix(b"}"));
    let members = members.ok_or_else(|| format!("document {key}: it is no JSON object"))?;
    out.extend_from_slice(b"{\"");
    out.extend_from_slice(KEY.as_bytes());
    out.extend_from_slice(b"\":");
    serde_json::to_writer(&mut *out, key).map_err(|e| e.to_string())?;
    if !members.trim_ascii().is_empty() {
        out.push(b',');
    }
    // An unescaped end of line is white space.
    let start = out.len();
    out.extend_from_slice(members);
    if memchr::memchr(b'\n', members).is_some() {
        out[start..].iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    }
    out.push(b'}');
    Ok(())
}

#[async_trait]
impl BulkWriter for BatchWriter {
    async fn position(&mut self, collection: &str) -> Result<u64> {
        self.progress.position(collection, false).await
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        let endpoint = self.endpoint.clone();
        if self.known.0 != collection {
            self.known = (collection.to_owned(), endpoint.definition.name(collection)?);
        }
        let tried = format!(
            "load {} into {collection} of {}",
            counted(batch.len(), "document", "documents"),
            endpoint.url()
        );
        let mut statements = Vec::new();
        let mut value = None;
        if !batch.is_empty() {
            let documents = endpoint.definition.lines().unwrap_or("SELECT VALUE r FROM $d AS r");
            statements.push(format!("UPSERT INTO {} ({documents})", self.known.1));
            let made = self.value(batch);
            value = Some(made.map_err(|e| Error::new(ErrorKind::Invalid, &*tried, e))?);
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
            let done = endpoint.client.execute(&request).await;
            done.map_err(|e| endpoint.failed(e, Doing::Repeatable, &*tried))?;
        }
        Ok(())
    }

    /// A request is expensive for AsterixDB whatever its size; its controller needs many times the
    /// memory of the batch.
    fn batch_bytes(&self) -> usize {
        if self.endpoint.definition.lines().is_some() { 8 << 20 } else { 4 << 20 }
    }
}
