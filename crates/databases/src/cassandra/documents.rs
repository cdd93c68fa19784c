//! Whole collections: notes, creation, scans.
//!
//! A scan reads pages in the order of the keys' tokens, each at a moment of its own: it is a
//! snapshot as long as nobody writes, as after a run.

use async_trait::async_trait;
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use scylla::deserialize::row::ColumnIterator;
use serde_json::Value;

use super::bulk::BatchWriter;
use super::document::Path;
use super::error::{Doing, Done, Failure, LOAD_FIRST};
use super::pages::Pages;
use super::schema::{DOCUMENT, KEY};
use super::values::next_text;
use super::{Cassandra, joined, lookups, notes, schema};

/// Rows of a page of keys alone, and of documents.
const KEYS: i32 = 5000;
const DOCUMENTS: i32 = 500;

#[async_trait]
impl Documents for Cassandra {
    async fn note(&self) -> Result<Option<Value>> {
        let connection = self.connection().await?;
        let note = notes::note(&connection).await;
        note.map_err(|e| {
            e.into_error(Doing::Read, format!("read the note in {}", connection.place.url))
        })
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let connection = self.connection().await?;
        let set = notes::set_note(&connection, expected, note).await;
        set.map_err(|e| {
            e.into_error(Doing::Write, format!("write the note in {}", connection.place.url))
        })
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        let connection = self.connection().await?;
        for name in collections {
            let there = schema::columns(&connection, schema::collection(name)?).await;
            let there = there.map_err(|e| {
                e.into_error(Doing::Read, format!("look for {name} in {}", connection.place.url))
            })?;
            if !there.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let connection = self.connection().await?;
        // The note and the progress first, so that nobody takes what is left for a load.
        let mut tables = vec![notes::NOTES];
        for name in collections {
            tables.push(schema::collection(name)?);
        }
        if tables.iter().any(|name| joined::SOURCES.contains(name)) {
            tables.push(joined::TABLE);
        }
        let tried = format!("drop the collections in {}", connection.place.url);
        // The lookup tables are useless without their notes.
        let made =
            schema::lookups(&connection).await.map_err(|e| e.into_error(Doing::Read, &tried))?;
        tables.extend(made.iter().map(String::as_str));
        for name in tables {
            // Dropping a missing table is a change of the schema too: look first.
            let there = schema::columns(&connection, name).await;
            if there.map_err(|e| e.into_error(Doing::Read, &tried))?.is_empty() {
                continue;
            }
            let dropped =
                connection.alter(format!("DROP TABLE IF EXISTS {}", connection.table(name))).await;
            dropped.map_err(|e| e.into_error(Doing::Write, &tried))?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let connection = self.connection().await?;
        let tried = format!("create the collections in {}", connection.place.url);
        notes::make(&connection).await.map_err(|e| e.into_error(Doing::Write, &tried))?;
        for name in collections {
            schema::make_table(&connection, schema::collection(name)?, &tried).await?;
        }
        Ok(())
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(BatchWriter::new(self.connection().await?, part)))
    }

    /// Writes were acknowledged at the write consistency, and are as durable as the nodes' commit
    /// logs; no statement waits for more. The index on the customers' zip codes is the joining
    /// table here; any other index is a lookup table.
    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        let connection = self.connection().await?;
        for index in indexes {
            let made = if joined::is_for(index) {
                joined::make(&connection).await
            } else if joined::SOURCES.contains(&index.collection) {
                // Pages of customers, which this database does not have.
                Ok(())
            } else {
                lookups::make(&connection, &lookups::describe(index)?).await
            };
            made.map_err(|e| {
                let tried = format!("make the table of {} in {}", index.name, connection.place.url);
                e.into_error(Doing::Write, tried)
            })?;
        }
        Ok(())
    }

    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let connection = self.connection().await?;
        let name = schema::collection(collection)?;
        let paths = fields.iter().map(|path| Path::new(path)).collect::<Result<Vec<_>>>()?;
        let tried = || format!("scan {name} in {}", connection.place.url);
        let failed = |e: Failure| e.into_error(Doing::Read, tried());
        let there = schema::columns(&connection, name).await.map_err(failed)?;
        if there.is_empty() {
            let answer = format!("there is no collection {name}");
            return Err(Error::new(ErrorKind::Missing, tried(), answer).advise(LOAD_FIRST));
        }
        // The column of documents, then those of the paths, as far as they exist.
        let has = |name: &str| there.contains_key(name);
        let documents = !paths.is_empty() && has(DOCUMENT);
        let mut columns = vec![KEY.to_owned()];
        columns.extend(documents.then(|| DOCUMENT.to_owned()));
        let own: Vec<bool> =
            paths.iter().map(|path| path.member != DOCUMENT && has(&path.member)).collect();
        columns.extend(
            paths
                .iter()
                .zip(&own)
                .filter(|(_, own)| **own)
                .map(|(path, _)| format!("\"{}\"", path.member)),
        );
        let text = format!("SELECT {} FROM {}", columns.join(", "), connection.table(name));
        let size = if paths.is_empty() { KEYS } else { DOCUMENTS };
        let mut pages = Pages::new(&connection, text, size).await.map_err(failed)?;
        while let Some(page) = pages.next(&connection).await.map_err(failed)? {
            for row in
                page.rows::<ColumnIterator<'_, '_>>().map_err(|e| failed(Failure::answer(e)))?
            {
                let row = row.map_err(|e| failed(Failure::answer(e)))?;
                let (key, row) = read_row(row, documents, &paths, &own).map_err(failed)?;
                each(key, row)?;
            }
        }
        Ok(())
    }
}

/// The key and the values at the paths, of a row with the columns of a scan.
fn read_row<'frame>(
    mut row: ColumnIterator<'frame, '_>,
    documents: bool,
    paths: &[Path],
    own: &[bool],
) -> Done<(&'frame str, Row)> {
    let key = next_text(&mut row)?.unwrap_or_default();
    let document = if documents { next_text(&mut row)? } else { None };
    let document = document.map(|text| {
        serde_json::from_str::<Value>(text)
            .map_err(|e| Failure::Broken(format!("the document {key} is no JSON: {e}")))
    });
    let document = document.transpose()?;
    let mut values = Row::with_capacity(paths.len());
    for (path, own) in paths.iter().zip(own) {
        let column = if *own { next_text(&mut row)? } else { None };
        values.push(match &document {
            Some(document) => path.value(document),
            None => path.of_column(column),
        });
    }
    Ok((key, values))
}
