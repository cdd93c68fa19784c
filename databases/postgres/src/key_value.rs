//! Records by key.
//!
//! Each operation is one prepared statement and a transaction of its own. A whole record is read as
//! the text of its document and taken apart here. The fields that an update sets are one JSON
//! object, so that one statement serves any set of them.

use futures_util::{TryStreamExt, pin_mut};
use hoap_database::engine::{self, RecordStore};
use hoap_database::failure::{Done, Failure};
use hoap_database::json;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::reads::Reads;
use tokio_postgres::Row;

use super::PostgresEngine;
use super::link::Link;
use super::server::Role;
use super::types::{Json, StoredJson};
use crate::error::OrFail;

impl RecordStore for PostgresEngine {
    type Session = RecordSession;

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        let texts = Texts::new(table);
        let mut link = Link::new(self.pools.clone(), Role::Client).await?;
        // A missing table fails here, before the first operation.
        let mut held = link.hold().await?;
        let prepared =
            async { held.prepared(texts.read.text(Fields::All)).await.map(drop).or_fail() };
        let prepared = self.server().limited(prepared).await;
        held.answered(prepared)?;
        drop(held);
        Ok(RecordSession { link, fields: table.fields.clone(), texts, json: Vec::new() })
    }
}

/// The records of one client.
pub struct RecordSession {
    link: Link,
    /// Names of the fields, by their numbers.
    fields: Vec<String>,
    texts: Texts,
    /// Recycled: the JSON text of an insert or an update.
    json: Vec<u8>,
}

/// SQL texts, made once.
struct Texts {
    read: Reads,
    scan: Reads,
    insert: String,
    update: String,
    delete: String,
}

impl Texts {
    fn new(table: &Table) -> Self {
        let name = &table.name;
        let reads = |before: &str, none: &str, rest: &str| {
            let one = table.fields.iter().map(|field| format!("{before}doc -> '{field}'"));
            let text = |what: &str| format!("SELECT {what} FROM \"{name}\" {rest}");
            Reads::new(&format!("{before}doc"), one, none, text)
        };
        Texts {
            read: reads("", "NULL::jsonb", "WHERE key = $1"),
            scan: reads("key, ", "key", "WHERE key >= $1 ORDER BY key LIMIT $2"),
            insert: format!("INSERT INTO \"{name}\" (key, doc) VALUES ($1, $2)"),
            update: format!("UPDATE \"{name}\" SET doc = doc || $2 WHERE key = $1"),
            delete: format!("DELETE FROM \"{name}\" WHERE key = $1"),
        }
    }
}

impl RecordSession {
    /// Runs one statement as a transaction of its own; returns the number of rows that it changed.
    async fn write(&mut self, insert: bool, key: &str, record: &Record) -> Done<u64> {
        self.json.clear();
        json::write(record, &self.fields, &mut self.json);
        let text = if insert { &self.texts.insert } else { &self.texts.update };
        let mut held = self.link.hold().await?;
        let json = Json(&self.json);
        let changed = match held.prepared(text).await {
            Ok(statement) => held.client.execute(&statement, &[&key, &json]).await,
            Err(e) => Err(e),
        };
        held.answered(changed.or_fail())
    }
}

/// Reads a column of a text of [`Reads`] into an empty record.
fn decode(
    names: &[String],
    row: &Row,
    column: usize,
    fields: Fields,
    record: &mut Record,
) -> Done<()> {
    if fields == Fields::None {
        return Ok(());
    }
    let stored: Option<StoredJson<'_>> = row.try_get(column).or_fail()?;
    let Some(StoredJson(text)) = stored else { return Ok(()) };
    match fields {
        Fields::One(number) if text != b"null" => {
            let mut read = Ok(());
            record.push(number, |out| read = json::read_string(text, out));
            read.map_err(Failure::broken)
        }
        Fields::All => json::read(text, names, record).map_err(Failure::broken),
        _ => Ok(()),
    }
}

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let mut held = self.link.hold().await?;
        let read = async {
            let rows = held.rows(self.texts.read.text(fields), &[&key]).await.or_fail()?;
            pin_mut!(rows);
            let mut found = false;
            // Reads the answer to its end.
            while let Some(row) = rows.try_next().await.or_fail()? {
                decode(&self.fields, &row, 0, fields, record)?;
                found = true;
            }
            Ok(found)
        };
        let read = read.await;
        held.answered(read)
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        self.write(true, key, record).await.map(drop)
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        Ok(self.write(false, key, record).await? > 0)
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        let mut held = self.link.hold().await?;
        let deleted = match held.prepared(&self.texts.delete).await {
            Ok(statement) => held.client.execute(&statement, &[&key]).await,
            Err(e) => Err(e),
        };
        Ok(held.answered(deleted.or_fail())? > 0)
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let mut held = self.link.hold().await?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let read = async {
            let rows =
                held.rows(self.texts.scan.text(fields), &[&start, &count]).await.or_fail()?;
            pin_mut!(rows);
            while let Some(row) = rows.try_next().await.or_fail()? {
                let key: &str = row.try_get(0).or_fail()?;
                decode(&self.fields, &row, 1, fields, scanned.push(key))?;
            }
            Ok(())
        };
        let read = read.await;
        held.answered(read)
    }

    fn abandon(&mut self) -> bool {
        self.link.abandon()
    }
}
