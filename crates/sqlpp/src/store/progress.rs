//! What both ways of loading have: the progress of a part, and documents with their keys inside.

use std::sync::Arc;

use hoap_database::failure::Done;

use super::definition::{KEY, PROGRESS, STATEMENT};
use super::endpoint::Endpoint;
use crate::Request;

/// The progress of one part of a load.
#[derive(Clone)]
pub(super) struct Progress {
    endpoint: Arc<Endpoint>,
    part: String,
    name: String,
}

impl Progress {
    pub fn new(endpoint: Arc<Endpoint>, part: &str) -> Self {
        let name = endpoint.definition.name(PROGRESS);
        Progress { endpoint, part: part.to_owned(), name }
    }

    fn mark(&self, collection: &str) -> String {
        format!("{} {collection}", self.part)
    }

    /// The position of a collection. With `whole` it is 0 unless the collection was loaded as a
    /// whole.
    pub async fn position(&self, collection: &str, whole: bool) -> Done<u64> {
        let text = format!("SELECT VALUE p FROM {} AS p WHERE p.{KEY} = $k", self.name);
        let ask = Request::new(text).parameter("k", self.mark(collection));
        let rows = self.endpoint.rows(ask).await?;
        let row = rows.first().filter(|row| !whole || row["whole"] == true);
        Ok(row.and_then(|row| row["position"].as_u64()).unwrap_or(0))
    }

    /// The statement that saves `$p`, and more members, under `$k`.
    pub fn save(&self, more: &str) -> String {
        format!("UPSERT INTO {} ({{\"{KEY}\": $k, \"position\": $p{more}}})", self.name)
    }

    /// Saves that a collection is loaded as a whole.
    pub async fn save_whole(&self, collection: &str, position: u64) -> Done<()> {
        let request = self.request(self.save(", \"whole\": true"), collection, position);
        self.endpoint.client.execute(&request).await?;
        Ok(())
    }

    pub fn request(&self, statement: String, collection: &str, position: u64) -> Request {
        let request = Request::new(statement).timeout(STATEMENT);
        request.parameter("k", self.mark(collection)).parameter("p", position)
    }
}

/// Appends a document with its key inside, in one line.
pub(super) fn keyed(key: &str, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
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
