//! Bulk loading.
//!
//! Each document of a batch is an insert, many in flight at once, at the write consistency; then
//! the progress is written. Nothing makes the two atomic: a load that was interrupted writes its
//! last batch again when it is resumed, which completes it. An insert replaces an existing row, so
//! that writing again has the same result, and an existing key is overwritten, not refused.
//!
//! For the same reason an insert that times out is sent again, a few times and later each time,
//! before the load fails: an overloaded cluster slows the load down.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use hoap_database::Batch;
use hoap_database::engine::Bulk;
use hoap_database::failure::{Done, Failure};
use scylla::statement::prepared::PreparedStatement;

use super::document::Stored;
use super::runtimes::RuntimeSession;
use super::schema::{DOCUMENT, KEY};
use super::values::{Missing, Texts};
use super::{notes, schema};
use crate::error::OrFail;

/// Writes the batches of one part of a load.
pub struct BatchWriter {
    connection: Arc<RuntimeSession>,
    part: String,
    known: Option<KnownTable>,
}

/// A table, its columns, and the statement that inserts a row.
struct KnownTable {
    name: String,
    columns: Vec<String>,
    insert: PreparedStatement,
}

impl BatchWriter {
    pub(super) fn new(connection: Arc<RuntimeSession>, part: &str) -> Self {
        BatchWriter { connection, part: part.to_owned(), known: None }
    }

    async fn write_batch(&mut self, name: &str, batch: &Batch, position: u64) -> Done<()> {
        let mut documents = Vec::with_capacity(batch.len());
        for (key, text) in batch.iter() {
            let bad = |e| Failure::invalid(format!("document {key}: {e}"));
            if key.is_empty() {
                return Err(bad("Cassandra has no empty keys".to_owned()));
            }
            let stored = Stored::of(text).map_err(bad)?;
            let text = std::str::from_utf8(text).map_err(|e| bad(e.to_string()))?;
            documents.push((key, text, stored));
        }
        let connection = &self.connection.clone();
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
            async move {
                connection.write_repeatable(&known.insert, Texts(&values, Missing::AsItIs)).await
            }
        });
        let inserts = stream::iter(inserts.collect::<Vec<_>>())
            .buffer_unordered(connection.options().load_concurrency as usize);
        inserts.try_collect::<()>().await?;
        notes::set(connection, &notes::progress(&self.part, name), &position.to_string()).await
    }

    /// The statement that inserts these documents. Adds the columns that the table lacks.
    async fn prepare(
        &mut self,
        name: &str,
        documents: &[(&str, &str, Stored)],
    ) -> Done<&KnownTable> {
        let mut wanted = BTreeSet::new();
        for (.., stored) in documents {
            match stored {
                Stored::Json => drop(wanted.insert(DOCUMENT)),
                Stored::Columns(columns) => {
                    wanted.extend(columns.iter().map(|(name, _)| name.as_str()))
                }
            }
        }
        let fits = |known: &KnownTable| {
            let has = |name: &&str| known.columns.iter().any(|column| column == name);
            known.name == name && wanted.iter().all(has)
        };
        let known = match self.known.take() {
            Some(known) if fits(&known) => known,
            _ => {
                let wanted: Vec<&str> = wanted.into_iter().collect();
                schema::add_columns(&self.connection, name, &wanted).await?;
                let names: Vec<_> = wanted.iter().map(|name| format!(", \"{name}\"")).collect();
                let text = format!(
                    "INSERT INTO {} ({KEY}{}) VALUES (?{})",
                    self.connection.table(name),
                    names.concat(),
                    ", ?".repeat(wanted.len())
                );
                let mut insert = self.connection.session.prepare(text).await.or_fail()?;
                insert.set_consistency(self.connection.options().write_consistency);
                let columns = wanted.into_iter().map(str::to_owned).collect();
                KnownTable { name: name.to_owned(), columns, insert }
            }
        };
        Ok(self.known.insert(known))
    }
}

#[async_trait]
impl Bulk for BatchWriter {
    // Each request has its limit, and what was not answered is sent again a few times.
    fn is_patient(&self) -> bool {
        true
    }

    async fn position(&mut self, collection: &str) -> Done<u64> {
        let text = notes::get(&self.connection, &notes::progress(&self.part, collection)).await?;
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        self.write_batch(collection, batch, position).await
    }
}
