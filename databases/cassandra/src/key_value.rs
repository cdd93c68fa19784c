//! Records by key, as YCSB's own CQL binding has them: a row with a column for each field.
//!
//! Every operation is one prepared statement on one partition, at the consistency of the options.
//!
//! * An *insert* replaces an existing record, and an *update* creates a missing one: Cassandra
//!   writes without reading, so that neither can tell whether the key existed. An insert is never a
//!   duplicate, and an update always finds its record. A *delete* writes without reading, too. With
//!   `lwt=on` all three are lightweight transactions, which check first.
//! * A *scan* follows the order of the keys' tokens, which are hashes: `token(y_id) >=
//!   token(START)`. It begins with the record of its start; the order of the others is unrelated to
//!   their keys.

use std::sync::Arc;

use hoap_database::engine::{self, RecordStore};
use hoap_database::failure::{Done, Failure};
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use scylla::deserialize::row::ColumnIterator;
use scylla::response::{PagingState, PagingStateResponse};

use super::runtimes::RuntimeSession;
use super::statements::{self, Kind, Statements};
use super::values::{One, Whole, next_text, take};
use super::{CassandraEngine, notes};
use crate::error::OrFail;

impl RecordStore for CassandraEngine {
    type Session = RecordSession;

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        let connection = self.connection().await?;
        let statements = statements::of(&connection, &connection.tables, table).await?;
        // The first client of a runtime finds out whether the statements can be prepared.
        statements.get(&connection, Kind::Read(Fields::All)).await?;
        Ok(RecordSession { connection, statements })
    }
}

/// The records of one client.
pub struct RecordSession {
    connection: Arc<RuntimeSession>,
    statements: Arc<Statements>,
}

impl RecordSession {
    async fn insert_one(&self, key: &str, record: &Record) -> Done<()> {
        if key.is_empty() {
            return Err(Failure::invalid("Cassandra has no empty keys"));
        }
        let statement = self.statements.get(&self.connection, Kind::Insert).await?;
        let row = Whole { key, record, fields: self.statements.fields(), key_first: true };
        let answer = self.connection.session.execute_unpaged(statement, row).await.or_fail()?;
        match !self.connection.options().lwt || notes::applied(answer)? {
            true => Ok(()),
            false => Err(Failure::duplicate(key)),
        }
    }

    async fn update_one(&mut self, key: &str, record: &Record) -> Done<bool> {
        if record.is_empty() {
            return engine::RecordSession::read(self, key, Fields::None, &mut Record::default())
                .await;
        }
        if key.is_empty() {
            return Ok(false);
        }
        let one = record.iter().next().filter(|_| record.len() == 1);
        let kind = one.map_or(Kind::UpdateAll, |(field, _)| Kind::UpdateOne(field));
        let statement = self.statements.get(&self.connection, kind).await?;
        let session = &self.connection.session;
        let answer = match one {
            Some((_, value)) => {
                session.execute_unpaged(statement, One { value, key }).await.or_fail()?
            }
            None => {
                let row = Whole { key, record, fields: self.statements.fields(), key_first: false };
                session.execute_unpaged(statement, row).await.or_fail()?
            }
        };
        if self.connection.options().lwt { notes::applied(answer) } else { Ok(true) }
    }

    async fn delete_one(&self, key: &str) -> Done<bool> {
        if key.is_empty() {
            return Ok(false);
        }
        let statement = self.statements.get(&self.connection, Kind::Delete).await?;
        let answer = self.connection.session.execute_unpaged(statement, (key,)).await.or_fail()?;
        if self.connection.options().lwt { notes::applied(answer) } else { Ok(true) }
    }
}

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let statement = self.statements.get(&self.connection, Kind::Read(fields)).await?;
        // Cassandra has no empty keys, and refuses to search for one.
        if key.is_empty() {
            return Ok(false);
        }
        let answer = self.connection.session.execute_unpaged(statement, (key,)).await.or_fail()?;
        let rows = answer.into_rows_result().or_fail()?;
        let mut rows = rows.rows::<ColumnIterator<'_, '_>>().or_fail()?;
        match rows.next() {
            None => Ok(false),
            Some(row) => {
                take(row.or_fail()?, fields, record)?;
                Ok(true)
            }
        }
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        self.insert_one(key, record).await
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        self.update_one(key, record).await
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        self.delete_one(key).await
    }

    async fn scan(
        &mut self,
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
            let (answer, more) = page.await.or_fail()?;
            let rows = answer.into_rows_result().or_fail()?;
            for row in rows.rows::<ColumnIterator<'_, '_>>().or_fail()? {
                let mut row = row.or_fail()?;
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
