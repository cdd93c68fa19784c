//! The rows of JSON documents that transactions read and change, each by a lightweight transaction.
//!
//! The column [`MARKS`] has the marks of the transactions that wrote a document last, the newest first; that of
//! a document as it was loaded is null. What a transaction changes is on the condition that the marks are as it
//! read them. Where no answer comes to such a statement it is sent again: if the first one was applied, the
//! transaction's own mark is among those that are there, unless very many others have written since.

use std::sync::Arc;

use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryResult;
use scylla::statement::prepared::PreparedStatement;
use serde_json::{Map, Value};

use super::error::{Done, Failure};
use super::lane::Lane;
use super::schema::{self, DOCUMENT, KEY, MARKS};

/// How many marks a document keeps.
const KEPT: usize = 16;

/// A document as it is in its row.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub marks: Option<String>,
    pub document: Map<String, Value>,
}

impl Version {
    fn of(marks: Option<&str>, text: Option<&str>) -> Done<Version> {
        let broken = |what: &dyn std::fmt::Display| {
            Failure::Broken(format!("a row that transactions read has no document in JSON: {what}"))
        };
        let text = text.ok_or_else(|| broken(&"it is a record of columns"))?;
        let document = serde_json::from_str(text).map_err(|e| broken(&e))?;
        Ok(Version { marks: marks.map(str::to_owned), document })
    }

    /// Whether this transaction wrote it, or one of the versions before it.
    pub fn has(&self, mark: &str) -> bool {
        self.marks.iter().any(|marks| marks.split(' ').any(|one| one == mark))
    }

    /// The marks after this transaction has written it.
    pub fn marked(&self, mark: &str) -> String {
        let before = self.marks.iter().flat_map(|marks| marks.split(' '));
        [mark].into_iter().chain(before).take(KEPT).collect::<Vec<_>>().join(" ")
    }
}

/// What became of a statement with a condition.
pub(super) enum Applied {
    Yes,
    /// It does not hold: what is there instead.
    No(Option<Version>),
}

/// The statements of a collection.
pub(super) struct Rows {
    read: PreparedStatement,
    insert: PreparedStatement,
    update: PreparedStatement,
    delete: PreparedStatement,
}

/// The statements of a collection, which gets the columns that it lacks.
pub(super) async fn of(lane: &Lane, collection: &str) -> Done<Arc<Rows>> {
    let mut all = lane.rows.lock().await;
    if let Some(rows) = all.get(collection) {
        return Ok(rows.clone());
    }
    schema::add_columns(lane, collection, &[DOCUMENT, MARKS]).await?;
    let options = lane.options();
    let table = lane.table(collection);
    let prepare = async |text: String, consistency| {
        let mut statement = lane.session.prepare(text).await?;
        statement.set_consistency(consistency);
        Ok::<_, Failure>(statement)
    };
    // A row that is not there has null in every column: only its document says that there is one.
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
    pub async fn read(&self, lane: &Lane, key: &str) -> Done<Option<Version>> {
        // Cassandra has no empty keys, and refuses to look for one.
        if key.is_empty() {
            return Ok(None);
        }
        let answer = lane.session.execute_unpaged(&self.read, (key,)).await?;
        let rows = answer.into_rows_result().map_err(Failure::answer)?;
        let row = rows.maybe_first_row::<(Option<&str>, Option<&str>)>();
        let row = row.map_err(Failure::answer)?;
        row.map(|(text, marks)| Version::of(marks, text)).transpose()
    }

    /// Adds a document, if there is none of this key.
    pub async fn insert(&self, lane: &Lane, key: &str, text: &str, mark: &str) -> Done<Applied> {
        applied(lane.session.execute_unpaged(&self.insert, (key, text, mark)).await?)
    }

    /// Replaces a document, if its marks still are these.
    pub async fn update(
        &self,
        lane: &Lane,
        key: &str,
        (text, mark): (&str, &str),
        seen: &Version,
    ) -> Done<Applied> {
        let values = (text, seen.marked(mark), key, &seen.marks);
        applied(lane.session.execute_unpaged(&self.update, values).await?)
    }

    /// Removes a document, if its marks still are these.
    pub async fn delete(&self, lane: &Lane, key: &str, seen: &Option<String>) -> Done<Applied> {
        applied(lane.session.execute_unpaged(&self.delete, (key, seen)).await?)
    }
}

/// Whether it was applied, and what is there where it was not, as the node tells in the same answer.
fn applied(answer: QueryResult) -> Done<Applied> {
    let rows = answer.into_rows_result().map_err(Failure::answer)?;
    let specs = rows.column_specs();
    let at = |name: &str| specs.get_by_name(name).map(|(at, _)| at);
    let places = (at("[applied]").unwrap_or(0), at(DOCUMENT), at(MARKS));
    let row = rows.maybe_first_row::<ColumnIterator<'_, '_>>().map_err(Failure::answer)?;
    let row = row.ok_or_else(|| Failure::answer("it does not say whether it was applied"))?;
    let mut cells = Vec::new();
    for cell in row {
        cells.push(cell.map_err(Failure::answer)?.slice.map(|slice| slice.as_slice()));
    }
    let text = |at: Option<usize>| match at.and_then(|at| cells.get(at).copied()).flatten() {
        Some(bytes) => std::str::from_utf8(bytes).map(Some).map_err(Failure::answer),
        None => Ok(None),
    };
    match cells.get(places.0).copied().flatten() {
        Some([1]) => Ok(Applied::Yes),
        Some([0]) => match text(places.1)? {
            Some(document) => {
                Version::of(text(places.2)?, Some(document)).map(|there| Applied::No(Some(there)))
            }
            None => Ok(Applied::No(None)),
        },
        _ => Err(Failure::answer("it does not say whether it was applied")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_of_the_last_writers_are_kept() {
        let mut version = Version { marks: None, document: Map::new() };
        assert!(!version.has("a") && !version.has(""));
        for n in 0..40 {
            let mark = format!("m{n}");
            version.marks = Some(version.marked(&mark));
            for before in 0..40 {
                let kept = before <= n && before + KEPT > n;
                assert_eq!(version.has(&format!("m{before}")), kept, "m{before} after {mark}");
            }
        }
    }

    #[test]
    fn a_row_without_a_document_is_said_to_be_broken() {
        for text in [None, Some("{"), Some("[1]")] {
            let e = Version::of(None, text).unwrap_err();
            assert!(matches!(e, Failure::Broken(_)), "{e:?}");
        }
    }
}
