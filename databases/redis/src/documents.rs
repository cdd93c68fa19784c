//! Whole collections: notes, creation, indexes, scans.

use std::collections::BTreeMap;

use async_trait::async_trait;
use hoap_database::engine::{self, Documents, Each, Offered};
use hoap_database::failure::{Done, Failure};
use hoap_database::path::{self, WHOLE};
use hoap_database::{Index, Row};
use hoap_record::{Medium, Stored};
use redis::{Cmd, Value as Answer};
use serde_json::Value;

use super::answers::texts;
use super::bulk::BatchWriter;
use super::connection::ClientConnection;
use super::document::{self, Path};
use super::notes::{IndexDefinition, expect};
use super::pages::pages;
use super::{RedisEngine, indexes, layout, notes, settle};

#[async_trait]
impl Documents for RedisEngine {
    fn elsewhere(&self) -> &'static str {
        "another prefix (?prefix=NAME)"
    }

    async fn note(&self) -> Done<Option<Value>> {
        let mut connection = self.server.own_connection().await?;
        let text = notes::read(&mut connection, layout::NOTE).await?;
        text.map(|text| serde_json::from_str(&text)).transpose().map_err(Failure::broken)
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        let mut connection = self.server.own_connection().await?;
        let hash = layout::notes(&self.server.options.prefix);
        loop {
            let there = notes::read(&mut connection, layout::NOTE).await?;
            let value = there.as_deref().map(serde_json::from_str::<Value>).transpose();
            let value = value.map_err(Failure::broken)?;
            // The order of names matters to texts, not to objects.
            if value.as_ref() != expected {
                return Ok(false);
            }
            let fill = |command: &mut Cmd| {
                command.arg(&hash).arg(layout::NOTE);
                command.arg(there.as_deref().unwrap_or_default()).arg(note.to_string());
            };
            let set = connection.run(|s| &s.compare_and_set, 1, fill).await?;
            if set.by_replicas()? == Answer::Int(1) {
                return Ok(true);
            }
            // Another writer was faster: the note may still be the expected value, in another text.
        }
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        let mut connection = self.server.own_connection().await?;
        let mut keys = redis::cmd("EXISTS");
        keys.arg(layout::keys(&self.server.options.prefix, collection));
        let field = layout::collection_field(collection);
        Ok(notes::read(&mut connection, &field).await?.is_some()
            || connection.send(&keys).await? == Answer::Int(1))
    }

    /// The size of the set of its keys, which every insert and delete changes with the document.
    async fn count(&self, collection: &str) -> Done<Offered<u64>> {
        let mut keys = redis::cmd("ZCARD");
        keys.arg(layout::keys(&self.server.options.prefix, collection));
        match self.server.own_connection().await?.send(&keys).await? {
            Answer::Int(count) => Ok(Ok(count.unsigned_abs())),
            _ => Ok(Err("its ZCARD has no number")),
        }
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        drop_all(&mut self.server.own_connection().await?, collections).await
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        let mut connection = self.server.own_connection().await?;
        let mut command = redis::cmd("HSET");
        command.arg(layout::notes(&self.server.options.prefix));
        for name in collections {
            command.arg(layout::collection_field(name)).arg("");
        }
        if collections.is_empty() { Ok(()) } else { connection.write(&command).await.map(drop) }
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn engine::Bulk>> {
        Ok(Box::new(BatchWriter::new(self.server.own_connection().await?, part)))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        let mut connection = self.server.own_connection().await?;
        let url = &self.server.url;
        for index in indexes {
            let made = indexes::make(&mut connection, index).await;
            made.map_err(|e| e.trying(format!("make index {} in {url}", index.name)))?;
        }
        let durable = settle::durable(&mut connection).await;
        durable.map_err(|e| e.trying(format!("wait until {url} has written its file")))
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        let mut connection = self.server.own_connection().await?;
        let mut has = Vec::new();
        for index in indexes {
            has.push(indexes::is_whole(&mut connection, index).await?);
        }
        Ok(Ok(has))
    }

    /// All that the server holds in memory, of whatever database: it has no figure of a collection
    /// but one of a sample.
    async fn stored(&self, _: &[&str]) -> Done<Offered<Stored>> {
        let mut connection = self.server.own_connection().await?;
        let mut memory = redis::cmd("INFO");
        memory.arg("memory");
        let said = match connection.send(&memory).await? {
            Answer::BulkString(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Answer::VerbatimString { text, .. } | Answer::SimpleString(text) => text,
            // A cluster answers by node.
            _ => return Ok(Err("each node of a cluster has a figure of its own")),
        };
        let used = said.lines().find_map(|line| line.strip_prefix("used_memory:"));
        let bytes = used.and_then(|bytes| bytes.trim().parse().ok());
        Ok(bytes.map_or(Err("its INFO has no used_memory"), |bytes| {
            Ok(Stored { medium: Medium::Memory, bytes, collections: Vec::new() })
        }))
    }

    /// Reads the keys in pages, and the documents of each page: a document that exists throughout
    /// comes once, as it was at the moment of its page. That is no snapshot while others write; the
    /// checks run when nobody does.
    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let mut connection = self.server.own_connection().await?;
        let paths: Vec<Path> = fields.iter().map(|field| Path::new(field)).collect();
        expect(&mut connection, &[collection], &[]).await?;
        let names: Vec<&String> = paths.iter().flat_map(|path| &path.fields).collect();
        let whole = fields.contains(&WHOLE);
        let mut next = pages(&self.server.options.prefix, collection);
        while let Some(keys) = next.page(&mut connection).await? {
            let there = next.exist(&mut connection, &keys).await?;
            let rows = match names.is_empty() {
                true => Vec::new(),
                false if whole => next.read_whole(&mut connection, &keys).await?,
                false => next.read(&mut connection, &keys, &names).await?,
            };
            for (at, key) in keys.iter().enumerate() {
                // A key without a document does not count.
                if !there[at] {
                    continue;
                }
                let mut row = Row::with_capacity(paths.len());
                if whole {
                    let document = document::whole(rows[at].clone())?.unwrap_or_default();
                    row.extend(fields.iter().map(|path| at_path(&document, path)));
                } else if let Some(Answer::Array(answers)) = rows.get(at) {
                    for (path, answers) in paths.iter().zip(answers.chunks(2)) {
                        row.push(path.value(answers)?);
                    }
                }
                each(key, row)?;
            }
        }
        Ok(())
    }
}

/// The value at a path of a document.
pub(super) fn at_path(document: &Value, path: &str) -> Value {
    path::get(document, path).cloned().unwrap_or_default()
}

/// Removes the progress first, the notes of collections and indexes and then the note last: an
/// interrupted drop finds what is left again.
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
    forget.arg(&hash).arg(layout::SETTLED);
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
            connection.send_all(vec![remove]).await?;
        }
        let mut forget = redis::cmd("HDEL");
        forget.arg(&hash).arg(layout::collection_field(name));
        connection.write(&forget).await?;
    }
    let mut forget = redis::cmd("HDEL");
    forget.arg(&hash).arg(layout::NOTE);
    connection.write(&forget).await?;
    Ok(())
}
