//! Bulk loading.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hoap_database::Batch;
use hoap_database::engine::Bulk;
use hoap_database::failure::Done;
use rusqlite::{Connection, OptionalExtension};

use super::connection::Role;
use super::writer::Writer;
use super::{error, sql, transaction};
use crate::error::OrFail;

/// The progress of each part of a load, saved in the transaction that writes the documents.
pub(super) const PROGRESS: &str = "CREATE TABLE IF NOT EXISTS hoap_load (
    part TEXT NOT NULL, collection TEXT NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (part, collection)) WITHOUT ROWID";

/// Another loading process polls for the write lock about once a millisecond. These gaps let it in.
const GAP_EVERY: Duration = Duration::from_millis(250);
const GAP: Duration = Duration::from_millis(2);

/// Writes the batches of one part of a load, each in one transaction with its progress.
pub struct BatchWriter {
    writer: Arc<Writer>,
    part: String,
    sql: String,
    last_gap: Instant,
}

impl BatchWriter {
    pub(super) fn new(writer: Arc<Writer>, part: &str) -> Done<Self> {
        writer.turn(Role::Writer)?.execute_batch(PROGRESS).or_fail()?;
        Ok(BatchWriter {
            writer,
            part: part.to_owned(),
            sql: String::new(),
            last_gap: Instant::now(),
        })
    }

    fn insert(&self, connection: &Connection, batch: &Batch) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(&self.sql)?;
        for (key, document) in batch.iter() {
            statement.execute((key, sql::json_text(document)))?;
        }
        Ok(())
    }

    fn save(&self, connection: &Connection, name: &str, position: u64) -> rusqlite::Result<()> {
        let text = "INSERT INTO hoap_load (part, collection, position) VALUES (?1, ?2, ?3)
                    ON CONFLICT (part, collection) DO UPDATE SET position = excluded.position";
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        connection.prepare_cached(text)?.execute((&self.part, name, position)).map(drop)
    }
}

#[async_trait]
impl Bulk for BatchWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        let turn = self.writer.turn(Role::Writer)?;
        let position: Option<i64> = turn
            .query_row(
                "SELECT position FROM hoap_load WHERE part = ?1 AND collection = ?2",
                (&self.part, collection),
                |row| row.get(0),
            )
            .optional()
            .or_fail()?;
        Ok(position.and_then(|p| u64::try_from(p).ok()).unwrap_or(0))
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        sql::insert(collection, &mut self.sql);
        let turn = self.writer.turn(Role::Writer)?;
        let synchronous = |level: &str| {
            // `full` would sync the log for every batch; settling syncs everything once.
            match self.writer.database.options.synchronous {
                "full" => turn.execute_batch(&format!("PRAGMA synchronous = {level}")),
                _ => Ok(()),
            }
        };
        synchronous("normal")
            .and_then(|()| turn.begin())
            .and_then(|()| self.insert(&turn, batch))
            .and_then(|()| self.save(&turn, collection, position))
            .map_err(|e| (e, true))
            .and_then(|()| transaction::commit(&turn))
            .inspect_err(|_| {
                // Outside a transaction this fails harmlessly.
                let _ = turn.execute_batch("ROLLBACK");
                let _ = synchronous("full");
            })
            .map_err(|(e, open)| error::commit(e, open))?;
        synchronous("full").or_fail()?;
        if self.last_gap.elapsed() >= GAP_EVERY {
            std::thread::sleep(GAP);
            self.last_gap = Instant::now();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hoap_testing::wait;

    use super::*;
    use crate::connection::Database;
    use crate::options::Options;
    use crate::writer::Writer;

    /// The writing connection is shared: the settings of a load must not affect later transactions.
    #[test]
    fn a_batch_good_or_bad_leaves_the_connection_as_durable_as_it_was() {
        for (synchronous, number) in [("full", 2), ("normal", 1), ("off", 0)] {
            let directory = tempfile::tempdir().unwrap();
            let options = Options { synchronous, ..Options::default() };
            let path = directory.path().join("t.db");
            let database = Arc::new(Database { url: "sqlite:t.db".into(), path, options });
            let writer = Writer::new(database.clone());
            let table = "CREATE TABLE c (key TEXT NOT NULL PRIMARY KEY, doc BLOB NOT NULL)";
            writer.turn(Role::Creator).unwrap().execute_batch(table).unwrap();
            let writer = Arc::new(writer);
            let mut bulk = BatchWriter::new(writer.clone(), "1/1").unwrap();
            let mut batch = Batch::default();
            batch.push(|key, text| {
                key.push('1');
                text.extend_from_slice(b"{}");
            });
            for good in [true, false] {
                assert_eq!(wait(bulk.write("c", &batch, 1)).is_ok(), good);
                let turn = writer.turn(Role::Writer).unwrap();
                assert!(turn.is_autocommit());
                let read = "PRAGMA synchronous";
                let now: i64 = turn.query_row(read, [], |row| row.get(0)).unwrap();
                assert_eq!(now, number, "{synchronous}, good: {good}");
            }
        }
    }
}
