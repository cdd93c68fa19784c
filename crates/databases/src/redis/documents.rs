//! Whole collections: notes, creation, indexes, scans.

use std::collections::BTreeMap;

use async_trait::async_trait;
use hoap_workload::capability::{BulkWriter, Documents, Index, Row};
use hoap_workload::{Error, ErrorKind, Result};
use redis::{Cmd, Value as Answer};
use serde_json::Value;

use super::answers::texts;
use super::bulk::BatchWriter;
use super::connection::ClientConnection;
use super::document::Path;
use super::error::{Doing, Done, Failure};
use super::notes::{IndexDefinition, expect};
use super::pages::pages;
use super::{Redis, indexes, layout, notes, settle};

#[async_trait]
impl Documents for Redis {
    async fn note(&self) -> Result<Option<Value>> {
        let mut connection = self.server.own_connection().await?;
        let tried = || format!("read the note in {}", connection.server().url);
        let tried = tried();
        let text = notes::read(&mut connection, layout::NOTE).await;
        let text = text.map_err(|e| e.into_error(Doing::Read, &tried))?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Broken, tried, e))
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Result<bool> {
        let mut connection = self.server.own_connection().await?;
        let tried = format!("write the note in {}", connection.server().url);
        let hash = layout::notes(&connection.server().options.prefix);
        let set = async {
            loop {
                let there = notes::read(&mut connection, layout::NOTE).await?;
                let value: Option<Value> = match &there {
                    None => None,
                    Some(text) => Some(
                        serde_json::from_str(text).map_err(|e| Failure::Broken(e.to_string()))?,
                    ),
                };
                // The order of names matters to texts, not to objects.
                if value.as_ref() != expected {
                    return Ok(false);
                }
                let fill = |command: &mut Cmd| {
                    command.arg(&hash).arg(layout::NOTE);
                    command.arg(there.as_deref().unwrap_or_default()).arg(note.to_string());
                };
                if connection.run(|s| &s.compare_and_set, 1, fill).await? == Answer::Int(1) {
                    return Ok(true);
                }
                // Another writer was faster: the note may still be the expected value, in another
                // text.
            }
        };
        set.await.map_err(|e: Failure| e.into_error(Doing::Write, tried))
    }

    async fn any_exists(&self, collections: &[&str]) -> Result<bool> {
        let mut connection = self.server.own_connection().await?;
        let tried = format!("look for collections in {}", connection.server().url);
        let prefix = connection.server().options.prefix.clone();
        for name in collections {
            let name = layout::collection(name)?;
            let look = async {
                let mut keys = redis::cmd("EXISTS");
                keys.arg(layout::keys(&prefix, name));
                Ok(notes::read(&mut connection, &layout::collection_field(name)).await?.is_some()
                    || connection.send(&keys).await? == Answer::Int(1))
            };
            if look.await.map_err(|e: Failure| e.into_error(Doing::Read, &tried))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn drop(&self, collections: &[&str]) -> Result<()> {
        let mut connection = self.server.own_connection().await?;
        let tried = format!("drop the collections in {}", connection.server().url);
        for name in collections {
            layout::collection(name)?;
        }
        let dropped = drop_all(&mut connection, collections).await;
        dropped.map_err(|e| e.into_error(Doing::Write, tried))
    }

    async fn create(&self, collections: &[&str]) -> Result<()> {
        let mut connection = self.server.own_connection().await?;
        let tried = format!("create the collections in {}", connection.server().url);
        let mut command = redis::cmd("HSET");
        command.arg(layout::notes(&connection.server().options.prefix));
        for name in collections {
            command.arg(layout::collection_field(layout::collection(name)?)).arg("");
        }
        if collections.is_empty() {
            return Ok(());
        }
        let created = connection.write(&command).await;
        created.map(drop).map_err(|e| e.into_error(Doing::Write, tried))
    }

    async fn bulk(&self, part: &str) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(BatchWriter::new(self.server.own_connection().await?, part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Result<()> {
        let mut connection = self.server.own_connection().await?;
        for index in indexes {
            indexes::make(&mut connection, index).await?;
        }
        settle::durable(&mut connection).await
    }

    /// Reads the keys in pages, and the documents of each page: a document that exists throughout
    /// comes once, as it was at the moment of its page. That is no snapshot while others write; the
    /// checks run when nobody does.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut (dyn for<'a> FnMut(&'a str, Row) -> Result<()> + Send),
    ) -> Result<()> {
        let mut connection = self.server.own_connection().await?;
        let collection = layout::collection(collection)?;
        let paths: Vec<Path> =
            fields.iter().map(|field| Path::new(field)).collect::<Result<_>>()?;
        expect(&mut connection, &[collection], &[]).await?;
        let tried = format!("scan {collection} in {}", connection.server().url);
        let failed = |e: Failure| e.into_error(Doing::Read, &tried);
        let names: Vec<&String> = paths.iter().flat_map(|path| &path.fields).collect();
        let mut next = pages(&connection.server().options.prefix.clone(), collection);
        while let Some(keys) = next.page(&mut connection).await.map_err(failed)? {
            let there = next.exist(&mut connection, &keys).await.map_err(failed)?;
            let rows = match names.is_empty() {
                true => Vec::new(),
                false => next.read(&mut connection, &keys, &names).await.map_err(failed)?,
            };
            for (at, key) in keys.iter().enumerate() {
                // A key without a document does not count.
                if !there[at] {
                    continue;
                }
                let mut row = Row::with_capacity(paths.len());
                if let Some(Answer::Array(answers)) = rows.get(at) {
                    for (path, answers) in paths.iter().zip(answers.chunks(2)) {
                        row.push(path.value(answers).map_err(failed)?);
                    }
                }
                each(key, row)?;
            }
        }
        Ok(())
    }
}

/// Removes the note and the progress first, so that nobody takes what is left for a load. Removes
/// the notes of collections and indexes last: an interrupted drop finds the rest again.
async fn drop_all(connection: &mut ClientConnection, collections: &[&str]) -> Done<()> {
    let prefix = connection.server().options.prefix.clone();
    let hash = layout::notes(&prefix);
    let mut all = redis::cmd("HGETALL");
    all.arg(&hash);
    let all = match connection.send(&all).await? {
        Answer::Map(pairs) => Answer::Array(pairs.into_iter().flat_map(|(k, v)| [k, v]).collect()),
        other => other,
    };
    let all = texts(all)?;
    let all: BTreeMap<_, _> = all.chunks_exact(2).map(|pair| (&pair[0], &pair[1])).collect();
    let mut forget = redis::cmd("HDEL");
    forget.arg(&hash).arg(layout::NOTE).arg(layout::SETTLED);
    for field in all.keys().filter(|field| field.starts_with(layout::PROGRESS)) {
        forget.arg(field);
    }
    connection.write(&forget).await?;
    for (field, text) in &all {
        let Some(name) = field.strip_prefix(&layout::index_field("")) else { continue };
        let made = serde_json::from_str::<IndexDefinition>(text);
        if made.is_ok_and(|made| collections.contains(&made.collection.as_str())) {
            indexes::remove(connection, name).await?;
        }
    }
    for name in collections {
        let set = layout::keys(&prefix, name);
        let mut next = pages(&prefix, name);
        while let Some(keys) = next.page(connection).await? {
            let remove = |key: &String| {
                let mut command = redis::cmd("UNLINK");
                command.arg(next.name(key));
                command
            };
            connection.send_all(keys.iter().map(remove).collect()).await?;
            let mut remove = redis::cmd("ZREM");
            remove.arg(&set).arg(&keys);
            connection.send(&remove).await?;
        }
        let mut forget = redis::cmd("HDEL");
        forget.arg(&hash).arg(layout::collection_field(name));
        connection.write(&forget).await?;
    }
    Ok(())
}
