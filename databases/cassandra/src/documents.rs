//! Whole collections: notes, creation, scans.
//!
//! A scan reads pages in the order of the keys' tokens, each at a moment of its own: it is a
//! snapshot as long as nobody writes, as after a run.

use async_trait::async_trait;
use hoap_database::Index;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_record::Stored;
use scylla::deserialize::row::ColumnIterator;
use serde_json::Value;

use super::bulk::BatchWriter;
use super::pages::Pages;
use super::schema::KEY;
use super::{CassandraEngine, document, joined, notes, schema};
use crate::error::OrFail;

/// Rows of a page of keys alone, and of documents.
const KEYS: i32 = 5000;
const DOCUMENTS: i32 = 500;

#[async_trait]
impl Documents for CassandraEngine {
    fn elsewhere(&self) -> &'static str {
        "another keyspace in the path of the URL"
    }

    async fn note(&self) -> Done<Option<Value>> {
        notes::note(&*self.connection().await?).await
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        let connection = self.connection().await?;
        notes::set_note(&connection, expected, note).await
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        Ok(!schema::columns(&*self.connection().await?, collection).await?.is_empty())
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        let connection = self.connection().await?;
        let mut tables = collections.to_vec();
        if tables.iter().any(|name| joined::SOURCES.contains(name)) {
            tables.push(joined::TABLE);
        }
        tables.push(notes::NOTES);
        for name in tables {
            // Dropping a missing table is a change of the schema too: look first.
            if schema::columns(&connection, name).await?.is_empty() {
                continue;
            }
            let text = format!("DROP TABLE IF EXISTS {}", connection.table(name));
            connection.alter(text).await?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let connection = self.connection().await?;
        notes::make(&connection).await?;
        for name in collections {
            schema::make_table(&connection, name).await?;
        }
        Ok(())
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        Ok(Box::new(BatchWriter::new(self.connection().await?, part)))
    }

    /// Writes were acknowledged at the write consistency, and are as durable as the nodes' commit
    /// logs; no statement waits for more. The index on the customers' zip codes is the joining
    /// table here. No workload that runs here searches by any other.
    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        let Some(index) = indexes.iter().find(|index| joined::is_for(index)) else {
            return Ok(());
        };
        let connection = &*self.connection().await?;
        let tried = || format!("make the table of {} in {}", index.name, connection.place.url);
        joined::make(connection).await.map_err(|e| e.trying(tried()))
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        let mut has = Vec::new();
        for index in indexes {
            has.push(match joined::is_for(index) {
                true => Some(joined::is_whole(&*self.connection().await?).await?),
                false => None,
            });
        }
        Ok(Ok(has))
    }

    async fn stored(&self, _: &[&str]) -> Done<Offered<Stored>> {
        Ok(Err("its figures are estimates, made every few minutes"))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let connection = self.connection().await?;
        let there = schema::columns(&connection, collection).await?;
        if there.is_empty() {
            return Err(Failure::missing(format!("there is no collection {collection}")));
        }
        let columns = document::columns(schema::texts(there), fields);
        let names: Vec<_> = columns.iter().map(|name| format!(", \"{name}\"")).collect();
        let (names, table) = (names.concat(), connection.table(collection));
        let text = format!("SELECT {KEY}{names} FROM {table}");
        let size = if fields.is_empty() { KEYS } else { DOCUMENTS };
        let mut pages = Pages::new(&connection, text, size).await?;
        while let Some(page) = pages.next(&connection).await? {
            for row in page.rows::<ColumnIterator<'_, '_>>().or_fail()? {
                let (key, document) = document::read(row.or_fail()?, &columns)?;
                each(key, document::row(&document, fields))?;
            }
        }
        Ok(())
    }
}
