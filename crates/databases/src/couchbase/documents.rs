//! Whole collections: notes, creation, scans.

use async_trait::async_trait;
use couchbase::error::ErrorKind as Kind;
use couchbase::options::kv_options::{InsertOptions, ReplaceOptions};
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::Value;

use super::bulk::BatchWriter;
use super::query::Node;
use super::{Couchbase, error, settle, sql};
use crate::sqlpp::Doing;

const NOTE: &str = "note";
/// Documents of a page of a scan.
const PAGE: usize = 2000;

#[async_trait]
impl Documents for Couchbase {
    async fn note(&self) -> Result<Option<Value>> {
        if !self.node()?.has(sql::NOTES).await? {
            return Ok(None);
        }
        Ok(self.read_note().await?.map(|(note, _)| note))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let tried = || format!("write the note in {}", self.url());
        let node = self.node()?;
        self.make(&node, &[sql::NOTES]).await?;
        let collection = self.server.collection(sql::NOTES);
        let done = match (self.read_note().await?, expected) {
            (None, None) => {
                let mut options = InsertOptions::new();
                options.durability_level = self.server.place.options.durability.of_driver();
                let insert = collection.insert(NOTE, note, options);
                self.limited(insert, Doing::Write, tried).await?.map(drop)
            }
            (Some((there, cas)), Some(expected)) if there == *expected => {
                let mut options = ReplaceOptions::new().cas(cas);
                options.durability_level = self.server.place.options.durability.of_driver();
                let replace = collection.replace(NOTE, note, options);
                self.limited(replace, Doing::Write, tried).await?.map(drop)
            }
            _ => return Ok(false),
        };
        match done {
            Ok(()) => Ok(true),
            Err(e) => match e.kind() {
                // Another writer was faster.
                Kind::DocumentExists | Kind::CasMismatch | Kind::DocumentNotFound => Ok(false),
                _ => Err(error::key_value(&e, Doing::Write, tried())),
            },
        }
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        for collection in collections {
            sql::name(collection)?;
        }
        let tried = || format!("look for collections in {}", self.url());
        let there = self.node()?.keyspaces(tried).await?;
        Ok(collections.iter().any(|name| there.iter().any(|there| there == name)))
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        for collection in collections {
            sql::name(collection)?;
        }
        let tried = || format!("drop the collections in {}", self.url());
        let node = self.node()?;
        let there = node.keyspaces(tried).await?;
        for name in there
            .iter()
            .filter(|name| collections.contains(&name.as_str()) || name.as_str() == sql::NOTES)
        {
            let text = format!("DROP COLLECTION {}", self.full_name(name));
            match node.ask(&text, &[], None).await {
                Err(e) if !said(&e, "not found") => {
                    return Err(error::statement(e, Doing::Repeatable, tried()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        for collection in collections {
            sql::name(collection)?;
        }
        let mut all = collections.to_vec();
        all.push(sql::NOTES);
        self.make(&self.node()?, &all).await
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        let node = self.node()?;
        if !node.has(sql::NOTES).await? {
            let tried = format!("load into {}", self.url());
            return Err(Error::new(ErrorKind::Unavailable, tried, "the scope has no collections")
                .advise("create them first"));
        }
        Ok(Box::new(BatchWriter::new(self.clone(), node, part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        settle::settle(&self.node()?, indexes).await
    }

    /// Pages by key, through the primary index: no snapshot while others write.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let tried = || format!("scan {collection} in {}", self.url());
        let mut node = self.node()?;
        settle::primary(&node, sql::name(collection)?).await?;
        let mut text = String::new();
        let mut after: Option<String> = None;
        loop {
            sql::page(collection, fields, PAGE, after.is_none(), &mut text)?;
            let start = Value::from(after.as_deref().unwrap_or(""));
            let answer = node.run(&text, &[start], None).await;
            let answer = answer.map_err(|e| error::statement(e, Doing::Read, tried()))?;
            let count = answer.rows.len();
            for mut row in answer.lists(tried)? {
                let values = row.split_off(row.len().min(1));
                let Some(Value::String(key)) = row.pop() else {
                    return Err(Error::new(ErrorKind::Broken, tried(), "a row has no key"));
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

/// Whether the service's answer has these words.
fn said(failure: &crate::sqlpp::Failure, words: &str) -> bool {
    failure.fault().is_some_and(|fault| fault.message.to_lowercase().contains(words))
}

impl Couchbase {
    /// The name of a collection with its bucket and scope, quoted.
    fn full_name(&self, collection: &str) -> String {
        let place = &self.server.place;
        format!("default:`{}`.`{}`.`{collection}`", place.bucket, place.options.scope)
    }

    async fn read_note(&self) -> Result<Option<(Value, u64)>> {
        let tried = || format!("read the note in {}", self.url());
        let collection = self.server.collection(sql::NOTES);
        match self.limited(collection.get(NOTE, None), Doing::Read, tried).await? {
            Ok(found) => {
                let note = serde_json::from_slice(found.content_as_raw().0);
                let note = note.map_err(|e| Error::new(ErrorKind::Broken, tried(), e))?;
                Ok(Some((note, found.cas())))
            }
            Err(e) if *e.kind() == Kind::DocumentNotFound => Ok(None),
            Err(e) => Err(error::key_value(&e, Doing::Read, tried())),
        }
    }

    /// Makes the scope and the collections, as far as they are missing.
    async fn make(&self, node: &Node, collections: &[&str]) -> Result<()> {
        let tried = || format!("create the collections in {}", self.url());
        let place = &self.server.place;
        let there = node.keyspaces(tried).await?;
        let missing = collections.iter().filter(|name| !there.iter().any(|there| there == *name));
        let mut texts: Vec<String> = Vec::new();
        if there.is_empty() {
            texts
                .push(format!("CREATE SCOPE default:`{}`.`{}`", place.bucket, place.options.scope));
        }
        texts.extend(missing.map(|name| format!("CREATE COLLECTION {}", self.full_name(name))));
        for text in texts {
            match node.ask(&text, &[], None).await {
                Err(e) if !said(&e, "already exist") => {
                    return Err(error::statement(e, Doing::Repeatable, tried()));
                }
                _ => {}
            }
        }
        // The nodes learn of a new collection one after the other.
        let limit = tokio::time::Instant::now() + place.options.query_timeout;
        loop {
            let there = node.keyspaces(tried).await?;
            if collections.iter().all(|name| there.iter().any(|there| there == name)) {
                return Ok(());
            }
            if tokio::time::Instant::now() > limit {
                return Err(Error::new(ErrorKind::Timeout, tried(), "a collection did not appear"));
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
}
