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

use duckdb::Connection;
use duckdb::arrow::record_batch::RecordBatch;
use hoap_database::failure::{Done, Failure};
use hoap_database::{Batch, Unmade};

use super::column::Column;
use super::file::DatabaseFile;
use super::kind::Kind;
use super::shred::{chunk, shred};
use super::table;
use super::take::Taker;
use crate::error::OrFail;

/// Rows that DuckDB stores together.
const ROW_GROUP: usize = 122_880;

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
        file: &DatabaseFile,
        place: (&str, &str),
        batch: &Batch,
        position: u64,
    ) -> Done<()> {
        let before = self.kind(file, place.1)?;
        let (kind, chunks) = shred(batch, &before, file.options.layout)?;
        self.append(file, place, position, (before, kind), chunks)
    }

    /// Makes documents, as many as the caller asks for, and writes them as columns. They are
    /// committed as those of [`Load::write`]. Returns their bytes as JSON text.
    pub fn write_values(
        &mut self,
        file: &DatabaseFile,
        place: (&str, &str),
        documents: &mut Unmade<'_>,
        position: u64,
    ) -> Done<u64> {
        let before = self.kind(file, place.1)?;
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
        self.append(file, place, position, (before, kind), vec![chunk])?;
        Ok(bytes)
    }

    /// Appends rows of the second kind to a table of the first, and their progress.
    fn append(
        &mut self,
        file: &DatabaseFile,
        (part, collection): (&str, &str),
        position: u64,
        (before, kind): (Kind, Kind),
        chunks: Vec<RecordBatch>,
    ) -> Done<()> {
        let layout = file.options.layout;
        if kind != before {
            self.flush()?;
            table::change(self.connection(file)?, layout, collection, &before, &kind)?;
            self.kinds.insert(collection.to_owned(), kind);
        }
        let rows: usize = chunks.iter().map(RecordBatch::num_rows).sum();
        let begun = !self.pending.is_empty();
        let appended = self.connection(file).and_then(|connection| {
            if !begun {
                connection.execute_batch("BEGIN TRANSACTION").or_fail()?;
            }
            let mut appender = connection.appender(&table::name(layout, collection)).or_fail()?;
            for chunk in chunks {
                appender.append_record_batch(chunk).or_fail()?;
            }
            appender.flush().or_fail()
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
        saved.or_fail()
    }

    /// Forgets what is not committed, and what is known of the collections.
    pub fn forget(&mut self) {
        // A connection that is dropped rolls its transaction back.
        *self = Load::default();
    }

    /// The progress of a part.
    pub fn position(&mut self, file: &DatabaseFile, part: &str, collection: &str) -> Done<u64> {
        let committed = self.flush();
        let place = file.path.display();
        committed.map_err(|e| e.trying(format!("commit what was loaded into {place}")))?;
        let text = "SELECT max(position) FROM hoap_load WHERE part = ? AND collection = ?";
        let connection = self.connection(file)?;
        let position: Option<i64> =
            connection.query_row(text, [part, collection], |row| row.get(0)).or_fail()?;
        Ok(position.and_then(|p| u64::try_from(p).ok()).unwrap_or(0))
    }

    /// The connection that writes, without an open transaction.
    pub fn committed(&mut self, file: &DatabaseFile) -> Done<&Connection> {
        self.flush()?;
        self.connection(file)
    }

    fn connection(&mut self, file: &DatabaseFile) -> Done<&Connection> {
        Ok(match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(file.connect_to_write()?),
        })
    }

    fn kind(&mut self, file: &DatabaseFile, collection: &str) -> Done<Kind> {
        if let Some(kind) = self.kinds.get(collection) {
            return Ok(kind.clone());
        }
        let kind = table::kind(self.connection(file)?, collection)?;
        let missing = || Failure::missing(format!("there is no collection {collection}"));
        let kind = kind.ok_or_else(missing)?;
        self.kinds.insert(collection.to_owned(), kind.clone());
        Ok(kind)
    }
}
