//! Whole collections: notes, creation, scans.
//!
//! A scan reads pages in the order of the keys' tokens, each from the state of its own moment: it is a snapshot
//! as long as nobody writes, as after a run.

use async_trait::async_trait;
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use scylla::deserialize::row::ColumnIterator;
use scylla::response::{PagingState, PagingStateResponse};
use serde_json::Value;

use super::document::Path;
use super::error::{Doing, Done, Failure, LOAD_FIRST};
use super::lane::Lane;
use super::schema::{DOCUMENT, KEY};
use super::values::next_text;
use super::{Cassandra, bulk, joined, lookups, notes, schema};

/// Rows of a page where only keys are read, and where documents are.
const KEYS: i32 = 5000;
const DOCUMENTS: i32 = 500;

#[async_trait]
impl Documents for Cassandra {
    async fn note(&self) -> Result<Option<Value>> {
        let lane = self.lane().await?;
        let note = notes::note(&lane).await;
        note.map_err(|e| e.into_error(Doing::Read, format!("read the note in {}", lane.place.url)))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let lane = self.lane().await?;
        let set = notes::set_note(&lane, expected, note).await;
        set.map_err(|e| e.into_error(Doing::Write, format!("write the note in {}", lane.place.url)))
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        let lane = self.lane().await?;
        for name in collections {
            let there = schema::columns(&lane, schema::collection(name)?).await;
            let there = there.map_err(|e| {
                e.into_error(Doing::Read, format!("look for {name} in {}", lane.place.url))
            })?;
            if !there.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let lane = self.lane().await?;
        // The note and the progress first, so that nobody takes what is left for a load.
        let mut tables = vec![notes::NOTES];
        for name in collections {
            tables.push(schema::collection(name)?);
        }
        if tables.iter().any(|name| joined::SOURCES.contains(name)) {
            tables.push(joined::TABLE);
        }
        let tried = format!("drop the collections in {}", lane.place.url);
        // With their notes the look-ups mean nothing any more.
        let made = schema::lookups(&lane).await.map_err(|e| e.into_error(Doing::Read, &tried))?;
        tables.extend(made.iter().map(String::as_str));
        for name in tables {
            // Dropping what is not there is a change of the schema too: look first.
            let there = schema::columns(&lane, name).await;
            if there.map_err(|e| e.into_error(Doing::Read, &tried))?.is_empty() {
                continue;
            }
            let dropped = lane.alter(format!("DROP TABLE IF EXISTS {}", lane.table(name))).await;
            dropped.map_err(|e| e.into_error(Doing::Write, &tried))?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let lane = self.lane().await?;
        let tried = format!("create the collections in {}", lane.place.url);
        notes::make(&lane).await.map_err(|e| e.into_error(Doing::Write, &tried))?;
        for name in collections {
            schema::make_table(&lane, schema::collection(name)?, &tried).await?;
        }
        Ok(())
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(bulk::Bulk::new(self.lane().await?, part)))
    }

    /// What was written was acknowledged at the write consistency, and is as durable as the nodes' commit logs
    /// make it; there is no statement that waits for more. The index on the customers' zip codes is the joining
    /// table here, another one a table of look-ups.
    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        let lane = self.lane().await?;
        for index in indexes {
            let made = if joined::is_for(index) {
                joined::make(&lane).await
            } else if joined::SOURCES.contains(&index.collection) {
                // Pages of customers, which this database does not have.
                Ok(())
            } else {
                lookups::make(&lane, &lookups::describe(index)?).await
            };
            made.map_err(|e| {
                let tried = format!("make the table of {} in {}", index.name, lane.place.url);
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
        let lane = self.lane().await?;
        let name = schema::collection(collection)?;
        let paths = fields.iter().map(|path| Path::new(path)).collect::<Result<Vec<_>>>()?;
        let tried = || format!("scan {name} in {}", lane.place.url);
        let failed = |e: Failure| e.into_error(Doing::Read, tried());
        let there = schema::columns(&lane, name).await.map_err(failed)?;
        if there.is_empty() {
            let answer = format!("there is no collection {name}");
            return Err(Error::new(ErrorKind::Missing, tried(), answer).advise(LOAD_FIRST));
        }
        // The column of documents, then those of the paths, as far as they are there.
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
        let text = format!("SELECT {} FROM {}", columns.join(", "), lane.table(name));
        let size = if paths.is_empty() { KEYS } else { DOCUMENTS };
        let mut pages = Pages::new(&lane, text, size).await.map_err(failed)?;
        while let Some(page) = pages.next(&lane).await.map_err(failed)? {
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

/// The key and the values at the paths, of a row with the columns that a scan asks for.
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

/// The rows of a statement without values, page by page.
pub(super) struct Pages {
    statement: scylla::statement::prepared::PreparedStatement,
    /// Where the next page begins; `None` after the last one.
    state: Option<PagingState>,
}

impl Pages {
    pub async fn new(lane: &Lane, text: String, size: i32) -> Done<Pages> {
        let mut statement = lane.session.prepare(text).await?;
        statement.set_consistency(lane.options().read_consistency);
        statement.set_page_size(size);
        Ok(Pages { statement, state: Some(PagingState::start()) })
    }

    pub async fn next(
        &mut self,
        lane: &Lane,
    ) -> Done<Option<scylla::response::query_result::QueryRowsResult>> {
        let Some(state) = self.state.take() else { return Ok(None) };
        let page = lane.session.execute_single_page(&self.statement, (), state).await?;
        if let PagingStateResponse::HasMorePages { state } = page.1 {
            self.state = Some(state);
        }
        page.0.into_rows_result().map(Some).map_err(Failure::answer)
    }
}
