//! The rows of JSON documents that transactions read and change, each by a lightweight transaction.
//!
//! The column [`MARKS`] has the marks of the transactions that wrote a document last, the newest
//! first. It is null in a document as it was loaded. A transaction changes a document on the
//! condition that the marks are as it read them. A statement without an answer is sent again: if
//! the first one was applied, the transaction's own mark is among the marks of the row, unless very
//! many others have written since.

use std::collections::HashMap;
use std::sync::Arc;

use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryResult;
use scylla::statement::prepared::PreparedStatement;
use serde_json::{Map, Value};

use super::connection::Connection;
use super::error::misfit;
use super::schema::{self, DOCUMENT, KEY, MARKS};
use crate::failure::{Done, Failure};
use crate::overlay::Version;

/// The number of marks that a document keeps.
const KEPT: usize = 16;

/// A document and its marks, as a row has them.
#[derive(Debug)]
pub(super) struct StoredDocument {
    pub marks: Version,
    pub document: Map<String, Value>,
}

impl StoredDocument {
    fn of(marks: Option<&str>, text: Option<&str>) -> Done<StoredDocument> {
        let broken = |what: &dyn std::fmt::Display| {
            Failure::broken(format!("a row that transactions read has no document in JSON: {what}"))
        };
        let text = text.ok_or_else(|| broken(&"it is a record of columns"))?;
        let document = serde_json::from_str(text).map_err(|e| broken(&e))?;
        Ok(StoredDocument { marks: marks.map(str::to_owned), document })
    }

    /// Whether this transaction wrote the document, or one of the versions before it.
    pub fn has(&self, mark: &str) -> bool {
        self.marks.iter().any(|marks| marks.split(' ').any(|one| one == mark))
    }
}

/// The marks after this transaction has written the document.
pub(super) fn marked(marks: &Version, mark: &str) -> String {
    let before = marks.iter().flat_map(|marks| marks.split(' '));
    [mark].into_iter().chain(before).take(KEPT).collect::<Vec<_>>().join(" ")
}

/// The outcome of a conditional statement.
pub(super) enum Applied {
    Yes,
    /// The condition does not hold: the document that is there.
    No(Option<StoredDocument>),
}

/// The statements of a collection.
pub(super) struct Rows {
    read: PreparedStatement,
    insert: PreparedStatement,
    update: PreparedStatement,
    delete: PreparedStatement,
}

/// The statements of the collections that transactions use, by their names.
pub(super) type Cache = tokio::sync::Mutex<HashMap<String, Arc<Rows>>>;

/// The statements of a collection. Adds the columns that the table lacks.
pub(super) async fn of(
    connection: &Connection,
    cache: &Cache,
    collection: &str,
) -> Done<Arc<Rows>> {
    let mut all = cache.lock().await;
    if let Some(rows) = all.get(collection) {
        return Ok(rows.clone());
    }
    schema::add_columns(connection, collection, &[DOCUMENT, MARKS]).await?;
    let options = connection.options();
    let table = connection.table(collection);
    let prepare = async |text: String, consistency| {
        let mut statement = connection.session.prepare(text).await?;
        statement.set_consistency(consistency);
        Done::Ok(statement)
    };
    // A missing row has null in every column: a row exists where its document is not null.
    let same = format!("IF {MARKS} = ? AND {DOCUMENT} != null");
    let write = options.write_consistency;
    let mut read = prepare(
        format!("SELECT {DOCUMENT}, {MARKS} FROM {table} WHERE {KEY} = ?"),
        options.read_consistency,
    )
    .await?;
    read.set_use_cached_result_metadata(true);
    let insert =
        format!("INSERT INTO {table} ({KEY}, {DOCUMENT}, {MARKS}) VALUES (?, ?, ?) IF NOT EXISTS");
    let update = format!("UPDATE {table} SET {DOCUMENT} = ?, {MARKS} = ? WHERE {KEY} = ? {same}");
    let delete = format!("DELETE FROM {table} WHERE {KEY} = ? {same}");
    let rows = Arc::new(Rows {
        read,
        insert: prepare(insert, write).await?,
        update: prepare(update, write).await?,
        delete: prepare(delete, write).await?,
    });
    all.insert(collection.to_owned(), rows.clone());
    Ok(rows)
}

