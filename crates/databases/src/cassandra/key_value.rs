//! Records by key, as YCSB's own CQL binding has them: a row with a column for each field.
//!
//! Every operation is one prepared statement on one partition, at the consistency of the options.
//!
//! * An *insert* replaces an existing record, and an *update* creates a missing one: Cassandra
//!   writes without reading, so that neither can tell whether the key existed. An insert is never a
//!   duplicate, and an update always finds its record. With `lwt=on` both are lightweight
//!   transactions, which check first.
//! * A *scan* follows the order of the keys' tokens, which are hashes: `token(y_id) >=
//!   token(START)`. It begins with the record of its start; the order of the others is unrelated to
//!   their keys.

use std::sync::Arc;

use hoap_workload::capability::Applicable;
use hoap_workload::capability::key_value::{
    Fields, KeyValue, KeyValueSession, Record, Scanned, Table,
};
use hoap_workload::{Error, Result};
use scylla::deserialize::row::ColumnIterator;
use scylla::response::{PagingState, PagingStateResponse};

use super::error::{Doing, Done, Failure};
use super::runtimes::RuntimeSession;
use super::statements::{self, Kind, Statements};
use super::values::{One, Whole, next_text, take};
use super::{Cassandra, notes};
use crate::json;

impl KeyValue for Cassandra {
    type Session = RecordSession;

    fn scans(&self) -> Applicable<()> {
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<RecordSession> {
        let connection = self.connection().await?;
        let statements = statements::of(&connection, &connection.tables, table).await?;
        let failed = |e: Failure| {
            e.into_error(Doing::Read, format!("read {} in {}", table.name, connection.place.url))
        };
        // The first client of a runtime finds out whether the statements can be prepared.
        statements.get(&connection, Kind::Read(Fields::All)).await.map_err(failed)?;
        Ok(RecordSession { connection, statements })
    }
}

/// The records of one client.
pub struct RecordSession {
    connection: Arc<RuntimeSession>,
    statements: Arc<Statements>,
}

impl RecordSession {
    #[cold]
    fn failed(&self, failure: Failure, doing: Doing, what: &str, key: &str) -> Error {
        let name = &self.statements.table.name;
        failure.into_error(doing, format!("{what} {name} {key} in {}", self.connection.place.url))
    }

    async fn read_one(&self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let statement = self.statements.get(&self.connection, Kind::Read(fields)).await?;
        // Cassandra has no empty keys, and refuses to search for one.
        if key.is_empty() {
            return Ok(false);
        }
        let answer = self.connection.session.execute_unpaged(statement, (key,)).await?;
        let rows = answer.into_rows_result().map_err(Failure::answer)?;
        let mut rows = rows.rows::<ColumnIterator<'_, '_>>().map_err(Failure::answer)?;
        match rows.next() {
            None => Ok(false),
            Some(row) => {
                take(row.map_err(Failure::answer)?, fields, record)?;
                Ok(true)
            }
        }
    }

    /// Refuses a record with a field that the table lacks, or that is no text.
    fn check(&self, record: &Record) -> Done<()> {
        let names = &self.statements.table.fields;
        let sound = |(field, value)| json::check(names, field, value).map(drop);
        record.iter().try_for_each(sound).map_err(Failure::Invalid)
    }

    async fn insert_one(&self, key: &str, record: &Record) -> Done<()> {
        self.check(record)?;
        if key.is_empty() {
            return Err(Failure::Invalid("Cassandra has no empty keys".to_owned()));
        }
        let statement = self.statements.get(&self.connection, Kind::Insert).await?;
        let row = Whole { key, record, fields: self.statements.fields(), key_first: true };
        let answer = self.connection.session.execute_unpaged(statement, row).await?;
        match !self.connection.options().lwt || notes::applied(answer)? {
            true => Ok(()),
            false => Err(Failure::Duplicate(key.to_owned())),
        }
    }

    async fn update_one(&self, key: &str, record: &Record) -> Done<bool> {
        self.check(record)?;
        if record.is_empty() {
            return self.read_one(key, Fields::None, &mut Record::default()).await;
        }
        if key.is_empty() {
            return Ok(false);
        }
        let one = record.iter().next().filter(|_| record.len() == 1);
        let kind = one.map_or(Kind::UpdateAll, |(field, _)| Kind::UpdateOne(field));
        let statement = self.statements.get(&self.connection, kind).await?;
        let session = &self.connection.session;
        let answer = match one {
            Some((_, value)) => session.execute_unpaged(statement, One { value, key }).await?,
            None => {
                let row = Whole { key, record, fields: self.statements.fields(), key_first: false };
                session.execute_unpaged(statement, row).await?
            }
        };
        if self.connection.options().lwt { notes::applied(answer) } else { Ok(true) }
    }

    async fn scan_from(
        &self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let statement = self.statements.get(&self.connection, Kind::Scan(fields)).await?;
        if count == 0 {
            return Ok(());
        }
        let limit = i32::try_from(count).unwrap_or(i32::MAX);
        let mut state = PagingState::start();
        loop {
            let page =
                self.connection.session.execute_single_page(statement, (start, limit), state);
            let (answer, more) = page.await?;
            let rows = answer.into_rows_result().map_err(Failure::answer)?;
            for row in rows.rows::<ColumnIterator<'_, '_>>().map_err(Failure::answer)? {
                let mut row = row.map_err(Failure::answer)?;
                let key = next_text(&mut row)?.unwrap_or_default();
                take(row, fields, scanned.push(key))?;
            }
            match more {
                PagingStateResponse::HasMorePages { state: next } => state = next,
                PagingStateResponse::NoMorePages => return Ok(()),
            }
        }
    }
}

impl KeyValueSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Result<bool> {
        record.clear();
        let done = self.read_one(key, fields, record).await;
        done.map_err(|e| self.failed(e, Doing::Read, "read", key))
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Result<()> {
        let done = self.insert_one(key, record).await;
        done.map_err(|e| self.failed(e, Doing::Write, "insert", key))
    }

    async fn update(&mut self, key: &str, record: &Record) -> Result<bool> {
        let done = self.update_one(key, record).await;
        done.map_err(|e| self.failed(e, Doing::Write, "update", key))
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
        done.map_err(|e| self.failed(e, Doing::Read, "scan from", start))
    }
}
