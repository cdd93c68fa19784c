//! Bulk loading.
//!
//! A batch is one UPSERT, and the progress another one after it in the same request: no step covers
//! both, nor all documents of a batch. A load that ended in between writes its last batch again when it is
//! resumed, which puts the same documents in the same places. A key that is there already cannot be
//! told from that: it is overwritten, not refused.

use std::sync::Arc;

use async_trait::async_trait;
use hoap_workload::capability::{Batch, BulkWriter};
use hoap_workload::{Error, ErrorKind, Result};

use super::{KEY, PROGRESS, STATEMENT, Shared};
use crate::sqlpp::{Doing, Request};

/// Writes batches.
pub(super) struct Bulk {
    shared: Arc<Shared>,
    part: String,
    progress: String,
    /// The collection written last, and its full name.
    known: (String, String),
}

impl Bulk {
    pub fn new(shared: Arc<Shared>, part: &str) -> Result<Self> {
        let progress = shared.definition.name(PROGRESS)?;
        Ok(Bulk { shared, part: part.to_owned(), progress, known: Default::default() })
    }

    fn mark(&self, collection: &str) -> String {
        format!("{} {collection}", self.part)
    }

    /// The documents with their keys inside, as a list of JSON values or of their texts.
    fn list(&self, batch: &Batch) -> std::result::Result<Vec<u8>, String> {
        let texts = self.shared.definition.parse().is_some();
        let mut list = Vec::with_capacity(batch.bytes() * if texts { 5 } else { 4 } / 4 + 64);
        let mut document = Vec::new();
        list.push(b'[');
        for (key, text) in batch.iter() {
            let text = text.trim_ascii();
            let members = text.strip_prefix(b"{").and_then(|t| t.strip_suffix(b"}"));
            let Some(members) = members else {
                return Err(format!("document {key}: it is no JSON object"));
            };
            if list.len() > 1 {
                list.push(b',');
            }
            document.clear();
            document.extend_from_slice(b"{\"");
            document.extend_from_slice(KEY.as_bytes());
            document.extend_from_slice(b"\":");
            serde_json::to_writer(&mut document, key).map_err(|e| e.to_string())?;
            if !members.trim_ascii().is_empty() {
                document.push(b',');
            }
            document.extend_from_slice(members);
            document.push(b'}');
            match (texts, std::str::from_utf8(&document)) {
                (false, _) => list.extend_from_slice(&document),
                (true, Ok(text)) => {
                    serde_json::to_writer(&mut list, text).map_err(|e| e.to_string())?;
                }
                (true, Err(e)) => return Err(format!("document {key} is not UTF-8: {e}")),
            }
        }
        list.push(b']');
        Ok(list)
    }
}

#[async_trait]
impl BulkWriter for Bulk {
    async fn position(&mut self, collection: &str) -> Result<u64> {
        self.shared.definition.name(collection)?;
        let tried = format!("read the progress of {collection} in {}", self.shared.url());
        let text =
            format!("SELECT VALUE p.position FROM {} AS p WHERE p.{KEY} = $k", self.progress);
        let ask = Request::new(text).parameter("k", self.mark(collection));
        let rows = self.shared.rows(ask).await;
        let rows = rows.map_err(|e| self.shared.failed(e, Doing::Read, tried))?;
        Ok(rows.first().and_then(serde_json::Value::as_u64).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        let shared = self.shared.clone();
        if self.known.0 != collection {
            self.known = (collection.to_owned(), shared.definition.name(collection)?);
        }
        let tried = format!("load {} documents into {collection} of {}", batch.len(), shared.url());
        let save = format!("UPSERT INTO {} ({{\"{KEY}\": $k, \"position\": $p}})", self.progress);
        let mut statements = Vec::new();
        if !batch.is_empty() {
            let source = shared.definition.parse().unwrap_or("r");
            let name = &self.known.1;
            statements.push(format!("UPSERT INTO {name} (SELECT VALUE {source} FROM $d AS r)"));
        }
        statements.push(save);
        if shared.definition.several() {
            statements = vec![statements.join("; ")];
        }
        let mut list = match batch.is_empty() {
            true => None,
            false => {
                Some(self.list(batch).map_err(|e| Error::new(ErrorKind::Invalid, &*tried, e))?)
            }
        };
        for statement in statements {
            let mut request = Request::new(statement).timeout(STATEMENT);
            request = request.parameter("k", self.mark(collection)).parameter("p", position);
            if let Some(list) = list.take() {
                request = request.text_parameter("d", list);
            }
            let done = shared.client.execute(&request).await;
            done.map_err(|e| shared.failed(e, Doing::Repeatable, &*tried))?;
        }
        Ok(())
    }
}
