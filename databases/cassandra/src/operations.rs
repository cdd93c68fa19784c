//! Operations on documents, each a statement of its own on one partition.
//!
//! An insert is a lightweight transaction (`IF NOT EXISTS`) whatever `lwt` says: without it an
//! insert is what a put is, and never finds a duplicate. Several inserts are a statement each, at
//! the same time. A delete looks before it writes with `lwt=on` only.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::try_join_all;
use hoap_database::engine::{self, OpenTransaction, Read, Session, Transactions};
use hoap_database::failure::{Done, Failure};
use hoap_database::path::WHOLE;
use hoap_database::{Access, Condition, Find, Patch, Patched, Row};
use hoap_record::witness::Level;
use scylla::deserialize::row::ColumnIterator;
use scylla::statement::Consistency;
use scylla::statement::prepared::PreparedStatement;
use serde_json::Value;

use super::connection::Connection;
use super::database::{NO_FINDS, NO_PATCHES};
use super::document::{self, Stored};
use super::runtimes::RuntimeSession;
use super::schema::{DOCUMENT, KEY};
use super::values::{Missing, Texts};
use super::{CassandraEngine, notes, schema};
use crate::error::OrFail;

#[async_trait]
impl Transactions for CassandraEngine {
    fn isolation(&self) -> Option<Level> {
        None
    }

    async fn transaction_session(&self) -> Done<Box<dyn engine::Session>> {
        Ok(Box::new(Client { connection: self.connection().await?, known: HashMap::new() }))
    }
}

/// The operations of one client.
struct Client {
    connection: Arc<RuntimeSession>,
    /// The statements of the collections that it has used.
    known: HashMap<String, Arc<Statements>>,
}

/// The statements of a collection.
struct Statements {
    /// The column of documents and those of records, beside the key.
    columns: Vec<String>,
    read: PreparedStatement,
    insert: PreparedStatement,
    put: PreparedStatement,
    delete: PreparedStatement,
}

impl Statements {
    async fn of(connection: &Connection, collection: &str) -> Done<Statements> {
        // A load of nothing but records has made no such column.
        schema::add_columns(connection, collection, &[DOCUMENT]).await?;
        let there = schema::columns(connection, collection).await?;
        let columns = document::columns(schema::texts(there), &[WHOLE]);
        let table = connection.table(collection);
        let names: Vec<_> = columns.iter().map(|name| format!("\"{name}\"")).collect();
        let names = names.join(", ");
        let marks = ", ?".repeat(columns.len());
        let put = format!("INSERT INTO {table} ({KEY}, {names}) VALUES (?{marks})");
        let options = connection.options();
        let there = if options.lwt { " IF EXISTS" } else { "" };
        let prepare = async |text: String, consistency: Consistency| -> Done<PreparedStatement> {
            let mut statement = connection.session.prepare(text).await.or_fail()?;
            statement.set_consistency(consistency);
            Ok(statement)
        };
        let (reads, writes) = (options.read_consistency, options.write_consistency);
        // A row without columns is there too: the key is read with them.
        let read = format!("SELECT {KEY}, {names} FROM {table} WHERE {KEY} = ?");
        Ok(Statements {
            read: prepare(read, reads).await?,
            insert: prepare(format!("{put} IF NOT EXISTS"), writes).await?,
            put: prepare(put, writes).await?,
            delete: prepare(format!("DELETE FROM {table} WHERE {KEY} = ?{there}"), writes).await?,
            columns,
        })
    }
}

impl Client {
    async fn statements(&mut self, collection: &str) -> Done<Arc<Statements>> {
        if let Some(known) = self.known.get(collection) {
            return Ok(known.clone());
        }
        let made = Arc::new(Statements::of(&self.connection, collection).await?);
        self.known.insert(collection.to_owned(), made.clone());
        Ok(made)
    }