impl Rows {
    /// The document of this key.
    pub async fn read(&self, connection: &Connection, key: &str) -> Done<Option<StoredDocument>> {
        // Cassandra has no empty keys, and refuses to look for one.
        if key.is_empty() {
            return Ok(None);
        }
        let answer = connection.session.execute_unpaged(&self.read, (key,)).await?;
        let rows = answer.into_rows_result()?;
        let row = rows.maybe_first_row::<(Option<&str>, Option<&str>)>();
        let row = row?;
        row.map(|(text, marks)| StoredDocument::of(marks, text)).transpose()
    }

    /// Adds a document, if the key is free.
    pub async fn insert(
        &self,
        connection: &Connection,
        key: &str,
        text: &str,
        mark: &str,
    ) -> Done<Applied> {
        applied(connection.session.execute_unpaged(&self.insert, (key, text, mark)).await?)
    }

    /// Replaces a document, if its marks are still these.
    pub async fn update(
        &self,
        connection: &Connection,
        key: &str,
        (text, mark): (&str, &str),
        seen: &Version,
    ) -> Done<Applied> {
        let values = (text, marked(seen, mark), key, seen);
        applied(connection.session.execute_unpaged(&self.update, values).await?)
    }

    /// Removes a document, if its marks are still these.
    pub async fn delete(
        &self,
        connection: &Connection,
        key: &str,
        seen: &Version,
    ) -> Done<Applied> {
        applied(connection.session.execute_unpaged(&self.delete, (key, seen)).await?)
    }
}

/// Whether a statement was applied; if not, the same answer has the document that is there.
fn applied(answer: QueryResult) -> Done<Applied> {
    let rows = answer.into_rows_result()?;
    let specs = rows.column_specs();
    let at = |name: &str| specs.get_by_name(name).map(|(at, _)| at);
    let places = (at("[applied]").unwrap_or(0), at(DOCUMENT), at(MARKS));
    let row = rows.maybe_first_row::<ColumnIterator<'_, '_>>()?;
    let row = row.ok_or_else(|| misfit("it does not say whether it was applied"))?;
    let mut cells = Vec::new();
    for cell in row {
        cells.push(cell?.slice.map(|slice| slice.as_slice()));
    }
    let text = |at: Option<usize>| match at.and_then(|at| cells.get(at).copied()).flatten() {
        Some(bytes) => std::str::from_utf8(bytes).map(Some).map_err(misfit),
        None => Ok(None),
    };
    match cells.get(places.0).copied().flatten() {
        Some([1]) => Ok(Applied::Yes),
        Some([0]) => match text(places.1)? {
            Some(document) => StoredDocument::of(text(places.2)?, Some(document))
                .map(|there| Applied::No(Some(there))),
            None => Ok(Applied::No(None)),
        },
        _ => Err(misfit("it does not say whether it was applied")),
    }
}

#[cfg(test)]
mod tests {
    use hoap_workload::ErrorKind;

    use super::*;

    #[test]
    fn the_marks_of_the_last_writers_are_kept() {
        let mut row = StoredDocument { marks: None, document: Map::new() };
        assert!(!row.has("a") && !row.has(""));
        for n in 0..40 {
            let mark = format!("m{n}");
            row.marks = Some(marked(&row.marks, &mark));
            for before in 0..40 {
                let kept = before <= n && before + KEPT > n;
                assert_eq!(row.has(&format!("m{before}")), kept, "m{before} after {mark}");
            }
        }
    }

    #[test]
    fn a_row_without_a_document_is_said_to_be_broken() {
        for text in [None, Some("{"), Some("[1]")] {
            let e = StoredDocument::of(None, text).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Broken, "{e:?}");
        }
    }
}
