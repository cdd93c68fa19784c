//! What is being loaded into a file.
//!
//! Documents of a benchmark come value by value, others as JSON text. The columns are the same.
//!
//! DuckDB stores rows in groups of [`ROW_GROUP`], and writes those that are full to the file while
//! their transaction goes on. A commit with fewer rows is written again with the next ones. So the
//! batches of a load share a transaction until they have that many documents, or somebody asks for
//! the progress. Documents and progress are in the same transaction: a load that is interrupted
//! loses the last batches and their progress, and goes on from there.

use std::collections::BTreeMap;
use std::sync::Arc;

use duckdb::Connection;
use duckdb::arrow::array::{ArrayRef, StringArray};
use duckdb::arrow::record_batch::RecordBatch;
use hoap_workload::capability::{Batch, Unmade};

use super::column::Column;
use super::instance::Instance;
use super::kind::Kind;
use super::options::Layout;
use super::table;
use super::take::Taker;
use crate::failure::{Done, Failure};

/// Rows that DuckDB stores together.
const ROW_GROUP: usize = 122_880;
/// Rows that go to DuckDB in one call: as many as it computes with at a time.
pub(super) const CHUNK: usize = 2048;

/// The connection that loads, and what it has not committed yet.
#[derive(Default)]
pub(super) struct Load {
    connection: Option<Connection>,
    /// The kinds of the collections that were written to, as their tables are.
    kinds: BTreeMap<String, Kind>,
    /// The progress of parts and collections that is not saved yet.
    pending: BTreeMap<(String, String), u64>,
    /// Documents that are not committed yet.
    rows: usize,
}

impl Load {
    /// One that writes over a connection.
    pub fn on(connection: Connection) -> Load {
        Load { connection: Some(connection), ..Load::default() }
    }

    /// Writes a batch. It is committed by [`Load::flush`], or with others.
    pub fn write(
        &mut self,
        instance: &Instance,
        place: (&str, &str),
        batch: &Batch,
        position: u64,
    ) -> Done<()> {
        let before = self.kind(instance, place.1)?;
        let (kind, chunks) = shred(batch, &before, instance.options.layout)?;
        self.append(instance, place, position, (before, kind), chunks)
    }

    /// Makes documents, [`CHUNK`] at most, and writes them as columns. They are committed as those
    /// of [`Load::write`]. Returns their bytes as JSON text.
    pub fn write_values(
        &mut self,
        instance: &Instance,
        place: (&str, &str),
        documents: &mut Unmade<'_>,
        position: u64,
    ) -> Done<u64> {
        let before = self.kind(instance, place.1)?;
        let (mut taker, mut key, mut bytes) = (Taker::of(&before), String::new(), 0);
        let mut keys = Column::of(&Kind::Text, 0);
        while let Some(made) = documents.make_next(&mut key, &mut taker) {
            keys.push_text(key.as_bytes());
            key.clear();
            bytes += made;
        }
        let column = taker.into_documents().map_err(Failure::invalid)?;
        let kind = column.kind();
        let chunk = chunk(keys.array().map_err(Failure::invalid)?, column.into_fields()?)?;
        self.append(instance, place, position, (before, kind), vec![chunk])?;
        Ok(bytes)
    }

    /// Appends rows of the second kind to a table of the first, and their progress.
    fn append(
        &mut self,
        instance: &Instance,
        (part, collection): (&str, &str),
        position: u64,
        (before, kind): (Kind, Kind),
        chunks: Vec<RecordBatch>,
    ) -> Done<()> {
        let layout = instance.options.layout;
        if kind != before {
            self.flush()?;
            table::change(self.connection(instance)?, layout, collection, &before, &kind)?;
            self.kinds.insert(collection.to_owned(), kind);
        }
        let rows: usize = chunks.iter().map(RecordBatch::num_rows).sum();
        let begun = !self.pending.is_empty();
        let appended = self.connection(instance).and_then(|connection| {
            if !begun {
                connection.execute_batch("BEGIN TRANSACTION")?;
            }
            let mut appender = connection.appender(&table::name(layout, collection))?;
            for chunk in chunks {
                appender.append_record_batch(chunk)?;
            }
            Ok(appender.flush()?)
        });
        if let Err(failure) = appended {
            self.forget();
            return Err(failure);
        }
        self.pending.insert((part.to_owned(), collection.to_owned()), position);
        self.rows += rows;
        if self.rows >= ROW_GROUP { self.flush() } else { Ok(()) }
    }