    async fn read(&self, statements: &Statements, key: &str, fields: &[&str]) -> Done<Option<Row>> {
        // Cassandra has no empty keys, and refuses to search for one.
        if key.is_empty() {
            return Ok(None);
        }
        let answer = self.connection.session.execute_unpaged(&statements.read, (key,)).await;
        let rows = answer.or_fail()?.into_rows_result().or_fail()?;
        let mut rows = rows.rows::<ColumnIterator<'_, '_>>().or_fail()?;
        let Some(row) = rows.next() else { return Ok(None) };
        let (_, document) = document::read(row.or_fail()?, &statements.columns)?;
        Ok(Some(document::row(&document, fields)))
    }

    /// Writes a document; says whether it was written, where one may be there already.
    async fn write(
        &self,
        statements: &Statements,
        (key, document): (&str, &Value),
        replace: bool,
    ) -> Done<bool> {
        if key.is_empty() {
            return Err(Failure::invalid("Cassandra has no empty keys"));
        }
        let text = document.to_string();
        let columns = match Stored::of(text.as_bytes()).map_err(Failure::invalid)? {
            Stored::Columns(columns)
                if columns.iter().all(|(name, _)| statements.columns.contains(name)) =>
            {
                columns
            }
            _ => vec![(DOCUMENT.to_owned(), text)],
        };
        let value = |name: &String| {
            columns.iter().find(|(column, _)| column == name).map(|(_, value)| value.as_str())
        };
        let mut values = vec![Some(key)];
        values.extend(statements.columns.iter().map(value));
        let session = &self.connection.session;
        if replace {
            let done =
                session.execute_unpaged(&statements.put, Texts(&values, Missing::Null)).await;
            return done.or_fail().map(|_| true);
        }
        let done =
            session.execute_unpaged(&statements.insert, Texts(&values, Missing::AsItIs)).await;
        notes::applied(done.or_fail()?)
    }
}

// No session has to abandon a connection: see [`CassandraEngine`].
#[async_trait]
impl Session for Client {
    async fn begin<'a>(&'a mut self, _: Access) -> Done<Box<dyn OpenTransaction + 'a>> {
        Ok(Box::new(Each(self)))
    }
}

/// No transaction: each operation by itself.
struct Each<'a>(&'a mut Client);

#[async_trait]
impl OpenTransaction for Each<'_> {
    fn is_over(&self) -> bool {
        false
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let statements = &*self.0.statements(read.collection).await?;
        let client = &*self.0;
        try_join_all(read.keys.iter().map(|key| client.read(statements, key, read.fields))).await
    }

    async fn find(&mut self, _: Find<'_>) -> Done<Vec<(String, Row)>> {
        Err(Failure::invalid(NO_FINDS))
    }

    async fn insert(&mut self, collection: &str, documents: &[(&str, &Value)]) -> Done<()> {
        let statements = &*self.0.statements(collection).await?;
        let client = &*self.0;
        let inserts = documents.iter().map(async |document| {
            match client.write(statements, *document, false).await? {
                true => Ok(()),
                false => Err(Failure::duplicate(document.0)),
            }
        });
        try_join_all(inserts).await.map(drop)
    }

    async fn put(&mut self, collection: &str, key: &str, document: &Value) -> Done<()> {
        let statements = &*self.0.statements(collection).await?;
        self.0.write(statements, (key, document), true).await.map(drop)
    }

    async fn patch(
        &mut self,
        _: &str,
        _: &str,
        _: &[Patch<'_>],
        _: &[Condition<'_>],
    ) -> Done<Patched> {
        Err(Failure::invalid(NO_PATCHES))
    }

    /// Without `lwt` it says that the document was there.
    async fn delete(&mut self, collection: &str, key: &str) -> Done<bool> {
        if key.is_empty() {
            return Ok(false);
        }
        let statements = &*self.0.statements(collection).await?;
        let session = &self.0.connection.session;
        let answer = session.execute_unpaged(&statements.delete, (key,)).await.or_fail()?;
        if self.0.connection.options().lwt { notes::applied(answer) } else { Ok(true) }
    }

    async fn commit(&mut self) -> Done<()> {
        Ok(())
    }

    async fn rollback(&mut self) -> Done<()> {
        Ok(())
    }
}
