//! Records by key.
//!
//! Each operation is one prepared statement and a transaction of its own. A whole record is read as
//! the text of its document and taken apart here. The fields that an update sets are one JSON
//! object, so that one statement serves any set of them.

use futures_util::{TryStreamExt, pin_mut};
use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::{Error, ErrorKind, Result};
use tokio_postgres::Row;

use super::link::Link;
use super::server::Role;
use super::types::{Json, StoredJson};
use super::{Postgres, error, nul, sql};
use crate::json;

impl KeyValue for Postgres {
    type Session = RecordSession;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<RecordSession> {
        let texts = Texts::new(table)?;
        let mut link = Link::new(self.pools.clone(), Role::Client).await?;
        // A missing table fails here, before the first operation.
        let url = self.server().url.as_str();
        let prepared = link.hold().await?.prepared(&texts.read.all).await.map(drop);
        prepared.map_err(|e| error::postgres(&e, format!("read {} in {url}", table.name)))?;
        Ok(RecordSession { link, table: table.clone(), texts, json: Vec::new() })
    }
}

/// The records of one client.
pub struct RecordSession {
    link: Link,
    table: Table,
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
}

/// A text for each selection of fields.
struct Reads {
    all: String,
    one: Vec<String>,
    none: String,
}

impl Texts {
    fn new(table: &Table) -> Result<Self> {
        let name = sql::name(&table.name)?;
        for field in &table.fields {
            sql::field(field)?;
        }
        let reads = |before: &str, none: &str, rest: &str| {
            let text = |what: &str| format!("SELECT {what} FROM \"{name}\" {rest}");
            Reads {
                all: text(&format!("{before}doc")),
                one: table
                    .fields
                    .iter()
                    .map(|field| text(&format!("{before}doc -> '{field}'")))
                    .collect(),
                none: text(none),
            }
        };
        Ok(Texts {
            read: reads("", "NULL::jsonb", "WHERE key = $1"),
            scan: reads("key, ", "key", "WHERE key >= $1 ORDER BY key LIMIT $2"),
            insert: format!("INSERT INTO \"{name}\" (key, doc) VALUES ($1, $2)"),
            update: format!("UPDATE \"{name}\" SET doc = doc || $2 WHERE key = $1"),
        })
    }
}

impl Reads {
    /// The text for these fields.
    fn text(&self, fields: Fields) -> std::result::Result<&str, Failure> {
        match fields {
            Fields::All => Ok(&self.all),
            Fields::None => Ok(&self.none),
            Fields::One(number) => self
                .one
                .get(usize::from(number))
                .map(String::as_str)
                .ok_or_else(|| Failure::Invalid(format!("no field has the number {number}"))),
        }
    }
}

/// The failure of an operation.
enum Failure {
    Connection(Error),
    Postgres(tokio_postgres::Error),
    /// The call is wrong.
    Invalid(String),
    /// The stored document is no record.
    Broken(String),
}

impl From<tokio_postgres::Error> for Failure {
    fn from(e: tokio_postgres::Error) -> Self {
        Failure::Postgres(e)
    }
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        Failure::Connection(e)
    }
}

impl Failure {
    fn into_error(
        self,
        meaning: fn(&tokio_postgres::Error, String) -> Error,
        tried: String,
    ) -> Error {
        match self {
            Failure::Connection(e) => e,
            Failure::Postgres(e) => meaning(&e, tried),
            Failure::Invalid(answer) => Error::new(ErrorKind::Invalid, tried, answer),
            Failure::Broken(answer) => Error::new(ErrorKind::Broken, tried, answer),
        }
    }
}

type Done<T> = std::result::Result<T, Failure>;

impl RecordSession {
    #[cold]
    fn tried(&self, what: &str, key: &str) -> String {
        format!("{what} {} {key} in {}", self.table.name, self.link.url())
    }

    async fn read_one(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let text = self.texts.read.text(fields)?;
        let mut held = self.link.hold().await?;
        let key = nul::encode(key);
        let rows = held.rows(text, &[&key]).await.inspect_err(|e| held.look_at(e))?;
        pin_mut!(rows);
        let mut found = false;
        // Reads the answer to its end.
        while let Some(row) = rows.try_next().await.inspect_err(|e| held.look_at(e))? {
            decode(&self.table.fields, &row, 0, fields, record)?;
            found = true;
        }
        Ok(found)
    }

    async fn scan_from(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let text = self.texts.scan.text(fields)?;
        let mut held = self.link.hold().await?;
        let (start, count) = (nul::encode(start), i64::try_from(count).unwrap_or(i64::MAX));
        let rows = held.rows(text, &[&start, &count]).await.inspect_err(|e| held.look_at(e))?;
        pin_mut!(rows);
        while let Some(row) = rows.try_next().await.inspect_err(|e| held.look_at(e))? {
            let key: &str = row.try_get(0)?;
            decode(&self.table.fields, &row, 1, fields, scanned.push(&nul::decode(key)))?;
        }
        Ok(())
    }

    /// Runs one statement as a transaction of its own, with the JSON text in the buffer; returns
    /// the number of rows that it changed.
    async fn write(&mut self, insert: bool, key: &str) -> Done<u64> {
        let text = if insert { &self.texts.insert } else { &self.texts.update };
        let mut held = self.link.hold().await?;
        let (key, json) = (nul::encode(key), Json(&self.json));
        let changed = match held.prepared(text).await {
            Ok(statement) => held.client.execute(&statement, &[&key, &json]).await,
            Err(e) => Err(e),
        };
        Ok(changed.inspect_err(|e| held.look_at(e))?)
    }

    fn write_json(&mut self, record: &Record) -> Done<()> {
        self.json.clear();
        json::write_checked(record, &self.table.fields, &mut self.json).map_err(Failure::Invalid)
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
    let stored: Option<StoredJson<'_>> = row.try_get(column)?;
    let Some(StoredJson(stored)) = stored else { return Ok(()) };
    let text = nul::decode_json(stored);
    match fields {
        Fields::One(number) if &*text != b"null" => {
            let mut read = Ok(());
            record.push(number, |out| read = json::read_string(&text, out));
            read.map_err(Failure::Broken)
        }
        Fields::All => json::read(&text, names, record).map_err(Failure::Broken),
        _ => Ok(()),
    }
}

impl KeyValueSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        let read = self.read_one(key, fields, record).await;
        read.map_err(|e| e.into_error(error::postgres, self.tried("read", key)))
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        let inserted = match self.write_json(record) {
            Ok(()) => self.write(true, key).await,
            Err(e) => Err(e),
        };
        inserted.map(drop).map_err(|e| e.into_error(error::commit, self.tried("insert", key)))
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        let changed = match self.write_json(record) {
            Ok(()) => self.write(false, key).await,
            Err(e) => Err(e),
        };
        let changed =
            changed.map_err(|e| e.into_error(error::commit, self.tried("update", key)))?;
        Ok(changed > 0)
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Result<()> {
        scanned.clear();
        let done = self.scan_from(start, count, fields, scanned).await;
        done.map_err(|e| e.into_error(error::postgres, self.tried("scan from", start)))
    }
}