    /// Commits what was written.
    pub fn flush(&mut self) -> Done<()> {
        let Some(connection) = self.connection.as_ref().filter(|_| !self.pending.is_empty()) else {
            return Ok(());
        };
        let saved = (|| -> duckdb::Result<()> {
            for ((part, collection), position) in &self.pending {
                let position = i64::try_from(*position).unwrap_or(i64::MAX);
                let row = duckdb::params![part, collection, position];
                connection.execute("INSERT INTO hoap_load VALUES (?, ?, ?)", row)?;
            }
            connection.execute_batch("COMMIT")
        })();
        match saved {
            Ok(()) => (self.pending, self.rows) = Default::default(),
            Err(_) => self.forget(),
        }
        Ok(saved?)
    }

    /// Forgets what is not committed, and what is known of the collections.
    pub fn forget(&mut self) {
        // A connection that is dropped rolls its transaction back.
        *self = Load::default();
    }

    /// The progress of a part.
    pub fn position(&mut self, instance: &Instance, part: &str, collection: &str) -> Done<u64> {
        let committed = self.flush();
        let place = instance.path.display();
        committed.map_err(|e| e.trying(format!("commit what was loaded into {place}")))?;
        let text = "SELECT max(position) FROM hoap_load WHERE part = ? AND collection = ?";
        let connection = self.connection(instance)?;
        let position: Option<i64> =
            connection.query_row(text, [part, collection], |row| row.get(0))?;
        Ok(position.and_then(|p| u64::try_from(p).ok()).unwrap_or(0))
    }

    /// The connection that writes, without an open transaction.
    pub fn committed(&mut self, instance: &Instance) -> Done<&Connection> {
        self.flush()?;
        self.connection(instance)
    }

    fn connection(&mut self, instance: &Instance) -> Done<&Connection> {
        Ok(match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(instance.connect_to_write()?),
        })
    }

    fn kind(&mut self, instance: &Instance, collection: &str) -> Done<Kind> {
        if let Some(kind) = self.kinds.get(collection) {
            return Ok(kind.clone());
        }
        let kind = table::kind(self.connection(instance)?, collection)?;
        let missing = || Failure::missing(format!("there is no collection {collection}"));
        let kind = kind.ok_or_else(missing)?;
        self.kinds.insert(collection.to_owned(), kind.clone());
        Ok(kind)
    }
}

/// The documents of a batch as columns of a kind that holds them all and is as wide as `kind` at
/// least.
pub(super) fn shred(batch: &Batch, kind: &Kind, layout: Layout) -> Done<(Kind, Vec<RecordBatch>)> {
    let mut kind = kind.clone();
    loop {
        let (mut wider, mut chunks) = (kind.clone(), Vec::new());
        let mut documents = batch.iter().peekable();
        while documents.peek().is_some() {
            let (mut column, mut keys, mut texts) = (Column::of(&wider, 0), Vec::new(), Vec::new());
            for (key, text) in documents.by_ref().take(CHUNK) {
                let pushed = column.push_document(text);
                pushed.map_err(|why| Failure::invalid(format!("document {key}: {why}")))?;
                keys.push(key);
                texts.push(text);
            }
            wider = column.kind();
            if wider == kind {
                let columns = match layout {
                    Layout::Columns => column.into_fields()?,
                    Layout::Json => vec![("doc".to_owned(), json(&texts)?)],
                };
                chunks.push(chunk(Arc::new(StringArray::from(keys)), columns)?);
            }
        }
        if wider == kind {
            return Ok((kind, chunks));
        }
        kind = wider;
    }
}

fn json(texts: &[&[u8]]) -> Done<ArrayRef> {
    let texts: Result<Vec<&str>, _> = texts.iter().map(|text| std::str::from_utf8(text)).collect();
    Ok(Arc::new(StringArray::from(texts.map_err(Failure::invalid)?)))
}

fn chunk(keys: ArrayRef, columns: Vec<(String, ArrayRef)>) -> Done<RecordBatch> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let all = std::iter::once((table::KEY.to_owned(), keys, true)).chain(columns);
    RecordBatch::try_from_iter_with_nullable(all).map_err(Failure::invalid)
}
