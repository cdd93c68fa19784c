//! Bulk loading.
//!
//! The documents of a batch are inserts of their own, many under way at once, each at the write consistency; then its
//! progress is written. No step covers them: a load that ended halfway writes its last batch again when it is
//! resumed, which completes it. An insert replaces what is there, so that writing again writes the same, and a key
//! that is there already is overwritten, not refused.
//!
//! For the same reason an insert that timed out is sent again, a few times and later each time, before the load
//! gives up: a cluster that takes less than it is given slows the load down.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_workload::Result;
use hoap_workload::capability::{Batch, BulkWriter};
use hoap_workload::words::counted;
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;

use super::document::Stored;
use super::error::{Doing, Done, Failure};
use super::lane::Lane;
use super::schema::{DOCUMENT, KEY, MARKS};
use super::values::Texts;
use super::{notes, schema};

/// How often an insert is sent that times out, and how long it rests first; then twice as long.
const ATTEMPTS: u32 = 6;
const REST: Duration = Duration::from_millis(100);

/// Writes batches.
pub(super) struct Bulk {
    lane: Arc<Lane>,
    part: String,
    known: Option<Known>,
}

/// A table that has the columns that a batch needs.
struct Known {
    name: String,
    columns: Vec<String>,
    insert: PreparedStatement,
}

impl Bulk {
    pub fn new(lane: Arc<Lane>, part: &str) -> Self {
        Bulk { lane, part: part.to_owned(), known: None }
    }

    async fn write_batch(&mut self, name: &str, batch: &Batch, position: u64) -> Done<()> {
        let mut documents = Vec::with_capacity(batch.len());
        for (key, text) in batch.iter() {
            let bad = |e| Failure::Invalid(format!("document {key}: {e}"));
            if key.is_empty() {
                return Err(bad("Cassandra has no empty keys".to_owned()));
            }
            let stored = Stored::of(text).map_err(bad)?;
            let text = std::str::from_utf8(text).map_err(|e| bad(e.to_string()))?;
            documents.push((key, text, stored));
        }
        let lane = &self.lane.clone();
        let known = self.prepare(name, &documents).await?;
        let inserts = documents.iter().map(|(key, text, stored)| {
            let mut values = vec![None; known.columns.len() + 1];
            values[0] = Some(*key);
            let mut set = |name: &str, value| {
                if let Some(at) = known.columns.iter().position(|column| column == name) {
                    values[at + 1] = Some(value);
                }
            };
            match stored {
                Stored::Json => set(DOCUMENT, *text),
                Stored::Columns(columns) => {
                    columns.iter().for_each(|(name, value)| set(name, value.as_str()));
                }
            }
            async move { send(lane, &known.insert, Texts(&values)).await }
        });
        let inserts = stream::iter(inserts.collect::<Vec<_>>())
            .buffer_unordered(lane.options().load_concurrency as usize);
        inserts.try_collect::<()>().await?;
        notes::set(lane, &notes::progress(&self.part, name), &position.to_string()).await
    }

    /// The statement that inserts these documents, after the table got the columns for them.
    async fn prepare(&mut self, name: &str, documents: &[(&str, &str, Stored)]) -> Done<&Known> {
        let mut wanted = BTreeSet::new();
        for (.., stored) in documents {
            match stored {
                Stored::Json => drop(wanted.insert(DOCUMENT)),
                Stored::Columns(columns) => {
                    wanted.extend(columns.iter().map(|(name, _)| name.as_str()))
                }
            }
        }
        let fits = |known: &Known| {
            let has = |name: &&str| known.columns.iter().any(|column| column == name);
            known.name == name && wanted.iter().all(has)
        };
        let known = match self.known.take() {
            Some(known) if fits(&known) => known,
            _ => {
                let wanted: Vec<&str> = wanted.into_iter().collect();
                // The marks are made with the documents: changing a table takes a second.
                let marks = wanted.contains(&DOCUMENT).then_some(MARKS);
                let columns: Vec<&str> = wanted.iter().copied().chain(marks).collect();
                schema::add_columns(&self.lane, name, &columns).await?;
                let names: Vec<_> = wanted.iter().map(|name| format!(", \"{name}\"")).collect();
                let text = format!(
                    "INSERT INTO {} ({KEY}{}) VALUES (?{})",
                    self.lane.table(name),
                    names.concat(),
                    ", ?".repeat(wanted.len())
                );
                let mut insert = self.lane.session.prepare(text).await?;
                insert.set_consistency(self.lane.options().write_consistency);
                let columns = wanted.into_iter().map(str::to_owned).collect();
                Known { name: name.to_owned(), columns, insert }
            }
        };
        Ok(self.known.insert(known))
    }
}

/// Writes a row that may be written twice, and again where it timed out.
pub(super) async fn send(
    lane: &Lane,
    statement: &PreparedStatement,
    row: impl SerializeRow,
) -> Done<()> {
    let mut rest = REST;
    for left in (0..ATTEMPTS).rev() {
        match lane.session.execute_unpaged(statement, &row).await.map_err(Failure::from) {
            Ok(_) => break,
            Err(e) if left > 0 && e.is_unsure() => tokio::time::sleep(rest).await,
            Err(e) => return Err(e),
        }
        rest *= 2;
    }
    Ok(())
}

#[async_trait]
impl BulkWriter for Bulk {
    async fn position(&mut self, collection: &str) -> Result<u64> {
        let name = notes::progress(&self.part, schema::collection(collection)?);
        let text = notes::get(&self.lane, &name).await.map_err(|e| {
            let url = &self.lane.place.url;
            e.into_error(Doing::Read, format!("read the progress of {collection} in {url}"))
        })?;
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Result<()> {
        let name = schema::collection(collection)?;
        let written = self.write_batch(name, batch, position).await;
        written.map_err(|e| {
            let url = &self.lane.place.url;
            let count = counted(batch.len(), "document", "documents");
            e.into_error(Doing::Write, format!("load {count} into {collection} of {url}"))
        })
    }
}
