//! Records by key.
//!
//! Each operation is one statement and a transaction of its own: reads and scans on the client's
//! connection, which never locks a writer out, inserts and updates in the queue of writers.
//!
//! A whole record is read as the JSON text of its document and taken apart here, which costs two
//! thirds of what one `doc ->> path` a field does. A value that is set is bound as text, which
//! SQLite's JSON functions take for a string: nobody escapes it.

use std::sync::Arc;

use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::{Error, ErrorKind, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::connection::Role;
use super::writer::Writer;
use super::{Sqlite, error, sql};
use crate::json;

/// Fields that one call of `jsonb_set` sets: a function has at most 1000 arguments.
const FIELDS_A_CALL: usize = 400;

impl KeyValue for Sqlite {
    type Session = RecordSession;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<RecordSession> {
        let texts = Texts::new(table)?;
        let writer = self.writer.clone();
        let reader = writer.database.connect(Role::Reader)?;
        // A missing table fails here, before the first operation.
        reader.prepare_cached(&texts.read.all).map_err(|e| {
            error::sqlite(e, format!("read {} in {}", table.name, writer.database.url))
        })?;
        let (text, json) = (String::new(), Vec::new());
        Ok(RecordSession { writer, reader, table: table.clone(), texts, text, json })
    }
}

/// One client: a connection of its own for reading, and the queue for writing.
pub struct RecordSession {
    writer: Arc<Writer>,
    reader: Connection,
    table: Table,
    texts: Texts,
    /// Recycled: the text of an update, the JSON text of an insert.
    text: String,
    json: Vec<u8>,
}

/// SQL texts, made once.
struct Texts {
    read: Reads,
    scan: Reads,
    insert: String,
    /// `UPDATE table SET doc = `
    update: String,
    /// `, '$.field', ?` of each field.
    set: Vec<String>,
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
            let one = |field: &String| text(&format!("{before}doc ->> '$.{field}'"));
            Reads {
                all: text(&format!("{before}json(doc)")),
                one: table.fields.iter().map(one).collect(),
                none: text(none),
            }
        };
        let mut insert = String::new();
        sql::insert(name, &mut insert)?;
        Ok(Texts {
            read: reads("", "1", "WHERE key = ?1"),
            scan: reads("key, ", "key", "WHERE key >= ?1 ORDER BY key LIMIT ?2"),
            insert,
            update: format!("UPDATE \"{name}\" SET doc = "),
            set: table.fields.iter().map(|f| format!(", '$.{f}', ?")).collect(),
        })
    }
}

impl Reads {
    /// The text for these fields.
    fn text(&self, fields: Fields) -> std::result::Result<&str, String> {
        match fields {
            Fields::All => Ok(&self.all),
            Fields::None => Ok(&self.none),
            Fields::One(number) => self
                .one
                .get(usize::from(number))
                .map(String::as_str)
                .ok_or_else(|| format!("no field has the number {number}")),
        }
    }
}

/// The failure of a statement.
enum Failure {
    Sqlite(rusqlite::Error),
    /// The call is wrong.
    Invalid(String),
    /// The stored document is no record.
    Broken(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(e: rusqlite::Error) -> Self {
        Failure::Sqlite(e)
    }
}

impl Failure {
    fn into_error(self, tried: String) -> Error {
        match self {
            Failure::Sqlite(e) => error::sqlite(e, tried),
            Failure::Invalid(answer) => Error::new(ErrorKind::Invalid, tried, answer),
            Failure::Broken(answer) => Error::new(ErrorKind::Broken, tried, answer),
        }
    }
}

type Done<T> = std::result::Result<T, Failure>;

impl RecordSession {
    fn tried(&self, what: &str, key: &str) -> String {
        format!("{what} {} {key} in {}", self.table.name, self.writer.database.url)
    }

    fn read_one(&self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let text = self.texts.read.text(fields).map_err(Failure::Invalid)?;
        let mut statement = self.reader.prepare_cached(text)?;
        let mut rows = statement.query([key])?;
        let Some(row) = rows.next()? else { return Ok(false) };
        self.decode(row, 0, fields, record)?;
        Ok(true)
    }

