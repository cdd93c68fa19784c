//! Whole collections: notes, creation, scans.

use std::collections::HashSet;

use async_trait::async_trait;
use hoap_database::Index;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use hoap_record::{Stored, StoredCollection};
use mongodb::bson::{Bson, Document, doc};
use mongodb::error::{Error as DriverError, ErrorKind as Kind};
use serde_json::Value;

use super::bulk::BatchWriter;
use super::layout::{NOTES, PROGRESS};
use super::server::Server;
use super::{MongoDbEngine, error, settle, value};
use crate::error::OrFail;

const NOTE: &str = "note";

#[async_trait]
impl Documents for MongoDbEngine {
    fn elsewhere(&self) -> &'static str {
        "another database in the path of the URL"
    }

    async fn note(&self) -> Done<Option<Value>> {
        let text = read_note(&self.server).await?;
        text.as_deref().map(parse).transpose()
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        let notes = self.server.database.collection::<Document>(NOTES);
        let there = read_note(&self.server).await?;
        if there.as_deref().map(parse).transpose()?.as_ref() != expected {
            return Ok(false);
        }
        let text = note.to_string();
        match there {
            // If another writer was faster the text differs, and nothing matches.
            Some(old) => {
                let filter = doc! {"_id": NOTE, "value": old};
                let done = notes.update_one(filter, doc! {"$set": {"value": text}}).await;
                Ok(done.map_err(error::failure)?.matched_count == 1)
            }
            None => {
                let done = notes.insert_one(doc! {"_id": NOTE, "value": text}).await;
                match done.map_err(error::failure) {
                    Err(e) if e.kind == ErrorKind::Duplicate => Ok(false),
                    done => done.map(|_| true),
                }
            }
        }
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        Ok(!existing(&self.server, &[collection]).await?.is_empty())
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        let all: Vec<&str> = collections.iter().chain(&[PROGRESS, NOTES]).copied().collect();
        let there = existing(&self.server, &all).await?;
        for collection in all.into_iter().filter(|name| there.contains(*name)) {
            let dropped = self.server.database.collection::<Bson>(collection).drop().await;
            dropped.map_err(|e| {
                error::failure(e).trying(format!("drop {collection} in {}", self.server.shown))
            })?;
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let there = existing(&self.server, collections).await?;
        for collection in collections.iter().filter(|c| !there.contains(**c)) {
            let made = create(&self.server, collection).await;
            made.map_err(|e| {
                error::failure(e).trying(format!("create {collection} in {}", self.server.shown))
            })?;
        }
        Ok(())
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        Ok(Box::new(BatchWriter::new(self.server.clone(), part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        settle::settle(&self.server, indexes).await
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        settle::has(&self.server, indexes).await.map(Ok)
    }

    /// What `collStats` says of the files of the collections and of their indexes.
    async fn stored(&self, collections: &[&str]) -> Done<Offered<Stored>> {
        let mut of = Vec::new();
        for name in collections {
            let asked = self.server.database.run_command(doc! {"collStats": *name});
            let said = match asked.await {
                Err(e) if error::has_no_command(&e) => return Ok(Err("it has no collStats")),
                said => said.or_fail()?,
            };
            let number = |field: &str| match said.get(field) {
                Some(Bson::Int32(n)) => u64::try_from(*n).ok(),
                Some(Bson::Int64(n)) => u64::try_from(*n).ok(),
                Some(Bson::Double(n)) if *n >= 0.0 => Some(*n as u64),
                _ => None,
            };
            let (Some(documents), Some(indexes)) =
                (number("storageSize"), number("totalIndexSize"))
            else {
                return Ok(Err("its collStats has no storageSize and totalIndexSize"));
            };
            of.push(StoredCollection { name: (*name).to_owned(), bytes: documents + indexes });
        }
        Ok(Ok(Stored::sum(of)))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let target = self.server.collection(collection);
        let documents = self.server.each_once(target.find(doc! {}));
        let mut cursor = documents.projection(value::projection(fields)).await.or_fail()?;
        let mut empty = true;
        while cursor.advance().await.or_fail()? {
            empty = false;
            let document = cursor.current();
            each(value::key(document)?, value::row(document, fields)?)?;
        }
        if empty && existing(&self.server, &[collection]).await?.is_empty() {
            return Err(error::no_collection());
        }
        Ok(())
    }
}

fn parse(note: &str) -> Done<Value> {
    serde_json::from_str(note).map_err(Failure::broken)
}

/// The text of the note.
async fn read_note(server: &Server) -> Done<Option<String>> {
    let notes = server.database.collection::<Document>(NOTES);
    let text = |document: Document| match document.get_str("value") {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => {
            Err(Failure::new(ErrorKind::Unavailable, format!("{NOTES} is there and is not ours")))
        }
    };
    notes.find_one(doc! {"_id": NOTE}).await.or_fail()?.map(text).transpose()
}

/// Those of these collections that exist.
pub(super) async fn existing(server: &Server, collections: &[&str]) -> Done<HashSet<String>> {
    let names = server.database.list_collection_names().await.map_err(|e| {
        error::failure(e).trying(format!("list the collections of {}", server.shown))
    })?;
    Ok(names.into_iter().filter(|name| collections.contains(&name.as_str())).collect())
}

async fn create(server: &Server, collection: &str) -> mongodb::error::Result<()> {
    match server.database.create_collection(collection).await {
        Err(e) if !is_there_already(&e) => return Err(e),
        _ => {}
    }
    if server.options.hashed { shard(server, collection).await } else { Ok(()) }
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
