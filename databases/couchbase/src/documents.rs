//! Whole collections: notes, creation, scans.

use std::time::Duration;

use async_trait::async_trait;
use couchbase::options::kv_options::{InsertOptions, ReplaceOptions};
use hoap_database::Index;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;
use serde_json::Value;
use tokio::time::Instant;

use super::bulk::BatchWriter;
use super::query::Node;
use super::{CouchbaseEngine, error, settle, sql};

const NOTE: &str = "note";
/// Documents of a page of a scan.
const PAGE: usize = 2000;

#[async_trait]
impl Documents for CouchbaseEngine {
    fn elsewhere(&self) -> &'static str {
        "another scope (?scope=NAME)"
    }

    async fn note(&self) -> Done<Option<Value>> {
        if !self.node()?.has(sql::NOTES).await? {
            return Ok(None);
        }
        Ok(self.read_note().await?.map(|(note, _)| note))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        self.make(&self.node()?, &[sql::NOTES]).await?;
        let collection = self.server.collection(sql::NOTES);
        let durability_level = self.server.place.options.durability.of_driver();
        let done = match (self.read_note().await?, expected) {
            (None, None) => {
                let mut options = InsertOptions::new();
                options.durability_level = durability_level;
                let insert = collection.insert(NOTE, note, options);
                self.server.limited(Box::pin(insert)).await?.map(drop)
            }
            (Some((there, cas)), Some(expected)) if there == *expected => {
                let mut options = ReplaceOptions::new().cas(cas);
                options.durability_level = durability_level;
                let replace = collection.replace(NOTE, note, options);
                self.server.limited(Box::pin(replace)).await?.map(drop)
            }
            _ => return Ok(false),
        };
        match done {
            Ok(()) => Ok(true),
            Err(e) if error::another_was_faster(&e) => Ok(false),
            Err(e) => Err(error::key_value(&e)),
        }
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        self.node()?.has(collection).await
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        let node = self.node()?;
        let ours = |name: &&String| collections.contains(&name.as_str()) || *name == sql::NOTES;
        let there = node.keyspaces().await?;
        let mut there: Vec<&String> = there.iter().filter(ours).collect();
        there.sort_by_key(|name| *name == sql::NOTES);
        for name in there {
            let text = format!("DROP COLLECTION {}", self.full_name(name));
            match node.ask(&text, &[], None).await {
                Err(e) if !e.says("not found") => return Err(e.into()),
                _ => {}
            }
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let mut all = collections.to_vec();
        all.push(sql::NOTES);
        self.make(&self.node()?, &all).await
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        let node = self.node()?;
        if !node.has(sql::NOTES).await? {
            return Err(Failure::of(
                ErrorKind::Unavailable,
                "the scope has no collections",
                "create them first",
            ));
        }
        Ok(Box::new(BatchWriter::new(node, part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        settle::settle(&self.node()?, indexes).await
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        settle::has(&self.node()?, indexes).await.map(Ok)
    }

    /// Pages by key, through the primary index: no snapshot while others write.
    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let mut node = self.node()?;
        settle::primary(&node, collection).await?;
        let mut text = String::new();
        let mut after: Option<String> = None;
        loop {
            sql::page(collection, fields, PAGE, after.is_none(), &mut text);
            let start = Value::from(after.as_deref().unwrap_or(""));
            let answer = node.run(&text, &[start], None).await?;
            let count = answer.rows.len();
            for mut row in answer.lists()? {
                let values = row.split_off(row.len().min(1));
                let Some(Value::String(key)) = row.pop() else {
                    return Err(Failure::broken("a row has no key"));
                };
                each(&key, values)?;
                after = Some(key);
            }
            if count < PAGE {
                return Ok(());
            }
        }
    }
}

impl CouchbaseEngine {
    /// The name of a collection with its bucket and scope, quoted.
    fn full_name(&self, collection: &str) -> String {
        let place = &self.server.place;
        format!("default:`{}`.`{}`.`{collection}`", place.bucket, place.options.scope)
    }

    async fn read_note(&self) -> Done<Option<(Value, u64)>> {
        let notes = self.server.collection(sql::NOTES);
        match self.server.key_value(Box::pin(notes.get(NOTE, None))).await {
            Ok(found) => {
                let note = serde_json::from_slice(found.content_as_raw().0);
                Ok(Some((note.map_err(Failure::broken)?, found.cas())))
            }
            Err(e) if e.kind == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Makes the scope and the collections, as far as they are missing.
    async fn make(&self, node: &Node, collections: &[&str]) -> Done<()> {
        let place = &self.server.place;
        let there = node.keyspaces().await?;
        let missing = collections.iter().filter(|name| !there.iter().any(|there| there == *name));
        let mut texts: Vec<String> = Vec::new();
        if there.is_empty() {
            texts
                .push(format!("CREATE SCOPE default:`{}`.`{}`", place.bucket, place.options.scope));
        }
        texts.extend(missing.map(|name| format!("CREATE COLLECTION {}", self.full_name(name))));
        for text in texts {
            match node.ask(&text, &[], None).await {
                Err(e) if !e.says("already exist") => return Err(e.into()),
                _ => {}
            }
        }
        // The nodes learn of a new collection one after the other.
        let limit = Instant::now() + place.options.query_timeout;
        loop {
            let there = node.keyspaces().await?;
            if collections.iter().all(|name| there.iter().any(|there| there == name)) {
                return Ok(());
            }
            if Instant::now() > limit {
                return Err(Failure::new(ErrorKind::Timeout, "a collection did not appear"));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
