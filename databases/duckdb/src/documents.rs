//! Whole collections: notes, creation, scans.

use std::fs::File;

use async_trait::async_trait;
use duckdb::Connection;
use duckdb::arrow::array::AsArray;
use hoap_database::Index;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use hoap_record::{Medium, Stored, StoredCollection};
use serde_json::Value;

use super::database::DuckDbEngine;
use super::kind::{literal, quoted};
use super::{bulk, own, table, value};
use crate::error::OrFail;

#[async_trait]
impl Documents for DuckDbEngine {
    fn elsewhere(&self) -> &'static str {
        "another file"
    }

    /// That of the database that is followed, as soon as its documents are here.
    async fn note(&self) -> Done<Option<Value>> {
        if let Some(link) = self.link()? {
            link.caught_up().await?;
        }
        match self.instance.file.exists() {
            true => read_note(&self.instance.file.connect()?),
            false => Ok(None),
        }
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        if expected.is_some() && !self.instance.file.exists() {
            return Ok(false);
        }
        // No other process has the file, and in this one whoever writes has this lock.
        let mut load = self.instance.load();
        let connection = load.committed(&self.instance.file)?;
        own::refuse_to_write(connection)?;
        if read_note(connection)?.as_ref() != expected {
            return Ok(false);
        }
        let text = "UPDATE hoap_note SET note = ?";
        let text = if expected.is_none() { "INSERT INTO hoap_note VALUES (?)" } else { text };
        connection.execute(text, [note.to_string()]).or_fail()?;
        Ok(true)
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        match self.instance.file.exists() {
            true => Ok(own::type_of(&self.instance.file.connect_any()?, collection)
                .or_fail()?
                .is_some()),
            false => Ok(false),
        }
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        if !self.instance.file.exists() {
            return Ok(());
        }
        let mut load = self.instance.load();
        load.forget();
        let connection = load.committed(&self.instance.file)?;
        own::refuse_to_write(connection)?;
        for collection in collections {
            table::drop(connection, collection)?;
        }
        connection.execute_batch("DELETE FROM hoap_note; DELETE FROM hoap_load").or_fail()?;
        // Gives the space back for the next load; while somebody reads it stays as it is.
        let _ = connection.execute_batch("CHECKPOINT");
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let mut load = self.instance.load();
        let connection = load.committed(&self.instance.file)?;
        own::refuse_to_write(connection)?;
        self.instance.file.connect()?;
        for collection in collections {
            if table::kind(connection, collection)?.is_some() {
                continue;
            }
            table::unless_foreign(connection, collection)?;
            table::create(connection, self.instance.file.options.layout, collection)?;
        }
        Ok(())
    }

    fn several_writers(&self) -> Offered<()> {
        Err("all batches of a process share one transaction")
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        Ok(Box::new(bulk::BatchWriter::new(self.instance.clone(), part)?))
    }

    /// Makes no index: DuckDB's serve neither fields inside of documents nor joins. Statistics are
    /// kept while rows are written.
    async fn settle(&self, _: &[Index]) -> Done<()> {
        let mut load = self.instance.load();
        load.committed(&self.instance.file)?.execute_batch("CHECKPOINT").or_fail()?;
        let sync = |file: File| file.sync_all();
        let synced = File::options().write(true).open(&self.instance.file.path).and_then(sync);
        synced.map_err(|e| Failure::new(ErrorKind::Unavailable, e))
    }

    async fn has(&self, _: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        Ok(Err("a load makes none in it"))
    }

    /// The file, and the blocks in which each collection has values. Small tables share a block.
    async fn stored(&self, collections: &[&str]) -> Done<Offered<Stored>> {
        let connection = self.instance.file.connect()?;
        let bytes = std::fs::metadata(&self.instance.file.path)
            .map_err(|e| Failure::new(ErrorKind::Unavailable, e))?
            .len();
        let mut of = Vec::new();
        for name in collections {
            let table = table::name(self.instance.file.options.layout, name);
            let text = format!(
                "WITH s AS (SELECT block_id, additional_block_ids AS more
                            FROM pragma_storage_info({}) WHERE persistent)
                 SELECT CAST(count(DISTINCT block) * (SELECT block_size FROM pragma_database_size()
                        WHERE database_name = current_database()) AS BIGINT)
                 FROM (SELECT block_id AS block FROM s WHERE block_id >= 0
                       UNION ALL SELECT unnest(more) FROM s)",
                literal(&quoted(&table))
            );
            let bytes: i64 = connection.query_row(&text, [], |row| row.get(0)).or_fail()?;
            let bytes = u64::try_from(bytes).unwrap_or(0);
            of.push(StoredCollection { name: (*name).to_owned(), bytes });
        }
        Ok(Ok(Stored { medium: Medium::Disk, bytes, collections: of }))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let connection = self.instance.file.connect()?;
        let kind = table::expect_kind(&connection, collection)?;
        let columns: Vec<_> = fields.iter().map(|field| kind.path("t", field)).collect();
        let texts: String = columns.iter().map(|(text, _)| format!(", {text}")).collect();
        let text = format!("SELECT t.{}{texts} FROM {} AS t", table::KEY, quoted(collection));
        let mut statement = connection.prepare(&text).or_fail()?;
        // Rows come while the database reads: one statement is one snapshot.
        drop(statement.stream_arrow([]).or_fail()?);
        value::rows(&statement, |batch, row| {
            let values = columns.iter().enumerate();
            let values = values.map(|(n, (_, kind))| value::json(batch.column(n + 1), row, kind));
            let values = values.collect::<Done<_>>()?;
            each(batch.column(0).as_string::<i32>().value(row), values)
        })
    }
}

fn read_note(connection: &Connection) -> Done<Option<Value>> {
    let note = own::note_text(connection)?;
    note.map(|note: String| serde_json::from_str(&note)).transpose().map_err(Failure::broken)
}