    fn scan_from(
        &self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let text = self.texts.scan.text(fields).map_err(Failure::Invalid)?;
        let mut statement = self.reader.prepare_cached(text)?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let mut rows = statement.query((start, count))?;
        while let Some(row) = rows.next()? {
            let key = match row.get_ref(0)? {
                ValueRef::Text(key) => std::str::from_utf8(key).ok(),
                _ => None,
            };
            let key = key.ok_or_else(|| Failure::Broken("a key is not text".to_owned()))?;
            self.decode(row, 1, fields, scanned.push(key))?;
        }
        Ok(())
    }

    /// Reads a column of a text of [`Reads`] into an empty record.
    fn decode(
        &self,
        row: &Row<'_>,
        column: usize,
        fields: Fields,
        record: &mut Record,
    ) -> Done<()> {
        if fields == Fields::None {
            return Ok(());
        }
        match (fields, row.get_ref(column)?) {
            (Fields::One(number), ValueRef::Text(value)) => {
                record.push(number, |out| out.extend_from_slice(value));
                Ok(())
            }
            (Fields::One(_), ValueRef::Null) => Ok(()),
            (_, ValueRef::Text(text)) => {
                json::read(text, &self.table.fields, record).map_err(Failure::Broken)
            }
            (_, other) => {
                let found = other.data_type();
                Err(Failure::Broken(format!("a value is {found} and no string")))
            }
        }
    }

    /// Runs one statement as a transaction of its own; returns the number of rows that it changed.
    fn write(
        &self,
        text: &str,
        bind: impl FnOnce(&mut rusqlite::Statement<'_>) -> rusqlite::Result<()>,
        tried: impl Fn() -> String,
    ) -> Result<usize> {
        let turn = self.writer.turn(Role::Writer)?;
        turn.prepare_cached(text)
            .and_then(|mut statement| {
                bind(&mut statement)?;
                statement.raw_execute()
            })
            .map_err(|e| error::single(e, tried()))
    }

    /// Makes the text of an update of these fields.
    fn update_text(&mut self, record: &Record) -> std::result::Result<(), String> {
        let text = &mut self.text;
        text.clear();
        text.push_str(&self.texts.update);
        for _ in 0..record.len().div_ceil(FIELDS_A_CALL) {
            text.push_str("jsonb_set(");
        }
        text.push_str("doc");
        for (i, (field, value)) in record.iter().enumerate() {
            if i > 0 && i % FIELDS_A_CALL == 0 {
                text.push(')');
            }
            json::check(&self.table.fields, field, value)?;
            text.push_str(&self.texts.set[usize::from(field)]);
        }
        if !record.is_empty() {
            text.push(')');
        }
        text.push_str(" WHERE key = ?");
        Ok(())
    }
}

impl KeyValueSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        self.read_one(key, fields, record).map_err(|e| e.into_error(self.tried("read", key)))
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        self.json.clear();
        json::write(record, &self.table.fields, &mut self.json)
            .map_err(|e| Error::new(ErrorKind::Invalid, self.tried("insert", key), e))?;
        let bind = |statement: &mut rusqlite::Statement<'_>| {
            statement.raw_bind_parameter(1, key)?;
            statement.raw_bind_parameter(2, sql::json_text(&self.json))
        };
        self.write(&self.texts.insert, bind, || self.tried("insert", key)).map(drop)
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        self.update_text(record)
            .map_err(|e| Error::new(ErrorKind::Invalid, self.tried("update", key), e))?;
        let bind = |statement: &mut rusqlite::Statement<'_>| {
            for (i, (_, value)) in record.iter().enumerate() {
                statement.raw_bind_parameter(i + 1, sql::json_text(value))?;
            }
            statement.raw_bind_parameter(record.len() + 1, key)
        };
        let changed = self.write(&self.text, bind, || self.tried("update", key))?;
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
        self.scan_from(start, count, fields, scanned)
            .map_err(|e| e.into_error(self.tried("scan from", start)))
    }
}
