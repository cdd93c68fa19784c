//! Whole collections: notes, creation, scans.

use async_trait::async_trait;
use futures_util::{TryStreamExt, pin_mut};
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::connection::Connection;
use super::server::Role;
use super::{Postgres, bulk, error, nul, settle, sql};

/// Named JSON texts beside the collections: the benchmark's note, and what was settled last.
pub(super) const NOTES: &str =
    "CREATE TABLE IF NOT EXISTS hoap_note (name text NOT NULL PRIMARY KEY, value text NOT NULL)";

const NOTE: &str = "note";

/// Whoever makes or drops tables waits for the others that do.
const TURN: &str = "SELECT pg_advisory_xact_lock(1752130928, hashtext($1::text))";

#[async_trait]
impl Documents for Postgres {
    async fn note(&self) -> Result<Option<Value>> {
        let tried = || format!("read the note in {}", self.server().url);
        let connection = self.maintain().await?;
        if !exists(&connection, "hoap_note").await.map_err(|e| error::postgres(&e, tried()))? {
            return Ok(None);
        }
        let note = read_note(&connection, NOTE, false).await;
        note.map_err(|e| error::postgres(&e, tried()))?
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let tried = || format!("write the note in {}", self.server().url);
        let connection = self.begin_making(tried).await?;
        let failed = |e: tokio_postgres::Error| error::postgres(&e, tried());
        // CREATE TABLE IF NOT EXISTS asks for the right to create one even where it exists.
        if !exists(&connection, "hoap_note").await.map_err(failed)? {
            connection.client.batch_execute(NOTES).await.map_err(failed)?;
        }
        let there = read_note(&connection, NOTE, true).await.map_err(failed)?;
        let there: Option<Value> = there
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?;
        if there.as_ref() != expected {
            return Ok(false);
        }
        write_note(&connection, NOTE, &note.to_string()).await.map_err(failed)?;
        commit(&connection, tried).await?;
        Ok(true)
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        let connection = self.maintain().await?;
        for collection in collections {
            let tried = || format!("look for {collection} in {}", self.server().url);
            let there = exists(&connection, sql::name(collection)?).await;
            if there.map_err(|e| error::postgres(&e, tried()))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let tried = || format!("drop the collections in {}", self.server().url);
        let mut text = "DROP TABLE IF EXISTS hoap_note, hoap_load".to_owned();
        for collection in collections {
            text.push_str(&format!(", \"{}\"", sql::name(collection)?));
        }
        let connection = self.maintain().await?;
        let schema = format!("SELECT to_regnamespace('\"{}\"')::text", self.schema());
        let there = connection.client.query_one(&schema, &[]).await;
        let there = there.and_then(|row| row.try_get::<_, Option<String>>(0));
        if there.map_err(|e| error::postgres(&e, tried()))?.is_none() {
            return Ok(());
        }
        let connection = self.begin_making(tried).await?;
        let dropped = connection.client.batch_execute(&text).await;
        dropped.map_err(|e| error::postgres(&e, tried()))?;
        commit(&connection, tried).await
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let tried = || format!("create the collections in {}", self.server().url);
        for collection in collections {
            sql::name(collection)?;
        }
        let connection = self.begin_making(tried).await?;
        let failed = |e: tokio_postgres::Error| error::postgres(&e, tried());
        let begin = format!("{NOTES}; {}", bulk::PROGRESS);
        connection.client.batch_execute(&begin).await.map_err(failed)?;
        let unlogged = if self.server().options.unlogged { "UNLOGGED " } else { "" };
        for collection in collections {
            match columns(&connection, collection).await.map_err(failed)?.as_str() {
                "" => {
                    let table = format!(
                        "CREATE {unlogged}TABLE \"{collection}\" \
                         (key text COLLATE \"C\" PRIMARY KEY, doc jsonb NOT NULL)"
                    );
                    connection.client.batch_execute(&table).await.map_err(failed)?;
                }
                "key text, doc jsonb" => {}
                _ => return Err(foreign(collection, tried())),
            }
        }
        commit(&connection, tried).await
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(bulk::Bulk::new(self.shared.clone(), part).await?))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        settle::settle(self.server(), indexes).await
    }

    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let tried = || format!("scan {collection} in {}", self.server().url);
        let failed = |e: tokio_postgres::Error| error::postgres(&e, tried());
        let mut text = String::new();
        sql::scan(collection, fields, &mut text)?;
        let connection = self.maintain().await?;
        // One statement reads one snapshot. Its rows are read from the network as `each` takes
        // them, and what is not read yet waits in the server.
        let nothing: [&str; 0] = [];
        let rows = connection.client.query_raw(&text, nothing).await.map_err(failed)?;
        pin_mut!(rows);
        let ended = loop {
            let Some(row) = rows.try_next().await.map_err(failed)? else { break Ok(()) };
            let key: &str = row.try_get(0).map_err(failed)?;
            let values = sql::row(&row, fields.len(), tried)?;
            if let Err(e) = each(&nul::decode(key), values) {
                break Err(e);
            }
        };
        if ended.is_err() {
            connection.abandon();
        }
        ended
    }
}

