//! Whole collections: notes, creation, scans.

use async_trait::async_trait;
use futures_util::{TryStreamExt, pin_mut};
use hoap_database::Index;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::Done;
use hoap_record::{Stored, StoredCollection};
use serde_json::Value;

use super::bulk::BatchWriter;
use super::connection::Connection;
use super::tables::{
    NOTES, PROGRESS, begin_alone, columns, commit, exists, foreign, read_note, write_note,
};
use super::{PostgresEngine, settle, sql};
use crate::error::OrFail;

const NOTE: &str = "note";

#[async_trait]
impl Documents for PostgresEngine {
    fn elsewhere(&self) -> &'static str {
        "another schema (?schema=NAME)"
    }

    async fn note(&self) -> Done<Option<Value>> {
        let mut connection = self.pools.reading().await?;
        let note = async {
            match exists(&connection, "hoap_note").await? {
                true => match read_note(&connection, NOTE, false).await {
                    // Another load removed it in between.
                    Err(_) if !exists(&connection, "hoap_note").await? => Ok(None),
                    read => read,
                },
                false => Ok(None),
            }
        };
        let note = note.await.map_err(|failure| connection.looked_at(failure))?;
        self.pools.leave(connection);
        Ok(note)
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        let mut connection = self.begin_making().await?;
        // CREATE TABLE IF NOT EXISTS asks for the right to create one even where it exists.
        if !exists(&connection, "hoap_note").await? {
            connection.client.batch_execute(NOTES).await.or_fail()?;
        }
        if read_note(&connection, NOTE, true).await?.as_ref() != expected {
            connection.rest();
            return Ok(false);
        }
        write_note(&connection, NOTE, note).await?;
        commit(&mut connection).await?;
        Ok(true)
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        let connection = self.pools.reading().await?;
        let there = exists(&connection, collection).await?;
        self.pools.leave(connection);
        Ok(there)
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        let mut text = "DROP TABLE IF EXISTS hoap_note, hoap_load".to_owned();
        for collection in collections {
            text.push_str(&format!(", \"{collection}\""));
        }
        let connection = self.pools.reading().await?;
        let schema = format!("SELECT to_regnamespace('\"{}\"')::text", self.schema());
        let there = connection.client.query_one(&schema, &[]).await.or_fail()?;
        let there: Option<String> = there.try_get(0).or_fail()?;
        self.pools.leave(connection);
        if there.is_none() {
            return Ok(());
        }
        let mut connection = self.begin_making().await?;
        connection.client.batch_execute(&text).await.or_fail()?;
        commit(&mut connection).await
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let mut connection = self.begin_making().await?;
        connection.client.batch_execute(&format!("{NOTES}; {PROGRESS}")).await.or_fail()?;
        let unlogged = if self.server().options.unlogged { "UNLOGGED " } else { "" };
        for collection in collections {
            match columns(&connection, collection).await?.as_str() {
                "" => {
                    let table = format!(
                        "CREATE {unlogged}TABLE \"{collection}\" \
                         (key text COLLATE \"C\" PRIMARY KEY, doc jsonb NOT NULL)"
                    );
                    connection.client.batch_execute(&table).await.or_fail()?;
                }
                "key text, doc jsonb" => {}
                _ => return Err(foreign(collection)),
            }
        }
        commit(&mut connection).await
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        Ok(Box::new(BatchWriter::new(self.pools.clone(), part).await?))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        self.pools.close_left();
        settle::settle(self.server(), indexes).await
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        let connection = self.pools.reading().await?;
        let mut has = Vec::new();
        for index in indexes {
            has.push(Some(settle::is_made(&connection, index).await?));
        }
        self.pools.leave(connection);
        Ok(Ok(has))
    }

    /// The tables with their indexes and what is beside their rows.
    async fn stored(&self, collections: &[&str]) -> Done<Offered<Stored>> {
        let connection = self.pools.reading().await?;
        let text = "SELECT coalesce(pg_total_relation_size(to_regclass(quote_ident($1::text))), 0)";
        let mut of = Vec::new();
        for name in collections {
            let bytes: i64 =
                connection.client.query_one(text, &[name]).await.or_fail()?.try_get(0).or_fail()?;
            let bytes = u64::try_from(bytes).unwrap_or(0);
            of.push(StoredCollection { name: (*name).to_owned(), bytes });
        }
        self.pools.leave(connection);
        Ok(Ok(Stored::sum(of)))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let mut text = String::new();
        sql::scan(collection, fields, &mut text);
        let mut connection = self.pools.reading().await?;
        // One statement reads one snapshot. Its rows are read from the network as `each` takes
        // them; the others wait in the server.
        let scanned = async {
            let nothing: [&str; 0] = [];
            let rows = connection.client.query_raw(&text, nothing).await.or_fail()?;
            pin_mut!(rows);
            while let Some(row) = rows.try_next().await.or_fail()? {
                let key: &str = row.try_get(0).or_fail()?;
                each(key, sql::row(&row, fields.len())?)?;
            }
            Ok(())
        };
        let scanned = scanned.await;
        scanned.map_err(|failure| connection.looked_at(failure))?;
        self.pools.leave(connection);
        Ok(())
    }
}

impl PostgresEngine {
    fn schema(&self) -> &str {
        &self.server().options.schema
    }

    /// Begins a transaction that makes the schema where it is missing, and alone may change it.
    /// Dropping the connection rolls it back.
    async fn begin_making(&self) -> Done<Connection> {
        let connection = self.server().maintain().await?;
        let schema = self.schema();
        begin_alone(&connection, schema).await?;
        // CREATE SCHEMA IF NOT EXISTS asks for the right to create one even where it exists.
        // Not `to_regnamespace`, by which a session may remember that there was none.
        let there =
            format!("SELECT NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '{schema}')");
        if connection.client.query_one(&there, &[]).await.or_fail()?.try_get(0).or_fail()? {
            connection
                .client
                .batch_execute(&format!("CREATE SCHEMA \"{schema}\""))
                .await
                .or_fail()?;
        }
        Ok(connection)
    }
}
