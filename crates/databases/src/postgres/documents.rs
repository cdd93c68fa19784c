//! Whole collections: notes, creation, scans.

use async_trait::async_trait;
use futures_util::{TryStreamExt, pin_mut};
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::bulk::BatchWriter;
use super::connection::Connection;
use super::server::Role;
use super::tables::{NOTES, PROGRESS, columns, commit, exists, foreign, read_note, write_note};
use super::{Postgres, error, nul, settle, sql};

const NOTE: &str = "note";

/// Changes of the schema run one at a time.
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
        let begin = format!("{NOTES}; {}", PROGRESS);
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
        Ok(Box::new(BatchWriter::new(self.pools.clone(), part).await?))
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
        // them; the others wait in the server.
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

    /// Begins a transaction that makes the schema where it is missing, and alone may change it.
    /// Dropping the connection rolls it back.
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
