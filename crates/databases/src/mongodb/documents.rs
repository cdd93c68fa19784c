//! Whole collections: notes, creation, scans.

use std::collections::HashSet;

use async_trait::async_trait;
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use mongodb::bson::{Bson, doc};
use mongodb::error::{Error as DriverError, ErrorKind as Kind};
use serde_json::Value;

use super::bulk::BatchWriter;
use super::error::{self, Doing};
use super::layout::{NOTES, PROGRESS, name};
use super::server::Server;
use super::{MongoDb, settle, value};

const NOTE: &str = "note";

#[async_trait]
impl Documents for MongoDb {
    async fn note(&self) -> Result<Option<Value>> {
        let tried = || format!("read the note in {}", self.server.shown);
        let Some(text) = read_note(&self.server, tried).await? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|e| Error::new(ErrorKind::Broken, tried(), e))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let tried = || format!("write the note in {}", self.server.shown);
        let notes = self.server.database.collection::<mongodb::bson::Document>(NOTES);
        let there = read_note(&self.server, tried).await?;
        let parsed: Option<Value> = there
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?;
        if parsed.as_ref() != expected {
            return Ok(false);
        }
        let text = note.to_string();
        match there {
            // If another writer was faster the text differs, and nothing matches.
            Some(old) => {
                let filter = doc! {"_id": NOTE, "value": old};
                let done = notes.update_one(filter, doc! {"$set": {"value": text}}).await;
                let done = done.map_err(|e| error::mongo(&e, Doing::Writing, tried()))?;
                Ok(done.matched_count == 1)
            }
            None => match notes.insert_one(doc! {"_id": NOTE, "value": text}).await {
                Ok(_) => Ok(true),
                Err(e) => match error::mongo(&e, Doing::Writing, tried()) {
                    e if e.kind == ErrorKind::Duplicate => Ok(false),
                    e => Err(e),
                },
            },
        }
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        for collection in collections {
            name(collection)?;
        }
        let there = existing(&self.server, collections).await?;
        Ok(!there.is_empty())
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        for collection in collections {
            name(collection)?;
        }
        let ours = [NOTES, PROGRESS];
        let all: Vec<&str> = ours.iter().chain(collections).copied().collect();
        let there = existing(&self.server, &all).await?;
        // The note first: nobody takes what is left for a load.
        for collection in all.into_iter().filter(|name| there.contains(*name)) {
            let dropped = self.server.database.collection::<Bson>(collection).drop().await;
            dropped.map_err(|e| {
                let tried = format!("drop {collection} in {}", self.server.shown);
                error::mongo(&e, Doing::Other, tried)
            })?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        for collection in collections {
            name(collection)?;
        }
        let there = existing(&self.server, collections).await?;
        for collection in collections.iter().filter(|c| !there.contains(**c)) {
            let tried = || format!("create {collection} in {}", self.server.shown);
            match self.server.database.create_collection(*collection).await {
                Err(e) if !is_there_already(&e) => {
                    return Err(error::mongo(&e, Doing::Other, tried()));
                }
                _ => {}
            }
            if self.server.options.hashed {
                shard(&self.server, collection)
                    .await
                    .map_err(|e| error::mongo(&e, Doing::Other, tried()))?;
            }
        }
        Ok(())
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(BatchWriter::new(self.server.clone(), part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        settle::settle(&self.server, indexes).await
    }

    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let tried = || format!("scan {collection} in {}", self.server.shown);
        let failed = |e: DriverError| error::mongo(&e, Doing::Reading, tried());
        let broken = |answer: String| Error::new(ErrorKind::Broken, tried(), answer);
        let named = name(collection)?;
        let mut cursor = self
            .server
            .collection(named)
            .find(doc! {})
            .projection(value::projection(fields)?)
            .await
            .map_err(failed)?;
        let mut empty = true;
        while cursor.advance().await.map_err(failed)? {
            empty = false;
            let document = cursor.current();
            each(value::key(document, tried)?, value::row(document, fields).map_err(broken)?)?;
        }
        if empty && existing(&self.server, &[named]).await?.is_empty() {
            return Err(error::no_collection(tried()));
        }
        Ok(())
    }
}

/// The text of the note.
async fn read_note(server: &Server, tried: impl Fn() -> String) -> Result<Option<String>> {
    let notes = server.database.collection::<mongodb::bson::Document>(NOTES);
    let found = notes.find_one(doc! {"_id": NOTE}).await;
    let found = found.map_err(|e| error::mongo(&e, Doing::Reading, tried()))?;
    let text = |document: mongodb::bson::Document| match document.get_str("value") {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Error::new(
            ErrorKind::Unavailable,
            tried(),
            format!("{NOTES} is there and is not ours"),
        )),
    };
    found.map(text).transpose()
}

/// Those of these collections that exist.
pub(super) async fn existing(server: &Server, collections: &[&str]) -> Result<HashSet<String>> {
    let names = server.database.list_collection_names().await.map_err(|e| {
        let tried = format!("list the collections of {}", server.shown);
        error::mongo(&e, Doing::Other, tried)
    })?;
    Ok(names.into_iter().filter(|name| collections.contains(&name.as_str())).collect())
}

/// Another client made it in the meantime (NamespaceExists).
fn is_there_already(e: &DriverError) -> bool {
    matches!(e.kind.as_ref(), Kind::Command(c) if c.code == 48)
}

/// Spreads an empty collection over the shards by its hashed key.
async fn shard(server: &Server, collection: &str) -> mongodb::error::Result<()> {
    let database = server.database.name();
    let admin = server.database.client().database("admin");
    admin.run_command(doc! {"enableSharding": database}).await?;
    let command = doc! {
        "shardCollection": format!("{database}.{collection}"),
        "key": {"_id": "hashed"},
    };
    admin.run_command(command).await.map(drop)
}