impl Postgres {
    fn schema(&self) -> &str {
        &self.server().options.schema
    }

    async fn maintain(&self) -> Result<Connection> {
        self.server().connect(Role::Maintenance).await
    }

    /// Begins a transaction that has the schema and the only right to change it. Dropping the
    /// connection rolls it back.
    async fn begin_making(&self, tried: impl Fn() -> String) -> Result<Connection> {
        let connection = self.maintain().await?;
        let failed = |e: tokio_postgres::Error| error::postgres(&e, tried());
        let schema = self.schema();
        let begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL client_min_messages = warning";
        connection.client.batch_execute(begin).await.map_err(failed)?;
        connection.client.execute(TURN, &[&schema]).await.map_err(failed)?;
        // CREATE SCHEMA IF NOT EXISTS asks for the right to create one even where it exists.
        let there = format!("SELECT to_regnamespace('\"{schema}\"') IS NULL");
        let missing = connection.client.query_one(&there, &[]).await;
        if missing.and_then(|row| row.try_get(0)).map_err(failed)? {
            let create = format!("CREATE SCHEMA \"{schema}\"");
            connection.client.batch_execute(&create).await.map_err(failed)?;
        }
        Ok(connection)
    }
}

pub(super) async fn commit(connection: &Connection, tried: impl Fn() -> String) -> Result<()> {
    let done = connection.client.batch_execute("COMMIT").await;
    done.map_err(|e| error::commit(&e, tried()))
}

/// Whether the schema has a table or an index of this name.
pub(super) async fn exists(
    connection: &Connection,
    name: &str,
) -> std::result::Result<bool, tokio_postgres::Error> {
    let text =
        "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1)";
    connection.client.query_one(text, &[&name]).await?.try_get(0)
}

/// The columns of a table, with their types; empty where there is none.
async fn columns(
    connection: &Connection,
    name: &str,
) -> std::result::Result<String, tokio_postgres::Error> {
    let text = "SELECT coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', '
                                           ORDER BY a.attnum), '')
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relname = $1
                AND a.attnum > 0 AND NOT a.attisdropped";
    connection.client.query_one(text, &[&name]).await?.try_get(0)
}

pub(super) fn foreign(name: &str, tried: String) -> Error {
    Error::new(ErrorKind::Unavailable, tried, format!("{name} is there and is not ours"))
        .advise("drop it, or name another schema or database")
}

/// The JSON text of this name, locked if it is going to be changed.
pub(super) async fn read_note(
    connection: &Connection,
    name: &str,
    change: bool,
) -> std::result::Result<Option<String>, tokio_postgres::Error> {
    let lock = if change { "FOR UPDATE" } else { "" };
    let text = format!("SELECT value FROM hoap_note WHERE name = $1 {lock}");
    let row = connection.client.query_opt(&text, &[&name]).await?;
    row.map(|row| row.try_get(0)).transpose()
}

pub(super) async fn write_note(
    connection: &Connection,
    name: &str,
    value: &str,
) -> std::result::Result<(), tokio_postgres::Error> {
    let text = "INSERT INTO hoap_note (name, value) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    connection.client.execute(text, &[&name, &value]).await.map(drop)
}
