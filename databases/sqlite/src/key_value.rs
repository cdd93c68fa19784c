//! Records by key.
//!
//! Each operation is one statement and a transaction of its own: reads and scans on the client's
//! connection, which never locks a writer out, inserts and updates in the queue of writers.
//!
//! A whole record is read as the JSON text of its document and taken apart here, which costs two
//! thirds of what one `doc ->> path` a field does. A value that is set is bound as text, which
//! SQLite's JSON functions take for a string: nobody escapes it.

use std::sync::Arc;

use hoap_database::engine::{self, RecordStore};
use hoap_database::failure::{Done, Failure};
use hoap_database::json;
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::reads::Reads;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::connection::Role;
use super::database::SqliteEngine;
use super::sql;
use super::writer::Writer;
use crate::error::OrFail;

/// Fields that one call of `jsonb_set` sets: a function has at most 1000 arguments.
const FIELDS_A_CALL: usize = 400;

impl RecordStore for SqliteEngine {
    type Session = RecordSession;

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        let texts = Texts::new(table);
        let writer = self.writer.clone();
        let reader = writer.database.connect(Role::Reader)?;
        // A missing table fails here, before the first operation.
        reader.prepare_cached(texts.read.text(Fields::All)).or_fail()?;
        let (text, json) = (String::new(), Vec::new());
        let fields = table.fields.clone();
        Ok(RecordSession { writer, reader, fields, texts, text, json })
    }
}

/// One client: a connection of its own for reading, and the queue for writing.
pub struct RecordSession {
    writer: Arc<Writer>,
    reader: Connection,
    /// Names of the fields, by their numbers.
    fields: Vec<String>,
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
    delete: String,
    /// `UPDATE table SET doc = `
    update: String,
    /// `, '$.field', ?` of each field.
    set: Vec<String>,
}

impl Texts {
    fn new(table: &Table) -> Self {
        let name = &table.name;
        let reads = |before: &str, none: &str, rest: &str| {
            let one = table.fields.iter().map(|field| format!("{before}doc ->> '$.{field}'"));
            let text = |what: &str| format!("SELECT {what} FROM \"{name}\" {rest}");
            Reads::new(&format!("{before}json(doc)"), one, none, text)
        };
        let mut insert = String::new();
        sql::insert(name, &mut insert);
        Texts {
            read: reads("", "1", "WHERE key = ?1"),
            scan: reads("key, ", "key", "WHERE key >= ?1 ORDER BY key LIMIT ?2"),
            insert,
            delete: format!("DELETE FROM \"{name}\" WHERE key = ?1"),
            update: format!("UPDATE \"{name}\" SET doc = "),
            set: table.fields.iter().map(|f| format!(", '$.{f}', ?")).collect(),
        }
    }
}

impl RecordSession {
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
        match (fields, row.get_ref(column).or_fail()?) {
            (Fields::One(number), ValueRef::Text(value)) => {
                record.push(number, |out| out.extend_from_slice(value));
                Ok(())
            }
            (Fields::One(_), ValueRef::Null) => Ok(()),
            (_, ValueRef::Text(text)) => {
                json::read(text, &self.fields, record).map_err(Failure::broken)
            }
            (_, other) => {
                let found = other.data_type();
                Err(Failure::broken(format!("a value is {found} and no string")))
            }
        }
    }

    /// Runs one statement as a transaction of its own; returns the number of rows that it changed.
    fn write(
        &self,
        text: &str,
        bind: impl FnOnce(&mut rusqlite::Statement<'_>) -> rusqlite::Result<()>,
    ) -> Done<usize> {
        let turn = self.writer.turn(Role::Writer)?;
        let changed = turn.prepare_cached(text).and_then(|mut statement| {
            bind(&mut statement)?;
            statement.raw_execute()
        });
        changed.or_fail()
    }

    /// Makes the text of an update of these fields.
    fn update_text(&mut self, record: &Record) {
        let text = &mut self.text;
        text.clear();
        text.push_str(&self.texts.update);
        for _ in 0..record.len().div_ceil(FIELDS_A_CALL) {
            text.push_str("jsonb_set(");
        }
        text.push_str("doc");
        for (i, (field, _)) in record.iter().enumerate() {
            if i > 0 && i % FIELDS_A_CALL == 0 {
                text.push(')');
            }
            text.push_str(&self.texts.set[usize::from(field)]);
        }
        if !record.is_empty() {
            text.push(')');
        }
        text.push_str(" WHERE key = ?");
    }
}

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let mut statement = self.reader.prepare_cached(self.texts.read.text(fields)).or_fail()?;
        let mut rows = statement.query([key]).or_fail()?;
        let Some(row) = rows.next().or_fail()? else { return Ok(false) };
        self.decode(row, 0, fields, record)?;
        Ok(true)
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        self.json.clear();
        json::write(record, &self.fields, &mut self.json);
        let bind = |statement: &mut rusqlite::Statement<'_>| {
            statement.raw_bind_parameter(1, key)?;
            statement.raw_bind_parameter(2, sql::json_text(&self.json))
        };
        self.write(&self.texts.insert, bind).map(drop)
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        self.update_text(record);
        let bind = |statement: &mut rusqlite::Statement<'_>| {
            for (i, (_, value)) in record.iter().enumerate() {
                statement.raw_bind_parameter(i + 1, sql::json_text(value))?;
            }
            statement.raw_bind_parameter(record.len() + 1, key)
        };
        Ok(self.write(&self.text, bind)? > 0)
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        Ok(self.write(&self.texts.delete, |statement| statement.raw_bind_parameter(1, key))? > 0)
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let mut statement = self.reader.prepare_cached(self.texts.scan.text(fields)).or_fail()?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let mut rows = statement.query((start, count)).or_fail()?;
        while let Some(row) = rows.next().or_fail()? {
            let ValueRef::Text(key) = row.get_ref(0).or_fail()? else {
                return Err(Failure::broken("a key is not text"));
            };
            let key = std::str::from_utf8(key).map_err(Failure::broken)?;
            self.decode(row, 1, fields, scanned.push(key))?;
        }
        Ok(())
    }
}
